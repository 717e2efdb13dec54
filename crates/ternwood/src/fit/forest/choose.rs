//! The scale of all zones and the exponent with the least out-of-bag log-loss.
//!
//! ```text
//! loss(m, e, b) = - mean over rows of ln p'_y,     p' ~ (0.999 p + 0.001 / K)^b
//! ```
//!
//! with `p` the mean answer, at zone scale `m` and category error `e`, of the trees that have not seen the
//! row. Trees are not grown again: another scale only moves the edges of their zones.

use super::out_of_bag::{BlockSums, UnseenRows};
use crate::dataset::DatasetView;
use crate::error::Result;
use crate::exec::Exec;
use crate::fit::CATEGORY_ERRORS;
use crate::forest::{CategoryTests, Walk, sharpened_log, smoothed_logs};
use crate::grow::Training;
use crate::recipe::{
    CandidateLoss, CheckedRecipe, Choice, Exponent, Routing, TIE, ZoneKind, ZoneParams,
};

/// The scales that `zone_scale = auto` chooses from in a forest. With 0 its trees are plain CART.
pub const FOREST_SCALES: [f64; 6] = [0.0, 0.1, 0.2, 0.4, 0.8, 1.6];

/// The number of exponents that `exponent = auto` chooses from: `exp(-0.7 + 0.1 i)`.
pub const EXPONENTS: usize = 24;

/// Lower bound on the probability of the true class where nothing is sharpened.
const CLIP: f64 = 1e-6;

/// What was chosen.
pub(super) struct Chosen {
    pub(super) zone: ZoneParams,
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
    unseen: Option<&UnseenRows<'_>>,
    data: &DatasetView<'_>,
    recipe: &CheckedRecipe,
    chooses_scale: bool,
    exec: &Exec,
) -> Result<Chosen> {
    let zone = &recipe.params.zone;
    let exponents = exponents(recipe.forest.map_or(Exponent::Off, |forest| forest.exponent));
    let has_zones = zone.kind != ZoneKind::None;
    let chooses_error = chooses_scale && has_zones && data.schema().has_categories();
    let scales = if chooses_scale && has_zones { FOREST_SCALES.to_vec() } else { vec![zone.scale] };
    let errors = if chooses_error { CATEGORY_ERRORS.to_vec() } else { vec![zone.category_error()] };
    let is_open = scales.len() * errors.len() * exponents.len() > 1;
    let Some(rows) = unseen.filter(|unseen| is_open && !unseen.rows.is_empty()) else {
        return Ok(Chosen { zone: zone.clone(), exponent: exponents[0], choice: None });
    };
    let unseen = Unseen::new(rows, data, recipe)?;
    let mut candidates = Vec::new();
    for &scale in &scales {
        // Trees have scale 1 if it is to be chosen, else their own already.
        let factor = if chooses_scale { scale } else { 1.0 };
        for &category_error in &errors {
            let replaced = chooses_error.then_some(category_error);
            let losses = unseen.losses(factor, replaced, &exponents, exec)?;
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
    let zone = ZoneParams { scale: size.scale, category_error, ..zone.clone() };
    Ok(Chosen { zone, exponent, choice: Some(choice) })
}

/// The rows to choose by.
struct Unseen<'u, 't> {
    rows: &'u UnseenRows<'t>,
    classes: Vec<usize>,
    weights: Vec<f64>,
    has_categories: bool,
    crisp: bool,
}

impl<'u, 't> Unseen<'u, 't> {
    fn new(
        rows: &'u UnseenRows<'t>,
        data: &DatasetView<'_>,
        recipe: &CheckedRecipe,
    ) -> Result<Self> {
        let training = Training::new(data, &recipe.params)?;
        let factors = training.class_factors();
        let class = |&row: &u32| training.class_of(row) as usize;
        Ok(Self {
            classes: rows.rows.iter().map(class).collect(),
            weights: rows
                .rows
                .iter()
                .map(|row| training.weight_of(*row) * factors[class(row)])
                .collect(),
            has_categories: rows.trees.iter().any(|tree| tree.soft.has_categories()),
            crisp: recipe.routing == Routing::Crisp,
            rows,
        })
    }

    /// The mean log-loss with each exponent, with all zones scaled.
    fn losses(
        &self,
        scale: f64,
        category_error: Option<f64>,
        exponents: &[Option<f64>],
        exec: &Exec,
    ) -> Result<Vec<f64>> {
        let error = category_error.filter(|_| self.has_categories);
        let tests: Vec<Option<CategoryTests>> = self
            .rows
            .trees
            .iter()
            .map(|tree| error.map(|error| CategoryTests::new(tree.tree, error)))
            .collect();
        let walk = |number: usize, tree| Walk {
            tree,
            scale,
            categories: tests[number].as_ref(),
            crisp: self.crisp,
        };
        let blocks = self.rows.sums(walk, exec)?;
        let of_blocks = exec.map(blocks, |block| self.block_losses(block, exponents));
        let weight: f64 = self.weights.iter().sum();
        let mut means = vec![0.0; exponents.len()];
        for losses in of_blocks {
            means.iter_mut().zip(losses).for_each(|(mean, loss)| *mean += loss);
        }
        means.iter_mut().for_each(|mean| *mean /= weight);
        Ok(means)
    }

    /// The log-loss of a block of rows with each exponent, weighted.
    fn block_losses(&self, mut block: BlockSums, exponents: &[Option<f64>]) -> Vec<f64> {
        let n_classes = block.sums.len() / block.rows.len();
        let mut losses = vec![0.0; exponents.len()];
        let mut logs = Vec::with_capacity(n_classes);
        let rows = block.rows.zip(block.sums.chunks_exact_mut(n_classes)).zip(&block.n_trees);
        for ((row, sums), &n_trees) in rows {
            sums.iter_mut().for_each(|sum| *sum /= f64::from(n_trees));
            logs.clear();
            logs.extend(smoothed_logs(sums));
            let class = self.classes[row];
            for (loss, exponent) in losses.iter_mut().zip(exponents) {
                let log = match exponent {
                    Some(exponent) => sharpened_log(&logs, class, *exponent),
                    None => sums[class].max(CLIP).ln(),
                };
                *loss -= self.weights[row] * log;
            }
        }
        losses
    }
}
