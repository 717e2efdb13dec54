//! Compares a verdict with Chow's rule at equal coverage.

use super::{ConfidenceRanking, VerdictCounts};
use crate::dataset::check_length;
use crate::error::Result;

impl ConfidenceRanking {
    /// The accuracy of Chow's rule at the coverage of a verdict: of the same number of most
    /// confident rows. Ties at the cut-off count with their mean. `None` if the verdict decides
    /// no row.
    ///
    /// Chow's rule rejects the rows of lowest confidence. A verdict that flags many rows is
    /// easily right about the rest. The fair question is whether it beats rejecting as many rows
    /// by the largest leaf probability of the plain tree. Ranked by the *blended* probabilities
    /// of a zoned tree, the comparison asks whether the zone verdict uses all the information in
    /// them.
    ///
    /// # Errors
    /// Counts of a different number of rows.
    pub fn chow_accuracy(&self, counts: &VerdictCounts) -> Result<Option<f64>> {
        check_length("the confidence ranking", self.n_rows(), counts.rows(), "one per row")?;
        Ok(self.accuracy_of_most_confident(counts.decided() as f64))
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
        assert_eq!(counts.decided_accuracy(), Some(2.0 / 3.0));
        assert_eq!(ranking.chow_accuracy(&counts).unwrap(), Some(5.0 / 9.0));
    }

    /// Wins and losses are counted by the sign of the difference: a tie must be exactly 0.
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
                let accuracy = ranking.chow_accuracy(&counts).unwrap();
                assert!(accuracy.is_some());
                assert_eq!(accuracy, counts.decided_accuracy(), "{decided} of {n}");
            }
        }
    }

    #[test]
    fn without_decided_rows_there_is_no_accuracy() {
        let counts = VerdictCounts::new(&[0], &[0], &[U]).unwrap();
        let ranking = ConfidenceRanking::new(&[0.9], &[true]).unwrap();
        assert_eq!(ranking.chow_accuracy(&counts).unwrap(), None);
    }

    #[test]
    fn both_must_speak_of_the_same_rows() {
        let counts = VerdictCounts::new(&[0, 0], &[0, 0], &[D, D]).unwrap();
        let ranking = ConfidenceRanking::new(&[0.9], &[true]).unwrap();
        let error = ranking.chow_accuracy(&counts).unwrap_err();
        let message = "the confidence ranking has length 1, but 2 was expected (one per row)";
        assert_eq!(error.to_string(), message);
    }
}
