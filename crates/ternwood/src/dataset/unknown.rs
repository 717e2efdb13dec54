//! Values that cannot be read.

/// A value that is there, but that nobody could read: a cell `12?5` in a column of numbers, or a
/// category without a rank among ordered ones.
///
/// Every test is unsure about it: the row goes both ways, also where the test has learned a side for
/// missing values, and also where missing values are refused. The row is undecided, unless the verdict policy
/// judges [uncovered](crate::model::Coverage) rows like all others.
///
/// For unordered categories any id that the feature does not have means the same. Not so for ordered
/// ones: a rank beyond the list counts as beyond the last category, so give this instead.
///
/// It is a NaN with bits of its own, which survive being copied and stored, but not arithmetic. In
/// training data it counts as missing, like every NaN.
///
/// ```
/// use ternwood::tree::{Missing, Test, Zone};
/// use ternwood::{UNKNOWN, is_unknown_value};
///
/// let test = Test::new(0, Zone::crisp(127.0)?).with_missing(Missing::Left);
/// assert!(!test.is_unknown(f64::NAN) && test.is_unknown(UNKNOWN));
/// assert!(is_unknown_value(UNKNOWN) && !is_unknown_value(f64::NAN));
/// # Ok::<(), ternwood::Error>(())
/// ```
// A quiet NaN; the payload spells "unread".
pub const UNKNOWN: f64 = f64::from_bits(0x7ff8_756e_7265_6164);

/// True for [`UNKNOWN`] and no other value.
#[must_use]
#[inline]
pub fn is_unknown_value(x: f64) -> bool {
    x.to_bits() == UNKNOWN.to_bits()
}

/// A value as training sees it: missing if it is unknown.
#[inline]
pub(crate) fn as_trained(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}
