//! Learns the schema of a training table.

use super::{empty, fill, target};
use crate::error::{ErrorKind, Result};
use crate::table::{CategoryOrigin, Column, Table, Values};
use crate::warning::Warning;
use ternwood::{Feature, Schema};

/// What to do with missing feature values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingPolicy {
    /// Fail, naming line and column.
    #[default]
    Error,
    /// Fill with the median of the training column: of its numbers, or of its category codes
    /// (which may be between two codes).
    Median,
    /// Fill with the most frequent value of the training column. Ties go to the smallest.
    Mode,
}

/// What to do with categories that did not occur in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownPolicy {
    /// Fail, naming line and column.
    #[default]
    Error,
    /// Treat them as missing values. Needs a [`MissingPolicy`] that fills.
    Missing,
}

/// How to encode a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EncodeOptions {
    /// What to do with missing values.
    pub missing: MissingPolicy,
    /// What to do with unknown categories.
    pub unknown: UnknownPolicy,
}

/// The fewest values of a text column that can be an identifier.
const IDENTIFIER_ROWS: usize = 20;
/// A text column with a larger share of distinct values is an identifier.
const IDENTIFIER_SHARE: f64 = 0.9;

/// Learns the schema as documented at [`encode`](super::encode).
pub(super) fn schema(
    table: &Table,
    target: &str,
    options: EncodeOptions,
) -> Result<(Schema, Vec<Warning>)> {
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
    if table.n_rows == 0 {
        return Err(empty(table, "rows"));
    }
    let classes = target::classes(target_column, table)?;
    let mut warnings = Vec::new();
    if classes.len() > 20 && classes.len() * 2 > table.n_rows {
        let (column, classes, rows) = (target.to_owned(), classes.len(), table.n_rows);
        warnings.push(Warning::ManyClasses { column, classes, rows });
    }
    let mut features = Vec::new();
    for column in table.columns.iter().filter(|column| column.name != target) {
        match reason_to_drop(column, missing) {
            Some(warning) => warnings.push(warning),
            None => features.push(feature(column, options)),
        }
    }
    if features.is_empty() {
        return Err(empty(table, "feature columns"));
    }
    Ok((Schema::new(features, classes)?.with_target(target)?, warnings))
}

/// The reason to drop a column, if any.
fn reason_to_drop(column: &Column, missing: MissingPolicy) -> Option<Warning> {
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
        Values::Numeric(_) => Feature::number(&column.name),
        Values::Nominal(nominal) => Feature::categories(&column.name, nominal.categories()),
    };
    feature.fill = fill::of(&column.values, options.missing);
    feature.unknown_as_missing =
        options.unknown == UnknownPolicy::Missing && !feature.kind.is_number();
    feature
}
