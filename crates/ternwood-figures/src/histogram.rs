//! Histograms of rows by value and class.

use crate::axis::Scale;
use ternwood::tree::Zone;

/// The largest range of whole numbers in which each gets its own bar.
const MAX_WHOLE_RANGE: f64 = 32.0;

/// Bars over a range of values; each counts rows by class slot.
#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    /// Covers all bars and the range shown.
    range: (f64, f64),
    pub(crate) bars: Vec<Bar>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) counts: Vec<u64>,
}

/// A value, the slot of its class, and the number of rows that have it.
pub(crate) type Counted = (f64, usize, u32);

impl Histogram {
    /// Counts `values` over `shown`; the end bars include the values beyond. Makes about `max_bars`
    /// bars, with `threshold` at an edge; whole numbers of a small range get a bar each.
    pub(crate) fn new(
        values: &[Counted],
        n_slots: usize,
        threshold: f64,
        shown: Shown,
        max_bars: usize,
    ) -> Self {
        let (low, high) = (shown.low, shown.high);
        let whole = high - low <= MAX_WHOLE_RANGE && values.iter().all(|v| v.0.fract() == 0.0);
        let (start, width, n_bars) = if whole && !values.is_empty() {
            (low - 0.5, 1.0, (high - low) as usize + 1)
        } else {
            aligned_bars(low, high, threshold, max_bars)
        };
        let edge = |k: usize| start + k as f64 * width;
        let bar = |k| Bar { from: edge(k), to: edge(k + 1), counts: vec![0; n_slots] };
        let range = (edge(0).min(low), edge(n_bars).max(high));
        let bars = (0..n_bars).map(bar).collect();
        let mut histogram = Self { range, bars };
        for &(value, slot, rows) in values {
            // Bars include their upper edge, as the left side of a split does.
            let beyond = histogram.bars.partition_point(|bar| bar.to < value);
            let bar = beyond.min(n_bars - 1);
            histogram.bars[bar].counts[slot] += u64::from(rows);
        }
        histogram
    }

    /// The number of rows in the tallest bar, at least 1.
    pub(crate) fn tallest(&self) -> u64 {
        self.bars.iter().map(|bar| bar.counts.iter().sum()).max().unwrap_or(1).max(1)
    }

    pub(crate) fn scale(&self, pixels: (f64, f64)) -> Scale {
        Scale::new(self.range, pixels)
    }
}

/// The part of an axis that is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shown {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// True if values lie below `low`, and above `high`.
    pub(crate) beyond: (bool, bool),
}

impl Shown {
    /// The range of the values, without a few outliers if they would squeeze the others together.
    /// Includes the zone as far as the values reach.
    pub(crate) fn of(values: &[Counted], zone: Zone) -> Self {
        let mut sorted: Vec<(f64, u32)> = values.iter().map(|v| (v.0, v.2)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
            let theta = zone.threshold();
            return Self { low: theta, high: theta, beyond: (false, false) };
        };
        let all = (first.0, last.0);
        let bulk = (quantile(&sorted, 0.03), quantile(&sorted, 0.97));
        let room = 0.1 * bulk.1 - 0.1 * bulk.0;
        let keep = (
            (bulk.0 - room).min(zone.lower()).max(all.0),
            (bulk.1 + room).max(zone.upper()).min(all.1),
        );
        let squeezed = 0.5 * keep.1 - 0.5 * keep.0 < 0.4 * (0.5 * all.1 - 0.5 * all.0);
        let (low, high) = if squeezed && keep.1 > keep.0 { keep } else { all };
        Self { low, high, beyond: (low > all.0, high < all.1) }
    }

    /// The number of rows that are not shown.
    pub(crate) fn rows_outside(&self, values: &[Counted]) -> u64 {
        let out = values.iter().filter(|value| !self.contains(value.0));
        out.map(|value| u64::from(value.2)).sum()
    }

    pub(crate) fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// The value below which a share of the rows lies.
fn quantile(sorted: &[(f64, u32)], share: f64) -> f64 {
    let total: f64 = sorted.iter().map(|value| f64::from(value.1)).sum();
    let mut seen = 0.0;
    let reached = sorted.iter().find(|value| {
        seen += f64::from(value.1);
        seen >= share * total
    });
    reached.or(sorted.last()).map_or(0.0, |value| value.0)
}

/// Start, width and number of bars that cover `low..high` with an edge at `threshold`.
fn aligned_bars(low: f64, high: f64, threshold: f64, max_bars: usize) -> (f64, f64, usize) {
    let max_bars = max_bars.max(2);
    let width = high / max_bars as f64 - low / max_bars as f64;
    let relative = width / low.abs().max(high.abs());
    if !(width.is_normal() && relative > 1e-13 && (low..=high).contains(&threshold)) {
        let width = if width.is_normal() { width } else { 1.0 };
        let start = if high > low { low } else { low - width / 2.0 };
        return (start, width, if high > low { max_bars } else { 1 });
    }
    let before = ((threshold / width - low / width) - 1e-9).ceil().max(0.0);
    let after = ((high / width - threshold / width) - 1e-9).ceil().max(0.0);
    (threshold - before * width, width, (before + after).max(1.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: &[Counted], n_slots: usize, threshold: f64, max_bars: usize) -> Histogram {
        let shown = Shown::of(values, Zone::crisp(threshold).unwrap());
        Histogram::new(values, n_slots, threshold, shown, max_bars)
    }

    fn counts(histogram: &Histogram) -> Vec<u64> {
        histogram.bars.iter().map(|bar| bar.counts.iter().sum()).collect()
    }

    #[test]
    fn whole_numbers_get_a_bar_each() {
        let values = [(1.0, 0, 2), (2.0, 1, 1), (4.0, 0, 3)];
        let histogram = histogram(&values, 2, 2.5, 20);
        assert_eq!(counts(&histogram), [2, 1, 0, 3]);
        assert_eq!(histogram.range, (0.5, 4.5));
    }

    #[test]
    fn no_bar_straddles_the_threshold() {
        let values: Vec<Counted> = (0..100).map(|i| (f64::from(i) * 0.37, 0, 1)).collect();
        let histogram = histogram(&values, 1, 10.1, 12);
        assert!(histogram.bars.iter().all(|bar| bar.to <= 10.1 + 1e-9 || bar.from >= 10.1 - 1e-9));
        assert_eq!(counts(&histogram).iter().sum::<u64>(), 100);
        let left = histogram.bars.iter().filter(|bar| bar.to <= 10.2);
        assert_eq!(left.map(|bar| bar.counts[0]).sum::<u64>(), 28); // 0 ..= 27 * 0.37 = 9.99
    }

    #[test]
    fn odd_values_are_counted() {
        for values in [
            vec![],
            vec![(5.5, 0, 1)],
            vec![(-1.7e308, 0, 1), (1.7e308, 0, 1), (0.5, 0, 1)],
            vec![(1.0, 0, 1), (1f64.next_up(), 0, 1)],
            vec![(0.0, 0, 1), (f64::from_bits(1), 0, 1)],
        ] {
            for threshold in [0.0, 5.5, 1.6e308, -1e300] {
                let histogram = histogram(&values, 1, threshold, 10);
                assert_eq!(counts(&histogram).iter().sum::<u64>(), values.len() as u64);
                assert!(histogram.bars.len() <= 40, "{values:?}");
            }
        }
    }

    #[test]
    fn outliers_do_not_squeeze_the_others() {
        let mut values: Vec<Counted> = (0..1000).map(|i| (f64::from(i) * 0.01, 0, 1)).collect();
        values.extend([(1e6, 0, 1), (-1e5, 0, 1)]);
        let shown = Shown::of(&values, Zone::new(4.0, 1.0).unwrap());
        assert!(shown.low > -20.0 && shown.high < 30.0 && shown.beyond == (true, true));
        assert!(shown.rows_outside(&values) < 10);
        let far_zone = Shown::of(&values, Zone::new(9e5, 1e5).unwrap());
        assert_eq!((far_zone.high, far_zone.beyond.1), (1e6, false));
        let histogram = histogram(&values, 1, 4.0, 20);
        assert_eq!(counts(&histogram).iter().sum::<u64>(), 1002);
        assert_eq!(Shown::of(&values[..1000], Zone::crisp(4.0).unwrap()).beyond, (false, false));
    }
}
