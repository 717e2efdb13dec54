//! What a piece replies, and how replies merge.

use super::counts::{Counts, ValueCount};
use crate::dataset::Moments;
use crate::error::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reply to an [`Ask`](super::Ask).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// For each bin of each feature, whether it has a single value.
    SingleValued(Vec<Vec<bool>>),
    /// The counts of each feature that was asked about.
    Counts(Vec<Counts>),
    /// Sorted by value and class.
    Values(Vec<ValueCount>),
    /// The largest value of one bin, and the smallest of another.
    Edge([f64; 2]),
    /// Extremes, and each class's nearest value left and right of the threshold.
    Summary { extremes: (f64, f64), nearest: Vec<[f64; 2]> },
    /// Of each class.
    Moments(Vec<Moments>),
    /// A number of rows.
    Within(u32),
    /// The rows of each piece that has any, in the order of their bytes.
    Rows(Vec<Blob>),
    /// The values next to each cut, on its left and on its right; infinite if there are none.
    Neighbours(Vec<[f64; 2]>),
}

/// Bytes, written in one go.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Blob(pub(crate) Vec<u8>);

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for Blob {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl serde::de::Visitor<'_> for Bytes {
            type Value = Blob;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Blob, E> {
                Ok(Blob(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// An answer that does not belong to its question.
pub(crate) fn mismatch(problem: &str) -> Error {
    let problem = format!("an answer does not belong to the question: {problem}");
    ErrorKind::Pieces { problem }.into()
}

impl Reply {
    /// What both pieces know together.
    ///
    /// # Errors
    /// Replies to different asks.
    pub(crate) fn merged(self, other: Self) -> Result<Self> {
        Ok(match (self, other) {
            (Self::SingleValued(mut one), Self::SingleValued(other)) => {
                same_length(one.len(), other.len())?;
                for (one, other) in one.iter_mut().zip(other) {
                    same_length(one.len(), other.len())?;
                    one.iter_mut().zip(other).for_each(|(one, other)| *one &= other);
                }
                Self::SingleValued(one)
            }
            (Self::Counts(mut one), Self::Counts(other)) => {
                same_length(one.len(), other.len())?;
                one.iter_mut().zip(&other).try_for_each(|(one, other)| one.merge(other))?;
                Self::Counts(one)
            }
            (Self::Values(one), Self::Values(other)) => {
                Self::Values(ValueCount::merged(one, &other))
            }
            (Self::Edge(one), Self::Edge(other)) => Self::Edge(outer(one, other)),
            (
                Self::Summary { extremes: (min, max), nearest: mut one },
                Self::Summary { extremes, nearest: other },
            ) => {
                same_length(one.len(), other.len())?;
                one.iter_mut().zip(other).for_each(|(one, other)| *one = outer(*one, other));
                let [max, min] = outer([max, min], [extremes.1, extremes.0]);
                Self::Summary { extremes: (min, max), nearest: one }
            }
            (Self::Moments(mut one), Self::Moments(other)) => {
                same_length(one.len(), other.len())?;
                one.iter_mut().zip(other).for_each(|(one, other)| *one = one.merged(other));
                Self::Moments(one)
            }
            (Self::Within(one), Self::Within(other)) => Self::Within(one.saturating_add(other)),
            (Self::Rows(mut one), Self::Rows(other)) => {
                one.extend(other);
                one.sort_unstable();
                Self::Rows(one)
            }
            (Self::Neighbours(mut one), Self::Neighbours(other)) => {
                same_length(one.len(), other.len())?;
                one.iter_mut().zip(other).for_each(|(one, other)| *one = outer(*one, other));
                Self::Neighbours(one)
            }
            _ => return Err(mismatch("two pieces replied to different asks")),
        })
    }
}

/// The larger of the first numbers, and the smaller of the second. Zeros lose their sign, which would
/// depend on the order.
fn outer(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0].max(other[0]) + 0.0, one[1].min(other[1]) + 0.0]
}

fn same_length(one: usize, other: usize) -> Result<()> {
    if one == other { Ok(()) } else { Err(mismatch("two pieces replied at different lengths")) }
}
