//! How many rows of each class lie where.

use crate::axis::Scale;

/// Most bars of whole numbers that get a bar each.
const MOST_WHOLE: f64 = 32.0;

/// Bars over a range of values; each counts rows by class slot.
#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    /// From the edge of the first bar to that of the last.
    range: (f64, f64),
    /// The lowest and the highest value.
    pub(crate) extremes: (f64, f64),
    pub(crate) bars: Vec<Bar>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) counts: Vec<u64>,
}

/// A value, the slot of its class, and how many rows have it.
pub(crate) type Counted = (f64, usize, u32);

impl Histogram {
    /// Counts `values`. No bar lies on both sides of `threshold`; whole numbers of a small range
    /// get a bar each.
    pub(crate) fn new(values: &[Counted], n_slots: usize, threshold: f64, most: usize) -> Self {
        let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v.0), high.max(v.0))
        });
        let (low, high) = if ends.0 > ends.1 { (threshold, threshold) } else { ends };
        let whole = high - low <= MOST_WHOLE && values.iter().all(|v| v.0.fract() == 0.0);
        let (start, width, n_bars) = if whole && !values.is_empty() {
            (low - 0.5, 1.0, (high - low) as usize + 1)
        } else {
            aligned_bars(low, high, threshold, most)
        };
        let edge = |k: usize| start + k as f64 * width;
        let bar = |k| Bar { from: edge(k), to: edge(k + 1), counts: vec![0; n_slots] };
        let range = (edge(0).min(low), edge(n_bars).max(high));
        let bars = (0..n_bars).map(bar).collect();
        let mut histogram = Self { range, extremes: (low, high), bars };
        for &(value, slot, rows) in values {
            // Bars are closed above, as the left side of a split is.
            let beyond = histogram.bars.partition_point(|bar| bar.to < value);
            let bar = beyond.min(n_bars - 1);
            histogram.bars[bar].counts[slot] += u64::from(rows);
        }
        histogram
    }

    /// The rows of the tallest bar, at least 1.
    pub(crate) fn tallest(&self) -> u64 {
        self.bars.iter().map(|bar| bar.counts.iter().sum()).max().unwrap_or(1).max(1)
    }

    /// The rows of the tallest bar of a single class, at least 1.
    pub(crate) fn tallest_class(&self) -> u64 {
        self.bars.iter().flat_map(|bar| bar.counts.iter().copied()).max().unwrap_or(1).max(1)
    }

    pub(crate) fn scale(&self, pixels: (f64, f64)) -> Scale {
        Scale::new(self.range, pixels)
    }
}

/// Start, width and number of bars that cover `low..high` with an edge at `threshold`.
fn aligned_bars(low: f64, high: f64, threshold: f64, most: usize) -> (f64, f64, usize) {
    let most = most.max(2);
    let width = high / most as f64 - low / most as f64;
    let relative = width / low.abs().max(high.abs());
    if !(width.is_normal() && relative > 1e-13 && (low..=high).contains(&threshold)) {
        let width = if width.is_normal() { width } else { 1.0 };
        let start = if high > low { low } else { low - width / 2.0 };
        return (start, width, if high > low { most } else { 1 });
    }
    let before = ((threshold / width - low / width) - 1e-9).ceil().max(0.0);
    let after = ((high / width - threshold / width) - 1e-9).ceil().max(0.0);
    (threshold - before * width, width, (before + after).max(1.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(histogram: &Histogram) -> Vec<u64> {
        histogram.bars.iter().map(|bar| bar.counts.iter().sum()).collect()
    }

    #[test]
    fn whole_numbers_get_a_bar_each() {
        let values = [(1.0, 0, 2), (2.0, 1, 1), (4.0, 0, 3)];
        let histogram = Histogram::new(&values, 2, 2.5, 20);
        assert_eq!(counts(&histogram), [2, 1, 0, 3]);
        assert_eq!(histogram.range, (0.5, 4.5));
    }

    #[test]
    fn no_bar_lies_on_both_sides_of_the_threshold() {
        let values: Vec<Counted> = (0..100).map(|i| (f64::from(i) * 0.37, 0, 1)).collect();
        let histogram = Histogram::new(&values, 1, 10.1, 12);
        assert!(histogram.bars.iter().all(|bar| bar.to <= 10.1 + 1e-9 || bar.from >= 10.1 - 1e-9));
        assert_eq!(counts(&histogram).iter().sum::<u64>(), 100);
        let left = histogram.bars.iter().filter(|bar| bar.to <= 10.2);
        assert_eq!(left.map(|bar| bar.counts[0]).sum::<u64>(), 28); // 0 ..= 27 * 0.37 = 9.99
    }

    #[test]
    fn odd_values_are_counted_all_the_same() {
        for values in [
            vec![],
            vec![(5.5, 0, 1)],
            vec![(-1.7e308, 0, 1), (1.7e308, 0, 1), (0.5, 0, 1)],
            vec![(1.0, 0, 1), (1f64.next_up(), 0, 1)],
            vec![(0.0, 0, 1), (f64::from_bits(1), 0, 1)],
        ] {
            for threshold in [0.0, 5.5, 1.6e308, -1e300] {
                let histogram = Histogram::new(&values, 1, threshold, 10);
                assert_eq!(counts(&histogram).iter().sum::<u64>(), values.len() as u64);
                assert!(histogram.bars.len() <= 40, "{values:?}");
            }
        }
    }
}
