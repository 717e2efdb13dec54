//! Rows to set a verdict policy with: how confident the model is of each, and whether rightly.

use super::choose::FOLDS;
use super::cross_fit::out_of_fold;
use super::recipe::Recipe;
use crate::cancel::CancelToken;
use crate::dataset::{Dataset, check_length};
use crate::error::{ErrorKind, Result};
use crate::logic::Verdict;
use crate::metrics::ClassTally;
use crate::model::{Achieved, CalibrationSource, Model};
use crate::predict::Rows;
use crate::tree::most_probable;
use crate::workers::Workers;

/// Confidence, prediction and truth of rows that the model has not learnt from.
///
/// Sample weights play no part: a guarantee counts rows.
///
/// ```
/// use ternwood::calibrate::CalibrationRows;
/// use ternwood::{Columns, Dataset, Labels, Learner, Routing, TreeParams, VerdictRule, Workers};
///
/// let data = |values: Vec<f64>, labels: &[&str]| -> ternwood::Result<Dataset> {
///     Dataset::new(Columns::from_columns(values, 1)?, Labels::from_values(labels.to_vec()))
/// };
/// let training = data((0..8).map(f64::from).collect(), &["a", "a", "b", "a", "b", "a", "b", "b"])?;
/// let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
/// let model = Learner::new(params, Routing::Probabilistic)?.fit(&training)?;
///
/// let held_out = data(vec![0.5, 1.5, 3.2, 6.5], &["a", "a", "b", "b"])?;
/// let rows = CalibrationRows::held_out(&model, &held_out, &Workers::single())?;
/// let model = model.with_verdict(rows.policy(VerdictRule::Budget { flag_rate: 0.25 })?)?;
/// assert!(model.verdict().to_string().ends_with("at most 25 % of the rows flagged"));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationRows {
    confidences: Vec<f64>,
    predicted: Vec<u32>,
    truth: Vec<u32>,
    n_classes: usize,
    source: CalibrationSource,
}

impl CalibrationRows {
    /// What the model says of rows it was not trained on. The classes of `data` are numbered as
    /// the model's.
    ///
    /// # Errors
    /// As [`Model::predict`]; or other classes than the model's.
    pub fn held_out(model: &Model, data: &Dataset, workers: &Workers) -> Result<Self> {
        check_length(
            "the list of classes",
            data.n_classes(),
            model.classes().len(),
            "the model's",
        )?;
        let (_, distributions, _) =
            model.predict(Rows::from(data.columns()), workers)?.into_parts();
        let (truth, n_classes) = (data.labels().ids(), data.n_classes());
        Self::new(&distributions, truth, n_classes, CalibrationSource::HeldOut)
    }

    /// What trees of the model's own recipe say of its training rows, each without having seen
    /// the row ([`out_of_fold`]): for those who have no rows to hold out.
    ///
    /// Those trees are not the model, and each has seen fewer rows, so what comes of it is
    /// approximate, and is called so ([`CalibrationSource::CrossFitted`]). Costs [`FOLDS`] fits.
    ///
    /// # Errors
    /// Other classes than the model's, rows that do not fit its parameters, or cancelled.
    pub fn cross_fitted(
        model: &Model,
        training: &Dataset,
        how: (&Workers, &CancelToken),
    ) -> Result<Self> {
        let (found, expected) = (training.n_classes(), model.classes().len());
        check_length("the list of classes", found, expected, "the model's")?;
        let unseen = out_of_fold(training, &Recipe::from(model).check()?, FOLDS, how)?;
        let ids = training.labels().ids();
        let truth: Vec<u32> = unseen.rows.iter().map(|&row| ids[row]).collect();
        Self::new(&unseen.probabilities, &truth, expected, CalibrationSource::CrossFitted)
    }

    /// Class probabilities, row by row, beside the true classes.
    ///
    /// # Errors
    /// No rows, lists whose lengths do not agree, or a class id out of range.
    pub fn new(
        distributions: &[f64],
        truth: &[u32],
        n_classes: usize,
        source: CalibrationSource,
    ) -> Result<Self> {
        let expected = truth.len() * n_classes;
        check_length("the list of probabilities", distributions.len(), expected, "rows x classes")?;
        if truth.is_empty() {
            return Err(ErrorKind::NoRows.into());
        }
        if let Some(row) = truth.iter().position(|&id| id as usize >= n_classes) {
            let (id, classes) = (truth[row], n_classes);
            return Err(ErrorKind::ClassId { row, id, classes }.into());
        }
        let rows = distributions.chunks_exact(n_classes);
        let predicted: Vec<u32> = rows.clone().map(most_probable).collect();
        // A blended probability may round to a little above 1, and no threshold does.
        let confidences =
            rows.zip(&predicted).map(|(row, &class)| row[class as usize].min(1.0)).collect();
        Ok(Self { confidences, predicted, truth: truth.to_vec(), n_classes, source })
    }

    /// How many rows there are.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.truth.len()
    }

    /// The largest class probability of every row.
    #[must_use]
    pub fn confidences(&self) -> &[f64] {
        &self.confidences
    }

    /// Whose prediction is right.
    #[must_use]
    pub fn correct(&self) -> Vec<bool> {
        self.truth
            .iter()
            .zip(&self.predicted)
            .map(|(truth, predicted)| truth == predicted)
            .collect()
    }

    /// What deciding from `threshold` on does to these rows.
    ///
    /// # Errors
    /// A class id out of range, or more classes than a confusion matrix may have.
    pub fn achieved(&self, threshold: f64) -> Result<Achieved> {
        let verdicts: Vec<Verdict> = self
            .confidences
            .iter()
            .map(|&confidence| Verdict::decided_if(confidence >= threshold))
            .collect();
        let classes = ClassTally::count(&self.truth, &self.predicted, &verdicts, self.n_classes)?;
        Ok(Achieved::new(self.source, classes))
    }
}
