//! The standard deviation of a feature at a node, to the same bits in any order of rows.

use crate::dataset::{Moments, binade};

/// What rows weigh: factors by group, and the unit in which sample weights are given.
pub(crate) struct Weights<'a> {
    pub(crate) factors: &'a [f64],
    pub(crate) unit: f64,
}

impl Weights<'_> {
    /// The weighted standard deviation of values between two extremes, given as value, group and sample
    /// weight.
    ///
    /// Sums exactly, over offsets from the smallest value in units of a power of two. So neither
    /// the order of rows, nor weights instead of copies, nor shifting integers by an integer
    /// changes the result.
    pub(crate) fn deviation(
        &self,
        (min, max): (f64, f64),
        rows: impl Iterator<Item = (f64, usize, u64)>,
    ) -> f64 {
        self.deviation_of((min, max), &moments((min, max), rows, self.factors.len()))
    }

    /// The same from the moments of each group.
    pub(crate) fn deviation_of(&self, extremes: (f64, f64), moments: &[Moments]) -> f64 {
        let Some(Offsets { shrink, unit, .. }) = Offsets::new(extremes) else { return 0.0 };
        let (mut weight, mut first, mut second) = (0.0, 0.0, 0.0);
        for (moments, factor) in moments.iter().zip(self.factors) {
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

/// The moments of the offsets of each group's values; those of parts merge to those of the whole.
pub(crate) fn moments(
    extremes: (f64, f64),
    rows: impl Iterator<Item = (f64, usize, u64)>,
    n_groups: usize,
) -> Vec<Moments> {
    let mut moments = vec![Moments::default(); n_groups];
    if let Some(Offsets { min, shrink, unit }) = Offsets::new(extremes) {
        for (value, group, weight) in rows {
            moments[group].add((shrink * value - shrink * min) / unit, weight);
        }
    }
    moments
}
