//! Confusion matrix with a column for rows left for review.

use super::{check_predicted, check_verdicts};
use crate::error::{ErrorKind, Result};
use crate::predict::Verdict;

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
    use crate::predict::Verdict::{Decided as D, Undecided as U};

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
