//! Kleene's strong three-valued logic.

use std::fmt;
use std::ops::Not;

/// A truth value. In ascending order, so that `min` is *and* and `max` is *or*.
///
/// ```
/// use ternwood::rules::Truth::{False, True, Undecided};
///
/// assert_eq!(True.and(Undecided), Undecided);
/// assert_eq!(False.and(Undecided), False);
/// assert_eq!(!Undecided, Undecided);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Truth {
    /// It does not hold.
    False = -1,
    /// It may hold or not.
    Undecided = 0,
    /// It holds.
    True = 1,
}

impl Truth {
    /// True if both are, False if either is.
    #[must_use]
    #[inline]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// True if either is, False if both are.
    #[must_use]
    #[inline]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }

    /// `"false"`, `"undecided"` or `"true"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::False => "false",
            Self::Undecided => "undecided",
            Self::True => "true",
        }
    }
}

impl Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Undecided => Self::Undecided,
            Self::True => Self::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{self, False, True, Undecided};

    const ALL: [Truth; 3] = [False, Undecided, True];

    #[test]
    fn kleenes_tables() {
        let and = [[False; 3], [False, Undecided, Undecided], [False, Undecided, True]];
        let or = [[False, Undecided, True], [Undecided, Undecided, True], [True; 3]];
        for (row, a) in ALL.into_iter().enumerate() {
            assert_eq!(ALL.map(|b| a.and(b)), and[row]);
            assert_eq!(ALL.map(|b| a.or(b)), or[row]);
        }
        assert_eq!(ALL.map(|a| !a), [True, Undecided, False]);
    }
}
