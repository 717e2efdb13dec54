//! The error type of the crate.
//!
//! Every message names the thing, its value, the place (file, line, column) and the remedy.
//! Match on [`Error::kind`] to react to a cause; print the error for the user.

use crate::options::max_row;
use crate::remedy::{Name, Remedy};
use crate::warning::Warning;
use std::fmt;
pub(crate) use ternwood::words::counted;

/// A `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error. One machine word wide, so that `Result`s stay cheap.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// The cause, to match on.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// The error in words, with what the program calls its [remedy](Remedy).
    #[must_use]
    pub fn in_words(&self, name: &dyn Fn(&Remedy) -> Option<String>) -> String {
        match self.kind() {
            ErrorKind::Options { problem, remedy } => {
                format!("{problem}; {}", remedy.with_name(name))
            }
            ErrorKind::NoFeatures { file, warnings } => {
                format!("{file}: there is no column to learn from: {}", reasons(warnings, name))
            }
            other => other.to_string(),
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl From<ternwood::Error> for Error {
    fn from(error: ternwood::Error) -> Self {
        ErrorKind::Data(error).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.0)
    }
}

/// A place in a file, as far as it is known.
///
/// Lines and rows are counted from 1, as in editors. Prints as
/// `people.csv, line 12, column 'age'`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// Name of the file.
    pub file: String,
    /// Line of a text file.
    pub line: Option<u64>,
    /// Data row, for files without lines.
    pub row: Option<u64>,
    /// Name of the column.
    pub column: Option<String>,
}

impl Place {
    /// A file as a whole.
    #[must_use]
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// The same file at this line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The same place in this column.
    #[must_use]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.file.is_empty() { "the table" } else { &self.file })?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column '{column}'")?;
        }
        Ok(())
    }
}

/// The cause of an [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file cannot be opened, read or written.
    #[error("{file}: {problem}")]
    Io {
        /// Name of the file.
        file: String,
        /// The error of the operating system or the decompressor.
        #[source]
        problem: std::io::Error,
    },

    /// The file has an unsupported format.
    #[error("{file}: {problem}; {remedy}")]
    Format {
        /// Name of the file.
        file: String,
        /// What is wrong with it.
        problem: String,
        /// What to do about it.
        remedy: &'static str,
    },

    /// The text is malformed.
    #[error("{place}: {problem}")]
    Syntax {
        /// Where.
        place: Place,
        /// What is wrong, and what was expected.
        problem: String,
    },

    /// A row has more or fewer fields than the table has columns.
    #[error(
        "{place}: {}, but the table has {}; check for a missing or unquoted delimiter{hint}",
        counted(*.found, "field"), counted(*.expected, "column")
    )]
    Ragged {
        /// Where.
        place: Place,
        /// The number of columns of the table.
        expected: usize,
        /// The number of fields of the row.
        found: usize,
        /// More about the likely cause, or empty.
        hint: String,
    },

    /// A field or a row is longer than the options allow.
    #[error(
        "{place}: the {what} is longer than {}; is a quote not closed? If not, allow longer fields",
        bytes(*.limit)
    )]
    TooLong {
        /// Where.
        place: Place,
        /// `"field"` or `"row"`.
        what: &'static str,
        /// The number of bytes that it may have.
        limit: usize,
        /// The number of bytes that a field may have: [`ReadOptions::max_field`](crate::ReadOptions::max_field).
        max_field: usize,
    },

    /// Bytes that are not UTF-8.
    #[error(
        "{place}: the text is not UTF-8; convert the file, for instance with \
         `iconv -f WINDOWS-1252 -t UTF-8`"
    )]
    NotUtf8 {
        /// Where.
        place: Place,
    },

    /// A value of a numeric column that is not a number.
    #[error("{place}: '{value}' is not a number; correct the cell or empty it")]
    NotANumber {
        /// Where.
        place: Place,
        /// The offending text.
        value: String,
    },

    /// A value of a column of dates that is not a date.
    #[error(
        "{place}: '{value}' is not a date like {pattern} (%d day, %m month, %Y year); correct the \
         cell or empty it"
    )]
    NotADate {
        /// Where.
        place: Place,
        /// The offending text.
        value: String,
        /// The pattern of the column.
        pattern: String,
    },

    /// A value of a column of ordered categories that is not one of them.
    #[error("{place}: '{value}' has no place in the order {known}; correct the cell or empty it")]
    NoRank {
        /// Where.
        place: Place,
        /// The offending text.
        value: String,
        /// The order.
        known: String,
    },

    /// A value that is not among the categories the file declares for its column.
    #[error(
        "{place}: unknown category '{value}'; known are {known}; correct the value, or declare it \
         in the header"
    )]
    UndeclaredCategory {
        /// Where.
        place: Place,
        /// The offending value.
        value: String,
        /// The known categories.
        known: String,
    },

    /// A class that did not occur in training.
    #[error(
        "{place}: unknown category '{value}'; known are {known}; no such class was there in \
         training"
    )]
    UnknownClass {
        /// Where.
        place: Place,
        /// The offending value.
        value: String,
        /// The known classes.
        known: String,
    },

    /// A missing feature value where that is an error.
    #[error("{place}: the value is missing; fill it in, drop the row, or allow missing values")]
    MissingValue {
        /// Where.
        place: Place,
    },

    /// A missing feature value where the training table had none.
    #[error(
        "{place}: the value is missing, and the training table had no gaps in this column; fill it in, or \
         drop the row"
    )]
    NewGap {
        /// Where.
        place: Place,
    },

    /// A row without a class.
    #[error("{place}: the value is missing; every row needs a class: fill it in or drop the row")]
    MissingClass {
        /// Where.
        place: Place,
    },

    /// A feature value or class label that is infinite.
    #[error("{place}: {value} is not a finite number; correct the value or drop the row")]
    NotFinite {
        /// Where.
        place: Place,
        /// The offending value.
        value: f64,
    },

    /// A class so large that neighbouring integers are the same float.
    #[error(
        "{place}: the class {value} is too large a number to be told from its neighbours; \
         declare the column nominal"
    )]
    InexactClass {
        /// Where.
        place: Place,
        /// The class as a float.
        value: f64,
    },

    /// There is no column of this name.
    #[error("{file}: there is no column '{name}'{}; the columns are: {known}", did_you_mean(.closest))]
    UnknownColumn {
        /// Name of the file.
        file: String,
        /// The requested name.
        name: String,
        /// The most similar column names, if any is similar.
        closest: Vec<String>,
        /// All column names.
        known: String,
    },

    /// Two columns or two categories have the same name.
    #[error("{place}: the {what} '{name}' occurs twice; rename one")]
    DuplicateName {
        /// Where.
        place: Place,
        /// `"column name"` or `"category"`.
        what: &'static str,
        /// The name.
        name: String,
    },

    /// The table has no rows or no columns.
    #[error("{file}: the table has no {what}; at least one is needed")]
    Empty {
        /// Name of the file.
        file: String,
        /// `"columns"` or `"rows"`.
        what: &'static str,
    },

    /// There is no column to learn from.
    #[error("{file}: there is no column to learn from: {}", reasons(.warnings, &|_| None))]
    NoFeatures {
        /// Name of the file.
        file: String,
        /// Why the columns are left out.
        warnings: Vec<Warning>,
    },

    /// No row has a class.
    #[error(
        "{file}: the target column '{column}' has no value at all, so no row has a class; name \
         another target"
    )]
    NoClasses {
        /// Name of the file.
        file: String,
        /// Name of the column.
        column: String,
    },

    /// Columns that should form one table have different lengths.
    #[error("column '{column}' has {found} rows, but {expected} were expected")]
    Length {
        /// Name of the column.
        column: String,
        /// Rows expected.
        expected: usize,
        /// Rows found.
        found: usize,
    },

    /// Options that contradict each other.
    #[error("{problem}; {}", .remedy.with_name(&|_| None))]
    Options {
        /// What is wrong.
        problem: String,
        /// What to do about it.
        remedy: Remedy,
    },

    /// The table was read, but `ternwood` rejects the data.
    #[error(transparent)]
    Data(ternwood::Error),
}

/// Why there is no column to learn from.
fn reasons(warnings: &[Warning], name: Name<'_>) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = warnings.iter().take(SHOWN).map(|it| it.in_words(name)).collect();
    let more = warnings.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    match shown.as_slice() {
        [] => "the target is its only column".to_owned(),
        shown => format!("{}{more}", shown.join("; ")),
    }
}

fn did_you_mean(closest: &[String]) -> String {
    let quoted: Vec<String> = closest.iter().map(|name| format!("'{}'", clipped(name))).collect();
    if quoted.is_empty() {
        String::new()
    } else {
        format!(" (did you mean {}?)", quoted.join(" or "))
    }
}

/// "1 MiB", "1500 bytes".
fn bytes(count: usize) -> String {
    match count {
        _ if count > 0 && count.is_multiple_of(1 << 20) => format!("{} MiB", count >> 20),
        _ if count > 0 && count.is_multiple_of(1 << 10) => format!("{} KiB", count >> 10),
        _ => counted(count, "byte"),
    }
}

/// An error of a field that is longer than fields may be.
pub(crate) fn field_too_long(place: Place, max_field: usize) -> Error {
    ErrorKind::TooLong { place, what: "field", limit: max_field, max_field }.into()
}

/// An error of a row that is too long where fields may have this length.
pub(crate) fn row_too_long(place: Place, max_field: usize) -> Error {
    ErrorKind::TooLong { place, what: "row", limit: max_row(max_field), max_field }.into()
}

/// A syntax error.
pub(crate) fn syntax(place: Place, problem: impl Into<String>) -> Error {
    ErrorKind::Syntax { place, problem: problem.into() }.into()
}

/// An input or output error, with a remedy for those of the decompressor.
pub(crate) fn io(file: &str, problem: std::io::Error) -> Error {
    use std::io::ErrorKind as Cause;
    let damage = match problem.kind() {
        Cause::UnexpectedEof => "the compressed file ends too early".to_owned(),
        Cause::InvalidInput | Cause::InvalidData => {
            format!("the compressed file is damaged ({problem})")
        }
        _ => return ErrorKind::Io { file: file.to_owned(), problem }.into(),
    };
    let remedy = "fetch or copy it again; `gzip -t` tells whether it is whole";
    ErrorKind::Format { file: file.to_owned(), problem: damage, remedy }.into()
}

/// Names for a message: the first dozen, quoted, and the number of others.
pub(crate) fn listing<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 12;
    if names.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> =
        names.iter().take(SHOWN).map(|name| format!("'{}'", clipped(name.as_ref()))).collect();
    let more = names.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{tail}", quoted.join(", "))
}

/// A value for a message: at most 60 characters, without line breaks.
pub(crate) fn clipped(value: &str) -> String {
    const SHOWN: usize = 60;
    let mut text: String =
        value.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if value.chars().nth(SHOWN).is_some() {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_print_what_is_known() {
        let place = Place::file("a.csv").at_line(12).in_column("age");
        assert_eq!(place.to_string(), "a.csv, line 12, column 'age'");
        assert_eq!(Place::file("a.csv").to_string(), "a.csv");
        assert_eq!(Place::default().to_string(), "the table");
    }

    #[test]
    fn long_lists_and_long_values_are_truncated() {
        let names: Vec<String> = (0..20).map(|i| format!("c{i}")).collect();
        assert!(listing(&names).ends_with("'c11' and 8 more"));
        assert_eq!(clipped(&"x".repeat(70)).len(), 63);
        assert_eq!(clipped("a\nb"), "a b");
    }
}
