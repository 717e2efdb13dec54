//! What a column of numbers means, and how a table's values become such numbers.

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
    /// Whether a category that is not in the list counts as a missing value, instead of being
    /// an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown_as_missing: bool,
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
        Self::new(name.into(), FeatureKind::Numeric)
    }

    /// A feature whose numbers are positions in a list of categories.
    pub fn nominal<S: Into<String>>(
        name: impl Into<String>,
        categories: impl IntoIterator<Item = S>,
    ) -> Self {
        let categories = categories.into_iter().map(Into::into).collect();
        Self::new(name.into(), FeatureKind::Nominal { categories })
    }

    /// Neither missing values nor unknown categories are allowed.
    fn new(name: String, kind: FeatureKind) -> Self {
        Self { name, kind, fill: None, unknown_as_missing: false }
    }

    /// The same feature, with `fill` in place of missing values.
    #[must_use]
    pub fn filled_with(mut self, fill: f64) -> Self {
        self.fill = Some(fill);
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        if let FeatureKind::Nominal { categories } = &self.kind {
            crate::dataset::check_distinct("category", categories)?;
        }
        match self.fill {
            Some(fill) if !fill.is_finite() => Err(parameter("fill", fill, "a finite number")),
            None if self.unknown_as_missing => {
                let allowed = "only where there is a \"fill\" for missing values";
                Err(parameter("unknown_as_missing", true, allowed))
            }
            Some(_) if self.unknown_as_missing && self.kind.is_numeric() => {
                Err(parameter("unknown_as_missing", true, "only for nominal features"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::predict::Routing;
    use crate::tree::{TreeBuilder, Zone};

    fn model() -> Model {
        let mut builder = TreeBuilder::new(1, 2);
        builder.split(0, Zone::new(1.5, 0.5).unwrap());
        builder.leaf(&[2.0, 0.0]);
        builder.leaf(&[0.0, 2.0]);
        let features = vec![Feature::numeric("x0")];
        let classes = vec!["a".into(), "b".into()];
        Model::new(builder.finish().unwrap(), features, classes, Routing::Probabilistic).unwrap()
    }

    #[test]
    fn the_encoding_travels_in_the_model_file() {
        let mut colour = Feature::nominal("colour", ["red", "blue"]).filled_with(0.5);
        colour.unknown_as_missing = true;
        let model = model().with_target("kind").unwrap().with_features(vec![colour]).unwrap();
        let read = Model::from_json(&model.to_json()).unwrap();
        assert_eq!(read, model);
        assert_eq!(read.target(), Some("kind"));
    }

    #[test]
    fn an_encoding_that_contradicts_itself_is_refused() {
        let unknown = |feature: Feature| Feature { unknown_as_missing: true, ..feature };
        let cases = [
            (unknown(Feature::nominal("x", ["a"])), "only where there is a \"fill\""),
            (unknown(Feature::numeric("x").filled_with(1.0)), "only for nominal features"),
            (Feature::numeric("x").filled_with(f64::NAN), "a finite number"),
            (Feature::nominal("x", ["a", "a"]), "the category name 'a' occurs twice"),
        ];
        for (feature, expected) in cases {
            let error = model().with_features(vec![feature]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert!(model().with_target("x0").is_err(), "the target is no feature");
    }
}
