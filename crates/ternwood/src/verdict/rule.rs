//! What a confidence threshold is for.

use super::promises::Promises;
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};

/// The usual cost of a flag, in wrong predictions.
pub const USUAL_COST_RATIO: f64 = 0.2;

/// The rule that sets the thresholds of a confidence policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum VerdictRule {
    /// The lowest cost, if a flag costs `cost_ratio` times a decided error: the threshold is
    /// `1 - cost_ratio` (Chow's rule). Only as good as the probabilities.
    Cost {
        /// `lambda = c_u / c_w`, between 0 and 1.
        cost_ratio: f64,
    },
    /// A budget of flags: at most this share of the calibration rows is undecided.
    Budget {
        /// From 0 to below 1.
        flag_rate: f64,
    },
    /// A guarantee: decided rows are right with a probability of at least `accuracy`. It is given
    /// wrongly with a probability of at most `1 - confidence`.
    Guarantee {
        /// The guaranteed accuracy, between 0 and 1.
        accuracy: f64,
        /// The confidence of the guarantee, between 0 and 1.
        confidence: f64,
    },
    /// Promises class by class: every predicted class has a threshold of its own.
    Promises(Promises),
}

impl VerdictRule {
    /// Checks that the numbers are in range.
    ///
    /// # Errors
    /// The first one that is not.
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::Cost { cost_ratio } => check_share("cost_ratio", cost_ratio),
            Self::Budget { flag_rate } => check_flag_rate(flag_rate),
            Self::Guarantee { accuracy, confidence } => {
                check_share("accuracy", accuracy)?;
                check_share("confidence", confidence)
            }
            Self::Promises(ref promises) => promises.check(),
        }
    }
}

/// Checks that a number is between 0 and 1, and neither.
pub(super) fn check_share(name: &'static str, share: f64) -> Result<()> {
    if 0.0 < share && share < 1.0 {
        return Ok(());
    }
    Err(parameter(name, share, "a number between 0 and 1"))
}

/// Checks the size of a budget of flags.
pub(super) fn check_flag_rate(flag_rate: f64) -> Result<()> {
    if (0.0..1.0).contains(&flag_rate) {
        return Ok(());
    }
    Err(parameter("flag_rate", flag_rate, "from 0 to below 1 (15 % is 0.15)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_it_does() {
        let rule = VerdictRule::Guarantee { accuracy: 0.95, confidence: 0.9 };
        let words = "at least 95 % of the decided rows are right, promised with 90 % confidence";
        assert_eq!(rule.to_string(), words);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert!(VerdictRule::Budget { flag_rate: 0.0 }.check().is_ok());
        assert!(VerdictRule::Budget { flag_rate: 1.0 }.check().is_err());
        assert!(VerdictRule::Guarantee { accuracy: 1.0, confidence: 0.9 }.check().is_err());
        assert!(VerdictRule::Guarantee { accuracy: 0.9, confidence: 0.0 }.check().is_err());
    }

    #[test]
    fn zones_and_verdicts_have_the_same_usual_cost() {
        let zone = crate::recipe::ZoneKind::CostOptimal { cost_ratio: USUAL_COST_RATIO };
        assert_eq!(crate::recipe::ZoneKind::cost_optimal(), zone);
    }
}
