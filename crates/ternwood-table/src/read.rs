//! Reads a file of any format, whole or in chunks of rows.

use crate::arff::ArffReader;
use crate::delimited::DelimitedReader;
use crate::error::Result;
use crate::format::Format;
use crate::options::ReadOptions;
#[cfg(feature = "parquet")]
use crate::parquet::ParquetReader;
use crate::source::Source;
use crate::table::Table;

/// Reads a whole table.
///
/// # Errors
/// The file cannot be read or is malformed, or an option names a column that does not exist.
pub fn read_table(source: &Source, options: &ReadOptions) -> Result<Table> {
    ChunkReader::open(source, options)?.read(usize::MAX)
}

/// Reads a table in chunks of rows, so that large files need little memory.
///
/// Column types are known before the first chunk: from the options, from the file's own
/// declarations or, for text columns to infer, from a first pass over the whole file. A nominal
/// column without declared categories has only the categories of the current chunk; encode the
/// chunks with a [`Schema`](ternwood::Schema) to get the same codes in all of them.
pub struct ChunkReader {
    inner: Inner,
}

enum Inner {
    Arff(Box<ArffReader>),
    Delimited(Box<DelimitedReader>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetReader>),
}

impl ChunkReader {
    /// Opens the file and detects its format and the types of its columns.
    ///
    /// # Errors
    /// As [`read_table`].
    pub fn open(source: &Source, options: &ReadOptions) -> Result<Self> {
        let format = match options.format {
            Some(format) => format,
            None => Format::detect(source)?,
        };
        let inner = match format {
            Format::Arff => Inner::Arff(Box::new(ArffReader::open(source, options)?)),
            Format::Csv | Format::Tsv => {
                Inner::Delimited(Box::new(DelimitedReader::open(source, format, options)?))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => Inner::Parquet(Box::new(ParquetReader::open(source, options)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(crate::format::without_parquet(source.name())),
        };
        Ok(Self { inner })
    }

    /// Reads up to `limit` rows. Returns a table without rows at the end of the file.
    ///
    /// # Errors
    /// The rest of the file cannot be read or is malformed.
    pub fn read(&mut self, limit: usize) -> Result<Table> {
        match &mut self.inner {
            Inner::Arff(reader) => reader.read(limit),
            Inner::Delimited(reader) => reader.read(limit),
            #[cfg(feature = "parquet")]
            Inner::Parquet(reader) => reader.read(limit),
        }
    }

    /// Skips up to `limit` rows without checking their values. Returns the number skipped, which is
    /// below `limit` only at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read or split into rows.
    pub fn skip(&mut self, limit: u64) -> Result<u64> {
        match &mut self.inner {
            Inner::Arff(reader) => reader.skip(limit),
            Inner::Delimited(reader) => reader.skip(limit),
            #[cfg(feature = "parquet")]
            Inner::Parquet(reader) => reader.skip(limit),
        }
    }
}
