//! What is known of the values of a feature.

use crate::dataset::FeatureKind;
use serde::{Deserialize, Serialize};

/// The range of a feature's numbers, or how often each of its categories occurs; and how many
/// values are missing. A row of weight k counts k times.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the values of a feature")]
pub struct FeatureValues {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    #[serde(default, skip_serializing_if = "<[u64]>::is_empty")]
    counts: Box<[u64]>,
    #[serde(default, skip_serializing_if = "is_zero")]
    missing: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl FeatureValues {
    pub(super) fn of_numbers(range: Option<[f64; 2]>, missing: u64) -> Self {
        Self { range, counts: Box::default(), missing }
    }

    pub(super) fn of_categories(counts: Vec<u64>, missing: u64) -> Self {
        Self { range: None, counts: counts.into(), missing }
    }

    /// The smallest and the largest number; `None` for categories, and if all are missing.
    #[must_use]
    pub fn range(&self) -> Option<[f64; 2]> {
        self.range
    }

    /// How many rows have each category, by id; empty for numbers.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many rows have no value.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Those of two sets of rows together.
    pub(super) fn merged(mut self, other: &Self) -> Self {
        self.range = match (self.range, other.range) {
            (Some([low, high]), Some([other_low, other_high])) => {
                Some([low.min(other_low), high.max(other_high)])
            }
            (one, other) => one.or(other),
        };
        let counts = self.counts.iter_mut().zip(&other.counts);
        counts.for_each(|(one, other)| *one = one.saturating_add(*other));
        self.missing = self.missing.saturating_add(other.missing);
        self
    }

    /// What is wrong with what a file says of `rows` rows.
    pub(super) fn problem(&self, rows: u64, kind: &FeatureKind) -> Option<String> {
        let present = self.counts.iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
        let (missing, categories) = (self.missing, kind.names().len());
        match self.range {
            _ if missing > rows => Some(format!("{missing} of {rows} values are missing")),
            Some(_) if !kind.is_number() => Some("categories have no range".to_owned()),
            Some([low, high]) if !(low.is_finite() && high.is_finite() && low <= high) => {
                Some(format!("its values are from {low} to {high}"))
            }
            _ if self.counts.len() != categories => {
                Some(format!("{} counts of its {categories} categories", self.counts.len()))
            }
            _ if !kind.is_number() && present.saturating_add(missing) != rows => {
                Some(format!("{present} values and {missing} missing ones of {rows} rows"))
            }
            _ => None,
        }
    }
}
