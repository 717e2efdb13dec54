//! What is known of the values of a feature.

use crate::dataset::FeatureKind;
use serde::{Deserialize, Serialize};

/// A range around a feature's numbers, or how often each of its categories occurs; and how many values are
/// missing.
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

/// Private counts are multiples of this.
const PRIVATE_UNIT: u64 = 10;

impl FeatureValues {
    pub(super) fn of_numbers(range: Option<[f64; 2]>, missing: u64) -> Self {
        Self { range, counts: Box::default(), missing }
    }

    pub(super) fn of_categories(counts: Vec<u64>, missing: u64) -> Self {
        Self { range: None, counts: counts.into(), missing }
    }

    /// A range that contains all numbers; `None` for categories, and if all are missing. Its ends are
    /// rounded outward to two significant digits of its width, or to one if the numbers themselves have no
    /// more: they do not tell the smallest and the largest number, unless there are ten possible numbers or fewer.
    #[must_use]
    pub fn range(&self) -> Option<[f64; 2]> {
        self.range
    }

    /// How many rows have each category, by id; empty for numbers. In a private model counts are rounded
    /// down to tens, so that fewer than ten rows are 0.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many rows have no value.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// The same without small counts. The others are rounded, or else a single small one would be the
    /// difference to the number of rows.
    pub(super) fn private(mut self) -> Self {
        self.counts.iter_mut().for_each(|count| *count -= *count % PRIVATE_UNIT);
        self
    }

    /// What is wrong with what a file says of `rows` rows.
    pub(super) fn problem(
        &self,
        rows: u64,
        kind: &FeatureKind,
        is_private: bool,
    ) -> Option<String> {
        let present = self.counts.iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
        let (missing, categories) = (self.missing, kind.names().len());
        let all = present.saturating_add(missing);
        match self.range {
            _ if missing > rows => Some(format!("{missing} of {rows} values are missing")),
            Some(_) if !kind.is_number() => Some("categories have no range".to_owned()),
            Some([low, high]) if !(low.is_finite() && high.is_finite() && low <= high) => {
                Some(format!("its values are from {low} to {high}"))
            }
            _ if self.counts.len() != categories => {
                Some(format!("{} counts of its {categories} categories", self.counts.len()))
            }
            _ if !kind.is_number() && (all > rows || all < rows && !is_private) => {
                Some(format!("{present} values and {missing} missing ones of {rows} rows"))
            }
            _ if is_private => {
                let exact = self.counts.iter().find(|&&count| count % PRIVATE_UNIT != 0)?;
                Some(format!("the count {exact} of a private model is not rounded to tens"))
            }
            _ => None,
        }
    }
}
