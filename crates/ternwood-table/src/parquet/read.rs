//! Reads Parquet files into tables.

use super::arrays::{self, Kind};
use super::guarded;
use super::kept::Kept;
use crate::delimited::what;
use crate::error::{ErrorKind, Result, clipped, io};
use crate::options::{ReadAs, ReadOptions, Unreadable};
use crate::source::{Source, Storage};
use crate::table::builder::{ColumnBuilder, NominalBuilder, TableBuilder};
use crate::table::{DecidedBy, Table, TableFile, check_distinct_names};
use crate::warning::Warning;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, SchemaRef};
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
use ternwood::dataset::notation::{DatePattern, Notation};

/// Reads a Parquet file in chunks of rows.
pub(crate) struct ParquetReader {
    batches: ParquetRecordBatchReader,
    /// The unread rows of the current batch.
    rest: Option<RecordBatch>,
    builder: TableBuilder,
    /// Indices of the columns to read.
    wanted: Vec<usize>,
    n_rows: usize,
    unreadable: Unreadable,
}

/// Where the bytes of a file come from. Each reader has a position of its own.
pub(super) enum Input {
    File(PathBuf),
    Bytes(Bytes),
}

impl Input {
    pub(super) fn open(source: &Source) -> Result<Self> {
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

impl ParquetReader {
    /// Reads the metadata.
    pub(crate) fn open(source: &Source, options: &ReadOptions) -> Result<Self> {
        Self::new(&Input::open(source)?, source.name(), options, None)
    }

    /// Reads the metadata, to read all columns or only one, given its index.
    pub(super) fn new(
        input: &Input,
        file: &str,
        options: &ReadOptions,
        only: Option<usize>,
    ) -> Result<Self> {
        match input {
            Input::File(path) => {
                let opened = File::open(path).map_err(|problem| io(file, problem))?;
                Self::with(opened, file, options, only)
            }
            Input::Bytes(bytes) => Self::with(bytes.clone(), file, options, only),
        }
    }

    fn with(
        input: impl ChunkReader + 'static,
        file: &str,
        options: &ReadOptions,
        only: Option<usize>,
    ) -> Result<Self> {
        let metadata = guarded(file, || load_metadata(&input, options))?;
        let builder = empty_table(metadata.schema(), file, options)?;
        let is_wanted = |index: &usize| {
            let is_read = !matches!(builder.columns[*index], ColumnBuilder::Dropped);
            only.is_none_or(|only| only == *index) && (options.keep || is_read)
        };
        let wanted: Vec<usize> = (0..builder.columns.len()).filter(is_wanted).collect();
        let mask = ProjectionMask::roots(metadata.parquet_schema(), wanted.iter().copied());
        let n_rows = usize::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0);
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata)
            .with_projection(mask)
            .with_batch_size(BATCH_ROWS);
        let batches = guarded(file, || reader.build())?;
        let mut builder = builder.select(&wanted);
        // Capped, because the row count of a damaged file can be anything.
        builder.reserve(n_rows.min(MAX_RESERVED_ROWS));
        Ok(Self { batches, rest: None, builder, wanted, n_rows, unreadable: options.unreadable })
    }

    /// Indices of the columns to read.
    pub(super) fn wanted(&self) -> &[usize] {
        &self.wanted
    }

    /// The number of rows of the file, as its metadata say.
    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Reads up to `limit` rows. Returns a table without rows at the end.
    pub(crate) fn read(&mut self, limit: usize) -> Result<Table> {
        let mut kept = vec![Vec::new(); self.wanted.len()];
        while self.builder.n_rows() < limit {
            let Some(batch) = self.next_batch()? else { break };
            let rows = batch.num_rows().min(limit - self.builder.n_rows());
            if rows < batch.num_rows() {
                self.rest = Some(batch.slice(rows, batch.num_rows() - rows));
            }
            self.push(&batch.slice(0, rows), &mut kept)?;
        }
        let mut table = self.builder.take();
        for (column, pieces) in table.kept.iter_mut().zip(kept) {
            column.kept = guarded(&table.file.name, || Ok(Kept::joined(&pieces)?))?;
        }
        Ok(table)
    }

    /// Skips up to `limit` rows without checking their values. Returns the number skipped.
    pub(crate) fn skip(&mut self, limit: u64) -> Result<u64> {
        let mut skipped = 0;
        while skipped < limit {
            let Some(batch) = self.next_batch()? else { break };
            let rows = batch.num_rows().min(usize::try_from(limit - skipped).unwrap_or(usize::MAX));
            if rows < batch.num_rows() {
                self.rest = Some(batch.slice(rows, batch.num_rows() - rows));
            }
            skipped += rows as u64;
        }
        self.builder.skip_rows(skipped);
        Ok(skipped)
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(rest) = self.rest.take() {
            return Ok(Some(rest));
        }
        let file = &self.builder.file.name;
        guarded(file, || Ok(self.batches.next().transpose()?))
    }

    /// Adds the rows of a batch to the columns, and its arrays to `kept`.
    fn push(&mut self, batch: &RecordBatch, kept: &mut [Vec<Kept>]) -> Result<()> {
        let schema = batch.schema();
        for (index, (array, field)) in batch.columns().iter().zip(schema.fields()).enumerate() {
            if let Some(column) = self.builder.kept.get_mut(index) {
                let (array, texts) = Kept::new(field, Arc::clone(array));
                push_texts(texts, batch.num_rows(), column);
                kept[index].push(array);
            }
            self.push_array(index, array)?;
        }
        self.builder.end_rows(batch.num_rows());
        Ok(())
    }

    /// Appends an array to a column.
    fn push_array(&mut self, index: usize, array: &ArrayRef) -> Result<()> {
        let notation = &self.builder.notations[index];
        let mut refused: Vec<(usize, String)> = Vec::new();
        match &mut self.builder.columns[index] {
            ColumnBuilder::Dropped | ColumnBuilder::Misjudged => {}
            ColumnBuilder::Numeric(values) => match arrays::numbers(array) {
                Some(numbers) => values.extend(&numbers),
                None => arrays::each_text(array, |row, text| {
                    let number =
                        text.map_or(Some(f64::NAN), |t| notation.parse(t.trim().as_bytes()));
                    values.push(number.unwrap_or(ternwood::UNKNOWN));
                    if number.is_none() {
                        refused.push((row, text.unwrap_or_default().to_owned()));
                    }
                }),
            },
            ColumnBuilder::Nominal(nominal) => arrays::each_text(array, |row, text| match text {
                Some(text) if nominal.push(text) => {}
                Some(text) => refused.push((row, text.to_owned())),
                None => nominal.push_missing(),
            }),
        }
        self.refuse(index, &refused)
    }

    /// Counts cells that could not be read, or reports the first of them.
    fn refuse(&mut self, index: usize, cells: &[(usize, String)]) -> Result<()> {
        let builder = &mut self.builder;
        for (row, value) in cells {
            let row = builder.file.first_row + (builder.n_rows() + row) as u64 + 1;
            let mut place = builder.file.place().in_column(&builder.names[index]);
            place.row = Some(row);
            let value = clipped(value);
            let error = match (&builder.columns[index], &builder.notations[index]) {
                (ColumnBuilder::Nominal(nominal), _) => {
                    let known = nominal.categories().join(" < ");
                    ErrorKind::NoRank { place, value, known }
                }
                (_, notation) if self.unreadable == Unreadable::Unknown => {
                    builder.unreadable.push(place, &value, what(notation));
                    continue;
                }
                (_, Notation::Date(pattern) | Notation::Time(pattern)) => {
                    ErrorKind::NotADate { place, value, pattern: pattern.as_str().to_owned() }
                }
                _ => ErrorKind::NotANumber { place, value },
            };
            return Err(error.into());
        }
        Ok(())
    }
}

/// Loads the metadata, with the Arrow type to read each column as.
///
/// Columns to keep have the Arrow types of the writer. Without them, a string is a string, whether
/// written as a dictionary, a view or a large string.
fn load_metadata(
    input: &impl ChunkReader,
    options: &ReadOptions,
) -> Result<ArrowReaderMetadata, ParquetError> {
    let load = |skip| {
        ArrowReaderMetadata::load(input, ArrowReaderOptions::new().with_skip_arrow_metadata(skip))
    };
    // The writer's types may contradict the file.
    if options.keep { load(false).or_else(|_| load(true)) } else { load(true) }
}

const BATCH_ROWS: usize = 1 << 15;
const MAX_RESERVED_ROWS: usize = 1 << 20;

/// A builder with an empty column for each column of the file; unsupported ones are dropped.
fn empty_table(schema: &SchemaRef, file: &str, options: &ReadOptions) -> Result<TableBuilder> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let file = TableFile::new(file);
    check_distinct_names(&file.place(), names.iter().map(String::as_str))?;
    if names.is_empty() {
        return Err(ErrorKind::Empty { file: file.name.to_string(), what: "columns" }.into());
    }
    let plan = options.plan(&file.name, &names)?;
    let mut warnings = Vec::new();
    let columns = schema.fields().iter().zip(&plan);
    let columns = columns.map(|(field, plan)| column(field, plan, &mut warnings)).collect();
    let mut builder = TableBuilder::new(file, names, columns);
    let kinds = schema.fields().iter().map(|field| Kind::of(field.data_type()));
    for (index, (kind, plan)) in kinds.zip(&plan).enumerate() {
        builder.notations[index] = match (kind, plan) {
            (Kind::Date, _) => Notation::Date(DatePattern::iso()),
            (Kind::Time, _) => Notation::Time(DatePattern::iso()),
            (Kind::Text, ReadAs::Written(notation)) => notation.clone(),
            _ => Notation::default(),
        };
        builder.decided_by[index] = match kind {
            Kind::Text => plan.decided_by(DecidedBy::Values),
            _ => plan.decided_by(DecidedBy::File),
        };
    }
    if options.keep {
        builder.kept = schema.fields().iter().map(|_| NominalBuilder::found()).collect();
    }
    builder.warnings = warnings;
    Ok(builder)
}

fn column(field: &Field, plan: &ReadAs, warnings: &mut Vec<Warning>) -> ColumnBuilder {
    match (plan, Kind::of(field.data_type())) {
        (ReadAs::Drop, _) => ColumnBuilder::Dropped,
        (_, Kind::Unsupported) => {
            let (column, column_type) = (field.name().clone(), field.data_type().to_string());
            warnings.push(Warning::UnsupportedType { column, column_type });
            ColumnBuilder::Dropped
        }
        (ReadAs::Number | ReadAs::Written(_), _)
        | (ReadAs::Infer, Kind::Number | Kind::Date | Kind::Time) => ColumnBuilder::numeric(),
        (ReadAs::Ordered(names), _) => ColumnBuilder::ordered(names),
        (ReadAs::Infer | ReadAs::Nominal, Kind::Boolean) => {
            ColumnBuilder::Nominal(NominalBuilder::boolean())
        }
        (ReadAs::Nominal, _) | (ReadAs::Infer, Kind::Text) => ColumnBuilder::nominal(),
    }
}

/// Appends texts to a column, or missing values if `texts` is `None`.
fn push_texts(texts: Option<Vec<Option<String>>>, rows: usize, column: &mut NominalBuilder) {
    for text in texts.unwrap_or_else(|| vec![None; rows]) {
        match text {
            Some(text) => _ = column.push(&text),
            None => column.push_missing(),
        }
    }
}
