//! Files to tables to data sets.
//!
//! - [`read_table`] reads a CSV, TSV, ARFF or Parquet [`Source`] (text also gzipped) into a
//!   [`Table`]: named columns of numbers or categories. [`ChunkReader`] reads it piece by
//!   piece; [`ReadOptions`] say which columns are nominal and which are not wanted.
//! - [`encode`] makes the [`Dataset`](ternwood::Dataset) to learn from. Its
//!   [`Schema`](ternwood::Schema) travels in the [`Model`](ternwood::Model);
//!   [`ReadOptions::for_schema`], [`Table::take_features`] and [`Table::into_dataset`] apply it to
//!   later tables: columns are matched by name, categories numbered as in training.
//! - [`TableWriter`] writes tables as CSV, TSV or Parquet.
//! - Every [`Error`] names the thing, its value, its [`Place`] and the remedy; what was
//!   decided without asking comes back as a [`Warning`]. Nothing here prints.

mod arff;
mod delimited;
mod encode;
mod error;
mod format;
mod number;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod read;
mod source;
mod stream;
mod table;
mod warning;
mod write;

pub use encode::{EncodeOptions, Encoded, MissingPolicy, UnknownPolicy, encode};
pub use error::{Error, ErrorKind, Place, Result};
pub use format::Format;
pub use options::{MISSING_SPELLINGS, ReadAs, ReadOptions};
pub use read::{ChunkReader, read_table};
pub use source::Source;
pub use table::{CategoryCode, CategoryOrigin, Column, Nominal, Table, Values};
pub use warning::Warning;
pub use write::TableWriter;
