//! Spread: half a standard deviation of the feature at the node.
//!
//! ```text
//! delta = 0.5 * sigma,   sigma^2 = sum w (x - mean)^2 / sum w
//! ```
//!
//! It says nothing about the split; it says what "near" means in the feature's own units, and
//! leaves it to the scale how near is unsure. Never more than a quarter of the range, so the
//! usual clamp does not bind.

use crate::learn::evidence::SplitEvidence;

pub(super) fn half_width(evidence: &SplitEvidence<'_>) -> f64 {
    0.5 * deviation(evidence)
}

/// The weighted standard deviation of the winning feature at the node: O(n).
///
/// Values are taken as offsets from the smallest, in units of a power of two, and sums carry
/// their rounding along: neither the order of rows, nor weights instead of copies, nor a shift
/// of whole numbers shows in the result.
pub(in crate::learn) fn deviation(evidence: &SplitEvidence<'_>) -> f64 {
    let (min, max) = evidence.summary().extremes;
    // Half of everything where the range overflows.
    let half = if (max - min).is_finite() { 1.0 } else { 0.5 };
    let range = half * max - half * min;
    if range == 0.0 {
        return 0.0;
    }
    let unit = power_of_two_below(range);
    let mut sums = vec![ClassSums::default(); evidence.n_classes()];
    evidence.for_each_row(|value, class, weight| {
        sums[class].add((half * value - half * min) / unit, weight);
    });
    let (mut weight, mut first, mut second) = (0.0, 0.0, 0.0);
    for (sums, factor) in sums.iter().zip(evidence.class_factors()) {
        weight += factor * sums.weight;
        first += factor * sums.first.value();
        second += factor * sums.second.value();
    }
    let variance = (second - first * (first / weight)) / weight;
    // Rounding may put the variance of nearly equal values a hair below 0.
    (variance.max(0.0).sqrt() * unit / half).min(f64::MAX)
}

/// Weight, sum and sum of squares of one class.
#[derive(Clone, Default)]
struct ClassSums {
    weight: f64,
    first: CarefulSum,
    second: CarefulSum,
}

impl ClassSums {
    #[inline]
    fn add(&mut self, value: f64, weight: f64) {
        self.weight += weight;
        self.first.add(value, weight);
        self.second.add(value * value, weight);
    }
}

/// A sum that remembers what rounding took away (Knuth's two-sum).
#[derive(Clone, Copy, Default)]
struct CarefulSum {
    sum: f64,
    lost: f64,
}

impl CarefulSum {
    /// Adds `times * value`.
    #[inline]
    fn add(&mut self, value: f64, times: f64) {
        if times == 1.0 {
            self.add_once(value);
        } else {
            let product = times * value;
            self.add_once(product);
            self.lost += times.mul_add(value, -product);
        }
    }

    #[inline]
    fn add_once(&mut self, value: f64) {
        let sum = self.sum + value;
        let kept = sum - self.sum;
        self.lost += (self.sum - (sum - kept)) + (value - kept);
        self.sum = sum;
    }

    fn value(self) -> f64 {
        self.sum + self.lost
    }
}

/// The largest power of two that is not above a positive number.
fn power_of_two_below(x: f64) -> f64 {
    const EXPONENT: u64 = f64::INFINITY.to_bits();
    f64::from_bits(x.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use crate::learn::zone_width::ZoneKind::Spread;
    use crate::learn::zone_width::ZoneParams;
    use crate::learn::zone_width::tests::{OVERLAP, weighted_width_of, width_of};

    #[test]
    fn half_a_standard_deviation_by_hand() {
        // 1..=8: variance (8^2 - 1) / 12 = 5.25.
        assert_eq!(width_of(Spread, &OVERLAP), 0.5 * 5.25f64.sqrt());
        // 1 2 5 6 around 3.5: (6.25 + 2.25) * 2 / 4 = 4.25.
        let rows = [(1.0, 0), (2.0, 0), (5.0, 1), (6.0, 1)];
        assert_eq!(width_of(Spread, &rows), 0.5 * 4.25f64.sqrt());
    }

    #[test]
    fn weights_are_copies_and_order_does_not_matter() {
        let zone = ZoneParams::from(Spread);
        let rows: Vec<(f64, i32)> =
            (0..50).map(|i| (1.0 / f64::from(i + 3), i32::from(i % 7 < 3))).collect();
        let weights: Vec<f64> = (0..50).map(|i| f64::from(1 + i % 5)).collect();
        let copies: Vec<(f64, i32)> = (rows.iter().zip(&weights))
            .flat_map(|(&row, &weight)| std::iter::repeat_n(row, weight as usize))
            .collect();
        let mut reversed = copies.clone();
        reversed.reverse();
        let width = weighted_width_of(&zone, &rows, Some(&weights));
        assert_eq!(width, weighted_width_of(&zone, &copies, None));
        assert_eq!(width, weighted_width_of(&zone, &reversed, None));
    }

    #[test]
    fn shifts_of_whole_numbers_and_powers_of_two_carry_over() {
        let moved = |by: f64, times: f64| OVERLAP.map(|(x, class)| ((x + by) * times, class));
        let width = width_of(Spread, &OVERLAP);
        assert_eq!(width_of(Spread, &moved(1e9, 1.0)), width);
        assert_eq!(width_of(Spread, &moved(0.0, 1024.0)), 1024.0 * width);
        assert_eq!(width_of(Spread, &moved(0.0, 2f64.powi(-900))), width * 2f64.powi(-900));
    }
}
