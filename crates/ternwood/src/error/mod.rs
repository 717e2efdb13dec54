//! The library's error type.
//!
//! Every message says what is wrong, the value found, where, and how to fix it. Match on
//! [`Error::kind`] in code; print the error for people.

mod promised;
mod words;

pub use promised::Promised;
use std::fmt;
pub(crate) use words::about;
use words::{at_most, carried, difference, is_or_are, memory, not_as_written, short, small};

/// A `Result` with this library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error. Boxed to one machine word, so that `Result`s stay small.
///
/// Its `Debug` is its message too, so that a `main` that returns it shows people what is wrong;
/// [`kind`](Self::kind) has the parts.
///
/// ```
/// let error = ternwood::Matrix::row_major(&[1.0, 2.0, 3.0], 2).unwrap_err();
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(Clone, PartialEq)]
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
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// The cause of an [`Error`]. Rows are counted from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A feature value is infinite. NaN is a missing value.
    #[error(
        "column '{column}' (index {column_index}), row {row}: {value} is not a finite number; \
         drop the row, or leave the value out if it is unknown"
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

    /// A value is missing where that is not allowed.
    #[error(
        "column '{column}' (index {column_index}), row {row}: the value is missing; \
         fill it in, drop the row, or set 'missing' to learn"
    )]
    MissingValue {
        /// Name of the column.
        column: String,
        /// Index of the column, from 0.
        column_index: usize,
        /// Index of the row, from 0.
        row: usize,
    },

    /// A value of a categorical feature is not the id of one of its categories.
    #[error(
        "column '{column}', row {row}: {value} is not one of its {categories} categories, \
         which are numbered from 0"
    )]
    NoCategory {
        /// Name of the column.
        column: String,
        /// Index of the row, from 0.
        row: usize,
        /// The offending value.
        value: f64,
        /// The number of categories.
        categories: usize,
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

    /// Two things that must have the same length do not.
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

    /// A forest without trees.
    #[error("a forest without trees answers nothing; give it at least one tree")]
    NoTrees,

    /// Out-of-bag predictions were asked for where there are none.
    #[error("only a forest fitted with bootstrap has out-of-bag rows; this model has none")]
    NoOutOfBag,

    /// One tree was asked for, of a model that has many.
    #[error(
        "this is for a single tree, and the model is a forest of {trees} trees; \
         take one of them, or explain rows by explain_forest"
    )]
    IsForest {
        /// The number of trees.
        trees: usize,
    },

    /// Many trees were asked for, of a model that is one.
    #[error("this is for a forest, and the model is a single tree")]
    NotForest,

    /// The data is larger than the library addresses.
    #[error("the data has {found} {what}; at most {limit} are supported")]
    TooLarge {
        /// What there are too many of.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number supported.
        limit: usize,
    },

    /// A recipe that takes more than counts of rows, where these lie in partitions.
    #[error("{what} cannot be fitted in partitions yet, because {reason}; {instead}")]
    NotInPartitions {
        /// What cannot be had.
        what: String,
        /// Why.
        reason: String,
        /// What to do instead.
        instead: String,
    },

    /// Partitions and coordinator misunderstand each other.
    #[error("training in partitions: {problem}")]
    Pieces {
        /// What is wrong.
        problem: String,
    },

    /// A forest would need more memory than it may.
    #[error(
        "a forest of {trees} trees with about {nodes} nodes each needs about {} of memory, and the limit is \
         {}; grow fewer trees, or smaller ones by max_leaf_nodes, min_samples_leaf or max_depth",
        memory(*.needed), memory(*.limit)
    )]
    ForestTooLarge {
        /// The number of trees.
        trees: u32,
        /// The number of nodes of the first tree.
        nodes: usize,
        /// The bytes that all trees would need.
        needed: u64,
        /// The bytes that they may need.
        limit: u64,
    },

    /// A class id points past the list of class names.
    #[error("class id {id} of row {row} is out of range: {classes} classes are named")]
    ClassId {
        /// Index of the row, from 0.
        row: usize,
        /// The class id found there.
        id: u32,
        /// The number of classes.
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
        /// The number of rows.
        rows: usize,
    },

    /// A confidence or probability passed to a metric is out of range.
    #[error("{what} of row {row} is {value}; allowed: {allowed}")]
    Score {
        /// What the number is, such as `confidence`.
        what: String,
        /// Index of the row, from 0.
        row: usize,
        /// The value found there.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },

    /// A field of a model's metadata cannot be kept.
    #[error("metadata field '{field}': {problem}")]
    Metadata {
        /// The name of the field; only the beginning of a long one.
        field: String,
        /// What is wrong with it, and the remedy.
        problem: String,
    },

    /// A parameter is outside its allowed range.
    #[error("{name} is {value}; allowed: {allowed}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// What is allowed.
        allowed: String,
    },

    /// The rows to predict have the wrong number of columns.
    #[error("the rows have {found} columns, but the model was trained on {expected}")]
    ColumnCount {
        /// Columns the model was trained on.
        expected: usize,
        /// Columns given.
        found: usize,
    },

    /// No feature or class has this name.
    #[error("there is no {what} '{name}'; there are: {known}")]
    UnknownName {
        /// What was looked for.
        what: &'static str,
        /// The name looked for.
        name: String,
        /// The names that exist.
        known: String,
    },

    /// A threshold or half-width is invalid.
    #[error("not a zone: {problem}")]
    Zone {
        /// What is wrong with it.
        problem: String,
    },

    /// The nodes given to the builder or read from a file do not form a valid tree.
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

    /// A model file was damaged or edited after it was written.
    #[error("not a usable model file: {}", not_as_written(.stored.as_deref(), .computed))]
    Checksum {
        /// The SHA-256 that the file states, if it states one.
        stored: Option<String>,
        /// The SHA-256 of its content.
        computed: String,
    },

    /// A verdict policy is inconsistent.
    #[error("not a verdict policy: {problem}")]
    Verdict {
        /// What is wrong with it.
        problem: String,
    },

    /// More calibration rows are uncovered than a budget of flags allows.
    #[error(
        "a budget of {flag_rate} cannot be kept: {uncovered} of these {rows} rows have gaps or categories that \
         the training table did not have, and are undecided whatever their probabilities; train with such \
         rows, raise the budget, or judge uncovered rows like all others"
    )]
    BudgetUncovered {
        /// The share of rows that may be flagged.
        flag_rate: f64,
        /// The number of rows.
        rows: usize,
        /// How many of them are uncovered.
        uncovered: usize,
    },

    /// There are too few calibration rows for a promise.
    #[error(
        "{promised} cannot be promised with confidence {confidence} from {found} {}: at least \
         {needed} are needed, even if none of them were {}; give more rows, or promise less{}",
        .promised.rows(), .promised.error(), carried(*.best)
    )]
    TooFewRows {
        /// What was to be promised.
        promised: Promised,
        /// The confidence of the promise and of those beside it.
        confidence: f64,
        /// The smallest number of rows that can suffice.
        needed: usize,
        /// The number of rows.
        found: usize,
        /// What these rows can carry instead.
        best: Option<f64>,
    },

    /// No confidence threshold supports a promise.
    #[error(
        "{promised} cannot be promised with confidence {confidence}: {wrong} of the {decided} most \
         confident of {rows} {} {} {}, and {} may be; promise less{}, or give a better model",
        .promised.rows(), is_or_are(*.wrong), .promised.error(), at_most(*.allowed), carried(*.best)
    )]
    NoGuarantee {
        /// What was to be promised: an accuracy or a precision.
        promised: Promised,
        /// The confidence of the promise and of those beside it.
        confidence: f64,
        /// The number of calibration rows.
        rows: usize,
        /// The number of rows that the strictest threshold decides.
        decided: usize,
        /// Wrong predictions among them.
        wrong: usize,
        /// The most wrong predictions allowed.
        allowed: usize,
        /// What these rows can carry instead.
        best: Option<f64>,
    },

    /// Even the strictest threshold misses too many rows of a class.
    #[error(
        "{promised} cannot be promised with confidence {confidence}: {missed} of {rows} {} {} {} \
         even where that has a probability of {}, and {} may be; promise less{}, or give a better \
         model",
        .promised.rows(), is_or_are(*.missed), .promised.error(), short(*.threshold),
        at_most(*.allowed), carried(*.best)
    )]
    TooManyMissed {
        /// What was to be promised: a miss rate.
        promised: Promised,
        /// The confidence of the promise and of those beside it.
        confidence: f64,
        /// The number of calibration rows of the class.
        rows: usize,
        /// How many of them are decided as another class.
        missed: usize,
        /// The most that may be.
        allowed: usize,
        /// The strictest threshold.
        threshold: f64,
        /// What these rows can carry instead.
        best: Option<f64>,
    },

    /// Rows that should be new to a model are rows it was trained on.
    #[error(
        "{} of these {rows} rows were trained on: {matching} of the {compared} that can be compared \
         match training rows, and of new rows as many would with a probability of {}; such rows make \
         a model look better than it is; give rows that it has not seen, or cross-fit the training \
         rows",
        about(*.share), small(*.p_value)
    )]
    TrainedOn {
        /// The number of rows.
        rows: u64,
        /// How many of them could be compared with training rows.
        compared: u64,
        /// How many of those match.
        matching: u64,
        /// The estimated share of rows that were trained on.
        share: f64,
        /// The probability of so many matches of new rows.
        p_value: f64,
    },

    /// Rows that should be those a model was trained on are others.
    #[error(
        "these are not the {training} rows that the model was trained on: {}; give exactly those, \
         or calibrate on rows that it has not seen, without cross-fitting",
        difference(*.training, *.given, *.new)
    )]
    NotTrainedOn {
        /// The number of training rows.
        training: u64,
        /// The number of rows.
        given: u64,
        /// At least this many of the rows are no training rows.
        new: u64,
    },

    /// A quantity is not defined for the model's routing.
    #[error("{what} is not defined for {routing} routing; {remedy}")]
    Routing {
        /// The quantity requested.
        what: &'static str,
        /// The routing of the model.
        routing: &'static str,
        /// What to do instead.
        remedy: &'static str,
    },

    /// A model cannot be written in another format.
    #[error("cannot write the model as {format}: {what}; {remedy}")]
    Export {
        /// The format.
        format: &'static str,
        /// What it cannot take.
        what: String,
        /// What to do instead.
        remedy: &'static str,
    },

    /// A fit or prediction was cancelled through its token.
    #[error("cancelled")]
    Cancelled,

    /// Worker threads could not be started.
    #[error("cannot start {threads} worker threads: {problem}; ask for fewer threads")]
    Threads {
        /// The number of threads requested.
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
