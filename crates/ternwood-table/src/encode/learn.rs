//! Learns the schema of a training table.

use super::{empty, fill, target};
use crate::error::Result;
use crate::table::{CategoryOrigin, Column, Nominal, Table, Values};
use crate::warning::Warning;
use ternwood::{Feature, Schema};

/// What to do with missing feature values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingPolicy {
    /// Leave them to the tree: they become NaN.
    #[default]
    Keep,
    /// Fail, naming line and column.
    Error,
    /// Fill numbers with the median of the training column. Categories have no middle and are
    /// filled as by [`Mode`](Self::Mode).
    Median,
    /// Fill with the most frequent value of the training column. Ties go to the smallest number or
    /// the first category.
    Mode,
}

/// How to encode a training table.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EncodeOptions<'a> {
    /// What to do with missing values.
    pub missing: MissingPolicy,
    /// How much each row counts; `None` if all count 1. Nothing is learnt from rows that count 0.
    pub weights: Option<&'a [f64]>,
}

impl EncodeOptions<'_> {
    /// Options for missing values.
    #[must_use]
    pub fn missing(missing: MissingPolicy) -> Self {
        Self { missing, weights: None }
    }

    /// Picks the values of the rows that count.
    pub(super) fn that_count<T: Copy>(&self, values: &[T]) -> impl Iterator<Item = T> {
        let counts = |row: usize| {
            let weight = self.weights.and_then(|weights| weights.get(row));
            weight.is_none_or(|&weight| weight > 0.0)
        };
        values.iter().enumerate().filter(move |&(row, _)| counts(row)).map(|(_, &value)| value)
    }
}

/// The fewest values of a text column that can be an identifier.
const IDENTIFIER_ROWS: usize = 20;
/// A text column with a larger share of distinct values is an identifier.
const IDENTIFIER_SHARE: f64 = 0.9;

/// Learns the schema as documented at [`encode`](super::encode).
pub(super) fn schema(
    table: &Table,
    target: &str,
    options: EncodeOptions<'_>,
) -> Result<(Schema, Vec<Warning>)> {
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
        match reason_to_drop(column, options.missing) {
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

fn feature(column: &Column, options: EncodeOptions<'_>) -> Feature {
    match &column.values {
        Values::Numeric(values) => Feature {
            fill: fill::of_numbers(options.that_count(values), options.missing),
            ..Feature::number(&column.name)
        },
        Values::Nominal(nominal) => {
            let names = known_categories(nominal, options);
            let common = fill::of_categories(options.that_count(nominal.codes()), options.missing);
            let common = common.map(|code| &nominal.categories()[code.index()]);
            // It occurs in a row that counts, so it is known.
            let fill = common.and_then(|name| names.iter().position(|known| known == name));
            Feature { fill: fill.map(|id| id as f64), ..Feature::categories(&column.name, names) }
        }
    }
}

/// The categories that the file declares, or those of the rows that count.
fn known_categories(nominal: &Nominal, options: EncodeOptions<'_>) -> Vec<String> {
    if nominal.has_fixed_categories() {
        return nominal.categories().to_vec();
    }
    let mut counts = vec![false; nominal.categories().len()];
    options.that_count(nominal.codes()).flatten().for_each(|code| counts[code.index()] = true);
    let names = nominal.categories().iter().zip(counts);
    names.filter(|&(_, counts)| counts).map(|(name, _)| name.clone()).collect()
}
