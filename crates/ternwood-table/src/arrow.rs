//! Arrow arrays, from Parquet files and from data frames, as numbers and texts.

use crate::notation::shortest_number;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTemporalType, ArrowTimestampType, Date32Type, Date64Type,
    Decimal128Type, Decimal256Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The kind of an Arrow type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    /// Days.
    Date,
    /// Timestamps.
    Time,
    Boolean,
    Text,
    Unsupported,
}

impl Kind {
    pub(crate) fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Boolean => Self::Boolean,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            DataType::Dictionary(_, values) => Self::of(values),
            DataType::Date32 => Self::Date,
            DataType::Date64 | DataType::Timestamp(..) => Self::Time,
            DataType::Null
            | DataType::Float16
            | DataType::Float32
            | DataType::Float64
            | DataType::Decimal128(..)
            | DataType::Duration(_) => Self::Number,
            integer if integer.is_integer() => Self::Number,
            _ => Self::Unsupported,
        }
    }
}

/// The values of an array as numbers, NaN for null; durations are seconds. `None` if the type is not numeric.
pub(crate) fn numbers(array: &ArrayRef) -> Option<Vec<f64>> {
    match array.data_type() {
        DataType::Null => Some(vec![f64::NAN; array.len()]),
        DataType::Int8 => of::<Int8Type>(array, f64::from),
        DataType::Int16 => of::<Int16Type>(array, f64::from),
        DataType::Int32 => of::<Int32Type>(array, f64::from),
        DataType::Int64 => of::<Int64Type>(array, |value| value as f64),
        DataType::UInt8 => of::<UInt8Type>(array, f64::from),
        DataType::UInt16 => of::<UInt16Type>(array, f64::from),
        DataType::UInt32 => of::<UInt32Type>(array, f64::from),
        DataType::UInt64 => of::<UInt64Type>(array, |value| value as f64),
        DataType::Float16 => of::<Float16Type>(array, f64::from),
        DataType::Float32 => of::<Float32Type>(array, f64::from),
        DataType::Float64 => of::<Float64Type>(array, |value| value),
        DataType::Decimal128(_, scale) => {
            let unit = 10f64.powi(i32::from(*scale));
            of::<Decimal128Type>(array, |value| value as f64 / unit)
        }
        DataType::Date32 => of::<Date32Type>(array, f64::from),
        DataType::Date64 => of::<Date64Type>(array, |ms| ms as f64 / 1e3),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => of::<TimestampSecondType>(array, |s| s as f64),
            TimeUnit::Millisecond => of::<TimestampMillisecondType>(array, |ms| ms as f64 / 1e3),
            TimeUnit::Microsecond => of::<TimestampMicrosecondType>(array, |us| us as f64 / 1e6),
            TimeUnit::Nanosecond => of::<TimestampNanosecondType>(array, |ns| ns as f64 / 1e9),
        },
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => of::<DurationSecondType>(array, |s| s as f64),
            TimeUnit::Millisecond => of::<DurationMillisecondType>(array, |ms| ms as f64 / 1e3),
            TimeUnit::Microsecond => of::<DurationMicrosecondType>(array, |us| us as f64 / 1e6),
            TimeUnit::Nanosecond => of::<DurationNanosecondType>(array, |ns| ns as f64 / 1e9),
        },
        DataType::Boolean => {
            let number = |value: Option<bool>| value.map_or(f64::NAN, f64::from);
            Some(array.as_boolean_opt()?.iter().map(number).collect())
        }
        _ => None,
    }
}

fn of<T: ArrowPrimitiveType>(array: &ArrayRef, f: impl Fn(T::Native) -> f64) -> Option<Vec<f64>> {
    let values = array.as_primitive_opt::<T>()?;
    Some(match values.null_count() {
        0 => values.values().iter().map(|&value| f(value)).collect(),
        _ => values.iter().map(|value| value.map_or(f64::NAN, &f)).collect(),
    })
}

/// The row of the first text of more than `max` bytes.
#[cfg(feature = "parquet")]
pub(crate) fn longer_text(array: &ArrayRef, max: usize) -> Option<usize> {
    let is_longer = |text: Option<&str>| text.is_some_and(|text| text.len() > max);
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().position(is_longer),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().position(is_longer),
        DataType::Utf8View => array.as_string_view().iter().position(is_longer),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary_opt()?;
            let long = longer_text(dictionary.values(), max)?;
            let keys = dictionary.normalized_keys();
            // An unused value has no row: the first row is as good as any.
            Some(keys.iter().position(|&key| key == long).unwrap_or_default())
        }
        _ => None,
    }
}

/// Calls `f` with the row and the text of every value, `None` for null.
#[cfg(feature = "parquet")]
pub(crate) fn each_text(array: &ArrayRef, mut f: impl FnMut(usize, Option<&str>)) {
    let mut each = |texts: &mut dyn Iterator<Item = Option<&str>>| {
        texts.enumerate().for_each(|(row, text)| f(row, text));
    };
    match array.data_type() {
        DataType::Utf8 => each(&mut array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => each(&mut array.as_string::<i64>().iter()),
        DataType::Utf8View => each(&mut array.as_string_view().iter()),
        _ => {
            let texts = texts(array).unwrap_or_else(|| vec![None; array.len()]);
            each(&mut texts.iter().map(Option::as_deref));
        }
    }
}

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

// Independent work on several threads.

/// The results of `f` for 0, 1, ..., `count` - 1, in this order.
pub(crate) fn parallel_map<T: Send>(
    count: usize,
    threads: usize,
    f: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(count));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            let result = f(index);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(work);
        }
        work();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        for threads in [1, 2, 7] {
            assert_eq!(parallel_map(100, threads, |index| index * index)[99], 99 * 99);
            assert_eq!(parallel_map(3, threads, |index| index), [0, 1, 2]);
            assert!(parallel_map(0, threads, |index| index).is_empty());
        }
    }
}
