//! The schema of a table: the target's classes, and each feature's name and kind.
//!
//! A data set and the models fitted to it share a [`Schema`].

use super::labels::check_class_names;
use super::matrix::{is_unknown_value, rows_of};
use super::notation::Notation;
use super::{ClassName, check_distinct, check_length};
use crate::error::{Error, ErrorKind, Result, parameter};
use serde::{Deserialize, Serialize};

/// The target, its classes and the features. Consistency is checked on construction.
///
/// ```
/// use ternwood::{Feature, Schema};
///
/// let features = vec![Feature::number("age"), Feature::categories("ward", ["A", "B"])];
/// let schema = Schema::new(features, vec!["healthy".into(), "ill".into()])?.with_target("state")?;
/// assert_eq!(schema.features()[1].name, "ward");
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenSchema", into = "WrittenSchema")]
pub struct Schema {
    target: Option<String>,
    classes: Vec<ClassName>,
    features: Vec<Feature>,
    has_feature_names: bool,
}

/// A feature's name, its kind, how its numbers are written, and what replaces a missing value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a feature")]
pub struct Feature {
    /// The column's name.
    pub name: String,
    /// The kind of its values.
    pub kind: FeatureKind,
    /// How texts spell its numbers; the default for categories.
    #[serde(default, skip_serializing_if = "Notation::is_plain")]
    pub notation: Notation,
    /// The number that replaces a missing value before the tree sees it; `None` where the tree
    /// handles missing values.
    ///
    /// Command, Python and exports fill it in. [`Model::predict`](crate::Model::predict) does not: call
    /// [`Schema::fill_missing`] first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<f64>,
    /// True if some training row had no value. Known of models only: a data set says false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gaps: bool,
    /// The categories that no training row had, by ascending id. Known of models only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<u32>,
    /// True if new categories are to be expected, because many training rows had a category of their own: see
    /// [`Coverage`](crate::model::Coverage). Known of models only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// What the training rows had of a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrainingValues {
    pub(crate) gaps: bool,
    pub(crate) absent: Vec<u32>,
    pub(crate) open: bool,
}

/// What the values of a feature mean.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureKind {
    /// Numbers.
    #[default]
    Number,
    /// Indices into this list of categories, which have no order.
    Categories(Vec<String>),
    /// Ranks in this list of categories, which ascend.
    Ordered(Vec<String>),
}

impl FeatureKind {
    /// True for a numeric feature.
    #[must_use]
    pub fn is_number(&self) -> bool {
        *self == Self::Number
    }

    /// True for categories in order.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        matches!(self, Self::Ordered(_))
    }

    /// The number of categories, if they have no order.
    pub(crate) fn n_unordered(&self) -> Option<usize> {
        match self {
            Self::Categories(names) => Some(names.len()),
            Self::Number | Self::Ordered(_) => None,
        }
    }

    /// The names of the categories, by id; none for a numeric feature.
    #[must_use]
    pub fn names(&self) -> &[String] {
        match self {
            Self::Number => &[],
            Self::Categories(names) | Self::Ordered(names) => names,
        }
    }
}

impl Feature {
    /// A numeric feature.
    pub fn number(name: impl Into<String>) -> Self {
        Self::new(name.into(), FeatureKind::Number)
    }

    /// A categorical feature: its values are indices into `categories`.
    pub fn categories<S: Into<String>>(
        name: impl Into<String>,
        categories: impl IntoIterator<Item = S>,
    ) -> Self {
        let categories = categories.into_iter().map(Into::into).collect();
        Self::new(name.into(), FeatureKind::Categories(categories))
    }

    /// A feature of ordered categories: its values are ranks in `categories`, lowest first.
    pub fn ordered<S: Into<String>>(
        name: impl Into<String>,
        categories: impl IntoIterator<Item = S>,
    ) -> Self {
        let categories = categories.into_iter().map(Into::into).collect();
        Self::new(name.into(), FeatureKind::Ordered(categories))
    }

    fn new(name: String, kind: FeatureKind) -> Self {
        let (notation, fill, gaps, absent) = (Notation::default(), None, false, Vec::new());
        Self { name, kind, notation, fill, gaps, absent, open: false }
    }

    /// The same numeric feature, whose numbers are written like this.
    #[must_use]
    pub fn written_as(mut self, notation: Notation) -> Self {
        self.notation = notation;
        self
    }

    /// The same feature, with `fill` in place of missing values.
    #[must_use]
    pub fn filled_with(mut self, fill: f64) -> Self {
        self.fill = Some(fill);
        self
    }

    fn check(&self) -> Result<()> {
        check_distinct("category", self.kind.names())?;
        if !self.kind.is_number() && !self.notation.is_plain() {
            let expected = "absent: only numbers have a notation";
            return Err(parameter("notation", &self.name, expected));
        }
        self.notation.check()?;
        let n_categories = self.kind.names().len() as u64;
        let ascends = self.absent.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascends || self.absent.last().is_some_and(|&id| u64::from(id) >= n_categories) {
            let expected = "ids of the feature's categories, ascending";
            return Err(parameter("absent", format!("{:?}", self.absent), expected));
        }
        if self.open && self.kind.is_number() {
            return Err(parameter("open", "true", "false: only categories are open"));
        }
        let is_usable = |fill: f64| match self.kind.is_number() {
            true => fill.is_finite(),
            false => fill >= 0.0 && fill < n_categories as f64 && fill.fract() == 0.0,
        };
        let expected =
            if self.kind.is_number() { "a finite number" } else { "the id of a category" };
        match self.fill {
            Some(fill) if !is_usable(fill) => Err(parameter("fill", fill, expected)),
            _ => Ok(()),
        }
    }
}

impl Schema {
    /// A schema without a target name.
    ///
    /// # Errors
    /// A name that occurs twice, or a feature with inconsistent settings.
    pub fn new(features: Vec<Feature>, classes: Vec<ClassName>) -> Result<Self> {
        check_distinct("feature", features.iter().map(|feature| feature.name.as_str()))?;
        features.iter().try_for_each(Feature::check)?;
        check_class_names(&classes)?;
        Ok(Self { target: None, classes, features, has_feature_names: true })
    }

    /// Unnamed numeric features; they are called `x0`, `x1`, ...
    ///
    /// # Errors
    /// A class name that occurs twice.
    pub fn unnamed(n_features: usize, classes: Vec<ClassName>) -> Result<Self> {
        let features = (0..n_features).map(|index| Feature::number(default_feature_name(index)));
        Ok(Self { has_feature_names: false, ..Self::new(features.collect(), classes)? })
    }

    /// The same schema with other feature names.
    ///
    /// # Errors
    /// A wrong number of names, or a name that occurs twice.
    pub fn with_feature_names<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Self> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let expected = self.features.len();
        check_length("the list of feature names", names.len(), expected, "one per column")?;
        for (feature, name) in self.features.iter_mut().zip(names) {
            feature.name = name;
        }
        let target = self.target.take();
        let schema = Self::new(self.features, self.classes)?;
        match target {
            Some(target) => schema.with_target(target),
            None => Ok(schema),
        }
    }

    /// The same schema with other kinds of features; their names stay.
    ///
    /// # Errors
    /// A wrong number of kinds, or a category that occurs twice.
    pub fn with_kinds(mut self, kinds: impl IntoIterator<Item = FeatureKind>) -> Result<Self> {
        let kinds: Vec<FeatureKind> = kinds.into_iter().collect();
        let expected = self.features.len();
        check_length("the list of feature kinds", kinds.len(), expected, "one per column")?;
        for (feature, kind) in self.features.iter_mut().zip(kinds) {
            feature.kind = kind;
            feature.check()?;
        }
        Ok(self)
    }

    /// The same schema with these notations of its features' numbers.
    ///
    /// # Errors
    /// There is not one notation per feature.
    pub fn with_notations(mut self, notations: impl IntoIterator<Item = Notation>) -> Result<Self> {
        let notations: Vec<Notation> = notations.into_iter().collect();
        let expected = self.features.len();
        check_length("the list of notations", notations.len(), expected, "one per column")?;
        for (feature, notation) in self.features.iter_mut().zip(notations) {
            feature.notation = notation;
            feature.check()?;
        }
        Ok(self)
    }

    /// The same schema with the name of the column that holds the classes.
    ///
    /// # Errors
    /// A feature has that name.
    pub fn with_target(mut self, target: impl Into<String>) -> Result<Self> {
        let target = target.into();
        if self.features.iter().any(|feature| feature.name == target) {
            return Err(ErrorKind::DuplicateName { what: "column", name: target }.into());
        }
        self.target = Some(target);
        Ok(self)
    }

    /// The name of the column that holds the classes, if it has one.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// The class names, by class id.
    #[must_use]
    pub fn classes(&self) -> &[ClassName] {
        &self.classes
    }

    /// The features, by column.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Replaces missing values by [`Feature::fill`] where a feature has one, in rows of values that lie one
    /// after the other. [`UNKNOWN`](crate::UNKNOWN) values stay.
    ///
    /// ```
    /// use ternwood::{Feature, Schema};
    ///
    /// let features = vec![Feature::number("age").filled_with(40.0), Feature::number("glucose")];
    /// let schema = Schema::new(features, vec!["healthy".into(), "ill".into()])?;
    /// let mut rows = [f64::NAN, 6.4, 31.0, 5.2];
    /// schema.fill_missing(&mut rows)?;
    /// assert_eq!(rows, [40.0, 6.4, 31.0, 5.2]);
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// A length that is not a multiple of the number of features, or no features.
    pub fn fill_missing(&self, rows: &mut [f64]) -> Result<()> {
        rows_of(rows.len(), self.n_features())?;
        for (value, feature) in rows.iter_mut().zip(self.features.iter().cycle()) {
            if value.is_nan() && !is_unknown_value(*value) {
                *value = feature.fill.unwrap_or(*value);
            }
        }
        Ok(())
    }

    /// The same schema, whose features had these values in training.
    #[must_use]
    pub(crate) fn with_training_values(
        mut self,
        values: impl IntoIterator<Item = TrainingValues>,
    ) -> Self {
        for (feature, values) in self.features.iter_mut().zip(values) {
            let TrainingValues { gaps, absent, open } = values;
            (feature.gaps, feature.absent, feature.open) = (gaps, absent, open);
        }
        self
    }

    /// The number of classes; some may have no row.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.classes.len()
    }

    /// The number of feature columns.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.features.len()
    }

    /// True if some feature has categories without an order.
    #[must_use]
    pub fn has_categories(&self) -> bool {
        let is_categorical = |f: &Feature| matches!(f.kind, FeatureKind::Categories(_));
        self.features.iter().any(is_categorical)
    }

    /// True if the features were named, even if the names are `x0`, `x1`, ...
    #[must_use]
    pub fn has_feature_names(&self) -> bool {
        self.has_feature_names
    }
}

/// The name of an unnamed feature.
pub(crate) fn default_feature_name(index: usize) -> String {
    format!("x{index}")
}

/// A schema as written to a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a schema")]
struct WrittenSchema {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    classes: Vec<ClassName>,
    features: Vec<Feature>,
    /// True if nobody named the features: then they are called `x0`, `x1`, ...
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unnamed: bool,
}

impl From<Schema> for WrittenSchema {
    fn from(schema: Schema) -> Self {
        let Schema { target, classes, features, has_feature_names } = schema;
        Self { target, classes, features, unnamed: !has_feature_names }
    }
}

impl TryFrom<WrittenSchema> for Schema {
    type Error = Error;

    fn try_from(written: WrittenSchema) -> Result<Self> {
        let schema = Self::new(written.features, written.classes)?;
        let mut names = schema.features.iter().map(|feature| &feature.name).zip(0..);
        if written.unnamed && names.any(|(name, index)| *name != default_feature_name(index)) {
            return Err(parameter("unnamed", true, "only for features called x0, x1, ..."));
        }
        let schema = Self { has_feature_names: !written.unnamed, ..schema };
        match written.target {
            Some(target) => schema.with_target(target),
            None => Ok(schema),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::UNKNOWN;
    use crate::dataset::notation::DatePattern;

    fn classes() -> Vec<ClassName> {
        vec!["a".into(), "b".into()]
    }

    #[test]
    fn a_schema_survives_being_written() {
        let colour = Feature::categories("colour", ["red", "blue"]).filled_with(1.0);
        let size = Feature::ordered("size", ["small", "large"]);
        let day = Feature::number("day").written_as(Notation::Date(DatePattern::iso()));
        let features = vec![colour, size, day, Feature::number("x0")];
        let named = Schema::new(features, classes()).unwrap();
        let unnamed = Schema::unnamed(2, classes()).unwrap();
        for schema in [named.with_target("kind").unwrap(), unnamed] {
            let text = serde_json::to_string(&schema).unwrap();
            assert_eq!(serde_json::from_str::<Schema>(&text).unwrap(), schema);
        }
    }

    #[test]
    fn features_called_x0_may_have_been_named_so() {
        let named = Schema::unnamed(1, classes()).unwrap().with_feature_names(["x0"]).unwrap();
        assert!(named.has_feature_names());
        assert_ne!(named, Schema::unnamed(1, classes()).unwrap());
    }

    #[test]
    fn other_kinds_keep_the_names() {
        let kinds = || [FeatureKind::Number, FeatureKind::Categories(vec!["a".into()])];
        let schema = Schema::unnamed(2, classes()).unwrap().with_kinds(kinds()).unwrap();
        assert!(schema.has_categories() && !schema.has_feature_names());
        assert_eq!(schema.features()[1], Feature::categories("x1", ["a"]));
        let error = Schema::unnamed(3, classes()).unwrap().with_kinds(kinds()).unwrap_err();
        assert!(error.to_string().contains("kinds has length 2, but 3 was expected"), "{error}");
    }

    #[test]
    fn only_missing_values_are_filled() {
        let features = vec![Feature::number("a").filled_with(9.0), Feature::number("b")];
        let schema = Schema::new(features, classes()).unwrap();
        let mut rows = [f64::NAN, f64::NAN, UNKNOWN, 1.0, 2.0, UNKNOWN];
        schema.fill_missing(&mut rows).unwrap();
        let expected = [9.0, f64::NAN, UNKNOWN, 1.0, 2.0, UNKNOWN];
        assert_eq!(rows.map(f64::to_bits), expected.map(f64::to_bits));
        let error = schema.fill_missing(&mut [1.0, 2.0, 3.0]).unwrap_err().to_string();
        assert!(error.contains("has length 3"), "{error}");
    }

    #[test]
    fn a_feature_that_contradicts_itself_is_refused() {
        let cases = [
            (Feature::number("x").filled_with(f64::NAN), "a finite number"),
            (
                Feature::ordered("x", ["a"]).written_as(Notation::Date(DatePattern::iso())),
                "only numbers have a notation",
            ),
            (Feature::ordered("x", ["a", "a"]), "the category name 'a' occurs twice"),
            (Feature::categories("x", ["a", "a"]), "the category name 'a' occurs twice"),
        ];
        for (feature, expected) in cases {
            let error = Schema::new(vec![feature], classes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let schema = Schema::unnamed(1, classes()).unwrap();
        assert!(schema.with_target("x0").is_err(), "the target is no feature");
    }

    #[test]
    fn features_with_names_are_not_unnamed() {
        let text =
            r#"{"classes":["a"],"features":[{"name":"age","kind":"number"}],"unnamed":true}"#;
        let error = serde_json::from_str::<Schema>(text).unwrap_err().to_string();
        assert!(
            error.starts_with("unnamed is true; allowed: only for features called x0"),
            "{error}"
        );
    }
}
