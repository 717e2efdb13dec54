//! Warnings of readers, writers and the encoder. They are returned, never printed.

use crate::encode::UnseenInColumn;
use crate::error::{Place, clipped, counted};
use crate::table::UnreadableInColumn;
use std::fmt;
use ternwood::dataset::notation::{DecimalMark, Marks};

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
    /// A column of whole numbers that identify the rows was dropped.
    NumericIdentifier {
        /// Name of the column.
        column: String,
        /// Why it is taken for an identifier.
        reason: &'static str,
    },
    /// A column has the same value in every row.
    Constant {
        /// Name of the column.
        column: String,
        /// The value.
        value: String,
    },
    /// A column has hardly any value.
    NearlyAllMissing {
        /// Name of the column.
        column: String,
        /// The number of missing values.
        missing: usize,
        /// The number of rows.
        rows: usize,
    },
    /// A column alone tells the class of every row.
    GivesTargetAway {
        /// Name of the column.
        column: String,
        /// Name of the target column.
        target: String,
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
    /// The texts of a column look like numbers or dates that could be read in another way.
    Spelling {
        /// The place of the first of them.
        place: Place,
        /// That text.
        value: String,
        /// How to read them.
        suggestion: Suggestion,
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
    /// A column has cells that could not be read.
    Unreadable(UnreadableInColumn),
}

/// How texts could be read, if asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    /// As dates of one of these patterns.
    Dates(Vec<String>),
    /// As numbers with one of these marks.
    Marks(Vec<Marks>),
    /// As numbers, if all had the same decimal mark.
    OneMark,
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options: Vec<String> = match self {
            Self::Dates(patterns) => {
                f.write_str("dates; to read them, say ")?;
                patterns.iter().map(|pattern| format!("--date COL={pattern}")).collect()
            }
            Self::OneMark => {
                return f.write_str(
                    "numbers, some with a decimal point and some with a decimal comma; write all \
                     of them in one way",
                );
            }
            Self::Marks(marks) => {
                f.write_str("numbers; to read them, say ")?;
                marks.iter().map(marks_as_options).collect()
            }
        };
        f.write_str(&options.join(" or "))
    }
}

fn marks_as_options(marks: &Marks) -> String {
    let decimal = (marks.decimal == DecimalMark::Comma).then(|| "--decimal ,".to_owned());
    let thousands = marks.thousands.map(|mark| match mark {
        ' ' | '\'' => format!("--thousands \"{mark}\""),
        mark => format!("--thousands {mark}"),
    });
    decimal.into_iter().chain(thousands).collect::<Vec<_>>().join(" ")
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
                 an identifier and is left out; to use it as categories, declare it nominal"
            ),
            Self::NumericIdentifier { column, reason } => write!(
                f,
                "column '{column}' {reason}, and is left out; to use it, declare it a number"
            ),
            Self::Constant { column, value } => write!(
                f,
                "column '{column}' is '{}' in every row and cannot help; drop it",
                clipped(value)
            ),
            Self::NearlyAllMissing { column, missing, rows } => write!(
                f,
                "column '{column}' is missing in {missing} of {rows} rows; consider dropping it"
            ),
            Self::GivesTargetAway { column, target } => write!(
                f,
                "column '{column}' alone tells '{target}' in every row; if it is known only \
                 afterwards, drop it"
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
            Self::Spelling { place, value, suggestion } => write!(
                f,
                "{place}: '{}' and all other values look like {suggestion}; as it is, the column \
                 is text",
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
            Self::Unreadable(cells) => cells.fmt(f),
        }
    }
}
