//! The four counts behind the paper's accuracies.

use super::share;
use super::{check_predicted, check_verdicts};
use crate::error::Result;
use crate::predict::Verdict;

/// Rows by verdict and correctness.
///
/// Every rate below is a single division of two counts, so it is the `f64` nearest to the true
/// quotient, and equal quotients compare equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct VerdictCounts {
    /// Decided rows that are predicted correctly.
    pub decided_correct: usize,
    /// Decided rows that are predicted wrongly.
    pub decided_wrong: usize,
    /// Undecided rows that are predicted correctly.
    pub undecided_correct: usize,
    /// Undecided rows that are predicted wrongly.
    pub undecided_wrong: usize,
}

impl std::iter::Sum for VerdictCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, more| Self {
            decided_correct: sum.decided_correct + more.decided_correct,
            decided_wrong: sum.decided_wrong + more.decided_wrong,
            undecided_correct: sum.undecided_correct + more.undecided_correct,
            undecided_wrong: sum.undecided_wrong + more.undecided_wrong,
        })
    }
}

impl VerdictCounts {
    /// Counts rows by verdict and correctness.
    ///
    /// # Errors
    /// Lists of different lengths.
    pub fn new(truth: &[u32], predicted: &[u32], verdicts: &[Verdict]) -> Result<Self> {
        check_predicted(truth, predicted)?;
        check_verdicts(verdicts, truth.len())?;
        let mut counts = Self::default();
        for ((truth, predicted), &verdict) in truth.iter().zip(predicted).zip(verdicts) {
            counts.add(truth == predicted, verdict);
        }
        Ok(counts)
    }

    pub(super) fn add(&mut self, correct: bool, verdict: Verdict) {
        let count = match (verdict, correct) {
            (Verdict::Decided, true) => &mut self.decided_correct,
            (Verdict::Decided, false) => &mut self.decided_wrong,
            (Verdict::Undecided, true) => &mut self.undecided_correct,
            (Verdict::Undecided, false) => &mut self.undecided_wrong,
        };
        *count += 1;
    }

    /// All rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.decided() + self.undecided()
    }

    /// Decided rows.
    #[must_use]
    pub fn decided(&self) -> usize {
        self.decided_correct + self.decided_wrong
    }

    /// Undecided rows.
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.undecided_correct + self.undecided_wrong
    }

    /// Rows that are predicted correctly, decided or not.
    #[must_use]
    pub fn correct(&self) -> usize {
        self.decided_correct + self.undecided_correct
    }

    /// `Acc`: see [`accuracy`](super::accuracy).
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        share(self.correct(), self.rows())
    }

    /// `u`: see [`undecided_rate`](super::undecided_rate).
    #[must_use]
    pub fn undecided_rate(&self) -> Option<f64> {
        share(self.undecided(), self.rows())
    }

    /// The share of decided rows, `1 - u`.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        share(self.decided(), self.rows())
    }

    /// `DecAcc`: see [`decided_accuracy`](super::decided_accuracy).
    #[must_use]
    pub fn decided_accuracy(&self) -> Option<f64> {
        share(self.decided_correct, self.decided())
    }

    /// `AccU`: see [`undecided_accuracy`](super::undecided_accuracy).
    #[must_use]
    pub fn undecided_accuracy(&self) -> Option<f64> {
        share(self.undecided_correct, self.undecided())
    }
}
