//! Kleene's truth values.

use crate::error::{Error, parameter};
use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

/// A truth value of Kleene's strong three-valued logic.
///
/// As numbers `True = 1`, `Undecided = 0`, `False = -1`; then *and* is the minimum, *or* the
/// maximum and *not* the change of sign. The order of the type is the order of the numbers.
///
/// ```
/// use ternwood::Truth::{False, True, Undecided};
///
/// assert_eq!(False & Undecided, False); // whatever the unknown is, the conjunction fails
/// assert_eq!(True & Undecided, Undecided);
/// assert_eq!(True | Undecided, True);
/// assert_eq!(!Undecided, Undecided); // not knowing does not become knowing by negation
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Truth {
    /// It does not hold: -1.
    False = -1,
    /// It cannot be told: 0.
    Undecided = 0,
    /// It holds: 1.
    True = 1,
}

impl Truth {
    /// All three values, ascending.
    pub const ALL: [Self; 3] = [Self::False, Self::Undecided, Self::True];

    /// Both hold: the minimum. Also written `a & b`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// At least one holds: the maximum. Also written `a | b`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }

    /// All hold: the minimum over `values`; of no values at all, `True`.
    ///
    /// Stops reading at the first `False`.
    pub fn conjunction(values: impl IntoIterator<Item = Self>) -> Self {
        let mut result = Self::True;
        for value in values {
            result = result.and(value);
            if result == Self::False {
                break;
            }
        }
        result
    }

    /// At least one holds: the maximum over `values`; of no values at all, `False`.
    ///
    /// Stops reading at the first `True`.
    pub fn disjunction(values: impl IntoIterator<Item = Self>) -> Self {
        let mut result = Self::False;
        for value in values {
            result = result.or(value);
            if result == Self::True {
                break;
            }
        }
        result
    }

    /// The classical truth value, or `None` where it cannot be told.
    #[must_use]
    pub fn known(self) -> Option<bool> {
        match self {
            Self::True => Some(true),
            Self::Undecided => None,
            Self::False => Some(false),
        }
    }

    /// `"true"`, `"undecided"` or `"false"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::Undecided => "undecided",
            Self::False => "false",
        }
    }
}

impl BitAnd for Truth {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.and(other)
    }
}

impl BitOr for Truth {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

impl Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::Undecided => Self::Undecided,
            Self::False => Self::True,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

/// `None` is what cannot be told.
impl From<Option<bool>> for Truth {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Self::Undecided, Self::from)
    }
}

impl From<Truth> for i8 {
    fn from(value: Truth) -> Self {
        value as Self
    }
}

impl TryFrom<i8> for Truth {
    type Error = Error;

    fn try_from(value: i8) -> Result<Self, Error> {
        match value {
            1 => Ok(Self::True),
            0 => Ok(Self::Undecided),
            -1 => Ok(Self::False),
            _ => Err(parameter("truth value", value, "-1, 0 or 1")),
        }
    }
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{False as F, True as T, Undecided as U};
    use super::*;

    #[test]
    fn truth_tables_are_kleenes() {
        // Rows: left operand F, U, T. Columns: right operand F, U, T.
        let and = [[F, F, F], [F, U, U], [F, U, T]];
        let or = [[F, U, T], [U, U, T], [T, T, T]];
        for (i, a) in Truth::ALL.into_iter().enumerate() {
            for (j, b) in Truth::ALL.into_iter().enumerate() {
                assert_eq!(a.and(b), and[i][j], "{a} and {b}");
                assert_eq!(a.or(b), or[i][j], "{a} or {b}");
                assert_eq!((a & b, a | b), (a.and(b), a.or(b)));
            }
        }
        assert_eq!(Truth::ALL.map(|a| !a), [T, U, F]);
    }

    #[test]
    fn as_numbers_they_are_minimum_maximum_and_negation() {
        for a in Truth::ALL {
            assert_eq!(i8::from(!a), -i8::from(a));
            for b in Truth::ALL {
                assert_eq!(i8::from(a & b), i8::from(a).min(i8::from(b)));
                assert_eq!(i8::from(a | b), i8::from(a).max(i8::from(b)));
            }
        }
    }

    #[test]
    fn laws_of_one_and_two_values() {
        for a in Truth::ALL {
            assert_eq!(!!a, a, "double negation");
            assert_eq!((a & a, a | a), (a, a), "idempotence");
            assert_eq!((a & T, a | F), (a, a), "neutral elements");
            assert_eq!((a & F, a | T), (F, T), "absorbing elements");
            for b in Truth::ALL {
                assert_eq!((a & b, a | b), (b & a, b | a), "commutativity");
                assert_eq!(!(a & b), !a | !b, "De Morgan");
                assert_eq!(!(a | b), !a & !b, "De Morgan");
                assert_eq!((a & (a | b), a | (a & b)), (a, a), "absorption");
                assert!((a & !a) <= (b | !b), "Kleene's law");
            }
        }
    }

    #[test]
    fn laws_of_three_values() {
        for a in Truth::ALL {
            for b in Truth::ALL {
                for c in Truth::ALL {
                    assert_eq!((a & b) & c, a & (b & c), "associativity");
                    assert_eq!((a | b) | c, a | (b | c), "associativity");
                    assert_eq!(a & (b | c), (a & b) | (a & c), "distributivity");
                    assert_eq!(a | (b & c), (a | b) & (a | c), "distributivity");
                    assert_eq!(Truth::conjunction([a, b, c]), a & b & c);
                    assert_eq!(Truth::disjunction([a, b, c]), a | b | c);
                }
            }
        }
    }

    #[test]
    fn neither_excluded_middle_nor_contradiction_is_a_law() {
        assert_eq!(U | !U, U);
        assert_eq!(U & !U, U);
        // Both hold of the classical values.
        for a in [F, T] {
            assert_eq!((a | !a, a & !a), (T, F));
        }
    }

    #[test]
    fn on_classical_values_it_is_classical_logic() {
        for a in [false, true] {
            assert_eq!(!Truth::from(a), Truth::from(!a));
            for b in [false, true] {
                assert_eq!(Truth::from(a) & Truth::from(b), Truth::from(a && b));
                assert_eq!(Truth::from(a) | Truth::from(b), Truth::from(a || b));
            }
        }
    }

    /// What an answer says stays true however the unknown values turn out: this is what
    /// makes it safe to act on `True` or `False` before everything is known.
    #[test]
    fn a_known_answer_survives_every_resolution_of_the_unknown() {
        let resolutions = |a: Truth| a.known().map_or(vec![false, true], |known| vec![known]);
        for a in Truth::ALL {
            for b in Truth::ALL {
                for x in resolutions(a) {
                    for y in resolutions(b) {
                        assert!((a & b).known().is_none_or(|known| known == (x && y)));
                        assert!((a | b).known().is_none_or(|known| known == (x || y)));
                    }
                }
            }
        }
    }

    #[test]
    fn of_nothing_the_conjunction_holds_and_the_disjunction_fails() {
        assert_eq!(Truth::conjunction([]), T);
        assert_eq!(Truth::disjunction([]), F);
    }

    #[test]
    fn an_answer_that_cannot_change_ends_the_reading() {
        // An endless iterator: only early stopping comes back from it.
        assert_eq!(Truth::conjunction([U, F].into_iter().chain(std::iter::repeat(T))), F);
        assert_eq!(Truth::disjunction([U, T].into_iter().chain(std::iter::repeat(F))), T);
    }

    #[test]
    fn conversions_go_there_and_back() {
        for a in Truth::ALL {
            assert_eq!(Truth::try_from(i8::from(a)).unwrap(), a);
            assert_eq!(Truth::from(a.known()), a);
        }
        assert_eq!(Truth::ALL.map(i8::from), [-1, 0, 1]);
        let error = Truth::try_from(2).unwrap_err();
        assert_eq!(error.to_string(), "truth value is 2; allowed: -1, 0 or 1");
    }

    #[test]
    fn it_prints_its_name_and_respects_the_width() {
        assert_eq!(Truth::ALL.map(|a| a.to_string()), ["false", "undecided", "true"]);
        assert_eq!(format!("[{T:>6}]"), "[  true]");
    }
}
