//! Spread: half a standard deviation of the feature at the node.
//!
//! ```text
//! delta = 0.5 * sigma,   sigma^2 = sum w (x - mean)^2 / sum w
//! ```
//!
//! It ignores the split: it only expresses the zone scale in the feature's own units. Never more
//! than a quarter of the range, so the default clamp does not bind.

use crate::grow::deviation::Weights;
use crate::grow::evidence::SplitEvidence;

pub(super) fn half_width(evidence: &SplitEvidence<'_>) -> f64 {
    0.5 * deviation(evidence)
}

/// The weighted standard deviation of the winning feature at the node: O(n), unless growing kept it.
pub(crate) fn deviation(evidence: &SplitEvidence<'_>) -> f64 {
    let summary = evidence.summary();
    summary.deviation.unwrap_or_else(|| {
        let weights = Weights { factors: evidence.class_factors(), unit: evidence.weight_unit() };
        weights.deviation(summary.extremes, evidence.weighed_rows())
    })
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
