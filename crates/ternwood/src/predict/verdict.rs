//! Whether a prediction was reached through clear tests only.

use std::fmt;

/// Whether a prediction is to be relied on: by default, whether the row's way through the tree
/// never was inside an uncertainty zone; by a model's [policy](crate::verdict::VerdictPolicy), whether the
/// prediction is confident enough.
///
/// A verdict qualifies a prediction and never withholds it: an undecided row has a class like
/// any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i8)]
pub enum Verdict {
    /// At least one test on the way fell inside a zone (*boundary-uncertain*): 0.
    Undecided = 0,
    /// Every test on the way was clear: 1.
    Decided = 1,
}

impl Verdict {
    /// `Decided` iff the condition holds.
    #[must_use]
    pub fn decided_if(condition: bool) -> Self {
        if condition { Self::Decided } else { Self::Undecided }
    }

    /// Whether this is `Decided`.
    #[must_use]
    pub fn is_decided(self) -> bool {
        self == Self::Decided
    }

    /// Whether this is `Undecided`.
    #[must_use]
    pub fn is_undecided(self) -> bool {
        self == Self::Undecided
    }

    /// `"decided"` or `"undecided"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decided => "decided",
            Self::Undecided => "undecided",
        }
    }
}

/// 1 for `Decided`, 0 for `Undecided`.
impl From<Verdict> for i8 {
    fn from(verdict: Verdict) -> Self {
        verdict as Self
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
