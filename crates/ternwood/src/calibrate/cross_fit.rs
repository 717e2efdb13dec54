//! What a recipe says of rows it has not seen.

use super::fit_rows::FitRows;
use super::nursery::Nursery;
use super::recipe::CheckedRecipe;
use crate::cancel::CancelToken;
use crate::dataset::{Dataset, DatasetView};
use crate::error::Result;
use crate::predict::{Scratch, Walker};
use crate::tree::most_probable;
use crate::workers::Workers;

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
/// fits: pass `Recipe::from(&model)` to ask about the scale and depth that a fitted model has.
/// Labels and weights of the rows are to be looked up by [`OutOfFold::rows`].
///
/// ```
/// use ternwood::calibrate::{Recipe, out_of_fold};
/// use ternwood::{CancelToken, Columns, Dataset, Labels, Workers};
///
/// let columns = Columns::from_columns((0..40).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values((0..40).map(|i| (i + i % 3) / 20)))?;
/// let recipe = Recipe::default().check()?;
/// let honest = out_of_fold(&data, &recipe, 5, (&Workers::single(), &CancelToken::new()))?;
/// let truth: Vec<u32> = honest.rows.iter().map(|&row| data.labels().ids()[row]).collect();
/// let right = honest.classes().iter().zip(&truth).filter(|(said, is)| said == is).count();
/// assert!(right >= 36);
/// # Ok::<(), ternwood::Error>(())
/// ```
///
/// # Errors
/// Fewer than 2 folds or rows, parameters that do not fit the data, or cancelled.
pub fn out_of_fold(
    data: &Dataset,
    recipe: &CheckedRecipe,
    folds: u32,
    (workers, cancel): (&Workers, &CancelToken),
) -> Result<OutOfFold> {
    let view = DatasetView::from(data);
    let rows = FitRows::new(&view, recipe.params())?;
    let alone = Workers::single();
    let nursery = Nursery::new(&rows, recipe, (&alone, cancel));
    let parts = rows.parts(&rows.rows, folds, recipe.params().seed, DEAL)?;
    let n_classes = data.n_classes();
    let predicted: Vec<Result<(Vec<u32>, Vec<f64>)>> = workers.map(parts, |part| {
        let tree = nursery.fit(recipe.params(), &part.training)?.tree;
        let walker = Walker::new(&tree, recipe.routing())?;
        let mut probabilities = vec![0.0; part.test.len() * n_classes];
        let mut scratch = Scratch::default();
        for (&row, target) in part.test.iter().zip(probabilities.chunks_exact_mut(n_classes)) {
            walker.distribution(&data.columns().row(row as usize), &mut scratch, target);
        }
        Ok((part.test, probabilities))
    });
    let mut of_rows = vec![0.0; data.n_rows() * n_classes];
    for outcome in predicted {
        let (test, probabilities) = outcome?;
        for (&row, found) in test.iter().zip(probabilities.chunks_exact(n_classes)) {
            of_rows[row as usize * n_classes..][..n_classes].copy_from_slice(found);
        }
    }
    let counted: Vec<usize> = rows.rows.iter().map(|&row| row as usize).collect();
    let of_row = |row: &usize| of_rows[row * n_classes..][..n_classes].to_vec();
    let probabilities = counted.iter().flat_map(of_row).collect();
    Ok(OutOfFold { rows: counted, probabilities, n_classes })
}
