//! Writes tables as Parquet files.

use crate::error::{Error, ErrorKind, Result};
use crate::notation::shortest_number;
use crate::parquet::guarded;
use crate::table::{CategoryOrigin, Column, Nominal, Table, Values};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTemporalType, ArrowTimestampType, Date32Type, Date64Type,
    Decimal128Type, Decimal256Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, PrimitiveArray, RecordBatch, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, TimeUnit};
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
        let texts = kept_texts(&array);
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

/// The text of every value, `None` for null: numbers in their shortest exact form, dates and times
/// in ISO 8601. Lists, structs, binary values and durations have no text form.
pub(super) fn kept_texts(array: &ArrayRef) -> Option<Vec<Option<String>>> {
    match array.data_type() {
        DataType::Null => Some(vec![None; array.len()]),
        DataType::Utf8 => Some(owned(array.as_string::<i32>().iter())),
        DataType::LargeUtf8 => Some(owned(array.as_string::<i64>().iter())),
        DataType::Utf8View => Some(owned(array.as_string_view().iter())),
        DataType::Boolean => Some(owned(
            array.as_boolean().iter().map(|t| t.map(|t| if t { "true" } else { "false" })),
        )),
        DataType::Int8 => displayed::<Int8Type>(array),
        DataType::Int16 => displayed::<Int16Type>(array),
        DataType::Int32 => displayed::<Int32Type>(array),
        DataType::Int64 => displayed::<Int64Type>(array),
        DataType::UInt8 => displayed::<UInt8Type>(array),
        DataType::UInt16 => displayed::<UInt16Type>(array),
        DataType::UInt32 => displayed::<UInt32Type>(array),
        DataType::UInt64 => displayed::<UInt64Type>(array),
        DataType::Float16 => by_value::<Float16Type>(array, |v| v.to_string()),
        DataType::Float32 => by_value::<Float32Type>(array, single),
        DataType::Float64 => by_value::<Float64Type>(array, shortest_number),
        DataType::Decimal128(..) => {
            by_row::<Decimal128Type>(array, |array, row| Some(array.value_as_string(row)))
        }
        DataType::Decimal256(..) => {
            by_row::<Decimal256Type>(array, |array, row| Some(array.value_as_string(row)))
        }
        DataType::Date32 => by_row::<Date32Type>(array, date),
        DataType::Date64 => by_row::<Date64Type>(array, date),
        DataType::Time32(TimeUnit::Second) => by_row::<Time32SecondType>(array, time),
        DataType::Time32(_) => by_row::<Time32MillisecondType>(array, time),
        DataType::Time64(TimeUnit::Microsecond) => by_row::<Time64MicrosecondType>(array, time),
        DataType::Time64(_) => by_row::<Time64NanosecondType>(array, time),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => by_row::<TimestampSecondType>(array, timestamp),
            TimeUnit::Millisecond => by_row::<TimestampMillisecondType>(array, timestamp),
            TimeUnit::Microsecond => by_row::<TimestampMicrosecondType>(array, timestamp),
            TimeUnit::Nanosecond => by_row::<TimestampNanosecondType>(array, timestamp),
        },
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary_opt()?;
            let words = kept_texts(dictionary.values())?;
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            let word = |(row, key): (usize, usize)| {
                if array.is_null(row) { None } else { words[key].clone() }
            };
            Some(keys.map(word).collect())
        }
        _ => None,
    }
}

fn owned<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<String>> {
    texts.map(|text| text.map(str::to_owned)).collect()
}

fn displayed<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<Vec<Option<String>>>
where
    T::Native: ToString,
{
    by_value::<T>(array, |value| value.to_string())
}

fn by_value<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    text: impl Fn(T::Native) -> String,
) -> Option<Vec<Option<String>>> {
    Some(array.as_primitive_opt::<T>()?.iter().map(|value| value.map(&text)).collect())
}

fn by_row<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    text: impl Fn(&PrimitiveArray<T>, usize) -> Option<String>,
) -> Option<Vec<Option<String>>> {
    let values = array.as_primitive_opt::<T>()?;
    let of_row = |row| if values.is_null(row) { None } else { text(values, row) };
    Some((0..values.len()).map(of_row).collect())
}

/// The shortest text of a single: 0.1, not the 0.10000000149011612 of the equal double.
fn single(value: f32) -> String {
    if value.fract() == 0.0 && value.abs() < 1e7 { value.to_string() } else { format!("{value:?}") }
}

fn date<T: ArrowTemporalType>(array: &PrimitiveArray<T>, row: usize) -> Option<String>
where
    i64: From<T::Native>,
{
    array.value_as_date(row).map(|date| date.to_string())
}

fn time<T: ArrowTemporalType>(array: &PrimitiveArray<T>, row: usize) -> Option<String>
where
    i64: From<T::Native>,
{
    array.value_as_time(row).map(|time| time.to_string())
}

/// A timestamp. With a time zone it is stored, and written, in UTC.
fn timestamp<T: ArrowTimestampType>(array: &PrimitiveArray<T>, row: usize) -> Option<String> {
    let zone = if matches!(array.data_type(), DataType::Timestamp(_, Some(_))) { "Z" } else { "" };
    let timestamp = array.value_as_datetime(row)?;
    Some(format!("{}T{}{zone}", timestamp.date(), timestamp.time()))
}
