//! The target column: its classes, and the class of each row.

use super::features::{boolean, same_boolean};
use super::learn::used_categories;
use crate::error::{Error, ErrorKind, Result, clipped, listing};
use crate::notation::parse_number;
use crate::table::{Column, DecidedBy, Table, Values, number_text};
use std::collections::HashMap;
use ternwood::dataset::notation::Notation;
use ternwood::{ClassName, Schema};

/// 2^53: from here on, different integers may be the same float.
const INEXACT: f64 = 9_007_199_254_740_992.0;

/// The classes of a training table, in the order that [`encode`](super::encode) documents.
pub(super) fn classes(column: &Column, table: &Table) -> Result<Vec<ClassName>> {
    match &column.values {
        Values::Numeric(values) if column.notation.is_plain() => {
            numeric_classes(values, column, table)
        }
        Values::Numeric(values) => {
            check_numbers(values, column, table)?;
            let texts = distinct(values).into_iter();
            let name = |value| ClassName::Text(number_text(value, &column.notation));
            Ok(texts.map(name).collect())
        }
        Values::Nominal(nominal) => {
            if let Some(row) = nominal.codes().iter().position(Option::is_none) {
                return Err(missing(column, table, row));
            }
            let names = used_categories(nominal, nominal.codes().iter().copied());
            Ok(named_classes(names, column.decided_by == DecidedBy::User))
        }
    }
}

/// Names of classes, as booleans or integers if all of them are; not if the user asked for names.
fn named_classes(names: Vec<String>, are_names: bool) -> Vec<ClassName> {
    let typed = |name: &String| match boolean(name) {
        Some(word) => Some(ClassName::Boolean(word == "true")),
        None => integer(name).map(ClassName::Integer),
    };
    let typed: Option<Vec<ClassName>> = names.iter().map(typed).collect();
    let all_alike = |classes: &Vec<ClassName>| {
        let is_boolean = |class: &ClassName| matches!(class, ClassName::Boolean(_));
        classes.iter().all(is_boolean) || !classes.iter().any(is_boolean)
    };
    match typed.filter(all_alike) {
        Some(typed) if !are_names => {
            // `True` and `TRUE` are one class.
            let mut distinct: Vec<ClassName> = Vec::new();
            typed.into_iter().for_each(|class| {
                if !distinct.contains(&class) {
                    distinct.push(class);
                }
            });
            distinct
        }
        _ => names.into_iter().map(ClassName::Text).collect(),
    }
}

/// The integer that a text spells in the usual way, without leading zeros or a sign for plus.
fn integer(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text && (number as f64).abs() < INEXACT).then_some(number)
}

fn numeric_classes(values: &[f64], column: &Column, table: &Table) -> Result<Vec<ClassName>> {
    check_numbers(values, column, table)?;
    if let Some(row) = values.iter().position(|value| value.abs() >= INEXACT) {
        return Err(ErrorKind::InexactClass {
            place: table.place(row).in_column(&column.name),
            value: values[row],
        }
        .into());
    }
    let distinct = distinct(values);
    let integers = distinct.iter().all(|value| value.fract() == 0.0);
    let class = |value: f64| match integers {
        true => ClassName::Integer(value as i64),
        false => ClassName::Float(value),
    };
    Ok(distinct.into_iter().map(class).collect())
}

fn check_numbers(values: &[f64], column: &Column, table: &Table) -> Result<()> {
    let Some(row) = values.iter().position(|value| !value.is_finite()) else { return Ok(()) };
    let value = values[row];
    if value.is_nan() {
        return Err(missing(column, table, row));
    }
    let place = table.place(row).in_column(&column.name);
    Err(ErrorKind::NotFinite { place, value }.into())
}

fn distinct(values: &[f64]) -> Vec<f64> {
    // Adding 0 turns -0.0 into 0.0, so that both are one class.
    let mut distinct: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    distinct
}

fn missing(column: &Column, table: &Table, row: usize) -> Error {
    ErrorKind::MissingClass { place: table.place(row).in_column(&column.name) }.into()
}

/// The class id of every row.
///
/// Classes are matched by text, and numbers and booleans also by value: the classes of a model
/// trained on an ARFF file with categories `{1,2}` match a numeric CSV column, and `True` matches
/// `true`.
pub(crate) fn labels(schema: &Schema, table: &Table) -> Result<Vec<u32>> {
    let target = schema.target().ok_or_else(|| ErrorKind::Options {
        problem: "the model does not know the name of its target column".to_owned(),
        remedy: "say which column has the classes".into(),
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
            .map(|(row, &value)| match known.of_value(value, &column.notation) {
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
        let number = |(name, id): (&str, u32)| Some((key(parse_number(name.as_bytes())?)?, id));
        Self { names, by_text: ids().collect(), by_number: ids().filter_map(number).collect() }
    }

    fn of_value(&self, value: f64, notation: &Notation) -> Option<u32> {
        match notation.is_plain() || value.is_nan() {
            true => self.of_number(value),
            false => self.of_text(&number_text(value, notation)),
        }
    }

    fn of_number(&self, value: f64) -> Option<u32> {
        self.by_number.get(&key(value)?).copied()
    }

    fn of_text(&self, text: &str) -> Option<u32> {
        if let Some(&id) = self.by_text.get(text) {
            return Some(id);
        }
        match parse_number(text.as_bytes()) {
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
