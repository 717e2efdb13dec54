//! Spread: half a standard deviation of the feature at the node.
//!
//! ```text
//! delta = 0.5 * sigma,   sigma^2 = sum w (x - mean)^2 / sum w
//! ```
//!
//! It ignores the split: it only expresses the zone scale in the feature's own units. Never more
//! than a quarter of the range, so the default clamp does not bind.

use crate::dataset::{Moments, binade};
use crate::grow::evidence::SplitEvidence;

pub(super) fn half_width(evidence: &SplitEvidence<'_>) -> f64 {
    0.5 * deviation(evidence)
}

/// The weighted standard deviation of the winning feature at the node: O(n), unless growing kept it.
pub(in crate::grow) fn deviation(evidence: &SplitEvidence<'_>) -> f64 {
    let summary = evidence.summary();
    summary.deviation.unwrap_or_else(|| {
        let weights = Weights { classes: evidence.class_factors(), unit: evidence.weight_unit() };
        weights.deviation(summary.extremes, evidence.weighed_rows())
    })
}

/// What rows weigh: factors by class, and the unit in which sample weights are given.
pub(in crate::grow) struct Weights<'a> {
    pub(in crate::grow) classes: &'a [f64],
    pub(in crate::grow) unit: f64,
}

impl Weights<'_> {
    /// The weighted standard deviation of values between two extremes, given as value, class and sample
    /// weight.
    ///
    /// Sums exactly, over offsets from the smallest value in units of a power of two. So neither
    /// the order of rows, nor weights instead of copies, nor shifting integers by an integer
    /// changes the result.
    pub(in crate::grow) fn deviation(
        &self,
        (min, max): (f64, f64),
        rows: impl Iterator<Item = (f64, usize, u64)>,
    ) -> f64 {
        self.deviation_of((min, max), &moments((min, max), rows, self.classes.len()))
    }

    /// The same from the moments of each class.
    pub(in crate::grow) fn deviation_of(&self, extremes: (f64, f64), moments: &[Moments]) -> f64 {
        let Some(Offsets { shrink, unit, .. }) = Offsets::new(extremes) else { return 0.0 };
        let (mut weight, mut first, mut second) = (0.0, 0.0, 0.0);
        for (moments, factor) in moments.iter().zip(self.classes) {
            let [count, sum, squares] = moments.sums().map(|sum| sum * self.unit);
            weight += factor * count;
            first += factor * sum;
            second += factor * squares;
        }
        let variance = (second - first * (first / weight)) / weight;
        // Rounding may make the variance of nearly equal values slightly negative.
        (variance.max(0.0).sqrt() * unit / shrink).min(f64::MAX)
    }
}

/// The offsets from the smallest value, in units of a power of two.
#[derive(Clone, Copy)]
struct Offsets {
    min: f64,
    /// Halves all values if the range overflows.
    shrink: f64,
    unit: f64,
}

impl Offsets {
    /// `None` if all values are the same.
    fn new((min, max): (f64, f64)) -> Option<Self> {
        let shrink = if (max - min).is_finite() { 1.0 } else { 0.5 };
        let range = shrink * max - shrink * min;
        (range != 0.0).then(|| Self { min, shrink, unit: binade(range) })
    }
}

/// The moments of the offsets of each class's values; those of parts merge to those of the whole.
pub(in crate::grow) fn moments(
    extremes: (f64, f64),
    rows: impl Iterator<Item = (f64, usize, u64)>,
    n_classes: usize,
) -> Vec<Moments> {
    let mut moments = vec![Moments::default(); n_classes];
    if let Some(Offsets { min, shrink, unit }) = Offsets::new(extremes) {
        for (value, class, weight) in rows {
            moments[class].add((shrink * value - shrink * min) / unit, weight);
        }
    }
    moments
}

#[cfg(test)]
mod tests {
    use crate::grow::zones::ZoneKind::Spread;
    use crate::grow::zones::ZoneParams;
    use crate::grow::zones::tests::{OVERLAP, weighted_width_of, width_of};

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
