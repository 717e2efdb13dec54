//! Writes tables as Parquet files.

use crate::arrow::texts;
use crate::error::{Error, ErrorKind, Result};
use crate::parquet::guarded;
use crate::table::{CategoryOrigin, Column, Nominal, Table, Values};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use arrow_select::concat::concat;
use arrow_select::filter::filter;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::sync::Arc;

/// Writes tables with the same columns, compressed with snappy: numbers as doubles, categories as
/// strings, booleans as booleans, missing values as nulls, verbatim columns with their own type.
pub(crate) struct ParquetWriter<W: Write + Send> {
    file: String,
    state: State<W>,
}

enum State<W: Write + Send> {
    /// The columns are not known yet.
    Waiting(Option<W>),
    Writing(Box<ArrowWriter<W>>),
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(crate) fn new(file: &str, out: W) -> Self {
        Self { file: file.to_owned(), state: State::Waiting(Some(out)) }
    }

    pub(crate) fn write(&mut self, table: &Table) -> Result<()> {
        let written = self.write_batch(table);
        written.map_err(|error| cannot_write(&self.file, error))
    }

    fn write_batch(&mut self, table: &Table) -> Result<(), ParquetError> {
        let schema = Arc::new(Schema::new(table.columns().iter().map(field).collect::<Vec<_>>()));
        if let State::Waiting(out) = &mut self.state
            && let Some(out) = out.take()
        {
            let properties =
                WriterProperties::builder().set_compression(Compression::SNAPPY).build();
            let writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties))?;
            self.state = State::Writing(Box::new(writer));
        }
        let State::Writing(writer) = &mut self.state else {
            return Err(ParquetError::General("the output could not be opened".to_owned()));
        };
        let arrays: Vec<ArrayRef> = table.columns().iter().map(array).collect();
        writer.write(&RecordBatch::try_new(schema, arrays)?)
    }

    pub(crate) fn finish(mut self) -> Result<W> {
        if matches!(self.state, State::Waiting(_)) {
            self.write(&Table::from_columns(Vec::new())?)?;
        }
        let finished = match self.state {
            State::Writing(writer) => writer.into_inner(),
            State::Waiting(_) => Err(ParquetError::General("nothing was written".to_owned())),
        };
        finished.map_err(|error| cannot_write(&self.file, error))
    }
}

/// Converts a write error, unwrapping I/O errors such as a full disk.
fn cannot_write(file: &str, error: ParquetError) -> Error {
    let file = file.to_owned();
    let problem = match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(problem) => return ErrorKind::Io { file, problem: *problem }.into(),
            Err(cause) => cause.to_string(),
        },
        error => error.to_string(),
    };
    ErrorKind::Format { file, problem, remedy: "write CSV instead" }.into()
}

fn field(column: &Column) -> Field {
    if let Some(kept) = &column.kept {
        return kept.field.as_ref().clone().with_name(column.name());
    }
    let data_type = match column.values() {
        Values::Numeric(_) => DataType::Float64,
        Values::Nominal(nominal) if is_boolean(nominal) => DataType::Boolean,
        Values::Nominal(_) => DataType::Utf8,
    };
    Field::new(column.name(), data_type, true)
}

fn array(column: &Column) -> ArrayRef {
    if let Some(kept) = &column.kept {
        return Arc::clone(&kept.array);
    }
    match column.values() {
        Values::Numeric(values) => {
            let present = |value: &f64| (!value.is_nan()).then_some(*value);
            Arc::new(values.iter().map(present).collect::<Float64Array>())
        }
        Values::Nominal(nominal) if is_boolean(nominal) => {
            let value = |row| nominal.text(row).map(|text| text == "true");
            Arc::new((0..nominal.codes().len()).map(value).collect::<BooleanArray>())
        }
        Values::Nominal(nominal) => Arc::new(
            (0..nominal.codes().len()).map(|row| nominal.text(row)).collect::<StringArray>(),
        ),
    }
}

fn is_boolean(nominal: &Nominal) -> bool {
    nominal.origin() == CategoryOrigin::Boolean
}

// Columns to copy to the output: the original Arrow array, and its text.

/// The Arrow array of a column to copy.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(super) field: FieldRef,
    pub(super) array: ArrayRef,
    has_text: bool,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.field == other.field && *self.array == *other.array
    }
}

impl Kept {
    /// Keeps an array and returns the text of its values, `None` if the type has no text form.
    pub(super) fn new(field: &FieldRef, array: ArrayRef) -> (Self, Option<Vec<Option<String>>>) {
        let texts = texts(&array);
        let field = Arc::new(field.as_ref().clone().with_nullable(true));
        (Self { field, array, has_text: texts.is_some() }, texts)
    }

    /// Concatenates pieces. `None` if there are none.
    pub(super) fn joined(pieces: &[Self]) -> Result<Option<Self>, ArrowError> {
        let Some(first) = pieces.first() else { return Ok(None) };
        let arrays: Vec<&dyn Array> = pieces.iter().map(|piece| &*piece.array).collect();
        let array = if arrays.len() == 1 { Arc::clone(&first.array) } else { concat(&arrays)? };
        Ok(Some(Self { field: Arc::clone(&first.field), array, has_text: first.has_text }))
    }

    /// The rows to keep.
    pub(crate) fn retaining(&self, keep: &[bool], file: &str) -> Result<Self> {
        let array = guarded(file, || Ok(filter(&self.array, &BooleanArray::from(keep.to_vec()))?))?;
        Ok(Self { array, field: Arc::clone(&self.field), has_text: self.has_text })
    }

    /// The type, if it has no text form.
    pub(crate) fn type_without_text(&self) -> Option<String> {
        (!self.has_text).then(|| self.field.data_type().to_string())
    }
}
