//! What becomes of rows that a policy does not cover.

use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};

/// What a [`VerdictPolicy`](super::VerdictPolicy) makes of a row that it does not
/// [cover](crate::model::Coverage): one with a gap where the training table had none, a category
/// that it never had, or a value that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Uncovered {
    /// It is undecided.
    #[default]
    Undecided,
    /// It is judged like any other row.
    Judge,
}

impl Uncovered {
    /// The treatment with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "undecided" => Ok(Self::Undecided),
            "judge" => Ok(Self::Judge),
            _ => Err(parameter("uncovered", format!("'{name}'"), "'undecided' or 'judge'")),
        }
    }

    /// The name in options and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Undecided => "undecided",
            Self::Judge => "judge",
        }
    }

    pub(super) fn is_usual(&self) -> bool {
        *self == Self::Undecided
    }
}
