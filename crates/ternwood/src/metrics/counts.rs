//! The four counts behind the paper's accuracies.

use super::{check_predicted, check_verdicts, share};
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

    /// `Acc`: the share of rows that are predicted correctly. `None` without rows.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        share(self.correct(), self.rows())
    }

    /// `u`: the share of rows that are undecided. `None` without rows.
    #[must_use]
    pub fn undecided_rate(&self) -> Option<f64> {
        share(self.undecided(), self.rows())
    }

    /// The share of rows that are decided, `1 - u`. `None` without rows.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        share(self.decided(), self.rows())
    }

    /// `DecAcc`: the accuracy among the decided rows. `None` if no row is decided.
    #[must_use]
    pub fn decided_accuracy(&self) -> Option<f64> {
        share(self.decided_correct, self.decided())
    }

    /// `AccU`: the accuracy among the undecided rows. `None` if no row is undecided.
    ///
    /// `Acc = (1 - u) DecAcc + u AccU`, so flags pay if `AccU` is low.
    #[must_use]
    pub fn undecided_accuracy(&self) -> Option<f64> {
        share(self.undecided_correct, self.undecided())
    }
}

/// For every row, whether it is predicted correctly: with the confidences, the input of a
/// [`ConfidenceRanking`](super::ConfidenceRanking).
///
/// # Errors
/// Lists of different lengths.
pub fn correctness(truth: &[u32], predicted: &[u32]) -> Result<Vec<bool>> {
    check_predicted(truth, predicted)?;
    Ok(truth.iter().zip(predicted).map(|(truth, predicted)| truth == predicted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::predict::Verdict::{Decided as D, Undecided as U};

    #[test]
    fn ten_rows_counted_by_hand() {
        //  row         0  1  2  3  4  5  6  7  8  9
        let truth = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2];
        let predicted = [0, 0, 1, 0, 1, 1, 0, 2, 1, 2];
        let verdicts = [D, D, D, U, D, D, U, D, U, U];
        // Right: rows 0 1 3 4 5 7 9, so Acc = 7/10. Undecided: 3 6 8 9, so u = 4/10.
        // Decided: 0 1 2 4 5 7, of which only 2 is wrong: 5/6. Undecided right: 3 and 9: 2/4.
        let counts = VerdictCounts::new(&truth, &predicted, &verdicts).unwrap();
        assert_eq!((counts.decided_correct, counts.decided_wrong), (5, 1));
        assert_eq!((counts.undecided_correct, counts.undecided_wrong), (2, 2));
        assert_eq!((counts.rows(), counts.correct()), (10, 7));
        assert_eq!(counts.accuracy(), Some(0.7));
        assert_eq!((counts.undecided_rate(), counts.coverage()), (Some(0.4), Some(0.6)));
        assert_eq!(counts.decided_accuracy(), Some(5.0 / 6.0));
        assert_eq!(counts.undecided_accuracy(), Some(0.5));
        let correct = correctness(&truth, &predicted).unwrap();
        assert_eq!(correct.iter().filter(|&&correct| correct).count(), 7);
    }

    #[test]
    fn what_is_undefined_is_missing() {
        let of_one_row = |verdict| VerdictCounts::new(&[1], &[1], &[verdict]).unwrap();
        assert_eq!(of_one_row(U).decided_accuracy(), None);
        assert_eq!(of_one_row(D).undecided_accuracy(), None);
        let none = VerdictCounts::new(&[], &[], &[]).unwrap();
        assert_eq!((none.accuracy(), none.undecided_rate(), none.coverage()), (None, None, None));
    }

    #[test]
    fn lengths_must_agree() {
        let error = VerdictCounts::new(&[0, 1], &[0], &[D, D]).unwrap_err();
        let message =
            "the list of predicted classes has length 1, but 2 was expected (one per row)";
        assert_eq!(error.to_string(), message);
        let error = VerdictCounts::new(&[0], &[0], &[D, D]).unwrap_err();
        let kind = error.kind();
        assert!(matches!(kind, ErrorKind::Length { expected: 1, found: 2, .. }), "{error}");
        assert!(error.to_string().starts_with("the list of verdicts"), "{error}");
        assert!(VerdictCounts::new(&[0], &[0, 1], &[D]).is_err());
        assert!(correctness(&[0], &[]).is_err());
    }
}
