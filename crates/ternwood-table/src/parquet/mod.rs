//! Apache Parquet, with snappy, zstd, gzip or no compression.
//!
//! | in the file | in the table |
//! |---|---|
//! | integers, floats, decimals | numbers |
//! | dates and timestamps | seconds since 1970-01-01 00:00:00 UTC |
//! | booleans | the categories `false` and `true` |
//! | strings, also of dictionaries (pandas' categories) | categories found, in sorted order |
//! | null, NaN | a missing value |
//! | lists, structs, times of day, raw bytes | left out, with a warning |
//!
//! Columns that only pass through (see [`ReadAs::Verbatim`](crate::ReadAs::Verbatim)) keep their
//! type and all of their values on the way into another Parquet file.

mod arrays;
mod kept;
mod read;
mod write;

pub(crate) use kept::Kept;
pub(crate) use read::ParquetReader;
pub(crate) use write::ParquetWriter;

use crate::error::{Error, ErrorKind, Result};
use parquet::errors::ParquetError;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What went wrong, under the name of the file.
fn parquet_error(file: &str, error: &ParquetError) -> Error {
    ErrorKind::Format {
        file: file.to_owned(),
        problem: error.to_string(),
        remedy: "check that the file is complete and is Parquet",
    }
    .into()
}

/// Runs code of the parquet crate, which panics at some kinds of damaged files, and makes an
/// error of that. Whatever `f` works on is given up with the error.
fn guarded<T>(file: &str, f: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    let outcome = catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(ParquetError::General(words.unwrap_or_else(|| "the file is damaged".to_owned())))
    });
    outcome.map_err(|error| parquet_error(file, &error))
}
