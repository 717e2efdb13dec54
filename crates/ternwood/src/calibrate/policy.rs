//! From a wish to a threshold.

use super::budget::budget_threshold;
use super::guarantee::GuaranteeTest;
use super::rows::CalibrationRows;
use crate::error::Result;
use crate::model::{ConfidencePolicy, VerdictRule};

impl CalibrationRows {
    /// The threshold for `rule`, and what it does to these rows.
    ///
    /// | rule | threshold |
    /// |---|---|
    /// | cost | `1 - cost_ratio`; the rows only tell what it achieves |
    /// | budget | the `flag_rate` quantile of the confidence; tied rows never exceed the budget |
    /// | guarantee | fixed-sequence testing: see [`GuaranteeTest`] |
    ///
    /// # Errors
    /// A number out of range; or a promise that these rows cannot make: too few of them, or too
    /// many wrong ([`ErrorKind::TooFewRows`](crate::ErrorKind::TooFewRows),
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
