//! Reads Parquet files into tables.

use crate::arrow::{Kind, each_text, longer_text, numbers};
use crate::delimited::what;
use crate::error::{ErrorKind, Place, Result, clipped, field_too_long};
use crate::notation::parse;
use crate::options::{ReadAs, ReadOptions, Unreadable};
use crate::parquet::write::Kept;
use crate::parquet::{ParquetFile, guarded};
use crate::source::Source;
use crate::table::builder::{ColumnBuilder, NominalBuilder, TableBuilder};
use crate::table::{DecidedBy, Table, TableFile, check_distinct_names};
use crate::warning::Warning;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, SchemaRef};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader};
use std::sync::Arc;
use ternwood::dataset::notation::{DatePattern, Notation};

/// Reads a Parquet file in chunks of rows.
pub(crate) struct ParquetReader {
    batches: ParquetRecordBatchReader,
    /// The unread rows of the current batch.
    rest: Option<RecordBatch>,
    builder: TableBuilder,
    /// By column.
    unreadable: Vec<Unreadable>,
    max_field: usize,
}

/// The indices of the columns to read.
pub(super) fn wanted_columns(file: &ParquetFile, options: &ReadOptions) -> Result<Vec<usize>> {
    let builder = empty_table(metadata(file, options).schema(), &file.name, options)?;
    let is_wanted =
        |index: &usize| options.keep || !matches!(builder.columns[*index], ColumnBuilder::Dropped);
    Ok((0..builder.columns.len()).filter(is_wanted).collect())
}

/// The metadata to read by: columns to keep have the Arrow types of the writer.
fn metadata<'a>(file: &'a ParquetFile, options: &ReadOptions) -> &'a ArrowReaderMetadata {
    file.typed().filter(|_| options.keep).unwrap_or(file.plain())
}

impl ParquetReader {
    /// Reads all columns that the options want.
    pub(crate) fn open(source: &Source, options: &ReadOptions) -> Result<Self> {
        let file = ParquetFile::open(source)?;
        Self::new(&file, options, &wanted_columns(&file, options)?)
    }

    /// Reads these columns, given by ascending indices.
    pub(super) fn new(
        file: &ParquetFile,
        options: &ReadOptions,
        columns: &[usize],
    ) -> Result<Self> {
        let metadata = metadata(file, options);
        check_chunks(file, metadata.schema(), options.max_field, columns)?;
        let batches = file.batches(metadata, columns, None)?;
        let builder = empty_table(metadata.schema(), &file.name, options)?;
        let mut builder = builder.select(columns);
        // Capped, because the row count of a damaged file can be anything.
        builder.reserve(file.n_rows().min(MAX_RESERVED_ROWS));
        let unreadable = builder.names.iter().map(|name| options.unreadable_in(name)).collect();
        Ok(Self { batches, rest: None, builder, unreadable, max_field: options.max_field })
    }

    /// Reads up to `limit` rows. Returns a table without rows at the end.
    pub(crate) fn read(&mut self, limit: usize) -> Result<Table> {
        let mut kept = vec![Vec::new(); self.builder.columns.len()];
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
            self.check_lengths(index, array)?;
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

    /// Refuses texts that are too long.
    fn check_lengths(&self, index: usize, array: &ArrayRef) -> Result<()> {
        let Some(row) = longer_text(array, self.max_field) else { return Ok(()) };
        Err(field_too_long(self.place(index, row), self.max_field))
    }

    /// The place of a cell in the current batch.
    fn place(&self, index: usize, row: usize) -> Place {
        let builder = &self.builder;
        let mut place = builder.file.place().in_column(&builder.names[index]);
        place.row = Some(builder.file.first_row + (builder.n_rows() + row) as u64 + 1);
        place
    }

    /// Appends an array to a column.
    fn push_array(&mut self, index: usize, array: &ArrayRef) -> Result<()> {
        let notation = &self.builder.notations[index];
        let mut refused: Vec<(usize, String)> = Vec::new();
        match &mut self.builder.columns[index] {
            ColumnBuilder::Dropped | ColumnBuilder::Misjudged => {}
            ColumnBuilder::Numeric(values) => match numbers(array) {
                Some(numbers) => values.extend(&numbers),
                None => each_text(array, |row, text| {
                    let number =
                        text.map_or(Some(f64::NAN), |t| parse(notation, t.trim_ascii().as_bytes()));
                    values.push(number.unwrap_or(ternwood::UNKNOWN));
                    if number.is_none() {
                        refused.push((row, text.unwrap_or_default().to_owned()));
                    }
                }),
            },
            ColumnBuilder::Nominal(nominal) => each_text(array, |row, text| match text {
                Some(text) if nominal.push(text) => {}
                Some(text) => refused.push((row, text.to_owned())),
                None => nominal.push_missing(),
            }),
        }
        self.refuse(index, &refused)
    }

    /// Counts cells that could not be read, or reports the first of them.
    fn refuse(&mut self, index: usize, cells: &[(usize, String)]) -> Result<()> {
        for (row, value) in cells {
            let place = self.place(index, *row);
            let builder = &mut self.builder;
            let value = clipped(value);
            let error = match (&builder.columns[index], &builder.notations[index]) {
                (ColumnBuilder::Nominal(nominal), _) => {
                    let known = nominal.categories().join(" < ");
                    ErrorKind::NoRank { place, value, known }
                }
                (_, notation) if self.unreadable[index] == Unreadable::Unknown => {
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

/// Refuses columns of texts that take more bytes than their values may, before any is read.
fn check_chunks(
    file: &ParquetFile,
    schema: &SchemaRef,
    max_field: usize,
    columns: &[usize],
) -> Result<()> {
    for &index in columns {
        let field = schema.field(index);
        if Kind::of(field.data_type()) == Kind::Text && file.has_long_values(index, max_field) {
            let place = Place::file(&file.name).in_column(field.name());
            return Err(field_too_long(place, max_field));
        }
    }
    Ok(())
}

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
