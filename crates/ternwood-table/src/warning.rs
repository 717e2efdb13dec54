//! Warnings of readers, writers and the encoder. They are returned, never printed.

use crate::encode::UnseenInColumn;
use crate::error::{Place, clipped, counted, listing};
use crate::shell::{list_option, option};
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
    /// A text column has many categories with few rows each.
    ManyCategories {
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
    /// A column holds different whole numbers that look like row numbers of which some are missing.
    RowNumbers {
        /// Name of the column.
        column: String,
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
    /// A column alone tells the class of at least 99.9 % of the rows.
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
    /// Some classes have a single row.
    SingleRowClasses {
        /// Name of the target column.
        column: String,
        /// The classes.
        classes: Vec<String>,
    },
    /// The target column has a single class.
    OneClass {
        /// Name of the target column.
        column: String,
        /// The class.
        class: String,
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

impl Warning {
    /// The column that the warning is about, if it is about one.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::EmptyColumn { column }
            | Self::Identifier { column, .. }
            | Self::ManyCategories { column, .. }
            | Self::RowNumbers { column }
            | Self::NumericIdentifier { column, .. }
            | Self::Constant { column, .. }
            | Self::NearlyAllMissing { column, .. }
            | Self::GivesTargetAway { column, .. }
            | Self::UnsupportedType { column, .. }
            | Self::NoTextForm { column, .. }
            | Self::ManyClasses { column, .. }
            | Self::OneClass { column, .. }
            | Self::SingleRowClasses { column, .. }
            | Self::NoClass { column, .. } => Some(column),
            Self::MostlyNumeric { place, .. } | Self::Spelling { place, .. } => {
                place.column.as_deref()
            }
            Self::DecimalComma { .. } | Self::UnseenCategories(_) | Self::Unreadable(_) => None,
        }
    }
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

impl Suggestion {
    /// What the texts look like.
    fn what(&self) -> &'static str {
        match self {
            Self::Dates(_) => "dates",
            Self::Marks(_) => "numbers",
            Self::OneMark => "numbers, some with a decimal point and some with a decimal comma",
        }
    }

    /// What to do to have a column read so: the options, by the possible readings.
    pub(crate) fn remedy(&self, column: &str) -> String {
        let options: Vec<String> = match self {
            Self::Dates(patterns) => {
                let date = |pattern| option("--date", &format!("{column}={pattern}"));
                patterns.iter().map(date).collect()
            }
            Self::Marks(marks) => marks.iter().map(marks_as_options).collect(),
            Self::OneMark => return "write all of them in one way".to_owned(),
        };
        format!("to read them, say {}", options.join(" or "))
    }
}

fn marks_as_options(marks: &Marks) -> String {
    let decimal = (marks.decimal == DecimalMark::Comma).then(|| option("--decimal", ","));
    let thousands = marks.thousands.map(|mark| option("--thousands", &mark.to_string()));
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
                 an identifier and is left out; to use it as categories, say {}",
                list_option("--nominal", column)
            ),
            Self::ManyCategories { column, distinct, values } => write!(
                f,
                "column '{column}' has {distinct} different texts in {values} rows, so most of them \
                 have too few rows to learn from; leave it out with {}, or confirm it as categories \
                 with {}",
                list_option("--drop", column),
                list_option("--nominal", column)
            ),
            Self::RowNumbers { column } => write!(
                f,
                "column '{column}' looks like row numbers, which say nothing about new rows; leave \
                 it out with {}, or confirm it as a number with {}",
                list_option("--drop", column),
                list_option("--number", column)
            ),
            Self::NumericIdentifier { column, reason } => write!(
                f,
                "column '{column}' {reason} and is left out; to use it, say {}",
                list_option("--number", column)
            ),
            Self::Constant { column, value } => write!(
                f,
                "column '{column}' is '{}' in every row and tells nothing; leave it out with {}",
                clipped(value),
                list_option("--drop", column)
            ),
            Self::NearlyAllMissing { column, missing, rows } => write!(
                f,
                "column '{column}' has no value in {missing} of {rows} rows; if the others tell \
                 little, leave it out with {}",
                list_option("--drop", column)
            ),
            Self::GivesTargetAway { column, target } => write!(
                f,
                "column '{column}' alone tells '{target}' in at least 99.9 % of the rows; is it the \
                 target in other words, or known only afterwards? If so, leave it out with {}",
                list_option("--drop", column)
            ),
            Self::UnsupportedType { column, column_type } => {
                write!(f, "column '{column}' of type {column_type} cannot be used and is left out")
            }
            Self::MostlyNumeric { place, value, numbers, words } => write!(
                f,
                "{place}: '{}' is not a number, so the column has categories, although {numbers} of \
                 its {} values are numbers; correct or empty the others; if categories are meant, \
                 say {}",
                clipped(value),
                numbers + words,
                list_option("--nominal", place.column.as_deref().unwrap_or("COL"))
            ),
            Self::Spelling { place, value, suggestion } => write!(
                f,
                "{place}: '{}' and all other values look like {}, but stay texts, which tell a tree \
                 little; {}",
                clipped(value),
                suggestion.what(),
                suggestion.remedy(place.column.as_deref().unwrap_or("COL"))
            ),
            Self::DecimalComma { columns } => {
                write!(
                    f,
                    "read with a decimal comma, 1,5 as 1.5: {columns}; {} confirms that, {} forbids it",
                    option("--decimal", ","),
                    option("--decimal", ".")
                )
            }
            Self::NoTextForm { column, column_type } => write!(
                f,
                "column '{column}' of type {column_type} cannot be written as text and is left \
                 out; write Parquet to keep it"
            ),
            Self::ManyClasses { column, classes, rows } => write!(
                f,
                "the target column '{column}' has {classes} classes in {rows} rows; is it a number? \
                 Group its values into a few classes first, or name another --target"
            ),
            Self::SingleRowClasses { column, classes } => single_rows(f, column, classes),
            Self::OneClass { column, class } => write!(
                f,
                "the target column '{column}' is '{}' in every row, so there is nothing to tell \
                 apart; name another --target, or add rows of other classes",
                clipped(class)
            ),
            Self::NoClass { column, rows } => {
                write!(f, "dropped {} without a class in column '{column}'", counted(*rows, "row"))
            }
            Self::UnseenCategories(unseen) => unseen.fmt(f),
            Self::Unreadable(cells) => cells.fmt(f),
        }
    }
}

fn single_rows(f: &mut fmt::Formatter<'_>, column: &str, classes: &[String]) -> fmt::Result {
    let noun = if classes.len() == 1 { "class" } else { "classes" };
    write!(
        f,
        "the target column '{column}' has a single row of the {noun} {}, which cannot be both \
         learned from and tested; add rows, merge the class with another one, or remove the row",
        listing(classes)
    )
}
