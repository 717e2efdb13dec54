//! Apache Parquet: uncompressed, snappy, zstd or gzip.
//!
//! | in the file | in the table |
//! |---|---|
//! | integers, floats, decimals | numbers |
//! | durations | numbers: seconds |
//! | dates and timestamps | dates, or times if some are not at midnight |
//! | booleans | the categories `false` and `true` |
//! | strings, also dictionaries of strings (pandas categories) | texts, unless all are percentages or dates |
//! | dictionaries that pandas or pyarrow calls ordered | ordered categories |
//! | null, NaN | a missing value |
//! | lists, structs, times of day, binary values | dropped, with a warning |
//!
//! Columns to copy to another Parquet file (see [`ReadOptions::keep`](crate::ReadOptions::keep)) keep
//! their type and values.

mod file;
mod kept;
mod ordered;
mod read;
mod whole;
mod write;

pub(crate) use kept::Kept;
pub(crate) use read::ParquetReader;
pub(crate) use whole::orders;
pub(crate) use whole::read;
pub(crate) use write::ParquetWriter;

use crate::error::{Error, ErrorKind, Result};
use parquet::errors::ParquetError;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Adds the name of the file to an error.
fn parquet_error(file: &str, error: &ParquetError) -> Error {
    ErrorKind::Format {
        file: file.to_owned(),
        problem: error.to_string(),
        remedy: "check that the file is complete and is Parquet",
    }
    .into()
}

/// Runs code of the parquet crate, which panics on some damaged files, and turns a panic into an
/// error. After an error, the values that `f` used must not be used again.
fn guarded<T>(file: &str, f: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    let outcome = catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(ParquetError::General(message.unwrap_or_else(|| "the file is damaged".to_owned())))
    });
    outcome.map_err(|error| parquet_error(file, &error))
}
