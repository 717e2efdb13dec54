//! The cost of flags and errors.

use super::VerdictCounts;
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

#[cfg(test)]
mod tests {
    use super::*;
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
}
