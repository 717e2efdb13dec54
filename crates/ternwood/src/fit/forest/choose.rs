//! The scale of all zones and the exponent with the least out-of-bag log-loss.
//!
//! ```text
//! loss(m, e, b) = - mean over rows of ln p'_y,     p' ~ (0.999 p + 0.001 / K)^b
//! ```
//!
//! with `p` the mean answer, at zone scale `m` and category error `e`, of the trees that have not seen the
//! row. Trees are not grown again: another scale only moves the edges of their zones.

use super::bags::Bags;
use super::out_of_bag::{BaggedTree, bagged};
use crate::dataset::{DatasetView, mix};
use crate::error::Result;
use crate::exec::Exec;
use crate::fit::CATEGORY_ERRORS;
use crate::forest::{CategoryTests, Votes, Walk, sharpened_log, smoothed_logs};
use crate::grow::Training;
use crate::recipe::{CandidateLoss, CheckedRecipe, Choice, Exponent, TIE, ZoneKind};
use crate::tree::Tree;

/// The scales that `zone_scale = auto` chooses from in a forest. With 0 its trees are plain CART.
pub const FOREST_SCALES: [f64; 6] = [0.0, 0.1, 0.2, 0.4, 0.8, 1.6];

/// The number of exponents that `exponent = auto` chooses from: `exp(-0.7 + 0.1 i)`.
pub const EXPONENTS: usize = 24;

/// With more rows, scale and exponent are chosen on a sample of this size.
const MOST_ROWS: usize = 10_000;

/// Lower bound on the probability of the true class where nothing is sharpened.
const CLIP: f64 = 1e-6;

/// Rows per block.
const BLOCK: usize = 64;

/// What was chosen.
pub(super) struct Chosen {
    pub(super) scale: f64,
    pub(super) category_error: f64,
    pub(super) exponent: Option<f64>,
    /// `None` if nothing was to be chosen.
    pub(super) choice: Option<Choice>,
}

/// How far zones reach.
#[derive(Debug, Clone, Copy)]
struct ZoneSize {
    scale: f64,
    category_error: f64,
}

/// The exponents that may be chosen, those near 1 first, so that they win ties.
fn exponents(wanted: Exponent) -> Vec<Option<f64>> {
    match wanted {
        Exponent::Off => vec![None],
        Exponent::Given(exponent) => vec![Some(exponent)],
        Exponent::Auto => {
            let mut exponents: Vec<f64> =
                (0..EXPONENTS).map(|i| (-0.7 + 0.1 * i as f64).exp()).collect();
            exponents.sort_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()));
            exponents.into_iter().map(Some).collect()
        }
    }
}

/// Chooses scale, category error and exponent, as far as the recipe leaves them open.
pub(super) fn choose(
    trees: &[Tree],
    data: &DatasetView<'_>,
    bags: &Bags<'_>,
    recipe: &CheckedRecipe,
    chooses_scale: bool,
    exec: &Exec,
) -> Result<Chosen> {
    let zone = &recipe.params.zone;
    let exponents = exponents(recipe.forest.map_or(Exponent::Off, |forest| forest.exponent));
    let has_zones = zone.kind != ZoneKind::None;
    let chooses_error = chooses_scale && has_zones && data.schema().has_categories();
    let scales = if chooses_scale && has_zones { FOREST_SCALES.to_vec() } else { vec![zone.scale] };
    let errors =
        if chooses_error { CATEGORY_ERRORS.to_vec() } else { vec![zone.category_error()] };
    if !bags.are_drawn() || scales.len() * errors.len() * exponents.len() == 1 {
        let (scale, category_error) = (scales[0], zone.category_error);
        return Ok(Chosen { scale, category_error, exponent: exponents[0], choice: None });
    }
    let unseen = Unseen::new(trees, data, bags, recipe, exec)?;
    let mut candidates = Vec::new();
    for &scale in &scales {
        // Trees have scale 1 if it is to be chosen, else their own already.
        let factor = if chooses_scale { scale } else { 1.0 };
        for &category_error in &errors {
            let replaced = chooses_error.then_some(category_error);
            let losses = unseen.losses(factor, replaced, &exponents, recipe, exec)?;
            let best = (0..losses.len())
                .reduce(|best, i| if losses[i] < losses[best] * (1.0 - TIE) { i } else { best });
            let best = best.unwrap_or(0);
            candidates.push((ZoneSize { scale, category_error }, exponents[best], losses[best]));
        }
    }
    let best = candidates.iter().copied().reduce(|best, candidate| {
        if candidate.2 < best.2 * (1.0 - TIE) { candidate } else { best }
    });
    let (size, exponent, _) = best.expect("there is a candidate");
    let of = |&(size, exponent, log_loss): &(ZoneSize, Option<f64>, f64)| CandidateLoss {
        max_depth: recipe.params.max_depth,
        zone_scale: size.scale,
        category_error: chooses_error.then_some(size.category_error),
        exponent,
        log_loss,
        fold_log_losses: Vec::new(),
    };
    let choice = Choice { folds: 0, repeats: 0, candidates: candidates.iter().map(of).collect() };
    let category_error = if chooses_error { size.category_error } else { zone.category_error };
    Ok(Chosen { scale: size.scale, category_error, exponent, choice: Some(choice) })
}

/// Rows that some trees have not seen, and those trees.
struct Unseen<'t> {
    trees: Vec<BaggedTree<'t>>,
    /// The rows, values one after the other.
    values: Vec<f64>,
    rows: Vec<u32>,
    classes: Vec<u32>,
    weights: Vec<f64>,
    n_classes: usize,
    has_categories: bool,
}

impl<'t> Unseen<'t> {
    fn new(
        trees: &'t [Tree],
        data: &DatasetView<'_>,
        bags: &Bags<'_>,
        recipe: &CheckedRecipe,
        exec: &Exec,
    ) -> Result<Self> {
        let trees = bagged(trees, bags, exec);
        let is_unseen = |row: &u32| trees.iter().any(|tree| tree.unseen.contain(*row as usize));
        let mut rows: Vec<u32> = bags.rows().iter().copied().filter(is_unseen).collect();
        if rows.len() > MOST_ROWS {
            let hash = |row: u32| mix(recipe.params.seed ^ mix(u64::from(row)));
            rows.select_nth_unstable_by_key(MOST_ROWS, |&row| hash(row));
            rows.truncate(MOST_ROWS);
            rows.sort_unstable();
        }
        let training = Training::new(data, &recipe.params)?;
        let factors = training.class_factors();
        let weight = |&row: &u32| {
            training.weight_of(row) * factors[training.class_of(row) as usize]
        };
        Ok(Self {
            values: rows.iter().flat_map(|&row| data.matrix().trained_row(row as usize)).collect(),
            classes: rows.iter().map(|&row| training.class_of(row)).collect(),
            weights: rows.iter().map(weight).collect(),
            n_classes: training.n_classes(),
            has_categories: trees.iter().any(|tree| tree.soft.has_categories()),
            rows,
            trees,
        })
    }

    /// The mean log-loss with each exponent, with all zones scaled.
    fn losses(
        &self,
        scale: f64,
        category_error: Option<f64>,
        exponents: &[Option<f64>],
        recipe: &CheckedRecipe,
        exec: &Exec,
    ) -> Result<Vec<f64>> {
        let crisp = recipe.routing == crate::recipe::Routing::Crisp;
        let error = category_error.filter(|_| self.has_categories);
        let tests: Vec<Option<CategoryTests>> = self
            .trees
            .iter()
            .map(|tree| error.map(|error| CategoryTests::new(tree.tree, error)))
            .collect();
        let n_features = self.values.len() / self.rows.len().max(1);
        let blocks: Vec<usize> = (0..self.rows.len()).step_by(BLOCK).collect();
        let sums: Vec<Result<Vec<f64>>> = exec.map(blocks, |start| {
            exec.check()?;
            let rows = start..(start + BLOCK).min(self.rows.len());
            let values = &self.values[start * n_features..rows.end * n_features];
            let values = crate::dataset::Matrix::row_major(values, n_features)?;
            let mut buffer = Vec::new();
            let block = values.block(0..rows.len(), &mut buffer);
            let mut votes = Votes::new(rows.len(), self.n_classes);
            let mut asked = vec![0u32; rows.len()];
            for (BaggedTree { tree, soft, unseen }, tests) in self.trees.iter().zip(&tests) {
                let is_wanted = |row: usize| unseen.contain(self.rows[start + row] as usize);
                let walk = Walk { tree, scale, categories: tests.as_ref(), crisp };
                votes.add_tree(soft, walk, block, is_wanted);
                for (row, asked) in asked.iter_mut().enumerate() {
                    *asked += u32::from(is_wanted(row));
                }
            }
            let mut losses = vec![0.0; exponents.len()];
            let mut logs = Vec::new();
            for (row, sums) in rows.zip(votes.sums.chunks_exact_mut(self.n_classes)) {
                let asked = f64::from(asked[row - start]);
                sums.iter_mut().for_each(|sum| *sum /= asked);
                logs.clear();
                logs.extend(smoothed_logs(sums));
                let class = self.classes[row] as usize;
                for (loss, exponent) in losses.iter_mut().zip(exponents) {
                    let log = match exponent {
                        Some(exponent) => sharpened_log(&logs, class, *exponent),
                        None => sums[class].max(CLIP).ln(),
                    };
                    *loss -= self.weights[row] * log;
                }
            }
            Ok(losses)
        });
        let weight: f64 = self.weights.iter().sum();
        let mut means = vec![0.0; exponents.len()];
        for of_block in sums {
            means.iter_mut().zip(of_block?).for_each(|(mean, loss)| *mean += loss);
        }
        means.iter_mut().for_each(|mean| *mean /= weight);
        Ok(means)
    }
}
