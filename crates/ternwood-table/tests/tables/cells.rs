//! What cells mean: the cases that the Python package and the script of pages are tested with, too.

use super::read;
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;
use ternwood::dataset::notation::Notation;
use ternwood::{Schema, UNKNOWN, is_unknown_value};
use ternwood_table::{EncodeOptions, ReadOptions, Result, Source, Unreadable, encode, read_table};

const CASES: &str = include_str!("../../../../testdata/cells.json");

/// A column of a training table, how it is read, and cells of later tables with their meanings.
#[derive(Deserialize)]
struct Case {
    column: String,
    training: Vec<String>,
    notation: Option<Notation>,
    categories: Option<Vec<String>>,
    cells: Vec<(String, Value)>,
}

/// A text table of one column, and another one of classes.
fn csv<'a>(cells: impl IntoIterator<Item = &'a String>) -> String {
    let mut text = "x,class\n".to_owned();
    for (row, cell) in cells.into_iter().enumerate() {
        writeln!(text, "\"{cell}\",{}", ["no", "yes"][row % 2]).unwrap();
    }
    text
}

/// The value of a later cell, and whether its category is new.
fn later(schema: &Schema, cell: &String) -> Result<(f64, bool)> {
    let options = ReadOptions::for_features(schema.features()).unreadable(Unreadable::Unknown);
    let mut table = read_table(&Source::bytes("later.csv", csv([cell]).into_bytes()), &options)?;
    let encoded = table.take_features(schema)?;
    Ok((encoded.columns.column(0)[0], encoded.unseen_in_row(0).next().is_some()))
}

#[test]
fn cells_mean_what_the_table_of_cases_says() {
    let cases: Vec<Case> = serde_json::from_str(CASES).unwrap();
    for case in cases {
        let twice = case.training.iter().chain(&case.training);
        let table = read("training.csv", csv(twice)).unwrap();
        let schema =
            encode(table, "class", EncodeOptions::default()).unwrap().dataset.schema().clone();
        let feature = &schema.features()[0];
        assert_eq!(feature.notation, case.notation.unwrap_or_default(), "{}", case.column);
        assert_eq!(feature.kind.names(), case.categories.unwrap_or_default(), "{}", case.column);
        for (cell, meaning) in &case.cells {
            let found = later(&schema, cell);
            let place = format!("{}: {cell:?} is {found:?}, not {meaning}", case.column);
            let fits = match (meaning, found) {
                (Value::Number(number), Ok((value, _))) => number.as_f64() == Some(value),
                (Value::Null, Ok((value, _))) => value.is_nan() && !is_unknown_value(value),
                (Value::String(name), Ok((value, false))) => {
                    &feature.kind.names()[value as usize] == name
                }
                (Value::Object(other), found) if other.contains_key("unseen") => {
                    matches!(found, Ok((value, true)) if value == feature.kind.names().len() as f64)
                }
                (Value::Object(other), found) if other.contains_key("unreadable") => {
                    matches!(found, Ok((value, _)) if value.to_bits() == UNKNOWN.to_bits())
                }
                (Value::Object(_), Err(error)) => error.to_string().contains("inf"),
                _ => false,
            };
            assert!(fits, "{place}");
        }
    }
}
