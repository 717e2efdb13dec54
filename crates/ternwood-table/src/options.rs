//! How to read a file and its columns.

use crate::error::Result;
use crate::format::Format;
use crate::table::{DecidedBy, unknown_column};
use std::collections::{BTreeMap, HashSet};
use ternwood::Feature;
use ternwood::dataset::FeatureKind;
use ternwood::dataset::notation::{Marks, Notation};

/// How to read a column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ReadAs {
    /// By its values (CSV) or its declared type (ARFF, Parquet).
    #[default]
    Infer,
    /// As numbers, in the notation that its values have.
    Number,
    /// As numbers in this notation.
    Written(Notation),
    /// As categories, even if all values look like numbers.
    Nominal,
    /// As categories in this ascending order.
    Ordered(Vec<String>),
    /// Skip the column.
    Drop,
}

impl ReadAs {
    /// Who decides what the values are, if the file declares types or not.
    pub(crate) fn decided_by(&self, file: DecidedBy) -> DecidedBy {
        match self {
            Self::Infer => file,
            _ => DecidedBy::User,
        }
    }
}

/// What to do with a cell of a numeric column that is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unreadable {
    /// It is an error.
    #[default]
    Error,
    /// It is unknown, and counted.
    Unknown,
}

/// The spellings of missing values in CSV and TSV files: those of pandas, and `?`.
pub const MISSING_SPELLINGS: [&str; 17] = [
    "", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL",
    "null", "None", "1.#IND", "1.#QNAN",
];

/// The largest field in bytes, unless [`ReadOptions::max_field`] sets another.
pub const MAX_FIELD: usize = 1 << 20;

/// The smallest value of [`ReadOptions::max_field`]: numbers are never longer.
const LEAST_MAX_FIELD: usize = 1 << 10;

/// A row may be this many times as long as the largest field.
const FIELDS_IN_ROW: usize = 64;

/// How to read a file.
///
/// ```
/// use ternwood_table::{ReadOptions, Source, read_table};
///
/// let source = Source::bytes("shops.csv", *b"id,zip,sales\n1,04109,7.5\n2,10115,8\n");
/// let options = ReadOptions::new().nominal(["zip"]).drop(["id"]);
/// let table = read_table(&source, &options)?;
/// assert_eq!(table.column_names(), ["zip", "sales"]);
/// assert_eq!(table.column("zip")?.values().kind(), "nominal");
/// # Ok::<(), ternwood_table::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    pub(crate) columns: BTreeMap<String, ReadAs>,
    /// Columns that need not be there.
    pub(crate) optional: BTreeMap<String, ReadAs>,
    pub(crate) others: ReadAs,
    pub(crate) format: Option<Format>,
    pub(crate) delimiter: Option<u8>,
    pub(crate) header: Option<bool>,
    pub(crate) missing: Vec<String>,
    pub(crate) marks: Option<Marks>,
    pub(crate) unreadable: Unreadable,
    pub(crate) keep: bool,
    pub(crate) max_field: usize,
    pub(crate) threads: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            columns: BTreeMap::new(),
            optional: BTreeMap::new(),
            others: ReadAs::Infer,
            format: None,
            delimiter: None,
            header: None,
            missing: MISSING_SPELLINGS.map(str::to_owned).to_vec(),
            marks: None,
            unreadable: Unreadable::default(),
            keep: false,
            max_field: MAX_FIELD,
            threads: 1,
        }
    }
}

impl ReadOptions {
    /// Infers everything from the file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads these features of a schema as in training, and no other columns. All kinds are known,
    /// so the file can be streamed. To read the target for
    /// [`Table::into_dataset`](crate::Table::into_dataset), add `.column(target, ReadAs::Nominal)`.
    #[must_use]
    pub fn for_features<'a>(features: impl IntoIterator<Item = &'a Feature>) -> Self {
        features.into_iter().fold(Self::new().others(ReadAs::Drop), |options, feature| {
            options.column(&feature.name, as_in_training(feature))
        })
    }

    /// Reads these features as well, as in training, if the file has them. A cell of theirs that is
    /// no number is unknown.
    #[must_use]
    pub fn optional_features<'a>(
        mut self,
        features: impl IntoIterator<Item = &'a Feature>,
    ) -> Self {
        let read_as = |feature: &Feature| (feature.name.clone(), as_in_training(feature));
        self.optional.extend(features.into_iter().map(read_as));
        self
    }

    /// Sets how to read one column. The column must exist.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>, read_as: ReadAs) -> Self {
        self.columns.insert(name.into(), read_as);
        self
    }

    /// Reads these columns as categories.
    #[must_use]
    pub fn nominal<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        names.into_iter().fold(self, |options, name| options.column(name, ReadAs::Nominal))
    }

    /// Skips these columns.
    #[must_use]
    pub fn drop<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        names.into_iter().fold(self, |options, name| options.column(name, ReadAs::Drop))
    }

    /// Sets how to read all columns not set by name.
    #[must_use]
    pub fn others(mut self, read_as: ReadAs) -> Self {
        self.others = read_as;
        self
    }

    /// Sets the format. Default: detected from content and name.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets the delimiter of a text table. Default: guessed.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Sets whether the first line of a text table is a header. Default: guessed.
    #[must_use]
    pub fn header(mut self, header: bool) -> Self {
        self.header = Some(header);
        self
    }

    /// Sets the spellings of missing values in a text table. Default: [`MISSING_SPELLINGS`].
    #[must_use]
    pub fn missing_spellings<S: Into<String>>(
        mut self,
        spellings: impl IntoIterator<Item = S>,
    ) -> Self {
        self.missing = spellings.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the decimal mark and the thousands separator of a text table. Default: a decimal point
    /// and none; in files with semicolons between the fields, columns may have a decimal comma.
    #[must_use]
    pub fn marks(mut self, marks: Marks) -> Self {
        self.marks = Some(marks);
        self
    }

    /// Sets what to do with cells of numeric columns that are no numbers. Default: an error.
    #[must_use]
    pub fn unreadable(mut self, unreadable: Unreadable) -> Self {
        self.unreadable = unreadable;
        self
    }

    /// Keeps all columns of the file as they are spelled there, besides those to read: see
    /// [`Table::take_kept`](crate::Table::take_kept). From Parquet to Parquet they keep their type
    /// and every bit; in text, numbers keep all their digits and dates are in ISO 8601.
    #[must_use]
    pub fn keep(mut self) -> Self {
        self.keep = true;
        self
    }

    /// Sets how many bytes a field may take, with its quotes; at least 1 KiB. Default: [`MAX_FIELD`]. A row may take 64
    /// times as many. What is longer is an error: most likely a quote was never closed, and a small compressed file can
    /// hold a field that is larger than memory.
    #[must_use]
    pub fn max_field(mut self, bytes: usize) -> Self {
        self.max_field = bytes.max(LEAST_MAX_FIELD);
        self
    }

    /// Sets the number of threads. Default: 1. No result depends on it.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// How to read each column of a file.
    ///
    /// # Errors
    /// The options name a column that the file does not have.
    pub(crate) fn plan<S: AsRef<str>>(&self, file: &str, names: &[S]) -> Result<Vec<ReadAs>> {
        let existing: HashSet<&str> = names.iter().map(AsRef::as_ref).collect();
        if let Some(wanted) = self.columns.keys().find(|name| !existing.contains(name.as_str())) {
            return Err(unknown_column(file, wanted, names));
        }
        let read_as = |name: &S| {
            let named = self.columns.get(name.as_ref());
            named.or_else(|| self.optional.get(name.as_ref())).unwrap_or(&self.others).clone()
        };
        Ok(names.iter().map(read_as).collect())
    }

    /// What to do with a cell of this column that is no number.
    pub(crate) fn unreadable_in(&self, column: &str) -> Unreadable {
        let is_optional = self.optional.contains_key(column) && !self.columns.contains_key(column);
        if is_optional { Unreadable::Unknown } else { self.unreadable }
    }
}

/// The number of bytes that a row may take.
pub(crate) fn max_row(max_field: usize) -> usize {
    max_field.saturating_mul(FIELDS_IN_ROW)
}

/// How to read a column as a feature that training had.
pub(crate) fn as_in_training(feature: &Feature) -> ReadAs {
    match feature.kind {
        FeatureKind::Number => ReadAs::Written(feature.notation.clone()),
        FeatureKind::Categories(_) | FeatureKind::Ordered(_) => ReadAs::Nominal,
    }
}
