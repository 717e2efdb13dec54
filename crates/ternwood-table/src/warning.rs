//! Warnings of readers, writers and the encoder. They are returned, never printed.

use crate::encode::UnseenInColumn;
use crate::error::{Place, clipped, counted, listing};
use crate::remedy::{Name, Remedy};
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

    /// What can be done about it, as far as a program may have a name for it.
    #[must_use]
    pub fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Identifier { column, .. } => vec![Remedy::Categories(column.clone())],
            Self::ManyCategories { column, .. } => {
                vec![Remedy::LeaveOut(column.clone()), Remedy::Categories(column.clone())]
            }
            Self::RowNumbers { column } => {
                vec![Remedy::LeaveOut(column.clone()), Remedy::Number(column.clone())]
            }
            Self::NumericIdentifier { column, .. } => vec![Remedy::Number(column.clone())],
            Self::Constant { column, .. }
            | Self::NearlyAllMissing { column, .. }
            | Self::GivesTargetAway { column, .. } => vec![Remedy::LeaveOut(column.clone())],
            Self::MostlyNumeric { .. } => vec![Remedy::Categories(self.place_column())],
            Self::Spelling { suggestion, .. } => suggestion.remedies(&self.place_column()),
            Self::DecimalComma { .. } => {
                [DecimalMark::Comma, DecimalMark::Point].map(Remedy::DecimalMark).to_vec()
            }
            Self::ManyClasses { .. } | Self::OneClass { .. } => vec![Remedy::Target],
            Self::EmptyColumn { .. }
            | Self::UnsupportedType { .. }
            | Self::NoTextForm { .. }
            | Self::SingleRowClasses { .. }
            | Self::NoClass { .. }
            | Self::UnseenCategories(_)
            | Self::Unreadable(_) => Vec::new(),
        }
    }

    fn place_column(&self) -> String {
        self.column().unwrap_or("COL").to_owned()
    }

    /// The warning in words, with what the program calls the [remedies](Self::remedies).
    ///
    /// ```
    /// use ternwood_table::{Remedy, Warning};
    ///
    /// let warning = Warning::RowNumbers { column: "row".to_owned() };
    /// let general = "column 'row' looks like row numbers, which say nothing about new rows; leave it out, or confirm \
    ///                it as a number";
    /// assert_eq!(warning.to_string(), general);
    /// let in_words = warning.in_words(&|remedy| match remedy {
    ///     Remedy::LeaveOut(column) => Some(format!("drop={column}")),
    ///     _ => None,
    /// });
    /// assert!(in_words.ends_with("leave it out with drop=row, or confirm it as a number"));
    /// ```
    #[must_use]
    pub fn in_words(&self, name: &dyn Fn(&Remedy) -> Option<String>) -> String {
        let remedies = self.remedies();
        let doing = |index: usize, words: &str| match remedies.get(index) {
            Some(remedy) => remedy.doing(words, name),
            None => words.to_owned(),
        };
        // "to use it, say NAME", or "it can be used as ..."
        let to_use = |words: &str| match remedies.first().and_then(name) {
            Some(name) => format!("{words}, say {name}"),
            None => format!(
                "{words}, {}",
                remedies.first().map_or_else(String::new, ToString::to_string)
            ),
        };
        match self {
            Self::EmptyColumn { column } => {
                format!("column '{column}' has no value at all and is left out")
            }
            Self::Identifier { column, distinct, values } => format!(
                "column '{column}' has {distinct} different texts in {values} rows, looks like \
                 an identifier and is left out; {}",
                to_use("to use it as categories")
            ),
            Self::ManyCategories { column, distinct, values } => format!(
                "column '{column}' has {distinct} different texts in {values} rows, so most of them \
                 have too few rows to learn from; {}, or {}",
                doing(0, "leave it out"),
                doing(1, "confirm it as categories")
            ),
            Self::RowNumbers { column } => format!(
                "column '{column}' looks like row numbers, which say nothing about new rows; {}, or \
                 {}",
                doing(0, "leave it out"),
                doing(1, "confirm it as a number")
            ),
            Self::NumericIdentifier { column, reason } => {
                format!("column '{column}' {reason} and is left out; {}", to_use("to use it"))
            }
            Self::Constant { column, value } => format!(
                "column '{column}' is '{}' in every row and tells nothing; {}",
                clipped(value),
                doing(0, "leave it out")
            ),
            Self::NearlyAllMissing { column, missing, rows } => format!(
                "column '{column}' has no value in {missing} of {rows} rows; if the others tell \
                 little, {}",
                doing(0, "leave it out")
            ),
            Self::GivesTargetAway { column, target } => format!(
                "column '{column}' alone tells '{target}' in at least 99.9 % of the rows; is it the \
                 target in other words, or known only afterwards? If so, {}",
                doing(0, "leave it out")
            ),
            Self::UnsupportedType { column, column_type } => {
                format!("column '{column}' of type {column_type} cannot be used and is left out")
            }
            Self::MostlyNumeric { place, value, numbers, words } => format!(
                "{place}: '{}' is not a number, so the column has categories, although {numbers} of \
                 its {} values are numbers; correct or empty the others; {}",
                clipped(value),
                numbers + words,
                to_use("if categories are meant")
            ),
            Self::Spelling { place, value, suggestion } => format!(
                "{place}: '{}' and all other values look like {}, but stay texts, which tell a tree \
                 little; {}",
                clipped(value),
                suggestion.what(),
                to_read(&remedies, name)
            ),
            Self::DecimalComma { columns } => {
                let names: Option<Vec<String>> = remedies.iter().map(name).collect();
                let remedy = match names.as_deref() {
                    Some([comma, point]) => format!("{comma} confirms that, {point} forbids it"),
                    _ => "name the decimal mark to confirm or forbid that".to_owned(),
                };
                format!("read with a decimal comma, 1,5 as 1.5: {columns}; {remedy}")
            }
            Self::NoTextForm { column, column_type } => format!(
                "column '{column}' of type {column_type} cannot be written as text and is left \
                 out; write Parquet to keep it"
            ),
            Self::ManyClasses { column, classes, rows } => format!(
                "the target column '{column}' has {classes} classes in {rows} rows; is it a number? \
                 Group its values into a few classes first, or name another {}",
                name(&Remedy::Target).unwrap_or_else(|| "target".to_owned())
            ),
            Self::SingleRowClasses { column, classes } => single_rows(column, classes),
            Self::OneClass { column, class } => format!(
                "the target column '{column}' is '{}' in every row, so there is nothing to tell \
                 apart; name another {}, or add rows of other classes",
                clipped(class),
                name(&Remedy::Target).unwrap_or_else(|| "target".to_owned())
            ),
            Self::NoClass { column, rows } => {
                format!("dropped {} without a class in column '{column}'", counted(*rows, "row"))
            }
            Self::UnseenCategories(unseen) => unseen.to_string(),
            Self::Unreadable(cells) => cells.to_string(),
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

    /// The ways to have a column read so; none if its texts must change.
    pub(crate) fn remedies(&self, column: &str) -> Vec<Remedy> {
        let column = column.to_owned();
        let date =
            |pattern: &String| Remedy::Date { column: column.clone(), pattern: pattern.clone() };
        match self {
            Self::Dates(patterns) => patterns.iter().map(date).collect(),
            Self::Marks(marks) => marks.iter().copied().map(Remedy::Marks).collect(),
            Self::OneMark => Vec::new(),
        }
    }
}

/// How to have texts read as what they look like.
fn to_read(remedies: &[Remedy], name: Name<'_>) -> String {
    let names: Option<Vec<String>> = remedies.iter().map(name).collect();
    match names {
        _ if remedies.is_empty() => "write all of them in one way".to_owned(),
        Some(names) => format!("to read them, say {}", names.join(" or ")),
        None => {
            let remedies: Vec<String> = remedies.iter().map(ToString::to_string).collect();
            format!("to read them, ask for {}", remedies.join(" or "))
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(&|_| None))
    }
}

fn single_rows(column: &str, classes: &[String]) -> String {
    let noun = if classes.len() == 1 { "class" } else { "classes" };
    format!(
        "the target column '{column}' has a single row of the {noun} {}, which cannot be both \
         learned from and tested; add rows, merge the class with another one, or remove the row",
        listing(classes)
    )
}
