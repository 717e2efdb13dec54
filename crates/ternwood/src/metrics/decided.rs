//! Accuracy over all rows, decided rows and undecided rows.

use super::{VerdictCounts, check_predicted, share};
use crate::error::Result;
use crate::predict::Verdict;

/// `Acc`: the share of rows that are predicted correctly. `None` without rows.
///
/// # Errors
/// Lists of different lengths.
pub fn accuracy(truth: &[u32], predicted: &[u32]) -> Result<Option<f64>> {
    check_predicted(truth, predicted)?;
    let correct = truth.iter().zip(predicted).filter(|(truth, predicted)| truth == predicted);
    Ok(share(correct.count(), truth.len()))
}

/// `u`: the share of rows that are undecided. `None` without rows.
#[must_use]
pub fn undecided_rate(verdicts: &[Verdict]) -> Option<f64> {
    let undecided = verdicts.iter().filter(|verdict| verdict.is_undecided()).count();
    share(undecided, verdicts.len())
}

/// `DecAcc`: the accuracy among the decided rows. `None` if no row is decided.
///
/// # Errors
/// Lists of different lengths.
pub fn decided_accuracy(
    truth: &[u32],
    predicted: &[u32],
    verdicts: &[Verdict],
) -> Result<Option<f64>> {
    Ok(VerdictCounts::new(truth, predicted, verdicts)?.decided_accuracy())
}

/// `AccU`: the accuracy among the undecided rows. `None` if no row is undecided.
///
/// `Acc = (1 - u) DecAcc + u AccU`, so flags pay if `AccU` is low.
///
/// # Errors
/// Lists of different lengths.
pub fn undecided_accuracy(
    truth: &[u32],
    predicted: &[u32],
    verdicts: &[Verdict],
) -> Result<Option<f64>> {
    Ok(VerdictCounts::new(truth, predicted, verdicts)?.undecided_accuracy())
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
        assert_eq!(accuracy(&truth, &predicted).unwrap(), Some(0.7));
        assert_eq!(undecided_rate(&verdicts), Some(0.4));
        assert_eq!(decided_accuracy(&truth, &predicted, &verdicts).unwrap(), Some(5.0 / 6.0));
        assert_eq!(undecided_accuracy(&truth, &predicted, &verdicts).unwrap(), Some(0.5));
        let counts = VerdictCounts::new(&truth, &predicted, &verdicts).unwrap();
        assert_eq!((counts.decided_correct, counts.decided_wrong), (5, 1));
        assert_eq!((counts.undecided_correct, counts.undecided_wrong), (2, 2));
        assert_eq!((counts.rows(), counts.correct()), (10, 7));
        assert_eq!(counts.coverage(), Some(0.6));
        let correct = correctness(&truth, &predicted).unwrap();
        assert_eq!(correct.iter().filter(|&&correct| correct).count(), 7);
    }

    #[test]
    fn what_is_undefined_is_missing() {
        assert_eq!(accuracy(&[], &[]).unwrap(), None);
        assert_eq!(undecided_rate(&[]), None);
        assert_eq!(decided_accuracy(&[1], &[1], &[U]).unwrap(), None);
        assert_eq!(undecided_accuracy(&[1], &[1], &[D]).unwrap(), None);
    }

    #[test]
    fn lengths_must_agree() {
        let error = accuracy(&[0, 1], &[0]).unwrap_err();
        let message =
            "the list of predicted classes has length 1, but 2 was expected (one per row)";
        assert_eq!(error.to_string(), message);
        let error = decided_accuracy(&[0], &[0], &[D, D]).unwrap_err();
        let kind = error.kind();
        assert!(matches!(kind, ErrorKind::Length { expected: 1, found: 2, .. }), "{error}");
        assert!(error.to_string().starts_with("the list of verdicts"), "{error}");
        assert!(undecided_accuracy(&[0], &[0, 1], &[D]).is_err());
        assert!(correctness(&[0], &[]).is_err());
    }
}
