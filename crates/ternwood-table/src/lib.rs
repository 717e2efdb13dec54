//! Reads files into tables and encodes tables as data sets.
//!
//! - [`read_table`] reads a CSV, TSV, ARFF or Parquet [`Source`] (text also gzipped) into a
//!   [`Table`]: named columns of numbers or categories. [`ChunkReader`] reads it in chunks of
//!   rows; [`ReadOptions`] say which columns are nominal and which to drop.
//! - [`encode`] turns a table into the [`Dataset`](ternwood::Dataset) to fit. The
//!   [`Model`](ternwood::Model) stores its [`Schema`](ternwood::Schema).
//!   [`ReadOptions::for_features`], [`Table::take_features`] and [`Table::into_dataset`] apply it to
//!   later tables: columns are matched by name, and categories get the codes of training.
//! - [`Profile`] says what a column looks like, [`FileLayout`] how a file is laid out.
//! - [`TableWriter`] writes tables as CSV, TSV or Parquet.
//! - Every [`Error`] names the thing, its value, its [`Place`] and the remedy. Guesses that may be
//!   wrong are returned as [`Warning`]s. Nothing here prints.

#![forbid(unsafe_code)]

mod arff;
#[cfg(feature = "arrow")]
mod arrow;
mod delimited;
mod encode;
mod error;
mod format;
#[cfg(feature = "arrow")]
mod frame;
mod infer;
mod many;
pub mod notation;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod profile;
mod read;
mod remedy;
mod source;
mod table;
mod warning;
mod write;

#[cfg(feature = "arrow")]
pub use encode::UnseenRows;
pub use encode::{
    EncodeOptions, Encoded, EncodedFeatures, MissingPolicy, UnseenCategories, UnseenInColumn,
    encode,
};
pub use error::{Error, ErrorKind, Place, Result};
pub use format::Format;
#[cfg(feature = "arrow")]
pub use frame::{Dictionary, Frame, FrameColumn, FrameError, LearnedFrame, ReadNote};
pub use many::{Chunk, ManyLearned, ManyTables};
pub use options::{MAX_FIELD, MISSING_SPELLINGS, ReadAs, ReadOptions, Unreadable};
pub use profile::{ColumnKind, FileLayout, Profile, TextLayout};
pub use read::{ChunkReader, read_table};
pub use remedy::Remedy;
pub use source::Source;
pub use table::{
    CategoryCode, CategoryOrigin, Column, DecidedBy, Nominal, Table, UnreadableCells,
    UnreadableInColumn, Values,
};
pub use warning::{Suggestion, Warning};
pub use write::TableWriter;
