//! What flags and errors cost, and the least that probabilities allow.

use super::{ConfidenceRanking, VerdictCounts};
use crate::dataset::check_length;
use crate::error::{Result, parameter};

/// The cost of a flag and of a decided error.
///
/// Their ratio `lambda = c_u / c_w` says when to flag: flagging a row pays iff its prediction
/// is wrong with a probability above `lambda`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    undecided: f64,
    decided_error: f64,
}

impl Costs {
    /// A flag costs `undecided` (`c_u`), a decided error `decided_error` (`c_w`).
    ///
    /// # Errors
    /// A cost that is negative or not finite.
    pub fn new(undecided: f64, decided_error: f64) -> Result<Self> {
        for (name, cost) in
            [("cost of an undecided row", undecided), ("cost of a decided error", decided_error)]
        {
            if !(cost.is_finite() && cost >= 0.0) {
                return Err(parameter(name, cost, "a finite number, 0 or more"));
            }
        }
        Ok(Self { undecided, decided_error })
    }

    /// `c_u`, the cost of a flag.
    #[must_use]
    pub fn undecided(&self) -> f64 {
        self.undecided
    }

    /// `c_w`, the cost of a decided error.
    #[must_use]
    pub fn decided_error(&self) -> f64 {
        self.decided_error
    }

    /// `lambda = c_u / c_w`. `None` if errors are free.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        (self.decided_error > 0.0).then(|| self.undecided / self.decided_error)
    }

    /// Cost per row of deciding a share `coverage` of the rows with this accuracy:
    /// `(1 - coverage) c_u + coverage (1 - accuracy) c_w`. For rules known only by their rates,
    /// such as Chow's rule at the coverage of a verdict.
    #[must_use]
    pub fn at(&self, coverage: f64, decided_accuracy: f64) -> f64 {
        let errors = coverage * (1.0 - decided_accuracy);
        (1.0 - coverage) * self.undecided + errors * self.decided_error
    }

    /// Cost per row: `u c_u + (1 - u) (1 - DecAcc) c_w`. `None` without rows.
    ///
    /// An undecided row costs `c_u` whether its class is right or wrong: it is reviewed anyway.
    #[must_use]
    pub fn of(&self, counts: &VerdictCounts) -> Option<f64> {
        let flags = counts.undecided_rate()?;
        let errors = counts.decided_wrong as f64 / counts.rows() as f64;
        Some(flags * self.undecided + errors * self.decided_error)
    }
}

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
        let costs = Costs::new(1.0, 4.0).unwrap();
        assert_eq!(costs.ratio(), Some(0.25));
        assert_eq!((costs.undecided(), costs.decided_error()), (1.0, 4.0));
        // One decided error (row 1), two flags (rows 2, 3; that row 3 is wrong costs nothing
        // more): (2 * 1 + 1 * 4) / 4 = 1.5.
        let cost = |verdicts: [Verdict; 4]| {
            costs.of(&VerdictCounts::new(&[0, 0, 1, 1], &[0, 1, 1, 0], &verdicts).unwrap())
        };
        assert_eq!(cost([D, D, U, U]), Some(1.5));
        // Flagging nothing: 2 errors, 2 * 4 / 4 = 2. Flagging all: 1.
        assert_eq!((cost([D; 4]), cost([U; 4])), (Some(2.0), Some(1.0)));
        assert_eq!(costs.of(&VerdictCounts::default()), None);
        // By rates, as above: half decided, half of them wrong.
        assert_eq!(costs.at(0.5, 0.5), 1.5);
    }

    #[test]
    fn costs_must_be_numbers_and_not_negative() {
        let error = Costs::new(-1.0, 1.0).unwrap_err();
        let message = "cost of an undecided row is -1; allowed: a finite number, 0 or more";
        assert_eq!(error.to_string(), message);
        assert!(Costs::new(0.1, f64::NAN).is_err());
        assert!(Costs::new(f64::INFINITY, 1.0).is_err());
        assert_eq!(Costs::new(0.1, 0.0).unwrap().ratio(), None);
    }

    #[test]
    fn chows_rule_by_hand() {
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
