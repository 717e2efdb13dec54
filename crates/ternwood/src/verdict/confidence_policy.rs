//! Undecided below a confidence threshold.

use super::achieved::Achieved;
use super::rule::VerdictRule;
use super::thresholds::Thresholds;
use super::uncovered::Uncovered;
use crate::error::{ErrorKind, Result};
use crate::predict::Verdict;
use crate::tree::most_probable;
use serde::{Deserialize, Serialize};

/// Confidence thresholds, their rule, and what they achieved on the calibration rows.
///
/// With `p` the class probabilities of a row, blended where zones send it both ways, and `c` the
/// most probable class:
///
/// ```text
/// Undecided  iff  p_c(x) < threshold of c
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidencePolicy {
    threshold: Thresholds,
    rule: VerdictRule,
    #[serde(default, skip_serializing_if = "Uncovered::is_usual")]
    uncovered: Uncovered,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    achieved: Option<Achieved>,
}

impl ConfidencePolicy {
    /// Chow's rule: undecided below `1 - cost_ratio`. Needs no rows.
    ///
    /// # Errors
    /// A ratio that is not between 0 and 1.
    pub fn of_cost_ratio(cost_ratio: f64) -> Result<Self> {
        Self::new(1.0 - cost_ratio, VerdictRule::Cost { cost_ratio }, None)
    }

    pub(crate) fn new(
        threshold: impl Into<Thresholds>,
        rule: VerdictRule,
        achieved: Option<Achieved>,
    ) -> Result<Self> {
        let uncovered = Uncovered::default();
        let policy = Self { threshold: threshold.into(), rule, uncovered, achieved };
        policy.check()?;
        Ok(policy)
    }

    /// The confidences below which rows are undecided.
    #[must_use]
    pub fn thresholds(&self) -> &Thresholds {
        &self.threshold
    }

    /// The rule that set the thresholds.
    #[must_use]
    pub fn rule(&self) -> &VerdictRule {
        &self.rule
    }

    /// What the policy achieved on its calibration rows; `None` if there were none.
    #[must_use]
    pub fn achieved(&self) -> Option<&Achieved> {
        self.achieved.as_ref()
    }

    /// What becomes of rows that the policy does not cover.
    #[must_use]
    pub fn uncovered(&self) -> Uncovered {
        self.uncovered
    }

    pub(super) fn with_uncovered(mut self, uncovered: Uncovered) -> Self {
        self.uncovered = uncovered;
        self
    }

    /// The most probable class, and whether it is probable enough.
    #[inline]
    pub(super) fn judge(&self, distribution: &[f64]) -> (u32, Verdict) {
        let class = most_probable(distribution);
        let probability = distribution[class as usize];
        (class, Verdict::decided_if(self.threshold.decide(class, probability)))
    }

    /// Checks that the parts are consistent.
    fn check(&self) -> Result<()> {
        self.rule.check()?;
        self.threshold.check()?;
        let contradiction =
            |problem: &str| Err(ErrorKind::Verdict { problem: problem.to_owned() }.into());
        if matches!(self.rule, VerdictRule::Promises(_)) {
            let Some(achieved) = &self.achieved else {
                return contradiction("promises need their calibration counts");
            };
            let decided = |(class, tally): (u32, &crate::metrics::ClassTally)| {
                tally.decided_for > 0 && self.threshold.of(class).is_none()
            };
            if (0..).zip(achieved.classes()).any(decided) {
                return contradiction("rows were decided as a class that is never decided");
            }
            return Ok(());
        }
        let Some(threshold) = self.threshold.common() else {
            return contradiction("only promises have a threshold for every class");
        };
        match (&self.rule, &self.achieved) {
            (VerdictRule::Cost { cost_ratio }, _) if threshold != 1.0 - cost_ratio => {
                contradiction("by cost, the threshold is 1 - cost_ratio")
            }
            (VerdictRule::Budget { flag_rate }, Some(achieved))
                if achieved.total().flag_rate().is_none_or(|rate| rate > *flag_rate) =>
            {
                contradiction("more rows were flagged than the budget allows")
            }
            (VerdictRule::Budget { .. } | VerdictRule::Guarantee { .. }, None) => {
                contradiction("a budget or guarantee needs its calibration counts")
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_model(&self, n_classes: usize) -> Result<()> {
        self.threshold.check_classes(n_classes)?;
        if let VerdictRule::Promises(promises) = &self.rule {
            promises.check_classes(n_classes)?;
        }
        self.check()?;
        self.achieved.as_ref().map_or(Ok(()), |achieved| achieved.check(n_classes))
    }

    /// Of two classes, the one that must not be missed, if something is promised of precision too:
    /// it is ruled in or out, or looked at again.
    #[must_use]
    pub fn condition(&self, n_classes: usize) -> Option<u32> {
        let VerdictRule::Promises(promises) = self.rule() else { return None };
        let mut missed = (0..n_classes).filter(|&k| promises.miss_rate_of(k).is_some());
        let (first, second) = (missed.next()?, missed.next());
        let precise = promises.precision.iter().any(Option::is_some);
        (n_classes == 2 && second.is_none() && precise).then_some(first as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_out_of_range_is_refused() {
        for ratio in [0.0, 1.0, -0.1, f64::NAN] {
            let error = ConfidencePolicy::of_cost_ratio(ratio).unwrap_err().to_string();
            assert!(error.ends_with("allowed: a number between 0 and 1"), "{error}");
        }
    }
}
