//! Whether a prediction was reached through clear tests only.

use super::Truth;
use std::fmt;

/// Whether a prediction is to be relied on: by default, whether the row's way through the tree
/// never was inside an uncertainty zone; by a model's [policy](crate::VerdictPolicy), whether the
/// prediction is confident enough.
///
/// A verdict qualifies a prediction and never withholds it: an undecided row has a class like
/// any other.
///
/// Verdicts and truth values differ in how they combine. A walk is decided iff *every* test
/// on it was clear ([`Verdict::and`]); no later answer repairs an unclear one. Kleene's
/// conjunction is more forgiving: `False & Undecided` is `False`, a clear answer. So the
/// verdict of a walk is not the verdict of the conjunction of its tests.
///
/// ```
/// use ternwood::{Truth, Verdict};
///
/// let tests = [Truth::Undecided, Truth::False];
/// assert_eq!(Verdict::of_tests(tests), Verdict::Undecided);
/// assert_eq!(Verdict::from(Truth::conjunction(tests)), Verdict::Decided);
/// ```
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

    /// The verdict of a walk: `Decided` iff every test's answer was `True` or `False`.
    ///
    /// A walk without tests, in a tree that is one leaf, is decided.
    pub fn of_tests(tests: impl IntoIterator<Item = Truth>) -> Self {
        Self::decided_if(tests.into_iter().all(|test| test != Truth::Undecided))
    }

    /// `Decided` iff both are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::decided_if(self.is_decided() && other.is_decided())
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

/// `True` and `False` are both clear answers: only `Undecided` is undecided.
impl From<Truth> for Verdict {
    fn from(truth: Truth) -> Self {
        Self::decided_if(truth != Truth::Undecided)
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

#[cfg(test)]
mod tests {
    use super::Verdict::{Decided, Undecided};
    use super::*;

    #[test]
    fn only_the_middle_truth_value_is_undecided() {
        assert_eq!(Truth::ALL.map(Verdict::from), [Decided, Undecided, Decided]);
        for truth in Truth::ALL {
            assert_eq!(Verdict::from(truth), Verdict::from(!truth), "negation keeps the verdict");
            assert_eq!(Verdict::from(truth).is_decided(), truth.known().is_some());
        }
    }

    #[test]
    fn a_walk_is_as_clear_as_its_least_clear_test() {
        assert_eq!(Verdict::of_tests([]), Decided);
        for a in Truth::ALL {
            for b in Truth::ALL {
                let walk = Verdict::of_tests([a, b]);
                assert_eq!(walk, Verdict::from(a).and(Verdict::from(b)));
                // Clear tests give clear formulas; the converse fails, see below.
                if walk.is_decided() {
                    assert!(Verdict::from(a & b).is_decided());
                    assert!(Verdict::from(a | b).is_decided());
                }
            }
        }
        let (unclear, no) = (Truth::Undecided, Truth::False);
        assert!(Verdict::from(unclear & no).is_decided());
        assert!(Verdict::of_tests([unclear, no]).is_undecided());
    }

    #[test]
    fn names_and_numbers() {
        assert_eq!([Decided, Undecided].map(i8::from), [1, 0]);
        assert_eq!([Decided, Undecided].map(Verdict::as_str), ["decided", "undecided"]);
        assert_eq!(format!("[{Decided:<9}]"), "[decided  ]");
    }
}
