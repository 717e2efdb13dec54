//! The scale of all zones and the exponent with the least out-of-bag log-loss.
//!
//! ```text
//! loss(m, e, b) = - mean over rows of ln p'_y,     p' ~ ((1 - s) p + s / K)^b
//! ```
//!
//! with `p` the mean answer, at zone scale `m` and category error `e`, of the trees that have not seen the
//! row. Trees are not grown again: another scale only moves the edges of their zones.

use super::out_of_bag::{BlockSums, OutOfBag, UnseenRows};
use crate::dataset::DatasetView;
use crate::ensemble::{CategoryTests, Sharpening, Walk, sharpened_log, smoothed_logs};
use crate::error::Result;
use crate::exec::Exec;
use crate::fit::progress::{FitStage, Watch};
use crate::fit::{CATEGORY_ERRORS, SCALES};
use crate::grow::ClassTraining;
use crate::recipe::{
    CandidateLoss, CheckedRecipe, Choice, Exponent, ForestParams, Routing, TIE, ZoneParams,
};

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
    /// What the forest says with it of the rows that it was chosen by.
    pub(super) out_of_bag: Option<OutOfBag>,
}

/// How far zones reach, with the best exponent for that.
struct Candidate {
    scale: f64,
    category_error: f64,
    exponent: Option<f64>,
    log_loss: f64,
    /// The mean distribution of every row.
    means: Vec<f64>,
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

/// Chooses scale, category error and exponent, as far as the recipe leaves them open. Trees have zones of scale 1
/// if the scale is to be chosen.
pub(super) fn choose(
    unseen: Option<&UnseenRows<'_>>,
    (data, training): (&DatasetView<'_>, &ClassTraining<'_>),
    recipe: &CheckedRecipe,
    chooses_scale: bool,
    exec: &Exec,
    watch: Watch<'_>,
) -> Result<Chosen> {
    let zone = &recipe.params.zone;
    let ForestParams { exponent, smoothing, .. } = recipe.ensemble.forest().unwrap_or_default();
    let exponents = exponents(exponent);
    let Some(rows) = unseen.filter(|unseen| !unseen.rows.is_empty()) else {
        let (zone, exponent) = (zone.clone(), exponents[0]);
        return Ok(Chosen { zone, exponent, choice: None, out_of_bag: None });
    };
    let chooses_error = chooses_scale && data.schema().has_categories();
    let scales = if chooses_scale { SCALES.to_vec() } else { vec![zone.scale] };
    let errors = if chooses_error { CATEGORY_ERRORS.to_vec() } else { vec![zone.category_error] };
    let unseen = Unseen::new(rows, training, recipe);
    watch.begin(FitStage::Choice, scales.len() * errors.len() * rows.n_walks(exec));
    let mut losses = Vec::new();
    let mut best: Option<Candidate> = None;
    for &scale in &scales {
        for &category_error in &errors {
            let factor = if chooses_scale { scale } else { 1.0 };
            let means =
                unseen.means(factor, chooses_error.then_some(category_error), exec, watch)?;
            let (exponent, log_loss) = unseen.best_exponent(&means, &exponents, exec);
            losses.push(CandidateLoss {
                max_depth: recipe.params.max_depth,
                zone_scale: scale,
                category_error: chooses_error.then_some(category_error),
                exponent,
                log_loss,
                fold_log_losses: Vec::new(),
                leaves: None,
            });
            if best.as_ref().is_none_or(|best| is_less(log_loss, best.log_loss)) {
                best = Some(Candidate { scale, category_error, exponent, log_loss, means });
            }
        }
    }
    let best = best.expect("there is a candidate");
    let Candidate { scale, category_error, exponent, means, .. } = best;
    let sharpening = exponent.map(|exponent| Sharpening { exponent, smoothing });
    Ok(Chosen {
        zone: ZoneParams { scale, category_error, ..zone.clone() },
        exponent,
        choice: Some(Choice { folds: 0, repeats: 0, candidates: losses }),
        out_of_bag: Some(rows.answers(means, sharpening)),
    })
}

/// True if a loss is less than another by more than rounding.
fn is_less(loss: f64, other: f64) -> bool {
    loss < other * (1.0 - TIE)
}

/// The rows to choose by.
struct Unseen<'u, 't> {
    rows: &'u UnseenRows<'t>,
    classes: Vec<usize>,
    weights: Vec<f64>,
    has_categories: bool,
    crisp: bool,
    smoothing: f64,
}

impl<'u, 't> Unseen<'u, 't> {
    fn new(rows: &'u UnseenRows<'t>, training: &ClassTraining<'_>, recipe: &CheckedRecipe) -> Self {
        let factors = training.class_factors();
        let class = |&row: &u32| training.class_of(row) as usize;
        Self {
            classes: rows.rows.iter().map(class).collect(),
            weights: rows
                .rows
                .iter()
                .map(|row| training.weight_of(*row) * factors[class(row)])
                .collect(),
            has_categories: rows.trees.iter().any(|tree| tree.soft.has_categories()),
            crisp: recipe.routing == Routing::Crisp,
            smoothing: recipe.ensemble.forest().unwrap_or_default().smoothing,
            rows,
        }
    }

    /// The mean distribution of every row, with all zones scaled.
    fn means(
        &self,
        scale: f64,
        category_error: Option<f64>,
        exec: &Exec,
        watch: Watch<'_>,
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
            least_share: self.rows.least_share,
        };
        let blocks = self.rows.sums(walk, exec, &|| watch.advance(1))?;
        Ok(blocks.into_iter().flat_map(BlockSums::into_means).collect())
    }

    /// The exponent of the least log-loss, and that loss.
    fn best_exponent(
        &self,
        means: &[f64],
        exponents: &[Option<f64>],
        exec: &Exec,
    ) -> (Option<f64>, f64) {
        let n_classes = means.len() / self.classes.len();
        let weight: f64 = self.weights.iter().sum();
        let logs = |mean| smoothed_logs(mean, self.smoothing);
        let logs: Vec<f64> = means.chunks_exact(n_classes).flat_map(logs).collect();
        let losses = exec.map(exponents.to_vec(), |exponent| {
            let of_row = |row: usize| {
                let here = row * n_classes..(row + 1) * n_classes;
                let class = self.classes[row];
                let log = match exponent {
                    Some(exponent) => sharpened_log(&logs[here], class, exponent),
                    None => means[here][class].max(CLIP).ln(),
                };
                -self.weights[row] * log
            };
            let loss: f64 = (0..self.classes.len()).map(of_row).sum();
            (exponent, loss / weight)
        });
        let better = |best: (Option<f64>, f64), other: (Option<f64>, f64)| {
            if is_less(other.1, best.1) { other } else { best }
        };
        losses.into_iter().reduce(better).expect("there is an exponent")
    }
}
