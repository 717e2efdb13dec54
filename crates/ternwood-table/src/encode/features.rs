//! Encodes a feature column as numbers.

use super::target::key;
use crate::error::{Error, ErrorKind, Place, Result, clipped, listing};
use crate::number;
use crate::table::{CategoryCode, Column, Nominal, Table, Values};
use std::collections::HashMap;
use ternwood::Feature;
use ternwood::dataset::FeatureKind;

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

/// Appends the encoded column to `out`.
pub(super) fn encode(feature: &Feature, cells: Cells<'_>, out: &mut Vec<f64>) -> Result<()> {
    match (&feature.kind, &cells.column.values) {
        (FeatureKind::Number, Values::Numeric(values)) => numbers(feature.fill, values, cells, out),
        (FeatureKind::Number, Values::Nominal(nominal)) => {
            // The table was read without the schema, so the error must name the value.
            let values = parse_texts(nominal).map_err(|row| ErrorKind::NotANumber {
                place: cells.place(row),
                value: clipped(nominal.text(row).unwrap_or_default()),
            })?;
            numbers(feature.fill, &values, cells, out)
        }
        (FeatureKind::Categories(categories), Values::Nominal(nominal)) => {
            let codes = Codes { feature, categories };
            codes.of_texts(nominal, cells, out)
        }
        (FeatureKind::Categories(categories), Values::Numeric(values)) => {
            let codes = Codes { feature, categories };
            codes.of_numbers(values, cells, out)
        }
    }
}

fn numbers(fill: Option<f64>, values: &[f64], cells: Cells<'_>, out: &mut Vec<f64>) -> Result<()> {
    let first = out.len();
    out.extend_from_slice(values);
    for (row, value) in out[first..].iter_mut().enumerate() {
        if value.is_nan() {
            *value = fill.ok_or_else(|| missing(cells.place(row)))?;
        } else if value.is_infinite() {
            return Err(ErrorKind::NotFinite { place: cells.place(row), value: *value }.into());
        }
    }
    Ok(())
}

/// Parses texts as numbers. The error is the row of the first text that is not a number.
fn parse_texts(nominal: &Nominal) -> Result<Vec<f64>, usize> {
    let number_of: Vec<Option<f64>> =
        nominal.categories().iter().map(|name| number::parse(name.as_bytes())).collect();
    let number = |(row, code): (usize, &Option<CategoryCode>)| match code {
        Some(code) => number_of[code.index()].ok_or(row),
        None => Ok(f64::NAN),
    };
    nominal.codes().iter().enumerate().map(number).collect()
}

/// The training categories of a feature.
struct Codes<'a> {
    feature: &'a Feature,
    categories: &'a [String],
}

impl Codes<'_> {
    fn of_texts(&self, nominal: &Nominal, cells: Cells<'_>, out: &mut Vec<f64>) -> Result<()> {
        let by_name: HashMap<&str, usize> =
            self.categories.iter().enumerate().map(|(code, name)| (name.as_str(), code)).collect();
        let code = |name: &String| {
            by_name.get(name.as_str()).copied().or_else(|| same_boolean(name, self.categories))
        };
        let code_of: Vec<Option<usize>> = nominal.categories().iter().map(code).collect();
        for (row, code) in nominal.codes().iter().enumerate() {
            out.push(match code {
                None => self.fill_missing(cells.place(row))?,
                Some(code) => match code_of[code.index()] {
                    Some(code) => code as f64,
                    None => self.fill_unknown(&nominal.categories()[code.index()], cells, row)?,
                },
            });
        }
        Ok(())
    }

    /// Categories that were read as numbers because the table was read without the schema.
    fn of_numbers(&self, values: &[f64], cells: Cells<'_>, out: &mut Vec<f64>) -> Result<()> {
        let by_number: HashMap<u64, usize> = (self.categories.iter().enumerate())
            .filter_map(|(code, name)| Some((key(number::parse(name.as_bytes())?)?, code)))
            .collect();
        for (row, &value) in values.iter().enumerate() {
            out.push(match key(value).and_then(|key| by_number.get(&key)) {
                _ if value.is_nan() => self.fill_missing(cells.place(row))?,
                Some(&code) => code as f64,
                None => self.fill_unknown(&value.to_string(), cells, row)?,
            });
        }
        Ok(())
    }

    fn fill_missing(&self, place: Place) -> Result<f64> {
        self.feature.fill.ok_or_else(|| missing(place))
    }

    fn fill_unknown(&self, value: &str, cells: Cells<'_>, row: usize) -> Result<f64> {
        match self.feature.fill {
            Some(fill) if self.feature.unknown_as_missing => Ok(fill),
            _ => Err(ErrorKind::UnknownCategory {
                place: cells.place(row),
                value: clipped(value),
                known: listing(self.categories),
            }
            .into()),
        }
    }
}

/// The index of the name that is the same boolean, ignoring case: formats and languages write
/// `True`, `true` or `TRUE`.
pub(super) fn same_boolean(text: &str, names: &[String]) -> Option<usize> {
    let word = ["false", "true"].into_iter().find(|word| text.eq_ignore_ascii_case(word))?;
    names.iter().position(|name| name.eq_ignore_ascii_case(word))
}

fn missing(place: Place) -> Error {
    ErrorKind::MissingValue { place }.into()
}
