//! Reads Parquet files into tables.

use super::arrays::{self, Kind};
use super::guarded;
use super::kept::Kept;
use crate::error::{Error, ErrorKind, Result, clipped, io};
use crate::number;
use crate::options::{ReadAs, ReadOptions};
use crate::source::{Source, Storage};
use crate::table::builder::{ColumnBuilder, NominalBuilder, TableBuilder};
use crate::table::{CategoryOrigin, Table, TableFile, check_distinct_names};
use crate::warning::Warning;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
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
use std::sync::Arc;

/// Reads a Parquet file in chunks of rows.
pub(crate) struct ParquetReader {
    batches: ParquetRecordBatchReader,
    /// The unread rows of the current batch.
    rest: Option<RecordBatch>,
    builder: TableBuilder,
    /// Indices of the columns to read.
    wanted: Vec<usize>,
    /// For each wanted column, whether it is read verbatim.
    verbatim: Vec<bool>,
}

impl ParquetReader {
    /// Reads the metadata.
    pub(crate) fn open(source: &Source, options: &ReadOptions) -> Result<Self> {
        match source.storage() {
            Storage::File(path) => {
                let file = File::open(path).map_err(|problem| io(source.name(), problem))?;
                Self::new(file, source.name(), options)
            }
            Storage::Memory(bytes) => {
                Self::new(Bytes::from_owner(bytes.clone()), source.name(), options)
            }
            Storage::Stream(_) => {
                // The metadata is at the end of the file.
                let mut bytes = Vec::new();
                let read = source.take_raw()?.read_to_end(&mut bytes);
                read.map_err(|problem| io(source.name(), problem))?;
                Self::new(Bytes::from(bytes), source.name(), options)
            }
        }
    }

    fn new(input: impl ChunkReader + 'static, file: &str, options: &ReadOptions) -> Result<Self> {
        let metadata = guarded(file, || load_metadata(&input, file, options))??;
        let schema = metadata.schema();
        let mut builder = empty_table(schema, file, options)?;
        let plan = options.plan(file, &builder.names)?;
        let is_wanted = |column: &ColumnBuilder| !matches!(column, ColumnBuilder::Dropped);
        let wanted: Vec<usize> =
            (0..builder.columns.len()).filter(|&i| is_wanted(&builder.columns[i])).collect();
        let verbatim = wanted.iter().map(|&index| plan[index] == ReadAs::Verbatim).collect();
        let mask = ProjectionMask::roots(metadata.parquet_schema(), wanted.iter().copied());
        let n_rows = usize::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0);
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata)
            .with_projection(mask)
            .with_batch_size(BATCH_ROWS);
        let batches = guarded(file, || reader.build())?;
        // Capped, because the row count of a damaged file can be anything.
        builder.reserve(n_rows.min(MAX_RESERVED_ROWS));
        Ok(Self { batches, rest: None, builder, wanted, verbatim })
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
        for (column, pieces) in table.columns.iter_mut().zip(kept) {
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

    /// Adds the rows of a batch to the columns, and the arrays of verbatim columns to `kept`.
    fn push(&mut self, batch: &RecordBatch, kept: &mut [Vec<Kept>]) -> Result<()> {
        let schema = batch.schema();
        for (position, (array, field)) in batch.columns().iter().zip(schema.fields()).enumerate() {
            let index = self.wanted[position];
            if self.verbatim[position] {
                let (array, texts) = Kept::new(field, Arc::clone(array));
                push_texts(texts, batch.num_rows(), &mut self.builder.columns[index]);
                kept[position].push(array);
                continue;
            }
            let pushed = push_array(array, &mut self.builder.columns[index]);
            pushed.map_err(|(row, value)| self.not_a_number(index, row, &value))?;
        }
        self.builder.end_rows(batch.num_rows());
        Ok(())
    }

    fn not_a_number(&self, index: usize, row: usize, value: &str) -> Error {
        let row = self.builder.file.first_row + (self.builder.n_rows() + row) as u64 + 1;
        let mut place = self.builder.file.place().in_column(&self.builder.names[index]);
        place.row = Some(row);
        ErrorKind::NotANumber { place, value: clipped(value) }.into()
    }
}

/// Loads the metadata, with the Arrow type to read each column as.
///
/// Verbatim columns keep the Arrow types of the writer. Other columns do without them, so that a
/// string is a string, whether written as a dictionary, a view or a large string.
fn load_metadata(
    input: &impl ChunkReader,
    file: &str,
    options: &ReadOptions,
) -> Result<Result<ArrowReaderMetadata>, ParquetError> {
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let plain = ArrowReaderMetadata::load(input, plain)?;
    let fields = plain.schema().fields();
    let names: Vec<&String> = fields.iter().map(|field| field.name()).collect();
    let plan = match options.plan(file, &names) {
        Ok(plan) => plan,
        Err(error) => return Ok(Err(error)),
    };
    let metadata = Arc::clone(plain.metadata());
    let typed = ArrowReaderMetadata::try_new(Arc::clone(&metadata), ArrowReaderOptions::new());
    let Ok(typed) = typed else { return Ok(Ok(plain)) };
    if !plan.contains(&ReadAs::Verbatim) || typed.schema().fields().len() != fields.len() {
        return Ok(Ok(plain));
    }
    let pairs = fields.iter().zip(typed.schema().fields()).zip(plan);
    let mixed: Vec<FieldRef> = pairs
        .map(|((plain, typed), plan)| if plan == ReadAs::Verbatim { typed } else { plain })
        .cloned()
        .collect();
    let mixed = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(mixed)));
    Ok(Ok(ArrowReaderMetadata::try_new(metadata, mixed).unwrap_or(plain)))
}

const BATCH_ROWS: usize = 8192;
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
    let columns = schema.fields().iter().zip(plan);
    let columns = columns.map(|(field, plan)| column(field, plan, &mut warnings)).collect();
    let mut builder = TableBuilder::new(file, names, columns);
    builder.warnings = warnings;
    Ok(builder)
}

fn column(field: &Field, plan: ReadAs, warnings: &mut Vec<Warning>) -> ColumnBuilder {
    let found = ColumnBuilder::nominal;
    match (plan, Kind::of(field.data_type())) {
        (ReadAs::Drop, _) => ColumnBuilder::Dropped,
        (ReadAs::Verbatim, _) => found(CategoryOrigin::Found),
        (_, Kind::Unsupported) => {
            let (column, column_type) = (field.name().clone(), field.data_type().to_string());
            warnings.push(Warning::UnsupportedType { column, column_type });
            ColumnBuilder::Dropped
        }
        (ReadAs::Numeric, _) | (ReadAs::Infer, Kind::Number) => ColumnBuilder::numeric(),
        (ReadAs::Infer | ReadAs::Nominal, Kind::Boolean) => {
            ColumnBuilder::Nominal(NominalBuilder::boolean())
        }
        (ReadAs::Nominal, _) => found(CategoryOrigin::Requested),
        (ReadAs::Infer, Kind::Text) => found(CategoryOrigin::Found),
    }
}

/// Appends texts to a column, or missing values if `texts` is `None`.
fn push_texts(texts: Option<Vec<Option<String>>>, rows: usize, column: &mut ColumnBuilder) {
    let ColumnBuilder::Nominal(nominal) = column else { return };
    for text in texts.unwrap_or_else(|| vec![None; rows]) {
        match text {
            Some(text) => _ = nominal.push(&text),
            None => nominal.push_missing(),
        }
    }
}

/// Appends an array to a column. The error is the row and text of the first value that the column
/// does not accept.
fn push_array(array: &ArrayRef, column: &mut ColumnBuilder) -> Result<(), (usize, String)> {
    match column {
        ColumnBuilder::Dropped => Ok(()),
        ColumnBuilder::Numeric(values) => {
            if let Some(numbers) = arrays::numbers(array) {
                values.extend(&numbers);
                return Ok(());
            }
            let mut refused = String::new();
            let parsed = arrays::each_text(array, |text| {
                let number = text.map_or(Some(f64::NAN), |t| number::parse(t.trim().as_bytes()));
                values.push(number.unwrap_or(f64::NAN));
                if number.is_none() {
                    refused = text.unwrap_or_default().to_owned();
                }
                number.is_some()
            });
            parsed.map_err(|row| (row, refused))
        }
        ColumnBuilder::Nominal(nominal) => {
            let pushed = arrays::each_text(array, |text| match text {
                Some(text) => nominal.push(text),
                None => {
                    nominal.push_missing();
                    true
                }
            });
            pushed.map_err(|row| (row, String::new()))
        }
    }
}
