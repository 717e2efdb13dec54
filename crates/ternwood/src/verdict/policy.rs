//! When a row is undecided: within a zone, or below a confidence threshold.

use super::achieved::Achieved;
use crate::error::{Error, ErrorKind, Result, parameter};
use crate::predict::Verdict;
use crate::recipe::USUAL_COST_RATIO;
use crate::tree::plain_number;
use serde::{Deserialize, Serialize};
use std::fmt;

/// When a model calls a row undecided. Saved with the model.
///
/// | policy | a row is undecided iff |
/// |---|---|
/// | `Zones` (default) | it was within a zone on its path: the paper's verdict |
/// | `Confidence` | its largest class probability is below a threshold |
///
/// The policy changes no class and no probability: a verdict qualifies a prediction and never
/// withholds it. [`CalibrationRows`](super::CalibrationRows) find thresholds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictPolicy {
    /// Undecided within zones.
    #[default]
    Zones,
    /// Undecided below a confidence threshold.
    Confidence(ConfidencePolicy),
}

/// A confidence threshold, its rule, and what it achieved on the calibration rows.
///
/// With `p` the class probabilities of a row, blended where zones send it both ways:
///
/// ```text
/// Undecided  iff  max_k p_k(x) < threshold
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidencePolicy {
    threshold: f64,
    rule: VerdictRule,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    achieved: Option<Achieved>,
}

/// The rule that sets a confidence threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
}

impl VerdictRule {
    /// Checks that the numbers are in range.
    ///
    /// # Errors
    /// The first one that is not.
    pub fn check(&self) -> Result<()> {
        let inside = |x: f64| 0.0 < x && x < 1.0;
        let allowed = "a number between 0 and 1";
        match *self {
            Self::Cost { cost_ratio } if !inside(cost_ratio) => {
                Err(parameter("cost_ratio", cost_ratio, allowed))
            }
            Self::Budget { flag_rate } if !(0.0..1.0).contains(&flag_rate) => {
                Err(parameter("flag_rate", flag_rate, "from 0 to below 1"))
            }
            Self::Guarantee { accuracy, .. } if !inside(accuracy) => {
                Err(parameter("accuracy", accuracy, allowed))
            }
            Self::Guarantee { confidence, .. } if !inside(confidence) => {
                Err(parameter("confidence", confidence, allowed))
            }
            _ => Ok(()),
        }
    }
}

impl ConfidencePolicy {
    /// Chow's rule: undecided below `1 - cost_ratio`. Needs no rows.
    ///
    /// # Errors
    /// A ratio that is not between 0 and 1.
    pub fn of_cost_ratio(cost_ratio: f64) -> Result<Self> {
        Self::new(1.0 - cost_ratio, VerdictRule::Cost { cost_ratio }, None)
    }

    pub(super) fn new(
        threshold: f64,
        rule: VerdictRule,
        achieved: Option<Achieved>,
    ) -> Result<Self> {
        let policy = Self { threshold, rule, achieved };
        policy.check()?;
        Ok(policy)
    }

    /// The confidence below which a row is undecided.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The rule that set the threshold.
    #[must_use]
    pub fn rule(&self) -> VerdictRule {
        self.rule
    }

    /// What the policy achieved on its calibration rows; `None` if there were none.
    #[must_use]
    pub fn achieved(&self) -> Option<&Achieved> {
        self.achieved.as_ref()
    }

    /// Checks that the parts are consistent.
    fn check(&self) -> Result<()> {
        self.rule.check()?;
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(parameter("threshold of the verdict", self.threshold, "from 0 to 1"));
        }
        let contradiction =
            |problem: &str| -> Error { ErrorKind::Verdict { problem: problem.to_owned() }.into() };
        match (self.rule, &self.achieved) {
            (VerdictRule::Cost { cost_ratio }, _) if self.threshold != 1.0 - cost_ratio => {
                Err(contradiction("by cost, the threshold is 1 - cost_ratio"))
            }
            (VerdictRule::Budget { flag_rate }, Some(achieved))
                if achieved.total().flag_rate().is_none_or(|rate| rate > flag_rate) =>
            {
                Err(contradiction("more rows were flagged than the budget allows"))
            }
            (VerdictRule::Budget { .. } | VerdictRule::Guarantee { .. }, None) => {
                Err(contradiction("a budget or guarantee needs its calibration counts"))
            }
            _ => Ok(()),
        }
    }
}

impl VerdictPolicy {
    /// The verdict of a recipe with automatic parameters: by cost, with [`USUAL_COST_RATIO`]. They
    /// are chosen for good probabilities, and their zones flag nearly everything.
    pub(crate) fn usual(achieved: Option<Achieved>) -> Result<Self> {
        let cost_ratio = USUAL_COST_RATIO;
        let rule = VerdictRule::Cost { cost_ratio };
        Ok(Self::Confidence(ConfidencePolicy::new(1.0 - cost_ratio, rule, achieved)?))
    }

    /// The confidence threshold, if it has one.
    #[must_use]
    pub fn as_confidence(&self) -> Option<&ConfidencePolicy> {
        match self {
            Self::Zones => None,
            Self::Confidence(policy) => Some(policy),
        }
    }

    /// The verdict of a row with the zone verdict `of_zones` and this confidence.
    #[must_use]
    pub fn verdict(&self, of_zones: Verdict, confidence: f64) -> Verdict {
        match self {
            Self::Zones => of_zones,
            Self::Confidence(policy) => Verdict::decided_if(confidence >= policy.threshold),
        }
    }

    pub(crate) fn check(&self, n_classes: usize) -> Result<()> {
        let Self::Confidence(policy) = self else { return Ok(()) };
        policy.check()?;
        policy.achieved.as_ref().map_or(Ok(()), |achieved| achieved.check(n_classes))
    }
}

impl From<ConfidencePolicy> for VerdictPolicy {
    fn from(policy: ConfidencePolicy) -> Self {
        Self::Confidence(policy)
    }
}

/// One line, such as "undecided below a probability of 0.83; ...".
impl fmt::Display for VerdictPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zones => f.write_str("undecided within a zone"),
            Self::Confidence(policy) => policy.fmt(f),
        }
    }
}

impl fmt::Display for ConfidencePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threshold = plain_number(self.threshold);
        write!(f, "undecided below a probability of {threshold}; {}", self.rule)?;
        match (self.rule, &self.achieved) {
            // A cost needs no rows: they only show what it does.
            (VerdictRule::Cost { .. }, _) => Ok(()),
            (_, Some(achieved)) if achieved.source().is_approximate() => {
                write!(f, " ({})", achieved.source())
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for VerdictRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cost { cost_ratio } => {
                write!(f, "a flag costs {} of a wrong answer", plain_number(cost_ratio))
            }
            Self::Budget { flag_rate } => {
                write!(f, "at most {} % of the rows flagged", plain_number(100.0 * flag_rate))
            }
            Self::Guarantee { accuracy, confidence } => write!(
                f,
                "at least {} % of the decided rows are right, promised with {} % confidence",
                plain_number(100.0 * accuracy),
                plain_number(100.0 * confidence)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_decides_whoever_reaches_it() {
        let policy = VerdictPolicy::from(ConfidencePolicy::of_cost_ratio(0.25).unwrap());
        // 1 - 0.25 = 0.75, whatever the zones say.
        assert_eq!(policy.verdict(Verdict::Undecided, 0.75), Verdict::Decided);
        let below = 0.75f64.next_down();
        assert_eq!(policy.verdict(Verdict::Decided, below), Verdict::Undecided);
        let zone = VerdictPolicy::Zones;
        assert_eq!(zone.verdict(Verdict::Undecided, 1.0), Verdict::Undecided);
        assert_eq!(zone.verdict(Verdict::Decided, 0.0), Verdict::Decided);
    }

    #[test]
    fn it_says_what_it_does() {
        assert_eq!(VerdictPolicy::Zones.to_string(), "undecided within a zone");
        let cost = ConfidencePolicy::of_cost_ratio(0.2).unwrap();
        let words = "undecided below a probability of 0.8; a flag costs 0.2 of a wrong answer";
        assert_eq!(cost.to_string(), words);
        let rule = VerdictRule::Guarantee { accuracy: 0.95, confidence: 0.9 };
        let words = "at least 95 % of the decided rows are right, promised with 90 % confidence";
        assert_eq!(rule.to_string(), words);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for ratio in [0.0, 1.0, -0.1, f64::NAN] {
            let error = ConfidencePolicy::of_cost_ratio(ratio).unwrap_err().to_string();
            assert!(error.ends_with("allowed: a number between 0 and 1"), "{error}");
        }
        assert!(VerdictRule::Budget { flag_rate: 0.0 }.check().is_ok());
        assert!(VerdictRule::Budget { flag_rate: 1.0 }.check().is_err());
        assert!(VerdictRule::Guarantee { accuracy: 1.0, confidence: 0.9 }.check().is_err());
        assert!(VerdictRule::Guarantee { accuracy: 0.9, confidence: 0.0 }.check().is_err());
    }
}
