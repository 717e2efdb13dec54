//! Warnings of readers, writers and the encoder. They are returned, never printed.

use crate::encode::UnseenInColumn;
use crate::error::{Place, clipped, counted};
use std::fmt;

/// A guess or a loss of data that the user may want to know about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A column without any value was dropped.
    EmptyColumn {
        /// Name of the column.
        column: String,
    },
    /// A text column with (almost) one category per row was dropped.
    Identifier {
        /// Name of the column.
        column: String,
        /// The number of distinct values.
        distinct: usize,
        /// The number of values.
        values: usize,
    },
    /// A column of an unsupported type was dropped.
    UnsupportedType {
        /// Name of the column.
        column: String,
        /// Its type, as the file names it.
        column_type: String,
    },
    /// A column of mostly numbers is nominal because a few values are not.
    MostlyNumeric {
        /// The place of the first value that is not a number.
        place: Place,
        /// That value.
        value: String,
        /// The number of values that are numbers.
        numbers: u64,
        /// The number of values that are neither numbers nor missing.
        words: u64,
    },
    /// A column is nominal because its numbers contain commas.
    CommaInNumber {
        /// The place of the first such number.
        place: Place,
        /// That number.
        value: String,
    },
    /// Numbers were read with a decimal comma.
    DecimalComma {
        /// The list of columns.
        columns: String,
    },
    /// A column was not written because its type has no text form.
    NoTextForm {
        /// Name of the column.
        column: String,
        /// Its type, as the file names it.
        column_type: String,
    },
    /// The target column has suspiciously many classes.
    ManyClasses {
        /// Name of the target column.
        column: String,
        /// The number of classes.
        classes: usize,
        /// The number of rows.
        rows: usize,
    },
    /// Rows were dropped because they have no class.
    NoClass {
        /// Name of the target column.
        column: String,
        /// The number of rows.
        rows: usize,
    },
    /// A column has categories that training did not see.
    UnseenCategories(UnseenInColumn),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyColumn { column } => {
                write!(f, "column '{column}' has no value at all and is left out")
            }
            Self::Identifier { column, distinct, values } => write!(
                f,
                "column '{column}' has {distinct} different texts in {values} rows, looks like \
                 an identifier and is left out; declare it nominal to use it"
            ),
            Self::UnsupportedType { column, column_type } => {
                write!(f, "column '{column}' of type {column_type} cannot be used and is left out")
            }
            Self::MostlyNumeric { place, value, numbers, words } => write!(
                f,
                "{place}: '{}' is not a number, so the column is nominal, although it has \
                 {numbers} numbers and only {words} other values; correct these, or declare the \
                 column nominal",
                clipped(value)
            ),
            Self::CommaInNumber { place, value } => write!(
                f,
                "{place}: '{}' has a comma, so the column is nominal; write numbers with a decimal \
                 point and nothing between thousands, or declare the column nominal",
                clipped(value)
            ),
            Self::DecimalComma { columns } => {
                write!(f, "read with a decimal comma, 1,5 as 1.5: {columns}")
            }
            Self::NoTextForm { column, column_type } => write!(
                f,
                "column '{column}' of type {column_type} cannot be written as text and is left \
                 out; write Parquet to keep it"
            ),
            Self::ManyClasses { column, classes, rows } => write!(
                f,
                "the target column '{column}' has {classes} classes in {rows} rows; is it a \
                 column of classes?"
            ),
            Self::NoClass { column, rows } => {
                write!(f, "dropped {} without a class in column '{column}'", counted(*rows, "row"))
            }
            Self::UnseenCategories(unseen) => unseen.fmt(f),
        }
    }
}
