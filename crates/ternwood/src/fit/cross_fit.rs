//! What a recipe says of rows it has not seen.

use super::by_recipe::RecipeFitter;
use super::choose::FOLDS;
use super::deal::{Deal, Shuffle};
use super::fit_rows::FitRows;
use crate::dataset::{DatasetView, check_length};
use crate::error::Result;
use crate::exec::Exec;
use crate::model::Model;
use crate::predict::{Scratch, Walker};
use crate::recipe::CheckedRecipe;
use crate::tree::most_probable;
use crate::verdict::{CalibrationRows, CalibrationSource};

/// Tells this dealing of rows to folds from those of the inner cross-validation.
const DEAL: u64 = 1 << 32;

/// Predictions of training rows by trees that were grown without them.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfFold {
    /// The rows of the data set that were predicted: those of positive weight, ascending.
    pub rows: Vec<usize>,
    /// Class probabilities of these rows, row by row.
    pub probabilities: Vec<f64>,
    n_classes: usize,
}

impl OutOfFold {
    /// The class probabilities of the row at `index` of [`rows`](Self::rows).
    #[must_use]
    pub fn distribution(&self, index: usize) -> &[f64] {
        &self.probabilities[index * self.n_classes..][..self.n_classes]
    }

    /// The most probable class of each row, the lowest on ties.
    #[must_use]
    pub fn classes(&self) -> Vec<u32> {
        self.probabilities.chunks_exact(self.n_classes).map(most_probable).collect()
    }

    /// The largest probability of each row.
    #[must_use]
    pub fn confidences(&self) -> Vec<f64> {
        let largest = |p: &[f64]| p.iter().copied().fold(0.0, f64::max);
        self.probabilities.chunks_exact(self.n_classes).map(largest).collect()
    }
}

/// Deals the rows out to stratified folds, and predicts every fold with a tree that the recipe
/// grows from the others: probabilities as honest as those of new rows, a little pessimistic
/// because each tree saw fewer rows.
///
/// The folds come from the recipe's seed; with fewer rows than folds each row is a fold. What
/// the recipe leaves to the data is decided in every fold anew, which takes as long as so many
/// fits: pass the recipe of a fitted model to ask about the scale and depth that it has. A row of
/// weight k may lie in several folds, and is then answered by their weighted mean.
/// Labels and weights of the rows are to be looked up by [`OutOfFold::rows`].
///
/// ```
/// use ternwood::fit::out_of_fold;
/// use ternwood::{Columns, Dataset, Exec, Labels, Recipe};
///
/// let columns = Columns::from_columns((0..40).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values((0..40).map(|i| (i + i % 3) / 20)))?;
/// let recipe = Recipe::default().check()?;
/// let honest = out_of_fold(&data, &recipe, 5, &Exec::default())?;
/// let truth: Vec<u32> = honest.rows.iter().map(|&row| data.labels()[row]).collect();
/// let right = honest.classes().iter().zip(&truth).filter(|(said, is)| said == is).count();
/// assert!(right >= 36);
/// # Ok::<(), ternwood::Error>(())
/// ```
///
/// # Errors
/// Fewer than 2 folds or rows, parameters that do not fit the data, or cancelled.
pub fn out_of_fold<'a>(
    data: impl Into<DatasetView<'a>>,
    recipe: &CheckedRecipe,
    folds: u32,
    exec: &Exec,
) -> Result<OutOfFold> {
    let data = data.into();
    let fit = FitRows::new(&data, &recipe.params)?;
    let alone = exec.alone();
    let fitter = RecipeFitter::new(&fit, recipe, &alone);
    let shuffle = Shuffle { seed: recipe.params.seed, number: DEAL };
    let deal = Deal::new(&fit, &fit.all, folds, shuffle)?;
    let (matrix, n_classes) = (data.matrix(), data.n_classes());
    let predicted = exec.map((0..deal.folds()).collect(), |fold| {
        let part = deal.part(fold);
        let tree = fitter.fit(&recipe.params, &part.training)?.tree;
        let walker = Walker::new(&tree, recipe.routing)?;
        let mut probabilities = vec![0.0; part.test.rows.len() * n_classes];
        let mut scratch = Scratch::default();
        for (&row, target) in part.test.rows.iter().zip(probabilities.chunks_exact_mut(n_classes)) {
            walker.distribution(&matrix.row(row as usize), &mut scratch, target);
        }
        Ok((part.test, probabilities))
    });
    let mut of_rows = vec![0.0; data.n_rows() * n_classes];
    for outcome in predicted.into_iter().collect::<Result<Vec<_>>>()? {
        let (test, probabilities) = outcome;
        for (&row, found) in test.rows.iter().zip(probabilities.chunks_exact(n_classes)) {
            let share = fit.sample_weight(&test, row) / fit.sample_weight(&fit.all, row);
            let sums = &mut of_rows[row as usize * n_classes..][..n_classes];
            sums.iter_mut().zip(found).for_each(|(sum, p)| *sum += share * p);
        }
    }
    let rows: Vec<usize> = fit.all.rows.iter().map(|&row| row as usize).collect();
    let of_row = |row: &usize| of_rows[row * n_classes..][..n_classes].to_vec();
    let probabilities = rows.iter().flat_map(of_row).collect();
    Ok(OutOfFold { rows, probabilities, n_classes })
}

/// What trees of the model's own recipe say of its training rows, each without having seen the
/// row ([`out_of_fold`]): calibration rows for those who have none to hold out.
///
/// Those trees are not the model, and each has seen fewer rows, so what comes of it is
/// approximate, and is called so ([`CalibrationSource::CrossFitted`]). Costs [`FOLDS`] fits.
///
/// # Errors
/// Other classes than the model's, rows that do not fit its parameters, or cancelled.
pub fn cross_fitted_rows<'a>(
    model: &Model,
    training: impl Into<DatasetView<'a>>,
    exec: &Exec,
) -> Result<CalibrationRows> {
    let training = training.into();
    let n_classes = model.schema().n_classes();
    check_length("the list of classes", training.n_classes(), n_classes, "the model's")?;
    let recipe = model.recipe().clone().decided().check()?;
    let unseen = out_of_fold(&training, &recipe, FOLDS, exec)?;
    let truth: Vec<u32> = unseen.rows.iter().map(|&row| training.labels()[row]).collect();
    CalibrationRows::new(&unseen.probabilities, &truth, n_classes, CalibrationSource::CrossFitted)
}
