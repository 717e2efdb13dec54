//! Ends of a range that hide the values they come from.

use serde::{Deserialize, Serialize};

/// The coarsest power of ten of which numbers are multiples: ages are multiples of 1, incomes may be of
/// 1,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lattice {
    exponent: i8,
}

impl Default for Lattice {
    fn default() -> Self {
        Self { exponent: Self::COARSEST }
    }
}

impl Lattice {
    const COARSEST: i8 = 12;
    /// Finer numbers count as multiples of nothing.
    const FINEST: i8 = -6;

    /// That of these and further numbers. Those that are not a number do not count.
    pub(super) fn refine(&mut self, numbers: &[f64]) {
        let mut power = self.power();
        for &number in numbers {
            while self.exponent >= Self::FINEST && !self.has(number, power) {
                self.exponent -= 1;
                power = self.power();
            }
            if self.exponent < Self::FINEST {
                return;
            }
        }
    }

    pub(super) fn merged(self, other: Self) -> Self {
        Self { exponent: self.exponent.min(other.exponent) }
    }

    fn power(self) -> f64 {
        10_f64.powi(i32::from(self.exponent).abs())
    }

    /// True for a multiple of 10^exponent, whose absolute exponent gives `power`; decimals are rarely exact in
    /// binary.
    #[inline]
    fn has(self, number: f64, power: f64) -> bool {
        let ratio = if self.exponent < 0 { number * power } else { number / power };
        if ratio.abs() < 1e15 {
            let rest = (ratio - (ratio as i64) as f64).abs();
            return rest.min(1.0 - rest) <= 4.0 * f64::EPSILON * ratio.abs();
        }
        // Larger numbers are whole.
        true
    }

    /// True if hardly any two multiples of 10^`exponent` have another possible number between them.
    fn is_as_coarse_as(self, exponent: i32) -> bool {
        self.exponent >= Self::FINEST && i32::from(self.exponent) >= exponent
    }
}

/// A range around `[low, high]`, with ends rounded outward to two significant digits of its width; to one
/// where two would hide nothing, because all numbers are that coarse.
pub(super) fn rounded_outward([low, high]: [f64; 2], lattice: Lattice) -> [f64; 2] {
    // All equal: as if the width were the number itself.
    let width = if low < high { high - low } else { high.abs() };
    if width == 0.0 || !width.is_finite() {
        return [low, high];
    }
    let mut exponent = width.log10().floor() as i32 - 1;
    if lattice.is_as_coarse_as(exponent) {
        exponent += 1;
    }
    let power = 10_f64.powi(exponent.abs());
    if !power.is_finite() {
        return [low, high];
    }
    let outward = |end: f64, round: fn(f64) -> f64| match exponent {
        ..0 => round(end * power) / power,
        _ => round(end / power) * power,
    };
    // An end too large to be rounded stays, and so does one that rounding would move inward. Adding zero
    // takes its sign away.
    let (down, up) = (outward(low, f64::floor), outward(high, f64::ceil));
    let down = if down.is_finite() { down.min(low) } else { low };
    let up = if up.is_finite() { up.max(high) } else { high };
    [down + 0.0, up + 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounded(numbers: &[f64]) -> [f64; 2] {
        let mut lattice = Lattice::default();
        lattice.refine(numbers);
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        rounded_outward([low, high], lattice)
    }

    #[test]
    fn ranges_by_hand() {
        // Three decimals in a range of 2.342: tenths.
        assert_eq!(rounded(&[0.078, 0.5, 2.42]), [0.0, 2.5]);
        assert_eq!(rounded(&[-1234.5, 8765.25]), [-1300.0, 8800.0]);
        // Whole numbers in a range of 60: ones would be the ages themselves.
        assert_eq!(rounded(&[21.0, 81.0]), [20.0, 90.0]);
        assert_eq!(rounded(&[36.1, 38.0, 41.2]), [36.0, 42.0]);
        assert_eq!(rounded(&[12_000.0, 97_000.0]), [10_000.0, 100_000.0]);
        // Few possible numbers.
        assert_eq!(rounded(&[0.0, 1.0]), [0.0, 1.0]);
        assert_eq!(rounded(&[1.0, 5.0]), [1.0, 5.0]);
        assert_eq!(rounded(&[37.25]), [37.0, 38.0]);
        assert_eq!(rounded(&[0.0]), [0.0, 0.0]);
    }

    #[test]
    fn numbers_at_the_ends_of_what_there_is() {
        assert_eq!(rounded(&[-f64::MAX, f64::MAX]), [-f64::MAX, f64::MAX]);
        let tiny = f64::from_bits(1);
        assert_eq!(rounded(&[0.0, tiny]), [0.0, tiny]);
        let [low, high] = rounded(&[-1.7e308, 1e306]);
        assert!(low.is_finite() && high.is_finite());
    }

    proptest! {
        #[test]
        fn ends_contain_the_numbers_and_do_not_depend_on_their_order(
            numbers in prop::collection::vec(prop_oneof![-1e6..1e6, (-90..90).prop_map(f64::from)], 1..20),
            by in any::<prop::sample::Index>(),
        ) {
            let [low, high] = rounded(&numbers);
            prop_assert!(numbers.iter().all(|&x| low <= x && x <= high));
            let width = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                - numbers.iter().copied().fold(f64::INFINITY, f64::min);
            if width > 0.0 {
                prop_assert!(high - low <= 3.0 * width * (1.0 + 1e-9));
            }
            let mut others = numbers.clone();
            others.rotate_left(by.index(numbers.len()));
            prop_assert_eq!(rounded(&others), [low, high]);
        }

        /// Of 1,000 numbers without a lattice, no end is one of them.
        #[test]
        fn an_end_is_no_training_value(numbers in prop::collection::vec(0.0..1e3, 50..100)) {
            let [low, high] = rounded(&numbers);
            prop_assert!(numbers.iter().all(|&x| low < x && x < high));
        }
    }
}
