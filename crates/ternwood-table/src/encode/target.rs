//! The target column: its classes, and the class of each row.

use super::features::same_boolean;
use crate::error::{Error, ErrorKind, Result, clipped, listing};
use crate::number;
use crate::table::{CategoryOrigin, Column, Table, Values};
use std::collections::HashMap;
use ternwood::{ClassName, Schema};

/// 2^53: from here on, different integers may be the same float.
const INEXACT: f64 = 9_007_199_254_740_992.0;

/// The classes of a training table, in the order that [`encode`](super::encode) documents.
pub(super) fn classes(column: &Column, table: &Table) -> Result<Vec<ClassName>> {
    match &column.values {
        Values::Numeric(values) => numeric_classes(values, column, table),
        Values::Nominal(nominal) => {
            if let Some(row) = nominal.codes().iter().position(Option::is_none) {
                return Err(missing(column, table, row));
            }
            let boolean = nominal.origin() == CategoryOrigin::Boolean;
            let class = |name: &String| match name.as_str() {
                "false" if boolean => ClassName::Boolean(false),
                "true" if boolean => ClassName::Boolean(true),
                text => ClassName::Text(text.to_owned()),
            };
            Ok(nominal.categories().iter().map(class).collect())
        }
    }
}

fn numeric_classes(values: &[f64], column: &Column, table: &Table) -> Result<Vec<ClassName>> {
    if let Some(row) = values.iter().position(|value| !value.is_finite()) {
        let value = values[row];
        if value.is_nan() {
            return Err(missing(column, table, row));
        }
        let place = table.place(row).in_column(&column.name);
        return Err(ErrorKind::NotFinite { place, value }.into());
    }
    if let Some(row) = values.iter().position(|value| value.abs() >= INEXACT) {
        return Err(ErrorKind::InexactClass {
            place: table.place(row).in_column(&column.name),
            value: values[row],
        }
        .into());
    }
    // Adding 0 turns -0.0 into 0.0, so that both are one class.
    let mut distinct: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let integers = distinct.iter().all(|value| value.fract() == 0.0);
    let class = |value: f64| match integers {
        true => ClassName::Integer(value as i64),
        false => ClassName::Float(value),
    };
    Ok(distinct.into_iter().map(class).collect())
}

fn missing(column: &Column, table: &Table, row: usize) -> Error {
    ErrorKind::MissingClass { place: table.place(row).in_column(&column.name) }.into()
}

/// The class id of every row.
///
/// Classes are matched by text, and numbers and booleans also by value: the classes of a model
/// trained on an ARFF file with categories `{1,2}` match a numeric CSV column, and `True` matches
/// `true`.
pub(super) fn labels(schema: &Schema, table: &Table) -> Result<Vec<u32>> {
    let target = schema.target().ok_or_else(|| ErrorKind::Options {
        problem: "the model does not know the name of its target column".to_owned(),
        remedy: "say which column has the classes",
    })?;
    let column = table.column(target)?;
    let names: Vec<String> = schema.classes().iter().map(ToString::to_string).collect();
    let known = Known::new(&names);
    let unknown = |row: usize, value: &str| {
        Error::from(ErrorKind::UnknownClass {
            place: table.place(row).in_column(&column.name),
            value: clipped(value),
            known: listing(&names),
        })
    };
    match &column.values {
        Values::Numeric(values) => (values.iter().enumerate())
            .map(|(row, &value)| match known.of_number(value) {
                Some(id) => Ok(id),
                None if value.is_nan() => Err(missing(column, table, row)),
                None => Err(unknown(row, &value.to_string())),
            })
            .collect(),
        Values::Nominal(nominal) => {
            let id_of: Vec<Option<u32>> =
                nominal.categories().iter().map(|name| known.of_text(name)).collect();
            (nominal.codes().iter().enumerate())
                .map(|(row, code)| match code {
                    None => Err(missing(column, table, row)),
                    Some(code) => id_of[code.index()]
                        .ok_or_else(|| unknown(row, &nominal.categories()[code.index()])),
                })
                .collect()
        }
    }
}

/// The class ids by text and by number.
struct Known<'a> {
    names: &'a [String],
    by_text: HashMap<&'a str, u32>,
    by_number: HashMap<u64, u32>,
}

impl<'a> Known<'a> {
    fn new(names: &'a [String]) -> Self {
        let ids = || names.iter().map(String::as_str).zip(0u32..);
        let number = |(name, id): (&str, u32)| Some((key(number::parse(name.as_bytes())?)?, id));
        Self { names, by_text: ids().collect(), by_number: ids().filter_map(number).collect() }
    }

    fn of_number(&self, value: f64) -> Option<u32> {
        self.by_number.get(&key(value)?).copied()
    }

    fn of_text(&self, text: &str) -> Option<u32> {
        if let Some(&id) = self.by_text.get(text) {
            return Some(id);
        }
        match number::parse(text.as_bytes()) {
            Some(value) => self.of_number(value),
            None => same_boolean(text, self.names).and_then(|index| u32::try_from(index).ok()),
        }
    }
}

/// The bits of a number as a hash key, the same for both zeros. `None` for NaN and for numbers too
/// large to be exact.
pub(super) fn key(value: f64) -> Option<u64> {
    (value.abs() < INEXACT).then(|| (value + 0.0).to_bits())
}
