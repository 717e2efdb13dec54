//! Settles what the columns of a table are, once all their values are known.

use super::{Column, DecidedBy, Nominal, Table, Values};
use crate::error::listing;
use crate::infer::{Notations, suggestion};
use crate::notation::{parse, parse_number};
use crate::warning::Warning;
use ternwood::dataset::notation::{DAY, Notation};

/// Columns of texts that are numbers or dates after all become numbers, and columns of times that
/// are all at midnight become dates. Warns of texts that look like numbers or dates.
pub(crate) fn settle(table: &mut Table, notations: &Notations) {
    let mut columns = std::mem::take(&mut table.columns);
    for column in &mut columns {
        if column.decided_by != DecidedBy::User {
            numbers_from_texts(column, notations);
        }
        days_from_times(column);
    }
    let unasked = columns.iter().filter(|column| column.decided_by == DecidedBy::Values);
    let commas = unasked.filter(|column| column.notation.has_decimal_comma());
    let commas: Vec<&str> = commas.map(Column::name).collect();
    if !commas.is_empty() && !notations.expect_commas() {
        table.warnings.push(Warning::DecimalComma { columns: listing(&commas) });
    }
    let doubts = columns.iter().filter_map(|column| doubt(column, table)).collect::<Vec<_>>();
    table.warnings.extend(doubts);
    table.columns = columns;
}

fn numbers_from_texts(column: &mut Column, notations: &Notations) {
    let Values::Nominal(nominal) = &column.values else { return };
    if nominal.origin.is_fixed() || nominal.categories.is_empty() {
        return;
    }
    let texts = nominal.categories.iter().map(|text| text.trim().as_bytes());
    let Some(notation) = notations.common(texts.clone()) else { return };
    let numbers: Option<Vec<f64>> = texts.map(|text| parse(&notation, text)).collect();
    let Some(numbers) = numbers else { return };
    let codes = nominal.codes.iter();
    let values = codes.map(|code| code.map_or(f64::NAN, |code| numbers[code.index()])).collect();
    (column.values, column.notation) = (Values::Numeric(values), notation);
}

fn days_from_times(column: &mut Column) {
    let (Notation::Time(pattern), Values::Numeric(values)) = (&column.notation, &mut column.values)
    else {
        return;
    };
    let is_day = |seconds: &f64| seconds.is_nan() || (seconds / DAY).floor() * DAY == *seconds;
    if values.iter().all(is_day) {
        // What is unknown is told by its bits, which arithmetic may change.
        let present = values.iter_mut().filter(|seconds| !seconds.is_nan());
        present.for_each(|seconds| *seconds /= DAY);
        column.notation = Notation::Date(pattern.clone());
    }
}

/// What may be wrong with a column of texts.
fn doubt(column: &Column, table: &Table) -> Option<Warning> {
    let Values::Nominal(nominal) = &column.values else { return None };
    if column.decided_by != DecidedBy::Values {
        return None;
    }
    let texts: Vec<&[u8]> = nominal.categories.iter().map(String::as_bytes).collect();
    if let Some(suggestion) = suggestion(&texts) {
        let (row, value) = first(nominal, |_| true)?;
        let place = table.place(row).in_column(&column.name);
        return Some(Warning::Spelling { place, value: value.to_owned(), suggestion });
    }
    let is_number: Vec<bool> =
        nominal.categories.iter().map(|text| parse_number(text.as_bytes()).is_some()).collect();
    let codes = nominal.codes.iter().flatten();
    let numbers = codes.clone().filter(|code| is_number[code.index()]).count() as u64;
    let words = codes.count() as u64 - numbers;
    if numbers <= words {
        return None;
    }
    let (row, value) = first(nominal, |code| !is_number[code])?;
    let place = table.place(row).in_column(&column.name);
    Some(Warning::MostlyNumeric { place, value: value.to_owned(), numbers, words })
}

/// The first row with a category for which `wanted` is true.
fn first(nominal: &Nominal, wanted: impl Fn(usize) -> bool) -> Option<(usize, &str)> {
    let is_wanted = |row: &usize| nominal.codes[*row].is_some_and(|code| wanted(code.index()));
    let row = (0..nominal.codes.len()).find(is_wanted)?;
    Some((row, nominal.text(row)?))
}
