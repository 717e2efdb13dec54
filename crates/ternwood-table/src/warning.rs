//! What a reader or encoder did that its user may want to know. Returned, never printed.

use crate::error::{Place, clipped};
use std::fmt;

/// Something that was decided on the user's behalf.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A column without a single value was left out.
    EmptyColumn {
        /// Name of the column.
        column: String,
    },
    /// A text column with (almost) a category per row was left out.
    Identifier {
        /// Name of the column.
        column: String,
        /// How many different values it has.
        distinct: usize,
        /// How many values it has.
        values: usize,
    },
    /// A column of a type that cannot be learnt from was left out.
    UnsupportedType {
        /// Name of the column.
        column: String,
        /// Its type, in the file's own words.
        column_type: String,
    },
    /// A column became nominal because of a few values among many numbers.
    MostlyNumeric {
        /// Where the first value stands that is no number.
        place: Place,
        /// That value.
        value: String,
        /// How many values are numbers.
        numbers: u64,
        /// How many values are neither numbers nor missing.
        words: u64,
    },
    /// A column became nominal because its numbers have commas.
    CommaInNumber {
        /// Where the first of them stands.
        place: Place,
        /// That number.
        value: String,
    },
    /// Numbers were read with a decimal comma.
    DecimalComma {
        /// The columns, listed.
        columns: String,
    },
    /// A column of a type that text has no form for was left out.
    NoTextForm {
        /// Name of the column.
        column: String,
        /// Its type, in the file's own words.
        column_type: String,
    },
    /// The target column has so many classes that it is hardly one of classes.
    ManyClasses {
        /// Name of the target column.
        column: String,
        /// How many classes there are.
        classes: usize,
        /// How many rows there are.
        rows: usize,
    },
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
        }
    }
}
