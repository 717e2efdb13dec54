//! What must be remembered of the training table.

use super::{fill, target};
use crate::error::{ErrorKind, Result};
use crate::options::{ReadAs, ReadOptions};
use crate::table::{CategoryOrigin, Column, Table, Values};
use crate::warning::Warning;
use serde::{Deserialize, Serialize};
use ternwood::ClassName;

/// What to do about missing feature values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// What the values of a feature are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FeatureKind {
    /// Numbers.
    Numeric,
    /// Categories, numbered from 0 in this order.
    Nominal {
        /// The name of every category.
        categories: Vec<String>,
    },
}

/// How one feature is encoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureEncoding {
    /// Name of the column.
    pub name: String,
    /// Numeric, or nominal with its categories.
    #[serde(flatten)]
    pub kind: FeatureKind,
    /// What stands in for a missing value; `None` if missing values are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<f64>,
}

/// How tables become data: learnt from the training table, applied to every later one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Name of the target column.
    pub target: String,
    /// The classes, by id. See [`Schema::learn`] for their order.
    pub classes: Vec<ClassName>,
    /// The features, in column order.
    pub features: Vec<FeatureEncoding>,
    /// What to do about missing values.
    #[serde(default)]
    pub missing: MissingPolicy,
    /// What to do about unknown categories.
    #[serde(default)]
    pub unknown: UnknownPolicy,
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
                None => features.push(feature(column, missing)),
            }
        }
        if features.is_empty() {
            return Err(empty("feature columns").into());
        }
        Ok((Self { target: target.to_owned(), classes, features, missing, unknown }, warnings))
    }

    /// How to read a later file for [`Schema::columns`]: each feature as what it was in
    /// training, so that no types need to be inferred and the file can be streamed. What
    /// happens to other columns, the target among them, is `others`; to read the target as
    /// well, for [`Schema::labels`], add `.column(&schema.target, ReadAs::Nominal)`.
    #[must_use]
    pub fn read_options(&self, others: ReadAs) -> ReadOptions {
        let read_as = |feature: &FeatureEncoding| match feature.kind {
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

fn feature(column: &Column, missing: MissingPolicy) -> FeatureEncoding {
    let kind = match &column.values {
        Values::Numeric(_) => FeatureKind::Numeric,
        Values::Nominal(nominal) => FeatureKind::Nominal { categories: nominal.categories.clone() },
    };
    FeatureEncoding { name: column.name.clone(), kind, fill: fill::of(&column.values, missing) }
}
