//! What must be remembered of the training table.

use super::{fill, target};
use crate::error::{ErrorKind, Result};
use crate::options::{ReadAs, ReadOptions};
use crate::table::{CategoryOrigin, Column, Table, Values};
use crate::warning::Warning;
use ternwood::{ClassName, Feature, FeatureKind, Model};

/// What to do about missing feature values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingPolicy {
    /// Refuse them, naming line and column.
    #[default]
    Error,
    /// Put the median of the training column: of its numbers, or of its category codes
    /// (which may lie between two codes).
    Median,
    /// Put the commonest value of the training column; of equally common ones the smallest.
    Mode,
}

/// What to do about categories that were not there in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownPolicy {
    /// Refuse them, naming line and column.
    #[default]
    Error,
    /// Treat them like missing values; needs a [`MissingPolicy`] that fills.
    Missing,
}

/// How to encode a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EncodeOptions {
    /// What to do about missing values.
    pub missing: MissingPolicy,
    /// What to do about unknown categories.
    pub unknown: UnknownPolicy,
}

/// How tables become data: learnt from the training table, applied to every later one.
///
/// A [`Model`] carries all of it, so that a schema is never stored by itself:
/// [`Schema::describe`] puts it into a model, [`Schema::of_model`] takes it out again.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Name of the target column; `None` for models that were trained on unnamed labels.
    pub target: Option<String>,
    /// The classes, by id. See [`Schema::learn`] for their order.
    pub classes: Vec<ClassName>,
    /// The features, in column order.
    pub features: Vec<Feature>,
}

/// A text column is taken for an identifier from this many values on ...
const IDENTIFIER_ROWS: usize = 20;
/// ... if more than this share of them are different.
const IDENTIFIER_SHARE: f64 = 0.9;

impl Schema {
    /// Learns the schema of a training table. Every column but the target is a feature,
    /// except, with a warning: a column without any value (where missing values are filled),
    /// and a text column in which almost every value is different, unless it was declared
    /// nominal.
    ///
    /// Classes are numbered as follows, and keep the type of their column:
    /// - numbers ascending: `2` before `10`; integers if all are whole numbers;
    /// - categories declared by the file (ARFF): as text, in the declared order, with those
    ///   that no row has;
    /// - other texts: in sorted order (as numbers, if all of them are numbers that the user
    ///   declared nominal);
    /// - truth values (Parquet): false, true.
    ///
    /// # Errors
    /// There is no such target column, no feature or no row; a class is missing; options that
    /// do not go together.
    pub fn learn(
        table: &Table,
        target: &str,
        options: EncodeOptions,
    ) -> Result<(Self, Vec<Warning>)> {
        let EncodeOptions { missing, unknown } = options;
        if unknown == UnknownPolicy::Missing && missing == MissingPolicy::Error {
            return Err(ErrorKind::Options {
                problem: "unknown categories shall count as missing values, but these are refused"
                    .to_owned(),
                remedy: "fill missing values with the median or the mode",
            }
            .into());
        }
        let target_column = table.column(target)?;
        let empty = |what| ErrorKind::Empty { file: table.file().to_owned(), what };
        if table.n_rows == 0 {
            return Err(empty("rows").into());
        }
        let classes = target::classes(target_column, table)?;
        let mut warnings = Vec::new();
        if classes.len() > 20 && classes.len() * 2 > table.n_rows {
            let (column, classes, rows) = (target.to_owned(), classes.len(), table.n_rows);
            warnings.push(Warning::ManyClasses { column, classes, rows });
        }
        let mut features = Vec::new();
        for column in table.columns.iter().filter(|column| column.name != target) {
            match useless(column, missing) {
                Some(warning) => warnings.push(warning),
                None => features.push(feature(column, options)),
            }
        }
        if features.is_empty() {
            return Err(empty("feature columns").into());
        }
        Ok((Self { target: Some(target.to_owned()), classes, features }, warnings))
    }

    /// The schema a model was trained with.
    #[must_use]
    pub fn of_model(model: &Model) -> Self {
        Self {
            target: model.target().map(str::to_owned),
            classes: model.classes().to_vec(),
            features: model.features().to_vec(),
        }
    }

    /// The model with this schema in it.
    ///
    /// # Errors
    /// A schema of other features than the model's.
    pub fn describe(&self, model: Model) -> Result<Model> {
        let model = model.with_features(self.features.clone())?;
        Ok(match &self.target {
            Some(target) => model.with_target(target)?,
            None => model,
        })
    }

    /// How to read a later file for [`Schema::columns`]: each feature as what it was in
    /// training, so that no types need to be inferred and the file can be streamed. What
    /// happens to other columns, the target among them, is `others`; to read the target as
    /// well, for [`Schema::labels`], add `.column(target, ReadAs::Nominal)`.
    #[must_use]
    pub fn read_options(&self, others: ReadAs) -> ReadOptions {
        let read_as = |feature: &Feature| match feature.kind {
            FeatureKind::Numeric => ReadAs::Numeric,
            FeatureKind::Nominal { .. } => ReadAs::Nominal,
        };
        self.features.iter().fold(ReadOptions::new().others(others), |options, feature| {
            options.column(&feature.name, read_as(feature))
        })
    }
}

/// The reason to leave a column out, if there is one.
fn useless(column: &Column, missing: MissingPolicy) -> Option<Warning> {
    let values = column.values.len() - column.values.missing();
    if values == 0 && missing != MissingPolicy::Error {
        return Some(Warning::EmptyColumn { column: column.name.clone() });
    }
    let Values::Nominal(nominal) = &column.values else { return None };
    let distinct = nominal.categories.len();
    let many = values >= IDENTIFIER_ROWS && distinct as f64 > IDENTIFIER_SHARE * values as f64;
    (many && nominal.origin == CategoryOrigin::Found).then(|| Warning::Identifier {
        column: column.name.clone(),
        distinct,
        values,
    })
}

fn feature(column: &Column, options: EncodeOptions) -> Feature {
    let mut feature = match &column.values {
        Values::Numeric(_) => Feature::numeric(&column.name),
        Values::Nominal(nominal) => Feature::nominal(&column.name, nominal.categories()),
    };
    feature.fill = fill::of(&column.values, options.missing);
    feature.unknown_as_missing =
        options.unknown == UnknownPolicy::Missing && !feature.kind.is_numeric();
    feature
}
