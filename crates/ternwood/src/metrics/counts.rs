//! Counts of verdicts: of all rows, class by class, and class against class.

use super::{check_predicted, check_verdicts, share};
use crate::dataset::check_class_ids;
use crate::error::{ErrorKind, Result};
use crate::predict::Verdict;
use serde::{Deserialize, Serialize};

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

/// Counts for one class: how many rows there are, how many are predicted rightly, and the same of
/// decided rows.
///
/// One number for all classes can hide what happens to a rare one: if 98 % of the rows are
/// of one class, a decided accuracy of 98 % is no achievement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassTally {
    /// Rows of this class.
    pub rows: u64,
    /// Rows of this class that are predicted as it, decided or not.
    pub right: u64,
    /// Decided rows of this class.
    pub decided: u64,
    /// Correctly decided rows of this class.
    pub decided_right: u64,
    /// Rows of any class that were decided for this one.
    pub decided_for: u64,
}

impl ClassTally {
    /// The tallies of all classes, by class id.
    ///
    /// ```
    /// use ternwood::Verdict::{Decided, Undecided};
    /// use ternwood::metrics::ClassTally;
    ///
    /// let verdicts = [Decided, Decided, Decided, Undecided];
    /// let [healthy, ill] = ClassTally::count(&[0, 0, 1, 1], &[0, 0, 0, 1], &verdicts, 2)?[..] else {
    ///     panic!("two classes")
    /// };
    /// assert_eq!((healthy.recall(), healthy.precision()), (Some(1.0), Some(2.0 / 3.0)));
    /// // Half of the ill were decided, wrongly; nobody was decided to be ill.
    /// assert_eq!(ill.coverage(), Some(0.5));
    /// assert_eq!((ill.recall(), ill.precision()), (Some(0.0), None));
    /// assert_eq!((ill.missed(), ill.miss_rate()), (1, Some(0.5)));
    /// // The other half was flagged, although its prediction was right.
    /// assert_eq!(ill.flagged_recall(), Some(1.0));
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// Lists of different lengths, or a class id of `n_classes` or more.
    pub fn count(
        truth: &[u32],
        predicted: &[u32],
        verdicts: &[Verdict],
        n_classes: usize,
    ) -> Result<Vec<Self>> {
        check_predicted(truth, predicted)?;
        check_verdicts(verdicts, truth.len())?;
        check_class_ids(truth, n_classes)?;
        check_class_ids(predicted, n_classes)?;
        let mut tallies = vec![Self::default(); n_classes];
        for ((&truth, &predicted), verdict) in truth.iter().zip(predicted).zip(verdicts) {
            Self::add(&mut tallies, [truth, predicted], *verdict, 1);
        }
        Ok(tallies)
    }

    /// Counts `rows` rows of one true and one predicted class.
    pub(crate) fn add(
        tallies: &mut [Self],
        [truth, predicted]: [u32; 2],
        verdict: Verdict,
        rows: u64,
    ) {
        let [of_right, of_decided] =
            [truth == predicted, verdict.is_decided()].map(|is| if is { rows } else { 0 });
        let tally = &mut tallies[truth as usize];
        tally.rows += rows;
        tally.right += of_right;
        tally.decided += of_decided;
        tally.decided_right += of_right.min(of_decided);
        tallies[predicted as usize].decided_for += of_decided;
    }

    /// The sum over classes; its recall and its precision are both the decided accuracy. `None`
    /// if a sum does not fit into 64 bits.
    #[must_use]
    pub fn sum(tallies: &[Self]) -> Option<Self> {
        tallies.iter().try_fold(Self::default(), |sum, tally| {
            Some(Self {
                rows: sum.rows.checked_add(tally.rows)?,
                right: sum.right.checked_add(tally.right)?,
                decided: sum.decided.checked_add(tally.decided)?,
                decided_right: sum.decided_right.checked_add(tally.decided_right)?,
                decided_for: sum.decided_for.checked_add(tally.decided_for)?,
            })
        })
    }

    /// The sums class by class over parts of the rows, such as folds.
    #[must_use]
    pub fn sum_by_class(of_parts: &[Vec<Self>]) -> Vec<Self> {
        let n_classes = of_parts.first().map_or(0, Vec::len);
        let of_class = |class: usize| {
            let of_parts: Vec<Self> = of_parts.iter().map(|tallies| tallies[class]).collect();
            Self::sum(&of_parts).unwrap_or_default()
        };
        (0..n_classes).map(of_class).collect()
    }

    /// The share of rows decided. `None` without rows.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        share_of_rows(self.decided, self.rows)
    }

    /// The share of rows flagged. `None` without rows.
    #[must_use]
    pub fn flag_rate(&self) -> Option<f64> {
        share_of_rows(self.rows.checked_sub(self.decided)?, self.rows)
    }

    /// Decided recall: the share of this class's decided rows that are correct. `None` without
    /// any.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        share_of_rows(self.decided_right, self.decided)
    }

    /// Flagged recall: the share of this class's flagged rows whose prediction is right all the
    /// same. `None` without any. Of the [sum](Self::sum), the accuracy of flagged rows.
    #[must_use]
    pub fn flagged_recall(&self) -> Option<f64> {
        let right = self.right.checked_sub(self.decided_right)?;
        share_of_rows(right, self.rows.checked_sub(self.decided)?)
    }

    /// Misses: rows of this class that were decided as another.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.decided.saturating_sub(self.decided_right)
    }

    /// The share of this class's rows, flagged ones included, that were decided as another. `None`
    /// without rows.
    #[must_use]
    pub fn miss_rate(&self) -> Option<f64> {
        share_of_rows(self.missed(), self.rows)
    }

    /// Decided precision: the share of the rows decided for this class that are correct. `None`
    /// without any.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        share_of_rows(self.decided_right, self.decided_for)
    }
}

fn share_of_rows(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A ternary confusion matrix: per true class, the number of rows decided for each class and
/// the number left for review.
///
/// ```
/// use ternwood::Verdict::{Decided, Undecided};
/// use ternwood::metrics::ConfusionMatrix;
///
/// let verdicts = [Decided, Decided, Undecided];
/// let matrix = ConfusionMatrix::new(&[0, 0, 1], &[0, 1, 1], &verdicts, 2)?;
/// let rows: Vec<&[usize]> = matrix.rows().collect();
/// //                 decided for class 0, for class 1, review
/// assert_eq!(rows, [[1, 1, 0], [0, 0, 1]]);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfusionMatrix {
    n_classes: usize,
    /// `n_classes` rows of `n_classes + 1` counts, the last one being the review column.
    counts: Vec<usize>,
}

impl ConfusionMatrix {
    /// The most classes a matrix may have. Its size is quadratic in them: 800 MB at this limit. A
    /// mistyped number of classes should be an error, not an abort.
    pub const MAX_CLASSES: usize = 10_000;

    /// Counts rows by true class, and by predicted class or review.
    ///
    /// # Errors
    /// Lists of different lengths, a class id of `n_classes` or more, or more than
    /// [`ConfusionMatrix::MAX_CLASSES`] classes.
    pub fn new(
        truth: &[u32],
        predicted: &[u32],
        verdicts: &[Verdict],
        n_classes: usize,
    ) -> Result<Self> {
        check_predicted(truth, predicted)?;
        check_verdicts(verdicts, truth.len())?;
        if n_classes > Self::MAX_CLASSES {
            let (found, limit) = (n_classes, Self::MAX_CLASSES);
            return Err(ErrorKind::TooLarge { what: "classes", found, limit }.into());
        }
        let width = n_classes + 1;
        let mut counts = vec![0; n_classes * width];
        for (row, (&truth, &predicted)) in truth.iter().zip(predicted).enumerate() {
            for id in [truth, predicted] {
                if id as usize >= n_classes {
                    return Err(ErrorKind::ClassId { row, id, classes: n_classes }.into());
                }
            }
            let column = if verdicts[row].is_decided() { predicted as usize } else { n_classes };
            counts[truth as usize * width + column] += 1;
        }
        Ok(Self { n_classes, counts })
    }

    /// The number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Per true class, in order: the counts of decided predictions by class, then review.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[usize]> {
        self.counts.chunks_exact(self.n_classes + 1)
    }

    /// The number of rows of class `truth` that were decided for class `predicted`; `None` if
    /// there is no such class.
    #[must_use]
    pub fn decided(&self, truth: u32, predicted: u32) -> Option<usize> {
        let predicted = predicted as usize;
        if predicted >= self.n_classes { None } else { self.cell(truth, predicted) }
    }

    /// The number of rows of class `truth` left for review; `None` if there is no such class.
    #[must_use]
    pub fn review(&self, truth: u32) -> Option<usize> {
        self.cell(truth, self.n_classes)
    }

    fn cell(&self, truth: u32, column: usize) -> Option<usize> {
        self.rows().nth(truth as usize).map(|row| row[column])
    }
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

    #[test]
    fn three_classes_by_hand() {
        let truth = [0, 0, 0, 1, 1, 2];
        let predicted = [0, 1, 0, 1, 2, 2];
        let verdicts = [D, D, U, D, U, U];
        let matrix = ConfusionMatrix::new(&truth, &predicted, &verdicts, 3).unwrap();
        let rows: Vec<&[usize]> = matrix.rows().collect();
        assert_eq!(rows, [[1, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1]]);
        assert_eq!(matrix.n_classes(), 3);
        assert_eq!(matrix.decided(0, 1), Some(1));
        assert_eq!(matrix.review(2), Some(1));
        // The review column is not a class.
        assert_eq!(matrix.decided(0, 3), None);
        assert_eq!((matrix.decided(3, 0), matrix.review(3)), (None, None));
    }

    #[test]
    fn bad_input_is_an_error() {
        let error = ConfusionMatrix::new(&[0, 1], &[0, 2], &[D, D], 2).unwrap_err();
        let kind = error.kind();
        assert!(matches!(kind, ErrorKind::ClassId { row: 1, id: 2, classes: 2 }), "{error}");
        let error = ConfusionMatrix::new(&[7], &[0], &[U], 2).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::ClassId { row: 0, id: 7, .. }), "{error}");
        let error = ConfusionMatrix::new(&[], &[], &[], usize::MAX).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TooLarge { .. }), "{error}");
        assert!(ConfusionMatrix::new(&[0], &[0], &[], 1).is_err());
        assert_eq!(ConfusionMatrix::new(&[], &[], &[], 0).unwrap().rows().len(), 0);
    }
}
