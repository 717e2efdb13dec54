//! How to read a file and its columns.

use crate::error::Result;
use crate::format::Format;
use crate::table::unknown_column;
use std::collections::{BTreeMap, HashSet};
use ternwood::Schema;

/// How to read a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadAs {
    /// By its values (CSV) or its declared type (ARFF, Parquet).
    #[default]
    Infer,
    /// As numbers. A value that is neither a number nor missing is an error.
    Numeric,
    /// As categories, even if all values look like numbers.
    Nominal,
    /// As categories spelled exactly as in the file, where only nulls of a typed file are missing.
    /// For columns to copy to an output: from Parquet to Parquet they keep their type and every
    /// bit; in text, numbers keep all their digits and dates are in ISO 8601.
    Verbatim,
    /// Skip the column.
    Drop,
}

/// The spellings of missing values in CSV and TSV files: those of pandas, and `?`.
pub const MISSING_SPELLINGS: [&str; 17] = [
    "", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL",
    "null", "None", "1.#IND", "1.#QNAN",
];

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
    pub(crate) others: ReadAs,
    pub(crate) format: Option<Format>,
    pub(crate) delimiter: Option<u8>,
    pub(crate) header: Option<bool>,
    pub(crate) missing: Vec<String>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            columns: BTreeMap::new(),
            others: ReadAs::Infer,
            format: None,
            delimiter: None,
            header: None,
            missing: MISSING_SPELLINGS.map(str::to_owned).to_vec(),
        }
    }
}

impl ReadOptions {
    /// Infers everything from the file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads each feature of a schema with its type in training. No types have to be inferred, so
    /// the file can be streamed. Other columns, including the target, are read as `others`. To read
    /// the target for [`Table::into_dataset`](crate::Table::into_dataset), add
    /// `.column(target, ReadAs::Nominal)`.
    #[must_use]
    pub fn for_schema(schema: &Schema, others: ReadAs) -> Self {
        schema.features().iter().fold(Self::new().others(others), |options, feature| {
            let number = feature.kind.is_number();
            options.column(&feature.name, if number { ReadAs::Numeric } else { ReadAs::Nominal })
        })
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

    /// How to read each column of a file.
    ///
    /// # Errors
    /// The options name a column that the file does not have.
    pub(crate) fn plan<S: AsRef<str>>(&self, file: &str, names: &[S]) -> Result<Vec<ReadAs>> {
        let existing: HashSet<&str> = names.iter().map(AsRef::as_ref).collect();
        if let Some(wanted) = self.columns.keys().find(|name| !existing.contains(name.as_str())) {
            return Err(unknown_column(file, wanted, names));
        }
        Ok(names
            .iter()
            .map(|name| self.columns.get(name.as_ref()).copied().unwrap_or(self.others))
            .collect())
    }
}
