//! A budget of flags: for the rows least sure, or for the rows most likely to be missed rows of one class.

use super::achieved::Achieved;
use super::confidence::{check_flag_rate, midpoint_above, midpoint_below};
use super::policy::Uncovered;
use crate::error::{ErrorKind, Result, parameter};
use crate::predict::Verdict;
use crate::tree::most_probable;
use serde::{Deserialize, Serialize};

/// A threshold with at most `most` of the rows below it, and as many as that allows; fewer than all.
///
/// The rows with the confidence after the `most` lowest are decided, all that tie with it included.
/// The threshold is halfway to the next lower confidence, or to the `lowest` possible one.
pub(super) fn budget_threshold(confidences: &[f64], most: usize, lowest: f64) -> f64 {
    let mut sorted = confidences.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let confidence = sorted[most];
    let lower = sorted[..sorted.partition_point(|&other| other < confidence)].last();
    midpoint_below(confidence, lower.copied().unwrap_or(lowest))
}

/// No class is more probable than this without being the most probable one.
const LARGEST_OF_ANOTHER: f64 = 0.5;

/// A threshold with at most `most` of the probabilities above it, and as many as that allows. They
/// are those of the class to catch, of rows predicted as another.
///
/// The row with the probability after the `most` largest is decided, all that tie with it included.
/// The threshold is halfway to the next larger probability, or to the largest possible one. If the
/// budget is enough for all, it is 0: only rows without any probability of the class are decided.
pub(super) fn catch_threshold(probabilities: &[f64], most: usize) -> f64 {
    let mut sorted = probabilities.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some(&decided) = sorted.get(most) else { return 0.0 };
    let larger = sorted[..sorted.partition_point(|&other| other > decided)].last();
    midpoint_above(decided, larger.copied().unwrap_or(LARGEST_OF_ANOTHER))
}

/// The largest `k` with `k / n <= share` in floating-point arithmetic; below `n`, as the share is
/// below 1.
pub(super) fn affordable(n: usize, share: f64) -> usize {
    let fits = |k: usize| k as f64 / n as f64 <= share;
    // The product may be rounded up or down: 0.29 * 100 is below 29.
    let near = (share * n as f64) as usize;
    (near.saturating_sub(1)..=near + 1).rev().find(|&k| fits(k)).unwrap_or(0).min(n - 1)
}

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
        judge_catching(self.class, self.threshold, distribution)
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
pub(super) fn judge_catching(caught: u32, threshold: f64, distribution: &[f64]) -> (u32, Verdict) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_affordable_is_the_largest_quotient_below() {
        for n in 1..=200 {
            for k in 0..n {
                let share = k as f64 / n as f64;
                assert_eq!(affordable(n, share), k, "{k} of {n}");
                if k > 0 {
                    assert_eq!(affordable(n, share.next_down()), k - 1, "less than {k} of {n}");
                }
            }
        }
        assert_eq!(affordable(100, 0.29), 29);
        assert_eq!(affordable(3, 1f64.next_down()), 2);
    }

    #[test]
    fn rows_to_catch_never_exceed_the_budget() {
        let probabilities = [0.25, 0.125, 0.375, 0.25, 0.0, 0.25];
        let threshold = |most| catch_threshold(&probabilities, most);
        assert_eq!(threshold(0), 0.4375, "halfway from 0.375 to the largest possible, 0.5");
        assert_eq!(threshold(1), 0.3125);
        // Three rows tie for the second place, and none of them is flagged.
        assert_eq!([threshold(2), threshold(3)], [0.3125; 2]);
        assert_eq!(threshold(4), 0.1875);
        assert_eq!(threshold(5), 0.0625);
        assert_eq!([threshold(6), threshold(7)], [0.0; 2], "enough for all");
        // Between neighbours there is nothing: the lower one is decided.
        let neighbours = [0.25, 0.25f64.next_up()];
        assert_eq!(catch_threshold(&neighbours, 1), 0.25);
        assert_eq!(catch_threshold(&[0.5], 0), 0.5);
        assert_eq!(catch_threshold(&[], 0), 0.0);
    }

    #[test]
    fn tied_rows_are_decided_rather_than_too_many_flagged() {
        let confidences = [0.625, 1.0, 0.625, 0.75, 0.625, 0.875];
        let threshold = |flag_rate| budget_threshold(&confidences, affordable(6, flag_rate), 0.5);
        // Half of 6 is 3: the three at 0.625 are flagged, and 0.75 is decided.
        assert_eq!(threshold(0.5), 0.6875);
        // A third is 2, but three rows tie for them: none is flagged.
        assert_eq!(threshold(0.34), 0.5625);
        assert_eq!(threshold(0.0), 0.5625);
        assert_eq!(threshold(0.9), 0.9375);
    }
}
