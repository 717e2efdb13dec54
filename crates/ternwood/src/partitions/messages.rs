//! Questions and answers, and both as bytes.

use crate::dataset::{ExactSum, WeightNotes};
use crate::error::{ErrorKind, Result};
use crate::grow::pieces::{Ask, Reply, Route, Setup, mismatch};
use crate::partitions::partition::Described;
use crate::training::{FilterPlan, RowFilter};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A question to all partitions. It holds everything that an answer depends on, besides the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question(pub(super) Asked);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Asked {
    /// What the rows are like.
    Describe {
        /// Of every class, whether its rows count.
        counted: Vec<bool>,
        /// Whether missing values are an error.
        complete: bool,
        /// The most rows that a partition adds to the sample from which bins are chosen.
        sample: u32,
    },
    /// The bits by which the model will recognise its training rows.
    Filter {
        /// Of every class, whether its rows count.
        counted: Vec<bool>,
        plan: FilterPlan,
    },
    /// The total of weights that are not whole numbers.
    Weigh(WeightNotes),
    /// About nodes of the tree so far.
    Nodes { setup: Setup, routes: Vec<Route>, asks: Vec<Ask> },
}

const QUESTION: &str = "question";

impl Question {
    /// The question as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(QUESTION, self)
    }

    /// Reads the bytes of a question.
    ///
    /// # Errors
    /// Bytes of something else, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(QUESTION, bytes)
    }

    /// What it is about, in a word or two: a name for tasks, and for a line of progress.
    #[must_use]
    pub fn topic(&self) -> &'static str {
        match &self.0 {
            Asked::Describe { .. } => "describe",
            Asked::Filter { .. } => "filter",
            Asked::Weigh(_) => "weigh",
            Asked::Nodes { asks, .. } => {
                let any = |is: fn(&Ask) -> bool| asks.iter().any(is);
                if any(|ask| matches!(ask, Ask::Neighbours { .. })) {
                    "digits"
                } else if any(|ask| matches!(ask, Ask::Fetch { .. })) {
                    "fetch"
                } else if any(|ask| matches!(ask, Ask::Count { .. })) {
                    "count"
                } else {
                    "look"
                }
            }
        }
    }
}

// What partitions answer, and how answers merge.

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

const ANSWER: &str = "answer";

impl Answer {
    /// The answer as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(ANSWER, self)
    }

    /// Reads the bytes of an answer.
    ///
    /// # Errors
    /// Bytes of something else, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(ANSWER, bytes)
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

// Questions, answers and saved coordinators as bytes.
//
// The encoding is postcard's: counts, most of which are small, take a byte or two each, and there are
// no field names, which would be most of the bytes. Both sides are of the same version of this library,
// so nothing else is needed; a version that differs is an error.

/// Raised with every change of what is sent.
const VERSION: u8 = 2;

/// The bytes of `message`, which begin with its kind.
pub(super) fn to_bytes(kind: &str, message: &impl Serialize) -> Vec<u8> {
    let mut bytes = kind.as_bytes().to_vec();
    bytes.push(VERSION);
    postcard::to_extend(message, bytes).expect("plain data can be written")
}

/// Reads what [`to_bytes`] wrote.
pub(super) fn from_bytes<T: DeserializeOwned>(kind: &str, bytes: &[u8]) -> Result<T> {
    let problem = match bytes.strip_prefix(kind.as_bytes()) {
        None => format!("these bytes are no {kind}"),
        Some([VERSION, rest @ ..]) => match postcard::take_from_bytes(rest) {
            Ok((message, [])) => return Ok(message),
            Ok((_, rest)) => format!("the {kind} has {} bytes too many", rest.len()),
            Err(error) => format!("the {kind} is broken: {error}"),
        },
        Some([version, ..]) => format!(
            "the {kind} is of version {version}, and this library speaks version {VERSION}; \
             use the same ternwood everywhere"
        ),
        Some([]) => format!("the {kind} is empty"),
    };
    Err(ErrorKind::Pieces { problem }.into())
}
