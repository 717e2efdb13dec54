//! Calibration rows: the model's confidence in each, and whether it is right.

use super::achieved::{Achieved, CalibrationSource};
use super::budget::budget_threshold;
use super::guarantee::GuaranteeTest;
use super::policy::{ConfidencePolicy, VerdictRule};
use crate::dataset::{check_class_ids, check_length};
use crate::error::{ErrorKind, Result};
use crate::metrics::ClassTally;
use crate::predict::Verdict;
use crate::tree::most_probable;

/// Confidence, prediction and truth of rows that the model was not trained on.
///
/// Sample weights are ignored: a guarantee counts rows.
///
/// ```
/// use ternwood::verdict::VerdictRule;
/// use ternwood::{Columns, Dataset, Exec, Labels, Learner, Routing, TreeParams};
///
/// let data = |values: Vec<f64>, labels: &[&str]| -> ternwood::Result<Dataset> {
///     Dataset::new(Columns::from_columns(values, 1)?, Labels::from_values(labels.to_vec()))
/// };
/// let training = data((0..8).map(f64::from).collect(), &["a", "a", "b", "a", "b", "a", "b", "b"])?;
/// let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
/// let exec = Exec::default();
/// let model = Learner::new(params, Routing::Probabilistic)?.fit(&training, &exec)?;
///
/// let held_out = data(vec![0.5, 1.5, 3.2, 6.5], &["a", "a", "b", "b"])?;
/// let rows = model.calibration_rows(&held_out, &exec)?;
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
    /// From class probabilities, row by row, and the true classes.
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
        check_class_ids(truth, n_classes)?;
        let rows = distributions.chunks_exact(n_classes);
        let predicted: Vec<u32> = rows.clone().map(most_probable).collect();
        // A blended probability may round to slightly above 1, but a threshold must not be.
        let confidences =
            rows.zip(&predicted).map(|(row, &class)| row[class as usize].min(1.0)).collect();
        Ok(Self { confidences, predicted, truth: truth.to_vec(), n_classes, source })
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.truth.len()
    }

    /// The largest class probability of every row.
    #[must_use]
    pub fn confidences(&self) -> &[f64] {
        &self.confidences
    }

    /// Which predictions are right.
    #[must_use]
    pub fn correct(&self) -> Vec<bool> {
        self.truth
            .iter()
            .zip(&self.predicted)
            .map(|(truth, predicted)| truth == predicted)
            .collect()
    }

    /// What deciding from confidence `threshold` on achieves on these rows.
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

    /// The policy for `rule`: its threshold, and what it achieves on these rows.
    ///
    /// | rule | threshold |
    /// |---|---|
    /// | cost | `1 - cost_ratio`; the rows only show what it achieves |
    /// | budget | the `flag_rate` quantile of the confidence; tied rows never exceed the budget |
    /// | guarantee | fixed-sequence testing: see [`GuaranteeTest`] |
    ///
    /// # Errors
    /// A number out of range; or a guarantee that these rows do not support, because there are too
    /// few or too many are wrong ([`ErrorKind::TooFewRows`](crate::ErrorKind::TooFewRows),
    /// [`ErrorKind::NoGuarantee`](crate::ErrorKind::NoGuarantee)).
    pub fn policy(&self, rule: VerdictRule) -> Result<ConfidencePolicy> {
        rule.check()?;
        let threshold = match rule {
            VerdictRule::Cost { cost_ratio } => 1.0 - cost_ratio,
            VerdictRule::Budget { flag_rate } => budget_threshold(self.confidences(), flag_rate),
            VerdictRule::Guarantee { accuracy, confidence } => {
                let test = GuaranteeTest::new(accuracy, confidence)?;
                test.threshold(self.confidences(), &self.correct())?
            }
        };
        ConfidencePolicy::new(threshold, rule, Some(self.achieved(threshold)?))
    }
}
