//! Converts Arrow arrays to numbers and texts.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

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
            let texts = super::texts(array).unwrap_or_else(|| vec![None; array.len()]);
            each(&mut texts.iter().map(Option::as_deref));
        }
    }
}
