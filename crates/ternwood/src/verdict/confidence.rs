//! Undecided below a confidence threshold: the thresholds, and the rule that sets them.

use super::achieved::Achieved;
use super::policy::Uncovered;
use crate::dataset::check_length;
use crate::error::{ErrorKind, Result, parameter};
use crate::predict::Verdict;
use crate::tree::most_probable;
use serde::{Deserialize, Serialize};

/// Confidence thresholds, their rule, and what they achieved on the calibration rows.
///
/// With `p` the class probabilities of a row, blended where zones send it both ways, and `c` the
/// most probable class:
///
/// ```text
/// Undecided  iff  p_c(x) < threshold of c
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidencePolicy {
    threshold: Thresholds,
    rule: VerdictRule,
    #[serde(default, skip_serializing_if = "Uncovered::is_usual")]
    uncovered: Uncovered,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    achieved: Option<Achieved>,
}

impl ConfidencePolicy {
    /// Chow's rule: undecided below `1 - cost_ratio`. Needs no rows.
    ///
    /// # Errors
    /// A ratio that is not between 0 and 1.
    pub fn of_cost_ratio(cost_ratio: f64) -> Result<Self> {
        Self::new(1.0 - cost_ratio, VerdictRule::Cost { cost_ratio }, None)
    }

    pub(crate) fn new(
        threshold: impl Into<Thresholds>,
        rule: VerdictRule,
        achieved: Option<Achieved>,
    ) -> Result<Self> {
        let uncovered = Uncovered::default();
        let policy = Self { threshold: threshold.into(), rule, uncovered, achieved };
        policy.check()?;
        Ok(policy)
    }

    /// The confidences below which rows are undecided.
    #[must_use]
    pub fn thresholds(&self) -> &Thresholds {
        &self.threshold
    }

    /// The rule that set the thresholds.
    #[must_use]
    pub fn rule(&self) -> &VerdictRule {
        &self.rule
    }

    /// What the policy achieved on its calibration rows; `None` if there were none.
    #[must_use]
    pub fn achieved(&self) -> Option<&Achieved> {
        self.achieved.as_ref()
    }

    /// What becomes of rows that the policy does not cover.
    #[must_use]
    pub fn uncovered(&self) -> Uncovered {
        self.uncovered
    }

    pub(super) fn with_uncovered(mut self, uncovered: Uncovered) -> Self {
        self.uncovered = uncovered;
        self
    }

    /// The most probable class, and whether it is probable enough.
    #[inline]
    pub(super) fn judge(&self, distribution: &[f64]) -> (u32, Verdict) {
        let class = most_probable(distribution);
        let probability = distribution[class as usize];
        (class, Verdict::decided_if(self.threshold.decide(class, probability)))
    }

    /// Checks that the parts are consistent.
    fn check(&self) -> Result<()> {
        self.rule.check()?;
        self.threshold.check()?;
        let contradiction =
            |problem: &str| Err(ErrorKind::Verdict { problem: problem.to_owned() }.into());
        if matches!(self.rule, VerdictRule::Promises(_)) {
            let Some(achieved) = &self.achieved else {
                return contradiction("promises need their calibration counts");
            };
            let decided = |(class, tally): (u32, &crate::metrics::ClassTally)| {
                tally.decided_for > 0 && self.threshold.of(class).is_none()
            };
            if (0..).zip(achieved.classes()).any(decided) {
                return contradiction("rows were decided as a class that is never decided");
            }
            return Ok(());
        }
        let Some(threshold) = self.threshold.common() else {
            return contradiction("only promises have a threshold for every class");
        };
        match (&self.rule, &self.achieved) {
            (VerdictRule::Cost { cost_ratio }, _) if threshold != 1.0 - cost_ratio => {
                contradiction("by cost, the threshold is 1 - cost_ratio")
            }
            (VerdictRule::Budget { flag_rate }, Some(achieved))
                if achieved.total().flag_rate().is_none_or(|rate| rate > *flag_rate) =>
            {
                contradiction("more rows were flagged than the budget allows")
            }
            (VerdictRule::Budget { .. } | VerdictRule::Guarantee { .. }, None) => {
                contradiction("a budget or guarantee needs its calibration counts")
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_model(&self, n_classes: usize) -> Result<()> {
        self.threshold.check_classes(n_classes)?;
        if let VerdictRule::Promises(promises) = &self.rule {
            promises.check_classes(n_classes)?;
        }
        self.check()?;
        self.achieved.as_ref().map_or(Ok(()), |achieved| achieved.check(n_classes))
    }

    /// Of two classes, the one that must not be missed, if something is promised of precision too:
    /// it is ruled in or out, or looked at again.
    #[must_use]
    pub fn condition(&self, n_classes: usize) -> Option<u32> {
        let VerdictRule::Promises(promises) = self.rule() else { return None };
        let mut missed = (0..n_classes).filter(|&k| promises.miss_rate_of(k).is_some());
        let (first, second) = (missed.next()?, missed.next());
        let precise = promises.precision.iter().any(Option::is_some);
        (n_classes == 2 && second.is_none() && precise).then_some(first as u32)
    }
}

/// The probability from which on rows are decided: the same for all predicted classes, or one for
/// each.
///
/// In a model file it is a number, or a list with one number per class; `null` stands for a class
/// that is never decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a threshold is a number, or a list with a number or null for every class"
)]
pub enum Thresholds {
    /// Whatever the predicted class.
    Same(f64),
    /// By class id; rows predicted as a class without a threshold are never decided.
    ByClass(Vec<Option<f64>>),
}

impl Thresholds {
    /// One threshold per class, written as one number where all are equal.
    pub(crate) fn by_class(thresholds: Vec<Option<f64>>) -> Self {
        match thresholds[..] {
            [Some(first), ref rest @ ..] if rest.iter().all(|&t| t == Some(first)) => {
                Self::Same(first)
            }
            _ => Self::ByClass(thresholds),
        }
    }

    /// The threshold of rows predicted as this class. `None` if they are never decided.
    #[must_use]
    #[inline]
    pub fn of(&self, class: u32) -> Option<f64> {
        match self {
            Self::Same(threshold) => Some(*threshold),
            Self::ByClass(thresholds) => thresholds.get(class as usize).copied().flatten(),
        }
    }

    /// The threshold of all classes, if they have the same.
    #[must_use]
    pub fn common(&self) -> Option<f64> {
        match self {
            Self::Same(threshold) => Some(*threshold),
            Self::ByClass(_) => None,
        }
    }

    /// True if a row predicted as `class` with this probability is decided.
    #[must_use]
    #[inline]
    pub fn decide(&self, class: u32, probability: f64) -> bool {
        self.of(class).is_some_and(|threshold| probability >= threshold)
    }

    /// Checks every threshold.
    pub(super) fn check(&self) -> Result<()> {
        let all = match self {
            Self::Same(threshold) => &[Some(*threshold)][..],
            Self::ByClass(thresholds) => thresholds,
        };
        match all.iter().flatten().find(|threshold| !(0.0..=1.0).contains(*threshold)) {
            Some(threshold) => Err(parameter("threshold of the verdict", threshold, "from 0 to 1")),
            None => Ok(()),
        }
    }

    pub(super) fn check_classes(&self, n_classes: usize) -> Result<()> {
        let Self::ByClass(thresholds) = self else { return Ok(()) };
        check_length("the verdict's list of thresholds", thresholds.len(), n_classes, "the model's")
    }
}

impl From<f64> for Thresholds {
    fn from(threshold: f64) -> Self {
        Self::Same(threshold)
    }
}

/// A threshold with the same rows at or above it as `confidence` has: halfway to the next lower
/// one, so that the last bit of a probability decides nothing.
pub(super) fn midpoint_below(confidence: f64, next_lower: f64) -> f64 {
    let middle = next_lower + (confidence - next_lower) / 2.0;
    if next_lower < middle && middle < confidence { middle } else { confidence }
}

/// A threshold with the same rows above it as `decided` has: halfway to the next larger
/// probability.
pub(super) fn midpoint_above(decided: f64, next_larger: f64) -> f64 {
    let middle = decided + (next_larger - decided) / 2.0;
    if decided < middle && middle < next_larger { middle } else { decided }
}

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

/// What is promised of single classes, all together with one confidence.
///
/// | promise | of class | says |
/// |---|---|---|
/// | `precision` | predicted | of the rows decided as the class, at least this share is of it |
/// | `miss_rate` | true | of the rows of the class, at most this share is decided as another |
///
/// In medicine, the precision of "ill" is the positive predictive value, that of "healthy" the
/// negative one; the miss rate of "ill" is the share of the ill who are ruled out. What no promise
/// touches is decided freely.
///
/// The two lists have an entry for every class, by class id, or none at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promises {
    /// The least precision of rows decided as each class, between 0 and 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub precision: Vec<Option<f64>>,
    /// The largest miss rate of each class, between 0 and 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub miss_rate: Vec<Option<f64>>,
    /// All promises are kept with at least this probability, between 0 and 1.
    pub confidence: f64,
}

impl Promises {
    /// The least precision of rows decided as a class, if one is promised.
    #[must_use]
    pub fn precision_of(&self, class: usize) -> Option<f64> {
        self.precision.get(class).copied().flatten()
    }

    /// The largest miss rate of a class, if one is promised.
    #[must_use]
    pub fn miss_rate_of(&self, class: usize) -> Option<f64> {
        self.miss_rate.get(class).copied().flatten()
    }

    /// The number of promises.
    #[must_use]
    pub fn count(&self) -> usize {
        self.precision.iter().chain(&self.miss_rate).flatten().count()
    }

    /// How often each single promise may be broken: the share that all together may, divided among
    /// them.
    #[must_use]
    pub fn level(&self) -> f64 {
        (1.0 - self.confidence) / self.count() as f64
    }

    /// True if rows decided as `class` may be misses of another class with a promised miss rate.
    #[must_use]
    pub fn may_miss(&self, class: usize) -> bool {
        let required = self.miss_rate.iter().enumerate().filter(|(_, rate)| rate.is_some());
        required.into_iter().any(|(other, _)| other != class)
    }

    /// Checks that the numbers are in range, and that there are any.
    ///
    /// # Errors
    /// The first number that is not between 0 and 1; or nothing promised.
    pub fn check(&self) -> Result<()> {
        check_share("confidence", self.confidence)?;
        self.precision.iter().flatten().try_for_each(|&share| check_share("precision", share))?;
        self.miss_rate.iter().flatten().try_for_each(|&share| check_share("miss_rate", share))?;
        if self.count() == 0 {
            let allowed = "at least one precision or miss rate";
            return Err(parameter("number of promises", 0, allowed));
        }
        Ok(())
    }

    pub(super) fn check_classes(&self, n_classes: usize) -> Result<()> {
        for (what, list) in [("precisions", &self.precision), ("miss rates", &self.miss_rate)] {
            if !list.is_empty() {
                let what = format!("the list of promised {what}");
                check_length(&what, list.len(), n_classes, "one per class")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_out_of_range_is_refused() {
        for ratio in [0.0, 1.0, -0.1, f64::NAN] {
            let error = ConfidencePolicy::of_cost_ratio(ratio).unwrap_err().to_string();
            assert!(error.ends_with("allowed: a number between 0 and 1"), "{error}");
        }
    }

    #[test]
    fn equal_thresholds_are_one() {
        assert_eq!(Thresholds::by_class(vec![Some(0.7); 3]), Thresholds::Same(0.7));
        let differ = Thresholds::by_class(vec![Some(0.7), None]);
        assert_eq!(differ, Thresholds::ByClass(vec![Some(0.7), None]));
        assert_eq!((differ.common(), Thresholds::Same(0.7).common()), (None, Some(0.7)));
        let never = Thresholds::by_class(vec![None, None]);
        assert_eq!(never, Thresholds::ByClass(vec![None, None]));
    }

    #[test]
    fn each_class_has_its_own() {
        let thresholds = Thresholds::ByClass(vec![Some(0.0), Some(0.75), None]);
        assert!(thresholds.decide(0, 0.34));
        assert!(thresholds.decide(1, 0.75) && !thresholds.decide(1, 0.75f64.next_down()));
        assert!(!thresholds.decide(2, 1.0), "never decided");
        assert!(thresholds.check_classes(3).is_ok() && thresholds.check_classes(2).is_err());
    }

    #[test]
    fn a_midpoint_separates_the_same_rows() {
        assert_eq!(midpoint_below(0.75, 0.5), 0.625);
        // Between neighbouring floats there is nothing.
        assert_eq!(midpoint_below(0.75, 0.75f64.next_down()), 0.75);
        // Rounded probabilities may lie below what is possible.
        assert_eq!(midpoint_below(0.3, 0.5), 0.3);
    }

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

    #[test]
    fn what_is_promised_together_shares_the_risk() {
        let promises = Promises {
            precision: vec![None, Some(0.9), None],
            miss_rate: vec![None, Some(0.01), Some(0.02)],
            confidence: 0.7,
        };
        promises.check().unwrap();
        promises.check_classes(3).unwrap();
        assert_eq!(promises.count(), 3);
        assert!((promises.level() - 0.1).abs() < 1e-15);
        // Whatever is decided as 0 may be a missed 1 or 2; as 1, a missed 2.
        assert_eq!([0, 1, 2].map(|class| promises.may_miss(class)), [true, true, true]);
        let one = Promises { miss_rate: vec![None, Some(0.01), None], ..promises.clone() };
        assert_eq!([0, 1, 2].map(|class| one.may_miss(class)), [true, false, true]);
        assert_eq!(
            promises.to_string(),
            "at least 90 % of the rows decided as class 1 are, at most 1 % of class 1 is decided \
             as another, at most 2 % of class 2 is decided as another, promised with 70 % confidence"
        );
    }

    #[test]
    fn impossible_promises_are_refused() {
        let good = Promises { precision: vec![Some(0.9)], miss_rate: vec![], confidence: 0.9 };
        good.check().unwrap();
        let refused = |promises: Promises| promises.check().unwrap_err().to_string();
        let with = |share| Promises { precision: vec![None, Some(share)], ..good.clone() };
        for share in [0.0, 1.0, 1.2, -0.5, f64::NAN] {
            let error = refused(with(share));
            let expected = format!("precision is {share}; allowed: a number between 0 and 1");
            assert!(error.ends_with(&expected), "{error}");
        }
        let error = refused(Promises { miss_rate: vec![Some(1.5)], ..good.clone() });
        assert!(error.contains("miss_rate is 1.5"), "{error}");
        let error = refused(Promises { precision: vec![None], ..good.clone() });
        assert!(error.contains("allowed: at least one precision or miss rate"), "{error}");
        let error = good.check_classes(2).unwrap_err().to_string();
        assert!(error.contains("the list of promised precisions has length 1"), "{error}");
    }
}
