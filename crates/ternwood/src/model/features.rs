//! What a column of numbers means.

use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};

/// A feature's name, its kind, and what replaces a missing value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// What the feature is called.
    pub name: String,
    /// What its numbers are.
    #[serde(default, skip_serializing_if = "FeatureKind::is_numeric")]
    pub kind: FeatureKind,
    /// The number that replaces a missing value; `None` if a missing value is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<f64>,
}

/// What the numbers of a feature are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FeatureKind {
    /// Measurements.
    #[default]
    Numeric,
    /// Positions in a list of categories.
    Nominal {
        /// The categories, in the order of their codes 0, 1, 2, ...
        categories: Vec<String>,
    },
}

impl FeatureKind {
    /// Whether the numbers are measurements.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        *self == Self::Numeric
    }
}

impl Feature {
    /// A numeric feature.
    pub fn numeric(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: FeatureKind::Numeric, fill: None }
    }

    /// A feature whose numbers are positions in a list of categories.
    pub fn nominal<S: Into<String>>(
        name: impl Into<String>,
        categories: impl IntoIterator<Item = S>,
    ) -> Self {
        let categories = categories.into_iter().map(Into::into).collect();
        Self { name: name.into(), kind: FeatureKind::Nominal { categories }, fill: None }
    }

    pub(super) fn check(&self) -> Result<()> {
        if let FeatureKind::Nominal { categories } = &self.kind {
            crate::dataset::check_distinct("category", categories)?;
        }
        match self.fill {
            Some(fill) if !fill.is_finite() => Err(parameter("fill", fill, "a finite number")),
            _ => Ok(()),
        }
    }
}
