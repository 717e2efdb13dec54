//! How a file is laid out, as far as it was guessed.

use crate::delimited;
use crate::error::Result;
use crate::format::Format;
use crate::options::ReadOptions;
use crate::source::Source;

/// How a file is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLayout {
    /// Its format.
    pub format: Format,
    /// What separates the fields of a text table, and whether the first line has their names.
    pub text: Option<TextLayout>,
}

/// How a delimited text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLayout {
    /// The character between fields.
    pub delimiter: char,
    /// Whether the first line has the names of the columns.
    pub header: bool,
}

impl FileLayout {
    /// The layout of a file, as [`read_table`](crate::read_table) takes it to be with the same
    /// options. Looks at the first lines only.
    ///
    /// # Errors
    /// The file cannot be read, or is malformed there.
    pub fn of(source: &Source, options: &ReadOptions) -> Result<Self> {
        let format = options.format.map_or_else(|| Format::detect(source), Ok)?;
        let text = match format {
            Format::Csv | Format::Tsv => Some(delimited::layout(source, format, options)?),
            Format::Arff | Format::Parquet => None,
        };
        Ok(Self { format, text })
    }
}
