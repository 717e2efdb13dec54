//! A budget of flags aimed at one class.

use super::achieved::Achieved;
use super::rule::check_flag_rate;
use super::uncovered::Uncovered;
use crate::error::{ErrorKind, Result, parameter};
use crate::predict::Verdict;
use crate::tree::most_probable;
use serde::{Deserialize, Serialize};

/// A budget of flags spent on the rows that are most likely to be missed rows of one class.
///
/// With `p` the class probabilities of a row, `c` the class to catch and `t` the threshold:
///
/// ```text
/// Undecided  iff  the most probable class is not c, and p_c(x) > t
/// ```
///
/// Rows predicted as `c` are decided: they are caught already. At most the share
/// [`flag_rate`](Self::flag_rate) of the calibration rows is undecided.
/// [`CalibrationRows::catch_policy`](super::CalibrationRows::catch_policy) finds the threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatchPolicy {
    class: u32,
    flag_rate: f64,
    threshold: f64,
    #[serde(default, skip_serializing_if = "Uncovered::is_usual")]
    uncovered: Uncovered,
    achieved: Achieved,
}

impl CatchPolicy {
    pub(super) fn new(
        class: u32,
        flag_rate: f64,
        threshold: f64,
        uncovered: Uncovered,
        achieved: Achieved,
    ) -> Result<Self> {
        let policy = Self { class, flag_rate, threshold, uncovered, achieved };
        policy.check_model(policy.achieved.classes().len())?;
        Ok(policy)
    }

    /// The id of the class to catch.
    #[must_use]
    pub fn class(&self) -> u32 {
        self.class
    }

    /// The budget: the largest share of flagged calibration rows.
    #[must_use]
    pub fn flag_rate(&self) -> f64 {
        self.flag_rate
    }

    /// Rows predicted as another class are undecided if their probability of the class is above
    /// this.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// What the policy achieved on its calibration rows.
    #[must_use]
    pub fn achieved(&self) -> &Achieved {
        &self.achieved
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

    #[inline]
    pub(super) fn judge(&self, distribution: &[f64]) -> (u32, Verdict) {
        judge(self.class, self.threshold, distribution)
    }

    pub(super) fn check_model(&self, n_classes: usize) -> Result<()> {
        check_flag_rate(self.flag_rate)?;
        check_class(self.class, n_classes)?;
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(parameter("threshold of the verdict", self.threshold, "from 0 to 1"));
        }
        self.achieved.check(n_classes)?;
        if self.achieved.total().flag_rate().is_none_or(|rate| rate > self.flag_rate) {
            let problem = "more rows were flagged than the budget allows".to_owned();
            return Err(ErrorKind::Verdict { problem }.into());
        }
        Ok(())
    }
}

/// Class and verdict of a row, where `caught` is the class to catch.
#[inline]
pub(super) fn judge(caught: u32, threshold: f64, distribution: &[f64]) -> (u32, Verdict) {
    let class = most_probable(distribution);
    let decided = class == caught || distribution[caught as usize] <= threshold;
    (class, Verdict::decided_if(decided))
}

/// Checks that the class to catch exists.
pub(super) fn check_class(class: u32, n_classes: usize) -> Result<()> {
    if (class as usize) < n_classes {
        return Ok(());
    }
    Err(parameter("class to catch", class, format!("the id of a class, below {n_classes}")))
}
