//! Chooses scale, category error and depth by inner cross-validation of the whole recipe.
//!
//! For each depth, all scales are measured with the usual category error, then all category errors
//! with the best scale, then all scales with the best category error, until neither changes.
//! Thresholds and categories are cut by different splits, so this finds the best pair almost
//! always, at half the cost of measuring every pair.

use super::by_recipe::RecipeFitter;
use crate::dataset::{FoldRows, RowSubset, Shuffle, UnitFolds};
use crate::error::Result;
use crate::metrics::ClassTally;
use crate::predict::{Scratch, Verdict, Walker};
use crate::recipe::{Auto, CandidateLoss, CheckedParams, Choice, TIE, TreeParams, ZoneKind};
use crate::tree::{Tree, most_probable};
use crate::verdict::{Achieved, CalibrationSource, USUAL_COST_RATIO};
use std::cmp::Ordering;

/// The scales that `zone_scale = auto` chooses from. With 0 the tree is plain CART.
pub const SCALES: [f64; 7] = [0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2];

/// The category errors that `zone_scale = auto` chooses from if the data have categories.
pub const CATEGORY_ERRORS: [f64; 5] = [0.0, 1.0, 2.0, 4.0, 8.0];

/// The depths that an automatic depth is chosen from.
pub const DEPTHS: [u32; 7] = [2, 3, 4, 5, 6, 8, 10];

/// The number of inner folds.
pub const FOLDS: u32 = 5;

/// The number of repeats, each with new inner folds; losses add up. More rows need fewer.
fn repeats(n_rows: u64) -> u32 {
    match n_rows {
        0..5_000 => 3,
        5_000..20_000 => 2,
        _ => 1,
    }
}

/// From this many rows on, only [`FEW_FOLDS`] of the inner folds are held out: each has so many
/// rows that the others would choose the same.
const MANY_ROWS: u64 = 50_000;

/// The number of folds held out if rows are many.
const FEW_FOLDS: usize = 2;

/// Lower bound on the probability of the true class in the log-loss.
const CLIP: f64 = 1e-6;

/// The category error that scales are measured with first.
const USUAL_ERROR: f64 = 2.0;

/// How far zones reach.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ZoneSize {
    scale: f64,
    category_error: f64,
}

/// A candidate: a depth, by index, and a size of the zones.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    depth: usize,
    zone: ZoneSize,
}

/// A candidate and what it does in every fold.
type Measured = (Candidate, Vec<InFold>);

/// A candidate in a fold.
#[derive(Debug, Clone, Copy)]
struct InFold {
    /// The sum over the held-out rows.
    loss: f64,
    /// Of the tree.
    leaves: usize,
}

/// The values to choose from.
struct Grid {
    depths: Vec<Option<u32>>,
    scales: Vec<f64>,
    /// The category errors; one if it is not chosen.
    errors: Vec<f64>,
}

/// The result of [`choose`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    pub(super) choice: Choice,
    /// What the usual verdict does to held-out rows; `None` if no row could be held out.
    pub(super) achieved: Option<Achieved>,
}

/// Measures candidates by inner cross-validation on `rows`.
///
/// Cost per repeat: five trees, or two if rows are many, of the largest depth (more if one cannot be
/// cut to the other depths), and for each of their depths and sizes of zones the leaves and the loss
/// on a fifth of the rows.
pub(super) fn choose(
    fitter: &RecipeFitter<'_>,
    params: &CheckedParams,
    rows: &RowSubset,
) -> Result<Chosen> {
    let chooses_error = fitter.auto.zone_scale
        && params.zone.kind != ZoneKind::None
        && fitter.fit.data.schema().has_categories();
    let grid = Grid::new(fitter.auto, params, chooses_error);
    let n_units = rows.n_units();
    // A single row cannot be held out; all candidates are the same leaf.
    let repeats = if n_units > 1 { repeats(n_units) } else { 0 };
    let mut repeated_folds = Vec::new();
    for repeat in 0..repeats {
        let shuffle = Shuffle { seed: params.seed, number: repeat.into() };
        repeated_folds.push(fitter.fit.resampler.unit_folds(rows, FOLDS, shuffle)?);
    }
    let alone = fitter.exec.alone();
    let inner = InnerFits { fitter: fitter.on(&alone), params, grid: &grid };
    let held_out =
        repeated_folds.iter().flat_map(|folds| (0..folds.count()).map(move |fold| (folds, fold)));
    let held_out = held_out.take(if n_units < MANY_ROWS { usize::MAX } else { FEW_FOLDS });
    let folds = fitter.exec.map(held_out.collect(), |(folds, fold): (&UnitFolds<'_>, u32)| {
        let trees = inner.shared_trees(&folds.rows_of(fold).training)?;
        let weight = fitter.fit.total_weight(&folds.rows_of(fold).test);
        Ok(InnerFold { folds, fold, trees, weight })
    });
    let folds: Vec<InnerFold<'_>> = folds.into_iter().collect::<Result<_>>()?;
    let mut measured: Vec<Measured> = Vec::new();
    loop {
        let wanted = grid.next(&measured);
        if wanted.is_empty() {
            break;
        }
        let results = fitter.exec.map(folds.iter().collect(), |fold| inner.measure(fold, &wanted));
        let results: Vec<Vec<InFold>> = results.into_iter().collect::<Result<_>>()?;
        let of_folds = |index: usize| results.iter().map(|of_fold| of_fold[index]).collect();
        measured.extend(
            wanted.into_iter().enumerate().map(|(at, candidate)| (candidate, of_folds(at))),
        );
    }
    measured.sort_by(|(a, _), (b, _)| a.order(b));
    let weight: f64 = folds.iter().map(|fold| fold.weight).sum();
    let mean = |sum: f64, weight: f64| if folds.is_empty() { 0.0 } else { sum / weight };
    let loss_of = |(Candidate { depth, zone }, of_folds): &Measured| CandidateLoss {
        max_depth: grid.depths[*depth],
        zone_scale: zone.scale,
        category_error: chooses_error.then_some(zone.category_error),
        exponent: None,
        log_loss: mean(of_folds.iter().map(|it| it.loss).sum(), weight),
        fold_log_losses: of_folds
            .iter()
            .zip(&folds)
            .map(|(it, fold)| it.loss / fold.weight)
            .collect(),
        leaves: Some(mean(of_folds.iter().map(|it| it.leaves as f64).sum(), folds.len() as f64)),
    };
    let candidates: Vec<CandidateLoss> = measured.iter().map(loss_of).collect();
    let n_folds = repeated_folds.first().map_or(0, UnitFolds::count);
    let choice = Choice { folds: n_folds, repeats, candidates };
    let chosen = choice.chosen(fitter.auto.max_depth);
    let chosen = chosen.and_then(|it| choice.candidates.iter().position(|other| other == it));
    let achieved = match chosen {
        Some(at) if n_folds > 0 => {
            let first_repeat = folds.iter().take(n_folds as usize).collect();
            let tallies = fitter.exec.map(first_repeat, |fold| inner.tally(fold, measured[at].0));
            let tallies: Vec<Vec<ClassTally>> = tallies.into_iter().collect::<Result<_>>()?;
            Some(Achieved::new(CalibrationSource::CrossFitted, ClassTally::sum_by_class(&tallies)))
        }
        _ => None,
    };
    Ok(Chosen { choice, achieved })
}

impl Grid {
    fn new(auto: Auto, params: &CheckedParams, chooses_error: bool) -> Self {
        let depths = DEPTHS.iter().copied().map(Some);
        Self {
            depths: match auto.max_depth {
                Some(_) => depths.collect(),
                None => vec![params.max_depth],
            },
            scales: if auto.zone_scale { SCALES.to_vec() } else { vec![params.zone.scale] },
            errors: match chooses_error {
                true => CATEGORY_ERRORS.to_vec(),
                false => vec![params.zone.category_error()],
            },
        }
    }

    /// The candidates to measure next, by depth; none if the search is over.
    fn next(&self, measured: &[Measured]) -> Vec<Candidate> {
        let is_new = |wanted: &Candidate| measured.iter().all(|(known, _)| known != wanted);
        let usual = if self.errors.len() > 1 { USUAL_ERROR } else { self.errors[0] };
        let of_depth = |depth: usize| {
            let with_scale = |scale: f64, error: f64| Candidate {
                depth,
                zone: ZoneSize { scale, category_error: error },
            };
            let all_scales = |error: f64| {
                self.scales.iter().map(move |&scale| with_scale(scale, error)).collect::<Vec<_>>()
            };
            let Some(ZoneSize { scale, category_error }) = best_zone(measured, depth) else {
                return all_scales(usual);
            };
            let all_errors: Vec<Candidate> =
                self.errors.iter().map(|&error| with_scale(scale, error)).collect();
            let mut wanted = if all_errors.iter().all(|candidate| !is_new(candidate)) {
                all_scales(category_error)
            } else {
                all_errors
            };
            wanted.retain(is_new);
            wanted
        };
        (0..self.depths.len()).flat_map(of_depth).collect()
    }
}

/// The best size of zones for a depth so far.
fn best_zone(measured: &[Measured], depth: usize) -> Option<ZoneSize> {
    let of_depth = measured.iter().filter(|(candidate, _)| candidate.depth == depth);
    let mut of_depth: Vec<(Candidate, f64)> =
        of_depth.map(|(candidate, it)| (*candidate, it.iter().map(|it| it.loss).sum())).collect();
    of_depth.sort_by(|(a, _), (b, _)| a.order(b));
    // The first of those that are equal but for rounding, as `Choice::best` has it: otherwise
    // copies of rows, whose losses add up in another order, could be measured with other sizes.
    let best = of_depth
        .into_iter()
        .reduce(|best, other| if other.1 < best.1 * (1.0 - TIE) { other } else { best });
    best.map(|(candidate, _)| candidate.zone)
}

impl Candidate {
    /// By depth, then by scale, then by category error.
    fn order(&self, other: &Self) -> Ordering {
        let (a, b) = (self.zone, other.zone);
        let by_error = || a.category_error.total_cmp(&b.category_error);
        let by_zone = a.scale.total_cmp(&b.scale).then_with(by_error);
        self.depth.cmp(&other.depth).then(by_zone)
    }
}

/// Fits candidates to the training rows of inner folds.
struct InnerFits<'a> {
    fitter: RecipeFitter<'a>,
    params: &'a CheckedParams,
    grid: &'a Grid,
}

/// One inner fold.
struct InnerFold<'a> {
    folds: &'a UnitFolds<'a>,
    fold: u32,
    /// One tree per depth, which all sizes of zones share; none if zones shape the tree.
    trees: Vec<Tree>,
    /// Of the held-out rows.
    weight: f64,
}

impl InnerFits<'_> {
    /// What candidates, which are ordered by depth, do in a fold.
    fn measure(&self, fold: &InnerFold<'_>, wanted: &[Candidate]) -> Result<Vec<InFold>> {
        let fitter = &self.fitter;
        let fold_rows = fold.folds.rows_of(fold.fold);
        let (mut training, mut test) = (fitter.empty_mixture(), fitter.empty_mixture());
        let mut results = Vec::with_capacity(wanted.len());
        // Deepest first: it needs the most memory, which the others reuse.
        for of_depth in wanted.chunk_by(|a, b| a.depth == b.depth).rev() {
            // Sizes that make the same zones, for want of thresholds or of categories, have the
            // same loss.
            let mut measured: Vec<(Tree, f64)> = Vec::new();
            let mut arranged = false;
            for &Candidate { depth, zone } in of_depth {
                fitter.exec.check()?;
                let tree = self.candidate_tree(fold, Candidate { depth, zone }, &fold_rows)?;
                let known = measured.iter().find(|(known, _)| *known == tree);
                let loss = match known {
                    Some((_, loss)) => *loss,
                    None => {
                        let walker = Walker::new(&tree, fitter.routing)?;
                        if !arranged || fold.trees.is_empty() {
                            training.arrange(&fold_rows.training, walker);
                            test.arrange(&fold_rows.test, walker);
                            arranged = true;
                        }
                        let distributions = fitter.distributions(&tree, &mut training)?;
                        test.loss(walker, &distributions, CLIP)
                    }
                };
                measured.push((tree, loss));
            }
            let in_fold = |(tree, loss): (Tree, f64)| InFold { loss, leaves: tree.n_leaves() };
            results.extend(measured.into_iter().rev().map(in_fold));
        }
        results.reverse();
        Ok(results)
    }

    /// The tree of a candidate, without its leaves.
    fn candidate_tree(
        &self,
        fold: &InnerFold<'_>,
        Candidate { depth, zone }: Candidate,
        rows: &FoldRows,
    ) -> Result<Tree> {
        match fold.trees.get(depth) {
            Some(tree) => Ok(tree.clone().with_scaled_zones(zone.scale, zone.category_error)),
            None => self.tree(self.grid.depths[depth], zone, &rows.training),
        }
    }

    /// What the usual verdict does to the held-out rows of a fold, with the tree of a candidate. A
    /// row of weight k counts as k rows.
    fn tally(&self, fold: &InnerFold<'_>, candidate: Candidate) -> Result<Vec<ClassTally>> {
        let fitter = &self.fitter;
        let fold_rows = fold.folds.rows_of(fold.fold);
        let tree = self.candidate_tree(fold, candidate, &fold_rows)?;
        let tree = fitter.with_leaves(tree, &fold_rows.training, None)?;
        let walker = Walker::new(&tree, fitter.routing)?;
        let matrix = fitter.fit.data.matrix();
        let mut tallies = vec![ClassTally::default(); fitter.fit.prior.len()];
        let (mut scratch, mut p) = (Scratch::default(), vec![0.0; tallies.len()]);
        for &row in &fold_rows.test.rows {
            walker.distribution(&matrix.trained_row(row as usize), &mut scratch, &mut p);
            let classes = [fitter.fit.class_of(row) as u32, most_probable(&p)];
            let verdict = Verdict::decided_if(p[classes[1] as usize] >= 1.0 - USUAL_COST_RATIO);
            let n_rows = fold_rows.test.units(row);
            ClassTally::add(&mut tallies, classes, verdict, n_rows);
        }
        Ok(tallies)
    }

    /// One tree per depth with zones of scale 1; none if zones shape the tree.
    fn shared_trees(&self, rows: &RowSubset) -> Result<Vec<Tree>> {
        if self.fitter.routing.needs_three_children() {
            return Ok(Vec::new());
        }
        let zone = ZoneSize { scale: 1.0, category_error: USUAL_ERROR };
        let depths = &self.grid.depths;
        if depths.len() > 1 && can_be_cut(self.params) {
            let deepest = DEPTHS[DEPTHS.len() - 1];
            let tree = self.tree(Some(deepest), zone, rows)?;
            let cut = |depth: &Option<u32>| tree.cut_at_depth(depth.unwrap_or(deepest));
            return Ok(depths.iter().map(cut).collect());
        }
        depths.iter().map(|&depth| self.tree(depth, zone, rows)).collect()
    }

    /// A tree grown from `rows` with zones of this size.
    fn tree(&self, max_depth: Option<u32>, zone: ZoneSize, rows: &RowSubset) -> Result<Tree> {
        let mut params = self.params.clone().into_params();
        params.max_depth = max_depth;
        params.zone.scale = zone.scale;
        params.zone.category_error = zone.category_error;
        self.fitter.zoned(&params.check()?, rows)
    }
}

/// True if a shallower tree is the top of a deeper one.
fn can_be_cut(params: &TreeParams) -> bool {
    params.max_leaf_nodes.is_none()
        && params.ccp_alpha == 0.0
        && !params.zone.kind.needs_predictions()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let depths = vec![Some(2), Some(4)];
        Grid { depths, scales: SCALES.to_vec(), errors: CATEGORY_ERRORS.to_vec() }
    }

    /// Searches a loss that is a sum over scale and category error.
    fn search(grid: &Grid, loss: impl Fn(Candidate) -> f64) -> Vec<Measured> {
        let mut measured = Vec::new();
        loop {
            let wanted = grid.next(&measured);
            if wanted.is_empty() {
                return measured;
            }
            assert!(wanted.is_sorted_by_key(|candidate| candidate.depth));
            let in_fold = |candidate| InFold { loss: loss(candidate), leaves: 1 };
            measured
                .extend(wanted.into_iter().map(|candidate| (candidate, vec![in_fold(candidate)])));
        }
    }

    #[test]
    fn the_best_pair_is_found_without_measuring_all() {
        let loss = |Candidate { depth, zone }: Candidate| {
            (zone.scale - 0.4).abs() + (zone.category_error - 8.0).abs() + depth as f64
        };
        let measured = search(&grid(), loss);
        // Seven scales, four more errors, six more scales, for either depth.
        assert_eq!(measured.len(), 2 * 17);
        for depth in 0..2 {
            let best = ZoneSize { scale: 0.4, category_error: 8.0 };
            assert_eq!(best_zone(&measured, depth), Some(best));
        }
    }

    #[test]
    fn without_categories_every_scale_is_measured_once() {
        let grid = Grid { errors: vec![3.0], ..grid() };
        let measured = search(&grid, |candidate| candidate.zone.scale);
        assert_eq!(measured.len(), 2 * SCALES.len());
        assert!(measured.iter().all(|(candidate, _)| candidate.zone.category_error == 3.0));
    }
}
