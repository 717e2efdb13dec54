//! Sums of real numbers that do not depend on the order of addition.
//!
//! Numbers are rounded to a fixed grid and added as integers. So the sum has the same bits for any
//! order of rows, for partial sums, and for one row of weight k instead of k copies.

use serde::{Deserialize, Serialize};

/// A sum of numbers in `[0, 4)`, each times an integer, as a multiple of `2^-73`.
///
/// The integers may add up to `2^53` without overflowing 128 bits. An `f64` has 53 significant
/// bits, so numbers above `2^-20` are exact; smaller ones are off by at most `2^-74`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ExactSum(u128);

const FRACTION_BITS: i32 = 73;

impl ExactSum {
    /// Adds `times` times `value`.
    #[inline]
    pub(crate) fn add(&mut self, value: f64, times: u64) {
        debug_assert!((0.0..4.0).contains(&value), "{value} does not fit the grid");
        const MANTISSA: u64 = (1 << 52) - 1;
        // Adding 0 turns -0.0 into 0.0.
        let bits = (value + 0.0).to_bits();
        // Subnormal numbers are far below the grid, so their missing hidden bit does not matter.
        let mantissa = u128::from(bits & MANTISSA | (MANTISSA + 1));
        // value = mantissa * 2^(exponent - 52) = mantissa * 2^shift * 2^-73
        let shift = ((bits >> 52) as i32 - 1023) - 52 + FRACTION_BITS;
        let on_grid = if shift >= 0 {
            mantissa << shift
        } else if shift >= -53 {
            // Rounded half up.
            ((mantissa >> (-shift - 1)) + 1) >> 1
        } else {
            0
        };
        self.0 += on_grid * u128::from(times);
    }

    /// The sum of both.
    pub(crate) fn merged(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The sum, rounded once.
    pub(crate) fn value(self) -> f64 {
        self.0 as f64 * 2f64.powi(-FRACTION_BITS)
    }
}

/// Count, sum and sum of squares of numbers in `[0, 2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Moments {
    times: u64,
    first: ExactSum,
    second: ExactSum,
}

impl Moments {
    /// Adds `times` times `value`.
    #[inline]
    pub(crate) fn add(&mut self, value: f64, times: u64) {
        self.times += times;
        self.first.add(value, times);
        self.second.add(value * value, times);
    }

    /// Those of both.
    pub(crate) fn merged(self, other: Self) -> Self {
        Self {
            times: self.times.saturating_add(other.times),
            first: self.first.merged(other.first),
            second: self.second.merged(other.second),
        }
    }

    /// The number of values, their sum and the sum of their squares.
    pub(crate) fn sums(&self) -> [f64; 3] {
        [self.times as f64, self.first.value(), self.second.value()]
    }
}

/// The largest power of two up to a positive `x`, but at least the smallest normal number.
pub(crate) fn binade(x: f64) -> f64 {
    const EXPONENT: u64 = f64::INFINITY.to_bits();
    f64::from_bits(x.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(values: impl IntoIterator<Item = (f64, u64)>) -> ExactSum {
        values.into_iter().fold(ExactSum::default(), |mut sum, (value, times)| {
            sum.add(value, times);
            sum
        })
    }

    #[test]
    fn single_numbers_come_back() {
        for value in [0.0, 1.0, 0.1, 3.999_999, 2f64.powi(-20), 1.5 * 2f64.powi(-73)] {
            // 1.5 grid units are rounded to 2.
            let expected = if value < 1e-20 && value > 0.0 { 2f64.powi(-72) } else { value };
            assert_eq!(sum([(value, 1)]).value(), expected);
        }
        assert_eq!(sum([(f64::MIN_POSITIVE, 5), (f64::from_bits(1), 7)]).value(), 0.0);
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(sum([(-0.0, 3), (1.0, 1)]).value(), 1.0);
    }

    #[test]
    fn a_sum_that_floats_would_round_is_exact() {
        // 2^30 additions of 2^-30 + one of 2^-53, which one float sum after the other would lose.
        let total = sum([(2f64.powi(-30), 1 << 30), (2f64.powi(-53), 1 << 20)]);
        assert_eq!(total.value(), 1.0 + 2f64.powi(-33));
    }

    #[test]
    fn the_largest_total_fits() {
        let largest = 4f64.next_down();
        assert_eq!(sum([(largest, 1 << 53)]).value(), largest * 2f64.powi(53));
    }

    proptest! {
        #[test]
        fn order_and_copies_do_not_matter(values in prop::collection::vec((0.0..4.0f64, 0u64..9), 1..40)) {
            let reversed = sum(values.iter().rev().copied());
            let copies = sum(values.iter().flat_map(|&(v, times)| (0..times).map(move |_| (v, 1))));
            let plain = sum(values.iter().copied());
            prop_assert_eq!(plain, reversed);
            prop_assert_eq!(plain, copies);
            let float: f64 = values.iter().map(|&(v, times)| v * times as f64).sum();
            // Forty products of at most 32 round to within forty times their last bits.
            prop_assert!((plain.value() - float).abs() <= 40.0 * 2048.0 * f64::EPSILON);
        }
    }
}
