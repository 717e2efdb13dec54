//! What a verdict policy achieved on its calibration rows, class by class.

use crate::dataset::check_length;
use crate::error::{ErrorKind, Result};
use crate::metrics::ClassTally;
use serde::{Deserialize, Serialize};

/// What a verdict policy achieved on its calibration rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Achieved {
    source: CalibrationSource,
    classes: Vec<ClassTally>,
    /// The number of uncovered rows.
    #[serde(default, skip_serializing_if = "is_zero")]
    uncovered: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Where calibration rows come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationSource {
    /// Rows the model was not trained on. A guarantee from them is valid.
    HeldOut,
    /// Rows given as held out, without a test whether the model was trained on them: somebody said that it
    /// was not.
    HeldOutUntested,
    /// Training rows, each predicted by a tree of the same recipe that has not seen it. Those
    /// trees are not quite the model, so a guarantee from them is approximate.
    CrossFitted,
    /// Training rows, each predicted by the trees of a forest that have not seen it. Those are not the whole
    /// forest, so a guarantee from them is approximate. It is tested with half of the risk that it may take.
    OutOfBag,
}

impl Achieved {
    pub(crate) fn new(source: CalibrationSource, classes: Vec<ClassTally>) -> Self {
        Self { source, classes, uncovered: 0 }
    }

    pub(super) fn with_uncovered(mut self, rows: u64) -> Self {
        self.uncovered = rows;
        self
    }

    /// Where the rows came from.
    #[must_use]
    pub fn source(&self) -> CalibrationSource {
        self.source
    }

    /// The tallies, by class id.
    #[must_use]
    pub fn classes(&self) -> &[ClassTally] {
        &self.classes
    }

    /// The number of [uncovered](crate::model::Coverage) rows, also if the policy judges them like
    /// all others. Always 0 for training rows.
    #[must_use]
    pub fn uncovered(&self) -> u64 {
        self.uncovered
    }

    /// The sum over classes: its recall and its precision are the decided accuracy.
    #[must_use]
    pub fn total(&self) -> ClassTally {
        ClassTally::sum(&self.classes).unwrap_or_default()
    }

    pub(super) fn check(&self, n_classes: usize) -> Result<()> {
        let what = "the verdict's list of classes";
        check_length(what, self.classes.len(), n_classes, "the model's")?;
        let possible = |tally: &ClassTally| {
            let ClassTally { rows, right, decided, decided_right, decided_for } = *tally;
            let rest = |whole: u64, part: u64| whole.checked_sub(part);
            decided_right <= decided
                && decided_right <= decided_for
                && rest(rows, decided)
                    .zip(rest(right, decided_right))
                    .is_some_and(|(flagged, flagged_right)| flagged_right <= flagged)
        };
        let total = ClassTally::sum(&self.classes);
        if self.classes.iter().all(possible)
            && total.is_some_and(|total| {
                total.decided == total.decided_for && self.uncovered <= total.rows
            })
        {
            return Ok(());
        }
        let problem = "its counts of calibration rows contradict each other".to_owned();
        Err(ErrorKind::Verdict { problem }.into())
    }
}

impl CalibrationSource {
    /// True if a guarantee from such rows is approximate.
    #[must_use]
    pub fn is_approximate(self) -> bool {
        matches!(self, Self::CrossFitted | Self::OutOfBag)
    }

    /// True if a promise from such rows needs a remark.
    pub(crate) fn is_remarkable(self) -> bool {
        self != Self::HeldOut
    }

    /// The probability with which a test of such rows may be wrong, for a promise that may be with `risk`.
    ///
    /// In some simulations wrong promises of forests pass a test of rows out of bag more often than it allows
    /// (docs/notebook has the figures): half of the risk makes up for that.
    pub(super) fn cautious(self, risk: f64) -> f64 {
        if self == Self::OutOfBag { risk / 2.0 } else { risk }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ClassName;

    /// All flagged rows are predicted wrongly.
    fn tally(rows: u64, decided: u64, decided_right: u64, decided_for: u64) -> ClassTally {
        ClassTally { rows, right: decided_right, decided, decided_right, decided_for }
    }

    #[test]
    fn rows_out_of_bag_are_tested_with_half_of_the_risk() {
        use crate::verdict::{CalibrationRows, Promises, VerdictRule};
        // 400 rows, the less sure the more often wrong.
        let truth: Vec<u32> = (0..400).map(|row| u32::from(row % 31 == 0 && row > 150)).collect();
        let sure = |row: u32| 0.99 - f64::from(row) / 1000.0;
        let distributions: Vec<f64> =
            (0..400).flat_map(|row| [sure(row), 1.0 - sure(row)]).collect();
        let names = ["a", "b"].map(ClassName::from);
        let policy = |source, rule| {
            let rows = CalibrationRows::new(&distributions, &truth, &names, source).unwrap();
            rows.policy(rule).map(|policy| policy.thresholds().clone())
        };
        let accuracy = |confidence| VerdictRule::Guarantee { accuracy: 0.97, confidence };
        let precision = |confidence| {
            let precision = vec![Some(0.97), None];
            VerdictRule::Promises(Promises { precision, miss_rate: vec![], confidence })
        };
        let missed = |confidence| {
            let miss_rate = vec![None, Some(0.6)];
            VerdictRule::Promises(Promises { precision: vec![], miss_rate, confidence })
        };
        let rules: [&dyn Fn(f64) -> VerdictRule; 3] = [&accuracy, &precision, &missed];
        for rule in rules {
            let out_of_bag = policy(CalibrationSource::OutOfBag, rule(0.5)).unwrap();
            assert_eq!(out_of_bag, policy(CalibrationSource::HeldOut, rule(0.75)).unwrap());
            assert_ne!(out_of_bag, policy(CalibrationSource::HeldOut, rule(0.5)).unwrap());
        }
    }

    #[test]
    fn rates_by_hand() {
        // 8 of 10 healthy decided, all rightly; 1 of 2 ill decided, wrongly.
        let classes = vec![tally(10, 8, 8, 9), tally(2, 1, 0, 0)];
        let achieved = Achieved::new(CalibrationSource::CrossFitted, classes);
        achieved.check(2).unwrap();
        let total = achieved.total();
        assert_eq!((total.coverage(), total.flag_rate()), (Some(0.75), Some(0.25)));
        assert_eq!(total.recall(), Some(8.0 / 9.0));
        assert_eq!(total.precision(), total.recall(), "both are the decided accuracy");
        let [healthy, ill] = achieved.classes() else { panic!("two classes") };
        assert_eq!((healthy.recall(), healthy.precision()), (Some(1.0), Some(8.0 / 9.0)));
        assert_eq!((ill.recall(), ill.precision()), (Some(0.0), None));
        let names = ["healthy", "ill"].map(ClassName::from);
        let expected = "\
on 12 rows (of training, each answered by a model fitted without it: approximate): \
75.0 % are decided, 88.9 % of those right
  class       rows  decided   recall  precision   missed
  healthy       10   80.0 %  100.0 %     88.9 %    0.0 %
  ill            2   50.0 %    0.0 %          -   50.0 %
";
        assert_eq!(achieved.report(&names), expected);
        let report = achieved.with_uncovered(1).report(&names);
        assert_eq!(report, format!("{expected}  1 row is uncovered\n"));
    }

    #[test]
    fn impossible_counts_are_refused() {
        let check = |classes| Achieved::new(CalibrationSource::HeldOut, classes).check(1);
        assert!(check(vec![tally(3, 2, 1, 2)]).is_ok());
        for impossible in [tally(1, 2, 1, 2), tally(3, 1, 2, 2), tally(3, 2, 1, 0)] {
            assert!(check(vec![impossible]).is_err(), "{impossible:?}");
        }
        assert!(check(vec![tally(3, 2, 1, 1)]).is_err(), "2 decided, but for nothing");
        let with_right = |right| vec![ClassTally { right, ..tally(3, 2, 1, 2) }];
        assert!(check(with_right(2)).is_ok(), "the flagged row is right too");
        assert!(check(with_right(3)).is_err(), "one row is flagged, two flagged ones are right");
        assert!(check(with_right(0)).is_err(), "right where decided, but not right");
        assert!(check(vec![]).is_err());
        let huge = tally(u64::MAX, u64::MAX, 0, u64::MAX);
        let sum = Achieved::new(CalibrationSource::HeldOut, vec![huge, huge]);
        assert!(sum.check(2).is_err(), "a sum that overflows");
    }
}
