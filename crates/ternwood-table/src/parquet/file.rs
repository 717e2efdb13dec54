//! An open Parquet file: where its bytes are, and its metadata, which are parsed once.

use super::guarded;
use crate::error::{Result, io};
use crate::source::{Source, Storage};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

/// An open Parquet file.
pub(super) struct ParquetFile {
    pub(super) name: String,
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
    pub(super) fn open(source: &Source) -> Result<Self> {
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
        Ok(Self { name, input, typed: typed.filter(same_columns), plain })
    }

    /// True if the values of a column take more bytes in a row group, as the metadata say, than texts of `max_field`
    /// bytes could.
    pub(super) fn has_long_values(&self, column: usize, max_field: usize) -> bool {
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
    pub(super) fn plain(&self) -> &ArrowReaderMetadata {
        &self.plain
    }

    /// The metadata with the writer's types, if there are such.
    pub(super) fn typed(&self) -> Option<&ArrowReaderMetadata> {
        self.typed.as_ref()
    }

    /// The number of rows, as the metadata say.
    pub(super) fn n_rows(&self) -> usize {
        usize::try_from(self.plain.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Reads these columns, in all row groups or in one.
    pub(super) fn batches(
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
