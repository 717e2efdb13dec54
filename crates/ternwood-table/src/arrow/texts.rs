//! The text of every value of an array.

use crate::notation::shortest_number;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTemporalType, ArrowTimestampType, Date32Type, Date64Type,
    Decimal128Type, Decimal256Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

/// The text of every value, `None` for null: numbers in their shortest exact form, dates and times
/// in ISO 8601. Lists, structs, binary values and durations have no text form.
pub(crate) fn texts(array: &ArrayRef) -> Option<Vec<Option<String>>> {
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
            let words = texts(dictionary.values())?;
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
