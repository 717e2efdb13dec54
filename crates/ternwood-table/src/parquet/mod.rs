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

mod read;
mod write;

use crate::arrow::{parallel_map, texts};
use crate::error::{Error, ErrorKind, Result, io};
use crate::infer::{self, Notations};
use crate::options::{ReadAs, ReadOptions};
use crate::source::{Source, Storage};
use crate::table::{Column, DecidedBy, Table};
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;
pub(crate) use read::ParquetReader;
use read::wanted_columns;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
pub(crate) use write::{Kept, ParquetWriter};

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

// An open Parquet file: where its bytes are, and its metadata, which are parsed once.

/// An open Parquet file.
struct ParquetFile {
    name: String,
    input: Input,
    /// With types that do without those of the writer: then a string is a string, whether written
    /// as a dictionary, a view or a large string.
    plain: ArrowReaderMetadata,
    /// With the writer's Arrow types; `None` if they contradict the file.
    typed: Option<ArrowReaderMetadata>,
}

/// Where the bytes come from. Each reader has a position of its own.
enum Input {
    File(PathBuf),
    Bytes(Bytes),
}

const BATCH_ROWS: usize = 1 << 15;

impl ParquetFile {
    /// Reads the metadata.
    fn open(source: &Source) -> Result<Self> {
        let name = source.name().to_owned();
        let input = Input::of(source)?;
        let plain = match &input {
            Input::File(path) => load(&open(path, &name)?, &name),
            Input::Bytes(bytes) => load(bytes, &name),
        }?;
        let metadata = Arc::clone(plain.metadata());
        let typed = guarded(&name, || {
            Ok(ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new()).ok())
        })?;
        let same_columns = |typed: &ArrowReaderMetadata| {
            typed.schema().fields().len() == plain.schema().fields().len()
        };
        let typed = typed.filter(same_columns);
        let plain = match &typed {
            Some(typed) => with_durations(plain, typed, &name)?,
            None => plain,
        };
        Ok(Self { name, input, typed, plain })
    }

    /// True if the values of a column take more bytes in a row group, as the metadata say, than texts of `max_field`
    /// bytes could.
    fn has_long_values(&self, column: usize, max_field: usize) -> bool {
        // A page and a value have a few bytes of their own.
        const EXTRA: usize = 1 << 10;
        let schema = self.plain.parquet_schema();
        let leaf =
            (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == column);
        let is_long = |leaf: usize| {
            self.plain.metadata().row_groups().iter().any(|group| {
                let chunk = group.column(leaf);
                let values = usize::try_from(chunk.num_values()).unwrap_or(0);
                let most = (values + 1).saturating_mul(max_field.saturating_add(EXTRA));
                usize::try_from(chunk.uncompressed_size()).is_ok_and(|bytes| bytes > most)
            })
        };
        leaf.is_some_and(is_long)
    }

    /// The metadata without the writer's types.
    fn plain(&self) -> &ArrowReaderMetadata {
        &self.plain
    }

    /// The metadata with the writer's types, if there are such.
    fn typed(&self) -> Option<&ArrowReaderMetadata> {
        self.typed.as_ref()
    }

    /// The number of rows, as the metadata say.
    fn n_rows(&self) -> usize {
        usize::try_from(self.plain.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Reads these columns, in all row groups or in one.
    fn batches(
        &self,
        metadata: &ArrowReaderMetadata,
        columns: &[usize],
        row_group: Option<usize>,
    ) -> Result<ParquetRecordBatchReader> {
        match &self.input {
            Input::File(path) => {
                let file = open(path, &self.name)?;
                guarded(&self.name, || batches(file, metadata, columns, row_group))
            }
            Input::Bytes(bytes) => {
                guarded(&self.name, || batches(bytes.clone(), metadata, columns, row_group))
            }
        }
    }
}

impl Input {
    fn of(source: &Source) -> Result<Self> {
        Ok(match source.storage() {
            Storage::File(path) => Self::File(path.clone()),
            Storage::Memory(bytes) => Self::Bytes(Bytes::from_owner(bytes.clone())),
            Storage::Stream(_) => {
                // The metadata is at the end of the file.
                let mut bytes = Vec::new();
                let read = source.take_raw()?.read_to_end(&mut bytes);
                read.map_err(|problem| io(source.name(), problem))?;
                Self::Bytes(Bytes::from(bytes))
            }
        })
    }
}

fn open(path: &PathBuf, name: &str) -> Result<File> {
    File::open(path).map_err(|problem| io(name, problem))
}

fn load(input: &impl ChunkReader, name: &str) -> Result<ArrowReaderMetadata> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    guarded(name, || ArrowReaderMetadata::load(input, options))
}

/// The metadata without the writer's types, but with those of durations: without them, these are
/// integers of an unknown unit.
fn with_durations(
    plain: ArrowReaderMetadata,
    typed: &ArrowReaderMetadata,
    name: &str,
) -> Result<ArrowReaderMetadata> {
    let is_duration = |field: &FieldRef| matches!(field.data_type(), DataType::Duration(_));
    let fields = typed.schema().fields();
    if !fields.iter().any(is_duration) {
        return Ok(plain);
    }
    let field = |(plain, typed): (&FieldRef, &FieldRef)| match is_duration(typed) {
        true => Arc::new(plain.as_ref().clone().with_data_type(typed.data_type().clone())),
        false => Arc::clone(plain),
    };
    let fields: Fields = plain.schema().fields().iter().zip(fields).map(field).collect();
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
    guarded(name, || ArrowReaderMetadata::try_new(Arc::clone(plain.metadata()), options))
}

fn batches(
    input: impl ChunkReader + 'static,
    metadata: &ArrowReaderMetadata,
    columns: &[usize],
    row_group: Option<usize>,
) -> Result<ParquetRecordBatchReader, ParquetError> {
    let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata.clone())
        .with_projection(mask)
        .with_batch_size(BATCH_ROWS);
    match row_group {
        Some(group) => reader.with_row_groups(vec![group]).build(),
        None => reader.build(),
    }
}

// Reads all of a Parquet file, some columns at a time, on several threads.

/// Columns are read in this many groups, or fewer. As many for any number of threads, so that
/// neither the table nor the first error depends on it.
const GROUPS: usize = 16;

/// Reads a whole Parquet file.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let file = ParquetFile::open(source)?;
    let ordered = ordered_columns(&file, options)?;
    let options = &ordered.iter().fold(options.clone(), |options, (name, names)| {
        options.column(name, ReadAs::Ordered(names.clone()))
    });
    let wanted = wanted_columns(&file, options)?;
    let groups: Vec<&[usize]> = wanted.chunks(wanted.len().div_ceil(GROUPS).max(1)).collect();
    let read_group =
        |group: usize| ParquetReader::new(&file, options, groups[group])?.read(usize::MAX);
    let parts = parallel_map(groups.len(), options.threads, read_group);
    // A table without rows, for the warnings and the name.
    let mut table = ParquetReader::new(&file, options, &[])?.read(0)?;
    table.n_rows = file.n_rows();
    for part in parts {
        let part = part?;
        table.n_rows = part.n_rows;
        table.columns.extend(part.columns);
        table.kept.extend(part.kept);
        table.unreadable.add(part.unreadable);
    }
    let by_file = |column: &&mut Column| ordered.iter().any(|(name, _)| *name == column.name);
    for column in table.columns.iter_mut().filter(by_file) {
        column.decided_by = DecidedBy::File;
    }
    infer::settle(&mut table, &Notations::of_typed_texts());
    Ok(table)
}

/// The orders of categories that a file declares.
pub(crate) fn orders(
    source: &Source,
    options: &ReadOptions,
) -> Result<BTreeMap<String, Vec<String>>> {
    let file = ParquetFile::open(source)?;
    Ok(ordered_columns(&file, options)?.into_iter().collect())
}

// Ordered categories that a data frame has written.
//
// The file says only *that* the categories of a column are ordered. Their order is that of the
// dictionary, which Arrow's C++ library (pandas, pyarrow, R) writes whole and in order; other
// writers make their own, in the order of the rows.

const KEEPS_ORDER: &str = "parquet-cpp-arrow";

/// The columns to infer that have ordered categories: name and categories.
fn ordered_columns(
    file: &ParquetFile,
    options: &ReadOptions,
) -> Result<Vec<(String, Vec<String>)>> {
    let Some(typed) = file.typed() else { return Ok(Vec::new()) };
    let created_by = typed.metadata().file_metadata().created_by().unwrap_or_default();
    if !created_by.starts_with(KEEPS_ORDER) {
        return Ok(Vec::new());
    }
    let fields = typed.schema().fields();
    let names: Vec<&String> = fields.iter().map(|field| field.name()).collect();
    let plan = options.plan(&file.name, &names)?;
    let mut columns = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if field.dict_is_ordered() == Some(true) && plan[index] == ReadAs::Infer {
            let categories = common_dictionary(file, typed, index)?;
            columns.extend(categories.map(|names| (field.name().clone(), names)));
        }
    }
    Ok(columns)
}

/// The categories of a column. Every row group has a dictionary of its own; `None` if they are not
/// the same.
fn common_dictionary(
    file: &ParquetFile,
    typed: &ArrowReaderMetadata,
    column: usize,
) -> Result<Option<Vec<String>>> {
    let mut common: Option<Vec<String>> = None;
    for group in 0..typed.metadata().num_row_groups() {
        let mut batches = file.batches(typed, &[column], Some(group))?;
        let batch = guarded(&file.name, || Ok(batches.next().transpose()?))?;
        let found = batch.and_then(|batch| dictionary(batch.column(0)));
        if found.is_none() || common.as_ref().is_some_and(|common| Some(common) != found.as_ref()) {
            return Ok(None);
        }
        common = found;
    }
    Ok(common)
}

fn dictionary(array: &ArrayRef) -> Option<Vec<String>> {
    let values = array.as_any_dictionary_opt()?.values();
    texts(values)?.into_iter().collect()
}
