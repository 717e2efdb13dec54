//! Out-of-fold predictions of a recipe.

use super::by_recipe::FitRows;
use super::by_recipe::RecipeFitter;
use super::choose::FOLDS;
use crate::dataset::{DatasetView, Shuffle};
use crate::error::Result;
use crate::exec::Exec;
use crate::model::Model;
use crate::predict::{Scratch, Walker};
use crate::recipe::CheckedRecipe;
use crate::tree::most_probable;
use crate::verdict::{CalibrationRows, CalibrationSource};

/// Predictions of training rows by trees that were grown without them.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfFold {
    /// The predicted rows of the data set: those of positive weight, ascending.
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

/// Predicts each stratified fold with a tree fitted to the other folds. The probabilities are what
/// to expect for new rows, slightly pessimistic because each tree saw fewer rows.
///
/// The folds depend on the recipe's seed; with fewer rows than folds each row is a fold.
/// Automatic parameters are chosen again in every fold, which takes as long as that many fits. To
/// keep the scale and depth of a fitted model, pass its [`decided`](crate::Recipe::decided)
/// recipe. A row of weight k may lie in several folds; its prediction is then their weighted mean.
/// Use [`OutOfFold::rows`] to look up labels and weights.
///
/// ```
/// use ternwood::fit::out_of_fold;
/// use ternwood::{Columns, Dataset, Exec, Labels, Recipe};
///
/// let columns = Columns::from_columns((0..40).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values((0..40).map(|i| (i + i % 3) / 20)))?;
/// let recipe = Recipe::default().check()?;
/// let unseen = out_of_fold(&data, &recipe, 5, &Exec::default())?;
/// let truth: Vec<u32> = unseen.rows.iter().map(|&row| data.labels()[row]).collect();
/// let pairs = unseen.classes().into_iter().zip(truth);
/// let right = pairs.filter(|(predicted, truth)| predicted == truth).count();
/// assert!(right >= 36);
/// # Ok::<(), ternwood::Error>(())
/// ```
///
/// # Errors
/// Fewer than 2 folds or rows, parameters that do not fit the data, or cancellation.
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
    let shuffle = Shuffle { seed: recipe.params.seed, number: Shuffle::CROSS_FIT };
    let folds = fit.resampler.unit_folds(&fit.all, folds, shuffle)?;
    let (matrix, n_classes) = (data.matrix(), data.n_classes());
    let predicted = exec.map((0..folds.count()).collect(), |fold| {
        let fold_rows = folds.rows_of(fold);
        let tree = fitter.fit(&recipe.params, &fold_rows.training)?.tree;
        let walker = Walker::new(&tree, recipe.routing)?;
        let mut probabilities = vec![0.0; fold_rows.test.rows.len() * n_classes];
        let mut scratch = Scratch::default();
        for (&row, target) in
            fold_rows.test.rows.iter().zip(probabilities.chunks_exact_mut(n_classes))
        {
            walker.distribution(&matrix.trained_row(row as usize), &mut scratch, target);
        }
        Ok((fold_rows.test, probabilities))
    });
    let mut of_rows = vec![0.0; data.n_rows() * n_classes];
    for outcome in predicted.into_iter().collect::<Result<Vec<_>>>()? {
        let (test, probabilities) = outcome;
        for (&row, found) in test.rows.iter().zip(probabilities.chunks_exact(n_classes)) {
            let share = test.weight(row) / fit.all.weight(row);
            let sums = &mut of_rows[row as usize * n_classes..][..n_classes];
            sums.iter_mut().zip(found).for_each(|(sum, p)| *sum += share * p);
        }
    }
    let rows: Vec<usize> = fit.all.rows.iter().map(|&row| row as usize).collect();
    let of_row = |row: &usize| of_rows[row * n_classes..][..n_classes].to_vec();
    let probabilities = rows.iter().flat_map(of_row).collect();
    Ok(OutOfFold { rows, probabilities, n_classes })
}

/// Calibration rows without a held-out set: [`out_of_fold`] predictions of the training rows, by
/// trees of the model's own recipe.
///
/// Those trees are not the model, and each saw fewer rows. So guarantees from these rows are
/// approximate, and marked as such ([`CalibrationSource::CrossFitted`]). Costs [`FOLDS`] fits.
///
/// # Errors
/// A different number of classes; rows other than those the model was trained on
/// ([`ErrorKind::NotTrainedOn`](crate::ErrorKind::NotTrainedOn)), as far as [it can
/// tell](Model::check_trained_on); or cancellation.
pub fn cross_fitted_rows<'a>(
    model: &Model,
    training: impl Into<DatasetView<'a>>,
    exec: &Exec,
) -> Result<CalibrationRows> {
    let training = training.into();
    model.check_shape(&training)?;
    let recipe = model.recipe().clone().decided().check()?;
    // False if nobody can tell: it is up to the caller to say so.
    let _is_certain = model.check_trained_on(&training, exec)?;
    let unseen = out_of_fold(&training, &recipe, FOLDS, exec)?;
    let truth: Vec<u32> = unseen.rows.iter().map(|&row| training.labels()[row]).collect();
    let (source, classes) = (CalibrationSource::CrossFitted, model.schema().classes());
    CalibrationRows::new(&unseen.probabilities, &truth, classes, source)
}
