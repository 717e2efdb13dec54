//! Reads a file of any format, whole or in chunks of rows.

use crate::arff::{self, ArffReader};
use crate::delimited::{self, DelimitedReader};
use crate::error::Result;
use crate::format::Format;
use crate::options::ReadOptions;
#[cfg(feature = "parquet")]
use crate::parquet::{self, ParquetReader};
use crate::source::Source;
use crate::table::Table;

/// Reads a whole table.
///
/// # Errors
/// The file cannot be read or is malformed, or an option names a column that does not exist.
pub fn read_table(source: &Source, options: &ReadOptions) -> Result<Table> {
    match options.format.map_or_else(|| Format::detect(source), Ok)? {
        format @ (Format::Csv | Format::Tsv) => delimited::read(source, format, options),
        Format::Arff => arff::read(source, options),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(source, options),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(crate::format::without_parquet(source.name())),
    }
}

/// Reads a table in chunks of rows, so that large files need little memory.
///
/// What every column is must be known before the first chunk, from the options or from the file's
/// own declarations: see [`ReadOptions::for_features`]. A nominal
/// column without declared categories has only the categories of the current chunk; encode the
/// chunks with a [`Schema`](ternwood::Schema) to get the same codes in all of them.
pub struct ChunkReader {
    inner: Inner,
}

/// Once its rows take this much of the file, a chunk ends.
const CHUNK_BYTES: usize = 16 << 20;

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
        let inner = match options.format.map_or_else(|| Format::detect(source), Ok)? {
            Format::Arff => Inner::Arff(Box::new(ArffReader::open(source, options)?)),
            format @ (Format::Csv | Format::Tsv) => {
                Inner::Delimited(Box::new(DelimitedReader::open(source, format, options)?))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => Inner::Parquet(Box::new(ParquetReader::open(source, options)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(crate::format::without_parquet(source.name())),
        };
        Ok(Self { inner })
    }

    /// Reads up to `limit` rows, or fewer if they are long. Returns a table without rows at the end of the file.
    ///
    /// # Errors
    /// The rest of the file cannot be read or is malformed.
    pub fn read(&mut self, limit: usize) -> Result<Table> {
        match &mut self.inner {
            Inner::Arff(reader) => reader.read(limit, CHUNK_BYTES),
            Inner::Delimited(reader) => reader.read(limit, CHUNK_BYTES),
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
