//! Compares a verdict with Chow's rule at equal coverage.

use super::{ConfidenceRanking, VerdictCounts};
use crate::dataset::check_length;
use crate::error::Result;

/// A verdict's decided accuracy, and that of Chow's rule at the same coverage.
///
/// Chow's rule rejects the rows of lowest confidence. A verdict that flags many rows is
/// easily right about the rest. The fair question is whether it beats rejecting as many rows
/// by the largest leaf probability of the plain tree. Ranked by the *blended* probabilities of
/// a zoned tree, the comparison asks whether the zone verdict uses all the information in them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ChowComparison {
    /// The share of rows that both decide, `1 - u`. `None` without rows.
    pub coverage: Option<f64>,
    /// Accuracy among the rows the verdict decides. `None` if it decides none.
    pub decided_accuracy: Option<f64>,
    /// Accuracy among the same number of most confident rows; ties at the cut-off count with
    /// their mean. `None` if the verdict decides no row.
    pub chow_accuracy: Option<f64>,
}

impl ChowComparison {
    /// Compares the verdicts counted in `counts` with rejection by `ranking`, which must rank
    /// the same rows (by a confidence, and by the correctness of the model it belongs to).
    ///
    /// # Errors
    /// A ranking with a different number of rows.
    pub fn new(counts: &VerdictCounts, ranking: &ConfidenceRanking) -> Result<Self> {
        check_length("the confidence ranking", ranking.n_rows(), counts.rows(), "one per row")?;
        Ok(Self {
            coverage: counts.coverage(),
            decided_accuracy: counts.decided_accuracy(),
            chow_accuracy: ranking.accuracy_of_most_confident(counts.decided() as f64),
        })
    }

    /// `DecAcc` minus the accuracy of Chow's rule: positive if the verdict is better.
    #[must_use]
    pub fn advantage(&self) -> Option<f64> {
        Some(self.decided_accuracy? - self.chow_accuracy?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::correctness;
    use crate::predict::Verdict::{self, Decided as D, Undecided as U};

    #[test]
    fn by_hand() {
        // The verdict decides rows 0, 1, 2: one wrong, 2/3.
        let counts =
            VerdictCounts::new(&[0, 0, 0, 1, 1], &[0, 1, 0, 1, 0], &[D, D, D, U, U]).unwrap();
        // By confidence row 0 stands first; rows 1, 3, 4 tie for the next two places, one of
        // the three right: 3 rows with 1 + 2 * 1/3 = 5/3 right, accuracy 5/9.
        let correct = [true, false, true, true, false];
        let ranking = ConfidenceRanking::new(&[0.9, 0.7, 0.6, 0.7, 0.7], &correct).unwrap();
        let comparison = ChowComparison::new(&counts, &ranking).unwrap();
        assert_eq!(comparison.coverage, Some(0.6));
        assert_eq!(comparison.decided_accuracy, Some(2.0 / 3.0));
        assert_eq!(comparison.chow_accuracy, Some(5.0 / 9.0));
        assert!((comparison.advantage().unwrap() - 1.0 / 9.0).abs() < 1e-15);
    }

    /// Wins and losses are counted by the sign of the advantage: a tie must be exactly 0.
    #[test]
    fn rejecting_the_same_rows_is_an_exact_tie() {
        for n in 1..=60 {
            let truth = vec![0; n];
            let predicted: Vec<u32> = (0..n).map(|row| u32::from(row % 3 == 1)).collect();
            let correct = correctness(&truth, &predicted).unwrap();
            for decided in 1..=n {
                let verdict = |row: usize| Verdict::decided_if(row < decided);
                let verdicts: Vec<Verdict> = (0..n).map(verdict).collect();
                let confidence: Vec<f64> = (0..n).map(|row| -(row as f64)).collect();
                let counts = VerdictCounts::new(&truth, &predicted, &verdicts).unwrap();
                let ranking = ConfidenceRanking::new(&confidence, &correct).unwrap();
                let comparison = ChowComparison::new(&counts, &ranking).unwrap();
                assert_eq!(comparison.advantage(), Some(0.0), "{decided} of {n}");
            }
        }
    }

    #[test]
    fn deciding_nothing_is_missing_on_both_sides() {
        let counts = VerdictCounts::new(&[0], &[0], &[U]).unwrap();
        let ranking = ConfidenceRanking::new(&[0.9], &[true]).unwrap();
        let comparison = ChowComparison::new(&counts, &ranking).unwrap();
        assert_eq!(comparison.coverage, Some(0.0));
        assert_eq!((comparison.decided_accuracy, comparison.chow_accuracy), (None, None));
        assert_eq!(comparison.advantage(), None);
    }

    #[test]
    fn both_must_speak_of_the_same_rows() {
        let counts = VerdictCounts::new(&[0, 0], &[0, 0], &[D, D]).unwrap();
        let ranking = ConfidenceRanking::new(&[0.9], &[true]).unwrap();
        let error = ChowComparison::new(&counts, &ranking).unwrap_err();
        let message = "the confidence ranking has length 1, but 2 was expected (one per row)";
        assert_eq!(error.to_string(), message);
    }
}
