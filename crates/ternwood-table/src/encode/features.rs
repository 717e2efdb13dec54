//! Encodes a feature column as numbers.

use super::target::key;
use crate::error::{ErrorKind, Place, Result, clipped};
use crate::notation::{parse, parse_number};
use crate::table::{CategoryCode, Column, Nominal, Table, Values};
use std::collections::HashMap;
use ternwood::dataset::FeatureKind;
use ternwood::dataset::notation::{DAY, Notation};
use ternwood::{Feature, UNKNOWN, is_unknown_value};

/// A column, and the table with the places of its rows.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a> {
    pub(super) column: &'a Column,
    pub(super) table: &'a Table,
}

impl Cells<'_> {
    fn place(&self, row: usize) -> Place {
        self.table.place(row).in_column(&self.column.name)
    }
}

/// Appends the encoded column to `out` and returns the rows whose category the feature does not
/// have.
pub(super) fn encode(
    feature: &Feature,
    cells: Cells<'_>,
    out: &mut Vec<f64>,
) -> Result<Vec<usize>> {
    match (&feature.kind, &cells.column.values) {
        (FeatureKind::Number, Values::Numeric(values)) => {
            numbers(feature, values, cells, out)?;
        }
        (FeatureKind::Number, Values::Nominal(nominal)) => {
            // The table was read without the schema, so the error must name the value.
            let values = parse_texts(nominal, feature).map_err(|row| ErrorKind::NotANumber {
                place: cells.place(row),
                value: clipped(nominal.text(row).unwrap_or_default()),
            })?;
            numbers(feature, &values, cells, out)?;
        }
        (_, Values::Nominal(nominal)) => {
            return Ok(Ids::new(feature).of_texts(nominal, out));
        }
        (_, Values::Numeric(values)) => {
            return Ok(Ids::new(feature).of_numbers(values, out));
        }
    }
    Ok(Vec::new())
}

/// Appends numbers. Where training had days, the table may have seconds, and the other way round.
fn numbers(feature: &Feature, values: &[f64], cells: Cells<'_>, out: &mut Vec<f64>) -> Result<()> {
    let (first, filled) = (out.len(), feature.fill.unwrap_or(f64::NAN));
    match (&feature.notation, &cells.column.notation) {
        (Notation::Date(_), Notation::Time(_)) => out.extend(converted(values, |s| s / DAY)),
        (Notation::Time(_), Notation::Date(_)) => out.extend(converted(values, |d| d * DAY)),
        _ => out.extend_from_slice(values),
    }
    for (row, value) in out[first..].iter_mut().enumerate() {
        if value.is_nan() {
            // An unknown value stays unknown.
            *value = if is_unknown_value(*value) { *value } else { filled };
        } else if value.is_infinite() {
            return Err(ErrorKind::NotFinite { place: cells.place(row), value: *value }.into());
        }
    }
    Ok(())
}

/// Numbers in another unit. Missing and unknown ones are told by their bits, which would not survive.
fn converted(values: &[f64], convert: impl Fn(f64) -> f64) -> impl Iterator<Item = f64> {
    values.iter().map(move |&value| if value.is_nan() { value } else { convert(value) })
}

/// Parses texts as numbers. The error is the row of the first text that is not a number.
fn parse_texts(nominal: &Nominal, feature: &Feature) -> Result<Vec<f64>, usize> {
    let number = |name: &String| parse(&feature.notation, name.as_bytes());
    let number_of: Vec<Option<f64>> = nominal.categories().iter().map(number).collect();
    let number = |(row, code): (usize, &Option<CategoryCode>)| match code {
        Some(code) => number_of[code.index()].ok_or(row),
        None => Ok(f64::NAN),
    };
    nominal.codes().iter().enumerate().map(number).collect()
}

/// The ids of a feature's categories.
struct Ids<'a> {
    names: &'a [String],
    /// Stands for a missing value.
    missing: f64,
    /// Stands for a category that the feature does not have: an id that none has, or an unknown
    /// rank.
    unseen: f64,
    /// Categories that no training row had, by ascending id.
    absent: &'a [u32],
}

impl<'a> Ids<'a> {
    fn new(feature: &'a Feature) -> Self {
        let missing = feature.fill.unwrap_or(f64::NAN);
        let names = feature.kind.names();
        let unseen = if feature.kind.is_ordered() { UNKNOWN } else { names.len() as f64 };
        Self { names, missing, unseen, absent: &feature.absent }
    }

    fn of_texts(&self, nominal: &Nominal, out: &mut Vec<f64>) -> Vec<usize> {
        let by_name: HashMap<&str, usize> =
            self.names.iter().enumerate().map(|(id, name)| (name.as_str(), id)).collect();
        let by_number = self.by_number(|name| !is_padded(name));
        let same_number = |name: &str| {
            let number = parse_number(name.as_bytes()).filter(|_| !is_padded(name))?;
            by_number.get(&key(number)?).copied()
        };
        let id = |name: &String| {
            let same = by_name.get(name.as_str()).copied();
            same.or_else(|| same_boolean(name, self.names)).or_else(|| same_number(name))
        };
        let id_of: Vec<Option<usize>> = nominal.categories().iter().map(id).collect();
        let id_of_code = |code: &Option<CategoryCode>| code.map(|code| id_of[code.index()]);
        self.encode(nominal.codes().iter().map(id_of_code), out)
    }

    /// Categories that were read as numbers because the table was read without the schema.
    fn of_numbers(&self, values: &[f64], out: &mut Vec<f64>) -> Vec<usize> {
        let by_number = self.by_number(|_| true);
        let id_of_number = |value: &f64| {
            (!value.is_nan()).then(|| key(*value).and_then(|key| by_number.get(&key).copied()))
        };
        self.encode(values.iter().map(id_of_number), out)
    }

    /// The ids of the wanted names that are numbers, by number.
    fn by_number(&self, wanted: impl Fn(&str) -> bool) -> HashMap<u64, usize> {
        let ids = self.names.iter().enumerate().filter(|(_, name)| wanted(name));
        // Among names of the same number, the first has it.
        ids.rev()
            .filter_map(|(id, name)| Some((key(parse_number(name.as_bytes())?)?, id)))
            .collect()
    }

    /// Appends the rows: each has no value, a value without an id, or an id. Returns those whose
    /// category no training row had.
    fn encode(
        &self,
        ids: impl Iterator<Item = Option<Option<usize>>>,
        out: &mut Vec<f64>,
    ) -> Vec<usize> {
        let mut unseen_rows = Vec::new();
        for (row, id) in ids.enumerate() {
            out.push(match id {
                None => self.missing,
                Some(Some(id)) => {
                    let is_absent = |absent: &u32| *absent as usize == id;
                    if self.absent.iter().any(is_absent) {
                        unseen_rows.push(row);
                    }
                    id as f64
                }
                Some(None) => {
                    unseen_rows.push(row);
                    self.unseen
                }
            });
        }
        unseen_rows
    }
}

/// Whether a number is written with leading zeros or a plus, as codes are: `007` is a name.
fn is_padded(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    digits.first() == Some(&b'+')
        || digits.first() == Some(&b'0') && digits.get(1).is_some_and(u8::is_ascii_digit)
}

/// The boolean that a text spells, ignoring case: formats and languages write `True`, `true` or
/// `TRUE`.
pub(super) fn boolean(text: &str) -> Option<&'static str> {
    ["false", "true"].into_iter().find(|word| text.eq_ignore_ascii_case(word))
}

/// The index of the name that is the same boolean.
pub(super) fn same_boolean(text: &str, names: &[String]) -> Option<usize> {
    let word = boolean(text)?;
    names.iter().position(|name| name.eq_ignore_ascii_case(word))
}
