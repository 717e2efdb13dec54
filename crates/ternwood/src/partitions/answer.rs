//! What partitions answer, and how answers merge.

use super::bytes;
use super::described::Described;
use crate::dataset::ExactSum;
use crate::error::{ErrorKind, Result};
use crate::grow::pieces::{Reply, mismatch};
use crate::training::RowFilter;
use serde::{Deserialize, Serialize};

/// The answer of one partition, or of several together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer(pub(super) Found);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Found {
    Described(Box<Described>),
    Filter(RowFilter),
    Weighed(ExactSum),
    Replies(Vec<Reply>),
}

const KIND: &str = "answer";

impl Answer {
    /// The answer as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes::to_bytes(KIND, self)
    }

    /// Reads the bytes of an answer.
    ///
    /// # Errors
    /// Bytes of something else, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        bytes::from_bytes(KIND, bytes)
    }

    /// The answer of both. Neither order nor grouping matters.
    ///
    /// # Errors
    /// Answers to different questions.
    pub fn merged(self, other: Self) -> Result<Self> {
        Ok(Self(match (self.0, other.0) {
            (Found::Described(one), Found::Described(other)) => {
                Found::Described(Box::new(one.merged(*other)?))
            }
            (Found::Filter(one), Found::Filter(other)) => {
                let merged = one.merged(&other);
                Found::Filter(merged.ok_or_else(|| mismatch("two filters have different plans"))?)
            }
            (Found::Weighed(one), Found::Weighed(other)) => Found::Weighed(one.merged(other)),
            (Found::Replies(one), Found::Replies(other)) if one.len() == other.len() => {
                let pairs = one.into_iter().zip(other);
                let merged = pairs.map(|(one, other)| one.merged(other));
                Found::Replies(merged.collect::<Result<_>>()?)
            }
            _ => return Err(mismatch("two partitions answered different questions")),
        }))
    }

    /// The answer of all.
    ///
    /// # Errors
    /// No answers, or answers to different questions.
    pub fn merge_all(answers: impl IntoIterator<Item = Self>) -> Result<Self> {
        let mut answers = answers.into_iter();
        let first = answers.next().ok_or(ErrorKind::NoRows)?;
        answers.try_fold(first, Self::merged)
    }
}
