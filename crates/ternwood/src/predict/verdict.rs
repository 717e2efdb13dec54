//! The verdict on a prediction: decided or undecided.

use std::fmt;

/// Whether a prediction is reliable, by the model's [policy](crate::verdict::VerdictPolicy): a row is
/// decided if it met no uncertainty zone on its path, or if its probability is high enough, or if an
/// answer is expected to cost less than a review; and if the training table [covers](crate::model::Coverage) it.
///
/// A verdict qualifies a prediction and never withholds it: an undecided row has a class like
/// any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// To be looked at again; by zones: the row was within at least one (*boundary-uncertain*).
    Undecided,
    /// Reliable; by zones: the row was within none.
    Decided,
}

impl Verdict {
    /// `Decided` iff the condition holds.
    #[must_use]
    pub fn decided_if(condition: bool) -> Self {
        if condition { Self::Decided } else { Self::Undecided }
    }

    /// True for `Decided`.
    #[must_use]
    pub fn is_decided(self) -> bool {
        self == Self::Decided
    }

    /// True for `Undecided`.
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

/// True for `Decided`.
impl From<Verdict> for bool {
    fn from(verdict: Verdict) -> Self {
        verdict.is_decided()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
