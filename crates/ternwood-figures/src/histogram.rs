//! Rows by value and class: histograms and density curves.

use crate::plot::Scale;
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

// Density curves: Gaussian kernels on a fine grid.

/// The number of points along the x axis at which densities are computed.
pub(crate) const DENSITY_POINTS: usize = 201;

/// Cells to bin values into first, so that the cost does not depend on the number of rows.
const CELLS: usize = 600;

/// The density of every slot at [`DENSITY_POINTS`] points from the low to the high end of `across`. The
/// area of each slot is its share of all rows; the bandwidth is Silverman's, per slot.
pub(crate) fn densities(values: &[Counted], n_slots: usize, across: Scale) -> Vec<Vec<f64>> {
    let mut cells = vec![vec![0.0; CELLS]; n_slots];
    let mut total = 0.0;
    for &(value, slot, rows) in values {
        let cell = (across.fraction(value) * (CELLS - 1) as f64).round() as usize;
        cells[slot][cell] += f64::from(rows);
        total += f64::from(rows);
    }
    let min_width = min_bandwidth(values, across);
    cells.iter().map(|cells| smoothed(cells, total.max(1.0), min_width)).collect()
}

/// The minimum bandwidth: whole numbers far apart need a kernel about as wide as their distance.
fn min_bandwidth(values: &[Counted], across: Scale) -> f64 {
    let whole = values.iter().all(|value| value.0.fract() == 0.0);
    let (low, high) = across.ends();
    let step = 1.0 / (high - low);
    if whole && step.is_finite() { (0.45 * step).min(0.1) } else { 0.0 }
}

fn smoothed(cells: &[f64], total: f64, min_width: f64) -> Vec<f64> {
    let place = |cell: usize| cell as f64 / (CELLS - 1) as f64;
    let rows: f64 = cells.iter().sum();
    if rows == 0.0 {
        return vec![0.0; DENSITY_POINTS];
    }
    let mean = cells.iter().enumerate().map(|(i, n)| n * place(i)).sum::<f64>() / rows;
    let square = |i: usize| (place(i) - mean) * (place(i) - mean);
    let spread = (cells.iter().enumerate().map(|(i, n)| n * square(i)).sum::<f64>() / rows).sqrt();
    let middle_half =
        place(quantile_cell(cells, 0.75 * rows)) - place(quantile_cell(cells, 0.25 * rows));
    let spread = if middle_half > 0.0 { spread.min(middle_half / 1.34) } else { spread };
    let bandwidth = (0.9 * spread * rows.powf(-0.2)).max(min_width).max(0.004);
    (0..DENSITY_POINTS)
        .map(|point| {
            let x = point as f64 / (DENSITY_POINTS - 1) as f64;
            let near = cells.iter().enumerate().filter(|(_, n)| **n > 0.0);
            let sum: f64 = near
                .map(|(i, n)| {
                    let z = (x - place(i)) / bandwidth;
                    n * (-0.5 * z * z).exp()
                })
                .sum();
            sum / (total * bandwidth * std::f64::consts::TAU.sqrt())
        })
        .collect()
}

/// The first cell at which the cumulative count reaches `wanted` rows.
fn quantile_cell(cells: &[f64], wanted: f64) -> usize {
    let mut seen = 0.0;
    let cell = cells.iter().position(|rows| {
        seen += rows;
        seen >= wanted
    });
    cell.unwrap_or(cells.len() - 1)
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

    #[test]
    fn the_area_under_each_curve_is_its_share() {
        let values: Vec<Counted> =
            (0..400).map(|i| (0.3 + 0.001 * f64::from(i), (i % 4).min(1) as usize, 1)).collect();
        let densities = densities(&values, 2, Scale::new((0.0, 1.0), (0.0, 1.0)));
        for (density, share) in densities.iter().zip([0.25, 0.75]) {
            let area = density.iter().sum::<f64>() / (DENSITY_POINTS - 1) as f64;
            assert!((area - share).abs() < 0.01, "{area} for {share}");
        }
    }

    #[test]
    fn empty_and_extreme_input_gives_finite_densities() {
        let across = Scale::new((-1.7e308, 1.7e308), (0.0, 1.0));
        for values in [vec![], vec![(-1.7e308, 0, 3), (1.7e308, 0, 2)], vec![(5.0, 0, 1)]] {
            assert!(densities(&values, 1, across)[0].iter().all(|y| y.is_finite()));
        }
    }
}
