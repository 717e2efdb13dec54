//! From which probability on a row is decided, by predicted class.

use crate::dataset::check_length;
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
