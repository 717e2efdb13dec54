//! When a row is undecided: within a zone, below a confidence threshold, where a class to catch is
//! still possible, or where a flag is cheaper than any answer.

use super::achieved::Achieved;
use super::budget::CatchPolicy;
use super::confidence::{ConfidencePolicy, USUAL_COST_RATIO, VerdictRule};
use super::costs::CostPolicy;
use crate::dataset::check_length;
use crate::error::{ErrorKind, Result, parameter};
use crate::predict::{PredictionSlots, Predictions, ResponseBounds, Verdict};
use crate::tree::most_probable;
use serde::{Deserialize, Serialize};

/// When a model calls a row undecided. Saved with the model.
///
/// | policy | a row is undecided iff | its class |
/// |---|---|---|
/// | `Zones` (default) | it was within a zone on its path: the paper's verdict | the most probable |
/// | `Confidence` | the probability of the predicted class is below a threshold | the most probable |
/// | `Catch` | one class is probable, but another is predicted | the most probable |
/// | `Costs` | a flag is expected to cost less than any answer | that of the least expected cost |
///
/// Whatever the policy, a row that it does not [cover](crate::model::Coverage) is undecided, unless
/// it [judges](Uncovered::Judge) such rows too.
///
/// No policy changes a probability, and a verdict qualifies a prediction: it never withholds it.
/// [`CalibrationRows`](super::CalibrationRows) find thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum VerdictPolicy {
    /// Undecided within zones.
    Zones {
        /// What becomes of uncovered rows.
        #[serde(default, skip_serializing_if = "Uncovered::is_usual")]
        uncovered: Uncovered,
    },
    /// Undecided below a confidence threshold.
    Confidence(ConfidencePolicy),
    /// A budget of flags for the rows most likely to be missed rows of one class.
    Catch(CatchPolicy),
    /// The answer of the least expected cost; undecided where a flag costs less.
    Costs(CostPolicy),
}

impl VerdictPolicy {
    /// The verdict of a recipe with automatic parameters: by cost, with [`USUAL_COST_RATIO`]. They
    /// are chosen for good probabilities, and their zones flag nearly everything.
    pub(crate) fn usual(achieved: Option<Achieved>) -> Result<Self> {
        let cost_ratio = USUAL_COST_RATIO;
        let rule = VerdictRule::Cost { cost_ratio };
        Ok(Self::Confidence(ConfidencePolicy::new(1.0 - cost_ratio, rule, achieved)?))
    }

    /// True if zones decide.
    #[must_use]
    pub fn is_by_zones(&self) -> bool {
        matches!(self, Self::Zones { .. })
    }

    /// What becomes of rows that the policy does not cover.
    #[must_use]
    pub fn uncovered(&self) -> Uncovered {
        match self {
            Self::Zones { uncovered } => *uncovered,
            Self::Confidence(policy) => policy.uncovered(),
            Self::Catch(policy) => policy.uncovered(),
            Self::Costs(policy) => policy.uncovered(),
        }
    }

    /// The same policy with another treatment of uncovered rows.
    ///
    /// # Errors
    /// The policy was set with held-out rows, some of which may be uncovered: set it again with rows
    /// [judged](super::CalibrationRows::judging_uncovered) so. Training rows never are.
    pub fn with_uncovered(self, uncovered: Uncovered) -> Result<Self> {
        if self.uncovered() == uncovered {
            return Ok(self);
        }
        if self.achieved().is_some_and(|achieved| !achieved.source().is_approximate()) {
            let problem = format!(
                "it was set with held-out rows, uncovered ones {}; set it again with those rows",
                match self.uncovered() {
                    Uncovered::Undecided => "undecided",
                    Uncovered::Judge => "judged like all others",
                }
            );
            return Err(ErrorKind::Verdict { problem }.into());
        }
        Ok(match self {
            Self::Zones { .. } => Self::Zones { uncovered },
            Self::Confidence(policy) => Self::Confidence(policy.with_uncovered(uncovered)),
            Self::Catch(policy) => Self::Catch(policy.with_uncovered(uncovered)),
            Self::Costs(policy) => Self::Costs(policy.with_uncovered(uncovered)),
        })
    }

    /// The confidence thresholds, if it has any.
    #[must_use]
    pub fn as_confidence(&self) -> Option<&ConfidencePolicy> {
        match self {
            Self::Confidence(policy) => Some(policy),
            Self::Zones { .. } | Self::Catch(_) | Self::Costs(_) => None,
        }
    }

    /// What it achieved on its calibration rows; `None` if there were none.
    #[must_use]
    pub fn achieved(&self) -> Option<&Achieved> {
        match self {
            Self::Zones { .. } => None,
            Self::Confidence(policy) => policy.achieved(),
            Self::Catch(policy) => Some(policy.achieved()),
            Self::Costs(policy) => policy.achieved(),
        }
    }

    /// Class and verdict of a covered row with these class probabilities and the zone verdict
    /// `of_zones`.
    #[must_use]
    pub fn judge(&self, distribution: &[f64], of_zones: Verdict) -> (u32, Verdict) {
        match self {
            Self::Zones { .. } => (most_probable(distribution), of_zones),
            Self::Confidence(policy) => policy.judge(distribution),
            Self::Catch(policy) => policy.judge(distribution),
            Self::Costs(policy) => policy.judge(distribution),
        }
    }

    /// The predictions of a [walker](crate::predict::Walker), with the classes and verdicts of this
    /// policy. It must be one for these classes. `covered` tells the rows that the model
    /// [covers](crate::model::Coverage::covered).
    ///
    /// # Errors
    /// A list of another length than the rows.
    pub fn apply(&self, predictions: Predictions, covered: &[bool]) -> Result<Predictions> {
        check_length(
            "the list of covered rows",
            covered.len(),
            predictions.n_rows(),
            "one per row",
        )?;
        let judged = match self {
            Self::Zones { .. } => predictions,
            Self::Confidence(policy) => predictions.judged_by(|p| policy.judge(p)),
            Self::Catch(policy) => predictions.judged_by(|p| policy.judge(p)),
            Self::Costs(policy) => predictions.judged_by(|p| policy.judge(p)),
        };
        Ok(match self.uncovered() {
            Uncovered::Judge => judged,
            Uncovered::Undecided => judged.flagged_unless(covered),
        })
    }

    pub(crate) fn apply_to<L: Copy, V: From<Verdict>>(
        &self,
        slots: &mut PredictionSlots<'_, L, V>,
    ) {
        match self {
            Self::Zones { .. } => {}
            Self::Confidence(policy) => slots.judge_by(|p| policy.judge(p)),
            Self::Catch(policy) => slots.judge_by(|p| policy.judge(p)),
            Self::Costs(policy) => slots.judge_by(|p| policy.judge(p)),
        }
    }

    pub(crate) fn check(&self, n_classes: usize) -> Result<()> {
        match self {
            Self::Zones { .. } => Ok(()),
            Self::Confidence(policy) => policy.check_model(n_classes),
            Self::Catch(policy) => policy.check_model(n_classes),
            Self::Costs(policy) => policy.check_model(n_classes),
        }
    }
}

impl Default for VerdictPolicy {
    fn default() -> Self {
        Self::Zones { uncovered: Uncovered::default() }
    }
}

impl From<ConfidencePolicy> for VerdictPolicy {
    fn from(policy: ConfidencePolicy) -> Self {
        Self::Confidence(policy)
    }
}

impl From<CatchPolicy> for VerdictPolicy {
    fn from(policy: CatchPolicy) -> Self {
        Self::Catch(policy)
    }
}

impl From<CostPolicy> for VerdictPolicy {
    fn from(policy: CostPolicy) -> Self {
        Self::Costs(policy)
    }
}

/// What a [`VerdictPolicy`](super::VerdictPolicy) makes of a row that it does not
/// [cover](crate::model::Coverage): one with a gap where the training table had none, a category
/// that it never had, or a value that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Uncovered {
    /// It is undecided.
    #[default]
    Undecided,
    /// It is judged like any other row.
    Judge,
}

impl Uncovered {
    /// The treatment with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "undecided" => Ok(Self::Undecided),
            "judge" => Ok(Self::Judge),
            _ => Err(parameter("uncovered", format!("'{name}'"), "'undecided' or 'judge'")),
        }
    }

    /// The name in options and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Undecided => "undecided",
            Self::Judge => "judge",
        }
    }

    pub(super) fn is_usual(&self) -> bool {
        *self == Self::Undecided
    }
}

/// What is known of the probabilities of a row along an interval of one feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Along<'a> {
    pub(crate) bounds: &'a ResponseBounds,
    /// The probabilities at both ends, in ascending order of the feature.
    pub(crate) ends: [&'a [f64]; 2],
    /// The length of the interval.
    pub(crate) width: f64,
    /// The number of trees.
    pub(crate) trees: usize,
}

impl Along<'_> {
    /// At least the largest value of `sum over k of weight(k) p_k` on the interval.
    fn most(&self, weight: impl Fn(usize) -> f64) -> f64 {
        let bounds = self.bounds;
        let by_values =
            (0..bounds.values.len()).map(|k| times(weight(k), bounds.values[k])[1]).sum::<f64>();
        if bounds.jumps {
            return by_values;
        }
        let [first, last] =
            self.ends.map(|p| p.iter().enumerate().map(|(k, p)| weight(k) * p).sum::<f64>());
        let [mut least, mut steepest] = [0.0; 2];
        for (k, &slope) in bounds.slopes.iter().enumerate() {
            let [low, high] = times(weight(k), slope);
            least += low;
            steepest += high;
        }
        // Where a line that rises most from the first end meets the one that falls most to the last.
        let by_slopes = if least >= 0.0 {
            last
        } else if steepest <= 0.0 {
            first
        } else {
            let meet = (last - first - least * self.width) / (steepest - least);
            first + steepest * meet
        };
        if by_slopes.is_finite() { by_values.min(by_slopes) } else { by_values }
    }
}

/// A number times an interval.
fn times(x: f64, [low, high]: [f64; 2]) -> [f64; 2] {
    if x >= 0.0 { [x * low, x * high] } else { [x * high, x * low] }
}

impl VerdictPolicy {
    /// At least the largest margin by which a row is decided anywhere on the interval; where it is negative, no
    /// row is. Margins are probabilities; of costs, shares of the largest difference between costs.
    pub(crate) fn largest_margin(&self, along: &Along<'_>) -> f64 {
        let classes = 0..along.bounds.values.len();
        let of_class = |c: usize| match self {
            Self::Zones { .. } if 2 * along.bounds.votes[c] as usize <= along.trees => {
                f64::NEG_INFINITY
            }
            Self::Zones { .. } => self.lead(along, c),
            Self::Confidence(policy) => match policy.thresholds().of(c as u32) {
                None => f64::NEG_INFINITY,
                Some(threshold) => {
                    let enough = along.most(|k| f64::from(u8::from(k == c))) - threshold;
                    // A class with more than half is the most probable one.
                    if threshold > 0.5 { enough } else { enough.min(self.lead(along, c)) }
                }
            },
            // A row is decided if it is predicted as the class to catch, or if that is improbable.
            Self::Catch(policy) if policy.class() as usize == c => {
                let improbable = along.most(|k| -f64::from(u8::from(k == c)));
                self.lead(along, c).max(policy.threshold() + improbable)
            }
            Self::Catch(_) => f64::NEG_INFINITY,
            Self::Costs(policy) => {
                let costs = policy.costs();
                let saved = |k: usize| costs.of_flag(k) - costs.of_answer(k, c);
                let largest = classes.clone().map(|k| saved(k).abs()).fold(0.0, f64::max);
                if largest == 0.0 { 0.0 } else { along.most(|k| saved(k) / largest) }
            }
        };
        classes.clone().map(of_class).fold(f64::NEG_INFINITY, f64::max)
    }

    /// At least the largest lead of a class over all others.
    fn lead(&self, along: &Along<'_>, class: usize) -> f64 {
        let others = (0..along.bounds.values.len()).filter(|&k| k != class);
        let lead =
            |other: usize| along.most(|k| f64::from(i8::from(k == class) - i8::from(k == other)));
        others.map(lead).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(policy: &VerdictPolicy, of_zones: Verdict, confidence: f64) -> Verdict {
        policy.judge(&[confidence, 1.0 - confidence], of_zones).1
    }

    #[test]
    fn a_threshold_decides_whoever_reaches_it() {
        let policy = VerdictPolicy::from(ConfidencePolicy::of_cost_ratio(0.25).unwrap());
        // 1 - 0.25 = 0.75, whatever the zones say.
        assert_eq!(verdict(&policy, Verdict::Undecided, 0.75), Verdict::Decided);
        let below = 0.75f64.next_down();
        assert_eq!(verdict(&policy, Verdict::Decided, below), Verdict::Undecided);
        let zone = VerdictPolicy::default();
        assert_eq!(verdict(&zone, Verdict::Undecided, 1.0), Verdict::Undecided);
        assert_eq!(verdict(&zone, Verdict::Decided, 0.5), Verdict::Decided);
    }

    #[test]
    fn it_says_what_it_does() {
        assert_eq!(VerdictPolicy::default().to_string(), "undecided within a zone");
        let cost = ConfidencePolicy::of_cost_ratio(0.2).unwrap();
        let words = "undecided below a probability of 0.8; a flag costs 0.2 of a wrong answer";
        assert_eq!(cost.to_string(), words);
    }
}
