//! What a verdict was to promise.

use serde::Serialize;
use std::fmt;

/// What a verdict was to promise.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Promised {
    /// Decided rows are right with this probability.
    Accuracy(f64),
    /// Of the rows decided as a class, this share is of it.
    Precision {
        /// The name of the class.
        class: String,
        /// The share.
        share: f64,
    },
    /// Of the rows of a class, at most this share is decided as another.
    MissRate {
        /// The name of the class.
        class: String,
        /// The share.
        share: f64,
    },
}

impl Promised {
    /// The rows it is tested with, such as "calibration rows of it".
    #[must_use]
    pub fn rows(&self) -> &'static str {
        match self {
            Self::Accuracy(_) => "calibration rows",
            Self::Precision { .. } => "calibration rows predicted as it",
            Self::MissRate { .. } => "calibration rows of it",
        }
    }

    /// The rows that a required number of rows is about: those that a verdict decides, or all rows
    /// of a class.
    #[must_use]
    pub fn counted(&self) -> &'static str {
        match self {
            Self::Accuracy(_) => "decided calibration rows",
            Self::Precision { .. } => "calibration rows decided as it",
            Self::MissRate { .. } => "calibration rows of it",
        }
    }

    /// What must happen to few of them.
    pub(super) fn error(&self) -> &'static str {
        match self {
            Self::Accuracy(_) | Self::Precision { .. } => "predicted wrongly",
            Self::MissRate { .. } => "decided as another class",
        }
    }
}

impl fmt::Display for Promised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accuracy(share) => write!(f, "a decided accuracy of {share}"),
            Self::Precision { class, share } => {
                write!(f, "a precision of {share} for class '{class}'")
            }
            Self::MissRate { class, share } => {
                write!(f, "a miss rate of {share} for class '{class}'")
            }
        }
    }
}
