//! Reading a file of any format: at once, or in chunks of rows.

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
/// The file cannot be read or breaks the rules of its format; an option names a column that
/// is not there.
pub fn read_table(source: &Source, options: &ReadOptions) -> Result<Table> {
    ChunkReader::open(source, options)?.read(usize::MAX)
}

/// Reads a table in chunks of rows, so that big files need little memory.
///
/// Types are fixed before the first chunk: by the options, by what the file declares, or, for
/// columns of a text table that are to be inferred, by a first pass over the whole file.
/// Nominal columns that declare no categories have those of the chunk at hand; encode chunks
/// with a [`Schema`](ternwood::Schema) to have them numbered alike.
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
    /// Opens the file, finds out its format and the types of its columns.
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

    /// The next rows, at most `limit` of them; a table without rows at the end of the file.
    ///
    /// # Errors
    /// The rest of the file cannot be read or breaks the rules of its format.
    pub fn read(&mut self, limit: usize) -> Result<Table> {
        match &mut self.inner {
            Inner::Arff(reader) => reader.read(limit),
            Inner::Delimited(reader) => reader.read(limit),
            #[cfg(feature = "parquet")]
            Inner::Parquet(reader) => reader.read(limit),
        }
    }

    /// Passes over rows, whatever their values are; tells how many there were, fewer than
    /// `limit` only at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, or cannot be cut into rows.
    pub fn skip(&mut self, limit: u64) -> Result<u64> {
        match &mut self.inner {
            Inner::Arff(reader) => reader.skip(limit),
            Inner::Delimited(reader) => reader.skip(limit),
            #[cfg(feature = "parquet")]
            Inner::Parquet(reader) => reader.skip(limit),
        }
    }
}
