//! One comparison of new rows with what was known before.

use crate::dataset::notation::Notation;
use crate::error::Promised;
use crate::stats::exact_interval;
use crate::verdict::rows_needed;
use serde::Serialize;

/// A share of new rows, what was known of it before, and a test of whether that still holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What is compared.
    pub of: Compared,
    /// How many of the new rows,
    pub part: usize,
    /// of how many that could be.
    pub whole: usize,
    /// The exact 95 % interval of that share.
    pub interval: Option<[f64; 2]>,
    /// What was known before.
    pub before: Before,
    /// The probability of a share as far off or further, if nothing has changed.
    pub p_value: f64,
    /// The same, given that several comparisons are made (Holm).
    pub adjusted: f64,
    /// What the test says.
    pub outcome: Outcome,
    /// For a promise that is neither confirmed nor broken: how many such rows would tell, if the
    /// share stayed as it is.
    pub rows_to_tell: Option<usize>,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Compared {
    /// Flagged rows, of all.
    Flagged,
    /// [Uncovered](crate::model::Coverage) rows, of all.
    Uncovered,
    /// Rows with a value of this feature that training never saw, or that cannot be read.
    Unknown {
        /// The name of the feature.
        feature: String,
    },
    /// Rows with a number outside the range of training.
    Outside {
        /// The name of the feature.
        feature: String,
        /// That range.
        range: [f64; 2],
        /// How the feature is written in tables.
        #[serde(skip)]
        notation: Notation,
    },
    /// Rows without a value of this feature.
    Missing {
        /// The name of the feature.
        feature: String,
    },
    /// Wrong answers, of the decided rows: nothing was promised, but something was found.
    WrongOfDecided,
    /// Rows of a class to catch that are decided as another.
    Missed {
        /// The name of the class.
        class: String,
    },
    /// Errors that a promise allows a share of: wrong answers, of decided rows (or of those decided
    /// as a class); or rows of a class that are decided as another.
    Promise(Promised),
}

/// What was known before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Before {
    /// So many of so many rows.
    Rows {
        /// How many,
        part: u64,
        /// of how many.
        whole: u64,
    },
    /// At most this share was promised.
    AtMost(f64),
}

/// What a test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is no longer so.
    Changed,
    /// Nothing speaks against it.
    Unchanged,
    /// A promise that these rows alone would carry.
    Confirmed,
}

impl Comparison {
    pub(super) fn new(
        of: Compared,
        [part, whole]: [usize; 2],
        before: Before,
        p_value: f64,
    ) -> Self {
        Self {
            of,
            part,
            whole,
            interval: exact_interval(part, whole, 0.95),
            before,
            p_value,
            adjusted: p_value,
            outcome: Outcome::Unchanged,
            rows_to_tell: None,
        }
    }

    /// How many rows would tell about a promise that is neither broken nor confirmed, if the share
    /// of errors stayed as it is.
    fn rows_to_tell(&self, level: f64) -> Option<usize> {
        let Before::AtMost(allowed) = self.before else { return None };
        let (share, is_open) = (self.share(), self.outcome == Outcome::Unchanged);
        let rows = match share < allowed {
            true => rows_needed(allowed, share, level),
            false => rows_needed(1.0 - allowed, 1.0 - share, level),
        };
        rows.filter(|&rows| is_open && rows > self.whole)
    }

    /// The share of the new rows; 0 without rows.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.whole == 0 { 0.0 } else { self.part as f64 / self.whole as f64 }
    }

    /// True if it is about the values of a feature.
    pub(crate) fn is_of_feature(&self) -> bool {
        matches!(
            self.of,
            Compared::Unknown { .. } | Compared::Outside { .. } | Compared::Missing { .. }
        )
    }

    /// True if it no longer holds.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.outcome == Outcome::Changed
    }
}

/// Holm's adjustment: with it, all tests together raise a false alarm with a probability of at
/// most `level`.
pub(super) fn judge_all(comparisons: &mut [Comparison], level: f64) {
    let mut order: Vec<usize> = (0..comparisons.len()).collect();
    order.sort_by(|&one, &other| comparisons[one].p_value.total_cmp(&comparisons[other].p_value));
    let mut largest: f64 = 0.0;
    for (done, &index) in order.iter().enumerate() {
        let comparison = &mut comparisons[index];
        let left = (order.len() - done) as f64;
        largest = largest.max((left * comparison.p_value).min(1.0));
        comparison.adjusted = largest;
        if largest < level {
            comparison.outcome = Outcome::Changed;
        } else {
            comparison.rows_to_tell = comparison.rows_to_tell(level / left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_many_must_be_smaller() {
        let of = |p| Comparison::new(Compared::Flagged, [1, 2], Before::AtMost(0.5), p);
        let mut all = [0.02, 0.004, 0.9].map(of);
        judge_all(&mut all, 0.05);
        let adjusted = all.clone().map(|c| c.adjusted);
        // 3 * 0.004, 2 * 0.02, 0.9.
        assert_eq!(adjusted, [0.04, 0.012, 0.9]);
        assert_eq!(all.map(|c| c.has_changed()), [true, true, false]);
        let mut all = [0.02, 0.03].map(of);
        judge_all(&mut all, 0.05);
        // Never below that of a smaller one.
        assert_eq!(all.map(|c| c.adjusted), [0.04, 0.04]);
    }
}
