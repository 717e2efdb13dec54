//! Chooses scale and depth by inner cross-validation of the whole recipe.

use super::by_recipe::RecipeFitter;
use super::weighted_folds::{FoldRows, Shuffle, WeightedFolds, n_units, sample};
use crate::error::Result;
use crate::grow::RowSubset;
use crate::predict::Walker;
use crate::recipe::{CandidateLoss, CheckedParams, Choice, TreeParams};
use crate::tree::Tree;

/// The scales that `zone_scale = auto` chooses from. With 0 the tree is plain CART.
pub const SCALES: [f64; 7] = [0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2];

/// The depths that `max_depth = auto` chooses from.
pub const DEPTHS: [u32; 5] = [2, 4, 6, 8, 10];

/// The number of inner folds.
pub const FOLDS: u32 = 5;

/// Above this many rows, scale and depth are chosen on a sample of this size.
const MOST_ROWS: u64 = 100_000;

/// The shuffle number of the sample; the repeats count from 0.
const SAMPLE_SHUFFLE: u64 = 3 << 32;

/// The number of repeats, each with new inner folds; losses add up. More rows need fewer.
fn repeats(n_rows: u64) -> u32 {
    match n_rows {
        0..5_000 => 3,
        5_000..20_000 => 2,
        _ => 1,
    }
}

/// Lower bound on the probability of the true class in the log-loss.
const CLIP: f64 = 1e-6;

/// The candidates: every depth with every scale.
struct Candidates<'a> {
    params: &'a CheckedParams,
    depths: Vec<Option<u32>>,
    scales: Vec<f64>,
}

/// Measures every candidate by inner cross-validation on `rows`.
///
/// Cost per repeat: five trees of the largest depth (more if one cannot be cut to the other
/// depths), and for each of their depths and scales the leaves and the loss on a fifth of the rows.
pub(super) fn choose(
    fitter: &RecipeFitter<'_>,
    params: &CheckedParams,
    rows: &RowSubset,
) -> Result<Choice> {
    let auto = fitter.auto;
    let depths = DEPTHS.iter().copied().map(Some);
    let candidates = Candidates {
        params,
        depths: if auto.max_depth { depths.collect() } else { vec![params.max_depth] },
        scales: if auto.zone_scale { SCALES.to_vec() } else { vec![params.zone.scale] },
    };
    let shuffle = |number| Shuffle { seed: params.seed, number };
    let sampled = (n_units(fitter.fit, rows) > MOST_ROWS)
        .then(|| sample(fitter.fit, rows, MOST_ROWS, shuffle(SAMPLE_SHUFFLE)));
    let rows = sampled.as_ref().unwrap_or(rows);
    let n_units = n_units(fitter.fit, rows);
    let repeats = repeats(n_units);
    let mut repeated_folds = Vec::new();
    // A single row cannot be held out; all candidates are the same leaf.
    if n_units > 1 {
        for repeat in 0..repeats {
            let shuffle = shuffle(repeat.into());
            repeated_folds.push(WeightedFolds::new(fitter.fit, rows, FOLDS, shuffle)?);
        }
    }
    let held_out_folds =
        repeated_folds.iter().flat_map(|folds| (0..folds.count()).map(move |fold| (folds, fold)));
    let alone = fitter.exec.alone();
    let (exec, fitter) = (fitter.exec, fitter.on(&alone));
    let losses = exec.map(held_out_folds.collect(), |(folds, fold): (&WeightedFolds<'_>, u32)| {
        candidates.losses(&fitter, &folds.rows_of(fold))
    });
    let losses: Vec<Vec<f64>> = losses.into_iter().collect::<Result<_>>()?;
    let weight = fitter.fit.total_weight(rows) * f64::from(repeats);
    let pairs = candidates
        .depths
        .iter()
        .flat_map(|depth| candidates.scales.iter().map(move |scale| (*depth, *scale)));
    let measured = pairs.enumerate().map(|(index, (max_depth, zone_scale))| {
        let sum: f64 = losses.iter().map(|of_fold| of_fold[index]).sum();
        CandidateLoss { max_depth, zone_scale, log_loss: sum / weight }
    });
    let folds = repeated_folds.first().map_or(1, WeightedFolds::count);
    Ok(Choice { folds, repeats, candidates: measured.collect() })
}

impl Candidates<'_> {
    /// The losses of all candidates on the held-out rows.
    fn losses(&self, fitter: &RecipeFitter<'_>, fold_rows: &FoldRows) -> Result<Vec<f64>> {
        let n_scales = self.scales.len();
        let mut losses = vec![0.0; self.depths.len() * n_scales];
        let (mut training, mut test) = (fitter.empty_mixture(), fitter.empty_mixture());
        // If zones shape the tree, every scale needs its own; else all scales share one tree.
        let shaped = fitter.routing.needs_three_children();
        let rounds: Vec<(f64, std::ops::Range<usize>)> = if shaped {
            self.scales.iter().enumerate().map(|(at, &scale)| (scale, at..at + 1)).collect()
        } else {
            vec![(1.0, 0..n_scales)]
        };
        for (grown_with, scales) in rounds {
            let trees = self.trees(fitter, grown_with, &fold_rows.training)?;
            // Deepest first: it needs the most memory, which the others reuse.
            for (depth, tree) in trees.into_iter().enumerate().rev() {
                let walker = Walker::new(&tree, fitter.routing)?;
                training.arrange(&fold_rows.training, walker);
                test.arrange(&fold_rows.test, walker);
                for at in scales.clone() {
                    fitter.exec.check()?;
                    let scale = if shaped { 1.0 } else { self.scales[at] };
                    let scaled = tree.clone().with_scaled_zones(scale);
                    let walker = Walker::new(&scaled, fitter.routing)?;
                    let distributions = fitter.distributions(&scaled, &mut training)?;
                    losses[depth * n_scales + at] = test.loss(walker, &distributions, CLIP);
                }
            }
        }
        Ok(losses)
    }

    /// Trees grown from `rows`, one per depth, with zones of this scale.
    fn trees(&self, fitter: &RecipeFitter<'_>, scale: f64, rows: &RowSubset) -> Result<Vec<Tree>> {
        let mut params = self.params.clone().into_params();
        params.zone.scale = scale;
        if self.depths.len() > 1 && can_be_cut(&params) {
            let deepest = DEPTHS[DEPTHS.len() - 1];
            params.max_depth = Some(deepest);
            let tree = fitter.zoned(&params.check()?, rows)?;
            let cut = |depth: &Option<u32>| tree.cut_at_depth(depth.unwrap_or(deepest));
            return Ok(self.depths.iter().map(cut).collect());
        }
        let grow = |&max_depth: &Option<u32>| {
            fitter.zoned(&TreeParams { max_depth, ..params.clone() }.check()?, rows)
        };
        self.depths.iter().map(grow).collect()
    }
}

/// True if a shallower tree is the top of a deeper one.
fn can_be_cut(params: &TreeParams) -> bool {
    params.max_leaf_nodes.is_none()
        && params.ccp_alpha == 0.0
        && !params.zone.kind.needs_predictions()
}
