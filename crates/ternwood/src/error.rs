//! The one error type of the library.
//!
//! Every message names the thing, its value, the place and the remedy. Match on
//! [`Error::kind`] to react to a cause; print the error to tell a person.

use std::fmt;

/// A `Result` with this library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong. One machine word wide, so that `Result`s stay cheap.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// The cause, to match on.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

/// The causes an [`Error`] can have. Rows are counted from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A feature value is NaN or infinite.
    #[error(
        "column '{column}' (index {column_index}), row {row}: {value} is not a finite number; \
         drop the row or fill in the value"
    )]
    NotFinite {
        /// Name of the column.
        column: String,
        /// Index of the column, from 0.
        column_index: usize,
        /// Index of the row, from 0.
        row: usize,
        /// The offending value.
        value: f64,
    },

    /// A class label is NaN or infinite.
    #[error(
        "class label of row {row}: {value} is not a finite number; drop the row or fill in the label"
    )]
    LabelNotFinite {
        /// Index of the row, from 0.
        row: usize,
        /// The offending value.
        value: f64,
    },

    /// Two things that must have the same length have not.
    #[error("{what} has length {found}, but {expected} was expected ({reason})")]
    Length {
        /// What is too long or too short.
        what: String,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
        /// Where the expected length comes from.
        reason: String,
    },

    /// The data has no rows (or none of positive weight).
    #[error("the data has no rows; at least one row is needed")]
    NoRows,

    /// The data has no feature columns.
    #[error("the data has no feature columns; at least one is needed")]
    NoColumns,

    /// The data is larger than the library addresses.
    #[error("the data has {found} {what}; at most {limit} are supported")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are supported.
        limit: usize,
    },

    /// A class id points past the list of class names.
    #[error("class id {id} of row {row} is out of range: {classes} classes are named")]
    ClassId {
        /// Index of the row, from 0.
        row: usize,
        /// The class id found there.
        id: u32,
        /// How many classes there are.
        classes: usize,
    },

    /// Two classes or two features have the same name.
    #[error("the {what} name '{name}' occurs twice; names must be distinct")]
    DuplicateName {
        /// `"class"` or `"feature"`.
        what: &'static str,
        /// The name.
        name: String,
    },

    /// A sample weight is negative, NaN or infinite.
    #[error("sample weight of row {row} is {value}; weights must be finite and not negative")]
    Weight {
        /// Index of the row, from 0.
        row: usize,
        /// The weight found there.
        value: f64,
    },

    /// All sample weights are zero.
    #[error("all {rows} sample weights are zero; at least one must be positive")]
    WeightsAllZero {
        /// How many rows there are.
        rows: usize,
    },

    /// A confidence or probability handed to a metric is not one.
    #[error("{what} of row {row} is {value}; allowed: {allowed}")]
    Score {
        /// What kind of number it should be.
        what: String,
        /// Index of the row, from 0.
        row: usize,
        /// The value found there.
        value: f64,
        /// What would have been allowed.
        allowed: &'static str,
    },

    /// A parameter is outside its allowed range.
    #[error("{name} is {value}; allowed: {allowed}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// What would have been allowed.
        allowed: String,
    },

    /// Prediction was asked for rows with another number of columns.
    #[error("the rows have {found} columns, but the model was trained on {expected}")]
    ColumnCount {
        /// Columns the model was trained on.
        expected: usize,
        /// Columns given.
        found: usize,
    },

    /// A feature or class was named that does not exist.
    #[error("there is no {what} '{name}'; there are: {known}")]
    UnknownName {
        /// What was looked for.
        what: &'static str,
        /// The name looked for.
        name: String,
        /// The names there are.
        known: String,
    },

    /// A threshold or half-width is impossible.
    #[error("not a zone: {problem}")]
    Zone {
        /// What is wrong with it.
        problem: String,
    },

    /// The tree handed to the builder or read from a file is not a tree.
    #[error("node {node}: {problem}")]
    Tree {
        /// Index of the node, from 0.
        node: usize,
        /// What is wrong with it.
        problem: String,
    },

    /// A model file cannot be used.
    #[error("not a usable model file: {problem}")]
    ModelFile {
        /// What is wrong and where.
        problem: String,
    },

    /// A verdict policy that cannot be.
    #[error("not a verdict policy: {problem}")]
    Verdict {
        /// What is wrong with it.
        problem: String,
    },

    /// There are too few calibration rows for what is to be promised.
    #[error(
        "a decided accuracy of {accuracy} cannot be promised with confidence {confidence} from \
         {found} calibration rows: at least {needed} are needed, even if none of them were \
         predicted wrongly; give more rows, or promise less"
    )]
    TooFewRows {
        /// The accuracy to be promised.
        accuracy: f64,
        /// How surely.
        confidence: f64,
        /// The smallest number of rows that could do.
        needed: usize,
        /// How many there are.
        found: usize,
    },

    /// No confidence threshold keeps the promise.
    #[error(
        "a decided accuracy of {accuracy} cannot be promised with confidence {confidence}: of the \
         {decided} most confident of {rows} calibration rows {wrong} are predicted wrongly, and \
         at most {allowed} may be; promise less, or give a better model"
    )]
    NoGuarantee {
        /// The accuracy to be promised.
        accuracy: f64,
        /// How surely.
        confidence: f64,
        /// How many calibration rows there are.
        rows: usize,
        /// How many the most cautious threshold decides.
        decided: usize,
        /// How many of them are wrong.
        wrong: usize,
        /// How many might be wrong.
        allowed: usize,
    },

    /// The question has no answer for this model's routing.
    #[error("{what} is not defined for {routing} routing; {remedy}")]
    Routing {
        /// What was asked for.
        what: &'static str,
        /// The routing of the model.
        routing: &'static str,
        /// What to do instead.
        remedy: &'static str,
    },

    /// A fit or prediction was cancelled through its token.
    #[error("cancelled")]
    Cancelled,

    /// Worker threads could not be started.
    #[error("cannot start {threads} worker threads: {problem}; ask for fewer threads")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the operating system said.
        problem: String,
    },
}

/// Shorthand for a parameter error.
pub(crate) fn parameter(
    name: &'static str,
    value: impl fmt::Display,
    allowed: impl Into<String>,
) -> Error {
    ErrorKind::Parameter { name, value: value.to_string(), allowed: allowed.into() }.into()
}
