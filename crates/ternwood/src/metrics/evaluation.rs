//! One evaluation of predictions with verdicts: rates, the F1 of decided rows, and how efficient flags are.

use super::{VerdictCounts, check_predicted, check_verdicts};
use crate::error::Result;
use crate::predict::Verdict;
use std::collections::BTreeMap;

/// The paper's metrics of one set of predictions, with the counts they come from.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// Rows by verdict and correctness.
    pub counts: VerdictCounts,
    /// The rates.
    pub rates: Rates,
}

impl Evaluation {
    /// Computes counts and rates in one pass over the rows.
    ///
    /// # Errors
    /// Lists of different lengths.
    pub fn new(truth: &[u32], predicted: &[u32], verdicts: &[Verdict]) -> Result<Self> {
        check_predicted(truth, predicted)?;
        check_verdicts(verdicts, truth.len())?;
        let mut counts = VerdictCounts::default();
        let mut f1 = F1Tally::default();
        for ((&truth, &predicted), &verdict) in truth.iter().zip(predicted).zip(verdicts) {
            counts.add(truth == predicted, verdict);
            if verdict.is_decided() {
                f1.add(truth, predicted);
            }
        }
        let rates = Rates {
            accuracy: counts.accuracy(),
            undecided_rate: counts.undecided_rate(),
            decided_accuracy: counts.decided_accuracy(),
            undecided_accuracy: counts.undecided_accuracy(),
            decided_f1: f1.macro_f1(),
        };
        Ok(Self { counts, rates })
    }
}

/// The rates of an [`Evaluation`], or their means over several. Undefined ones are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Rates {
    /// `Acc`: see [`VerdictCounts::accuracy`].
    pub accuracy: Option<f64>,
    /// `u`: see [`VerdictCounts::undecided_rate`].
    pub undecided_rate: Option<f64>,
    /// `DecAcc`: see [`VerdictCounts::decided_accuracy`].
    pub decided_accuracy: Option<f64>,
    /// `AccU`: see [`VerdictCounts::undecided_accuracy`].
    pub undecided_accuracy: Option<f64>,
    /// Macro F1 among the decided rows. `None` if no row is decided.
    ///
    /// The mean, over the classes that decided rows have *or* are predicted to have, of
    ///
    /// ```text
    /// F1 = 2 precision recall / (precision + recall) = 2 hits / (truths + predictions)
    /// ```
    ///
    /// where a class without a correct prediction has F1 = 0, even if its precision or its recall
    /// is not defined. Classes that occur only among undecided rows do not count.
    pub decided_f1: Option<f64>,
}

impl Rates {
    /// The mean of each rate over folds, skipping the folds where it is `None`.
    ///
    /// Folds without decided rows thus do not affect `decided_accuracy`, as in the paper's tables.
    /// An identity that holds in each fold need not hold for the means.
    #[must_use]
    pub fn mean(folds: &[Self]) -> Self {
        let mean_of = |rate: fn(&Self) -> Option<f64>| mean_of_present(folds.iter().map(rate));
        Self {
            accuracy: mean_of(|fold| fold.accuracy),
            undecided_rate: mean_of(|fold| fold.undecided_rate),
            decided_accuracy: mean_of(|fold| fold.decided_accuracy),
            undecided_accuracy: mean_of(|fold| fold.undecided_accuracy),
            decided_f1: mean_of(|fold| fold.decided_f1),
        }
    }

    /// `eta` against the accuracy of the plain tree: see [`efficiency`](super::efficiency).
    #[must_use]
    pub fn efficiency(&self, cart_accuracy: f64) -> Option<f64> {
        efficiency(self.decided_accuracy?, cart_accuracy, self.undecided_rate?)
    }

    /// Flags per unavoidable error: see [`u_over_b`](super::u_over_b).
    #[must_use]
    pub fn u_over_b(&self, bayes_error: f64) -> Option<f64> {
        u_over_b(self.undecided_rate?, bayes_error)
    }
}

/// The mean of the values that are not `None`; `None` if all are.
pub fn mean_of_present(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_usize);
    for value in values.into_iter().flatten() {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / count as f64)
}

/// Counts per class, for macro F1. Ordered by class id, so that the sum is reproducible; a map
/// rather than a table, because ids may be sparse and as large as `u32` allows.
#[derive(Debug, Default)]
pub(super) struct F1Tally {
    by_class: BTreeMap<u32, ClassTally>,
}

#[derive(Debug, Default)]
struct ClassTally {
    hits: usize,
    truths: usize,
    predictions: usize,
}

impl F1Tally {
    pub(super) fn add(&mut self, truth: u32, predicted: u32) {
        let class = self.by_class.entry(truth).or_default();
        class.truths += 1;
        class.hits += usize::from(truth == predicted);
        self.by_class.entry(predicted).or_default().predictions += 1;
    }

    pub(super) fn macro_f1(&self) -> Option<f64> {
        // Every class in the map was seen, so the denominators are at least 1.
        let f1 = self
            .by_class
            .values()
            .map(|class| (2 * class.hits) as f64 / (class.truths + class.predictions) as f64);
        let sum: f64 = f1.sum();
        (!self.by_class.is_empty()).then(|| sum / self.by_class.len() as f64)
    }
}

/// `eta = (DecAcc - Acc_CART) / u`: the gain in decided accuracy over the plain tree, which
/// flags nothing, per share of rows flagged.
///
/// If the overall accuracy equals CART's, `eta = DecAcc - AccU`. `None` if `u` is 0 or a
/// number is not finite.
#[must_use]
pub fn efficiency(decided_accuracy: f64, cart_accuracy: f64, undecided_rate: f64) -> Option<f64> {
    quotient(decided_accuracy - cart_accuracy, undecided_rate)
}

/// `U/B = u / Bayes error`: flags per unavoidable error. Near 1, about as many rows are flagged
/// as even the best classifier would get wrong.
///
/// `None` if the Bayes error is 0 or a number is not finite.
#[must_use]
pub fn u_over_b(undecided_rate: f64, bayes_error: f64) -> Option<f64> {
    quotient(undecided_rate, bayes_error)
}

fn quotient(dividend: f64, divisor: f64) -> Option<f64> {
    let quotient = dividend / divisor;
    (divisor > 0.0 && quotient.is_finite()).then_some(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Evaluation;
    use crate::predict::Verdict::{self, Decided as D, Undecided as U};

    #[test]
    fn eight_rows_by_hand() {
        let truth = [0, 0, 0, 1, 1, 2, 2, 0];
        let predicted = [0, 1, 0, 1, 0, 2, 1, 0];
        let verdicts = [D, U, D, D, D, D, U, U];
        let Evaluation { counts, rates } = Evaluation::new(&truth, &predicted, &verdicts).unwrap();
        assert_eq!(counts, VerdictCounts::new(&truth, &predicted, &verdicts).unwrap());
        // 5 decided, 4 of them right; 3 undecided, 1 of them right.
        assert_eq!((rates.accuracy, rates.undecided_rate), (Some(0.625), Some(0.375)));
        assert_eq!(rates.decided_accuracy, Some(0.8));
        assert_eq!(rates.undecided_accuracy, Some(1.0 / 3.0));
        // Class 0: 2 hits, 2 truths, 3 predictions. Class 1: 1 hit, 2 truths, 1 prediction.
        // Class 2: 1 of each.
        assert_eq!(rates.decided_f1, Some((4.0 / 5.0 + 2.0 / 3.0 + 1.0) / 3.0));
        assert_eq!(rates.efficiency(0.625), Some((0.8 - 0.625) / 0.375));
        assert_eq!(rates.u_over_b(0.125), Some(3.0));
    }

    #[test]
    fn without_rows_everything_is_missing() {
        let evaluation = Evaluation::new(&[], &[], &[]).unwrap();
        assert_eq!(evaluation.rates, Rates::default());
        assert_eq!(evaluation.rates.efficiency(0.5), None);
        assert_eq!(evaluation.rates.u_over_b(0.5), None);
        assert!(Evaluation::new(&[0], &[0], &[]).is_err());
    }

    #[test]
    fn means_over_folds_skip_what_is_missing() {
        let fold =
            |verdicts: [Verdict; 2]| Evaluation::new(&[0, 1], &[0, 0], &verdicts).unwrap().rates;
        // Row 0 is right, row 1 wrong. Decided accuracies: 1/2, 1 and, in the third, missing.
        let folds = [fold([D, D]), fold([D, U]), fold([U, U])];
        let mean = Rates::mean(&folds);
        assert_eq!(mean.accuracy, Some(0.5));
        assert_eq!(mean.undecided_rate, Some(0.5)); // (0 + 1/2 + 1) / 3
        assert_eq!(mean.decided_accuracy, Some(0.75)); // (1/2 + 1) / 2, not / 3
        assert_eq!(mean.undecided_accuracy, Some(0.25)); // (0 + 1/2) / 2
        assert_eq!(Rates::mean(&[]), Rates::default());
        assert_eq!(mean_of_present([None, None]), None);
    }

    fn decided_f1(truth: &[u32], predicted: &[u32], verdicts: &[Verdict]) -> Option<f64> {
        Evaluation::new(truth, predicted, verdicts).unwrap().rates.decided_f1
    }

    #[test]
    fn three_classes_by_hand() {
        let truth = [0, 0, 0, 1, 1, 2, 2];
        let predicted = [0, 0, 1, 1, 1, 1, 2];
        // Class 0: 2 hits, 3 truths, 2 predictions: 4/5. Class 1: 2 hits, 2 truths, 4
        // predictions: 4/6. Class 2: 1 hit, 2 truths, 1 prediction: 2/3.
        let expected = (4.0 / 5.0 + 4.0 / 6.0 + 2.0 / 3.0) / 3.0;
        assert_eq!(decided_f1(&truth, &predicted, &[D; 7]), Some(expected));
        // Without the last two rows: class 2 is gone, class 1 has 3 predictions: 4/5.
        let verdicts = [D, D, D, D, D, U, U];
        assert_eq!(decided_f1(&truth, &predicted, &verdicts), Some(0.8));
    }

    #[test]
    fn a_class_never_hit_counts_as_zero() {
        // Class 1 is true but never predicted (no precision), class 5 predicted but never true
        // (no recall): both 0. Class 0: 1 hit, 1 truth, 1 prediction: 1.
        assert_eq!(decided_f1(&[0, 1], &[0, 5], &[D, D]), Some(1.0 / 3.0));
    }

    #[test]
    fn no_decided_row_no_figure() {
        assert_eq!(decided_f1(&[0, 1], &[0, 1], &[U, U]), None);
        assert_eq!(decided_f1(&[], &[], &[]), None);
    }

    #[test]
    fn large_ids_cost_no_memory() {
        assert_eq!(decided_f1(&[u32::MAX], &[u32::MAX], &[D]), Some(1.0));
    }

    #[test]
    fn by_hand() {
        // (0.875 - 0.75) / 0.25 = 0.5, all exact in binary.
        assert_eq!(efficiency(0.875, 0.75, 0.25), Some(0.5));
        assert_eq!(efficiency(0.5, 0.75, 0.5), Some(-0.5));
        assert_eq!(u_over_b(0.21, 0.14), Some(0.21 / 0.14));
        assert_eq!(u_over_b(0.0, 0.14), Some(0.0));
    }

    #[test]
    fn division_by_nothing_is_missing() {
        assert_eq!(efficiency(0.9, 0.8, 0.0), None);
        assert_eq!(efficiency(f64::NAN, 0.8, 0.1), None);
        assert_eq!(u_over_b(0.1, 0.0), None);
        assert_eq!(u_over_b(0.1, -0.5), None);
        assert_eq!(u_over_b(f64::INFINITY, 0.5), None);
    }
}
