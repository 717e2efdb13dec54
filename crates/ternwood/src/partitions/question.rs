//! What the coordinator asks.

use super::bytes;
use crate::dataset::WeightNotes;
use crate::error::Result;
use crate::grow::pieces::{Ask, Route, Setup};
use crate::training::FilterPlan;
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

const KIND: &str = "question";

impl Question {
    /// The question as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes::to_bytes(KIND, self)
    }

    /// Reads the bytes of a question.
    ///
    /// # Errors
    /// Bytes of something else, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        bytes::from_bytes(KIND, bytes)
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
