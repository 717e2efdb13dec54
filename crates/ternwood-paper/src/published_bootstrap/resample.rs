//! The deviation of the best threshold over resamples, in numpy's order of operations.

use super::numpy::NumpyRandom;

const MIN_ROWS: usize = 10;

/// The values of the tested feature and the classes of a node's rows, in training order.
pub(super) struct NodeRows {
    pub(super) values: Vec<f64>,
    pub(super) classes: Vec<u32>,
    pub(super) n_classes: usize,
}

impl NodeRows {
    /// The population standard deviation of the best threshold over resamples of the rows.
    pub(super) fn half_width(&self, resamples: u32, random: &mut NumpyRandom) -> f64 {
        if self.values.len() < MIN_ROWS {
            return 0.0;
        }
        let mut scan = Scan::new(self);
        let thresholds: Vec<f64> =
            (0..resamples).filter_map(|_| scan.best_threshold(random)).collect();
        if thresholds.len() < 2 { 0.0 } else { deviation(&thresholds) }
    }
}

/// A node's rows by value, and a buffer for the counts of a resample.
struct Scan {
    /// The distinct values.
    values: Vec<f64>,
    /// For each row, in training order: the index of its value, and its class.
    rows: Vec<(u32, u32)>,
    n_classes: usize,
    /// The number of draws per value and class.
    drawn: Vec<u32>,
}

impl Scan {
    fn new(NodeRows { values, classes, n_classes }: &NodeRows) -> Self {
        let mut distinct = values.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let rows = values.iter().zip(classes).map(|(value, &class)| {
            let place = distinct.partition_point(|other| other < value);
            (place as u32, class)
        });
        let rows: Vec<(u32, u32)> = rows.collect();
        let drawn = vec![0; distinct.len() * n_classes];
        Self { values: distinct, rows, n_classes: *n_classes, drawn }
    }

    /// Draws a resample and returns its best threshold, or `None` if it has a single value. The
    /// lowest of equally good thresholds wins, even if the gain is 0.
    fn best_threshold(&mut self, random: &mut NumpyRandom) -> Option<f64> {
        self.drawn.fill(0);
        let n = self.rows.len();
        for _ in 0..n {
            let (value, class) = self.rows[random.below(n as u32) as usize];
            self.drawn[value as usize * self.n_classes + class as usize] += 1;
        }
        let mut total = vec![0.0; self.n_classes];
        for counts in self.drawn.chunks_exact(self.n_classes) {
            add(&mut total, counts);
        }
        let n = n as f64;
        let total_impurity = impurity(&total, n);
        let mut left = vec![0.0; self.n_classes];
        let mut right = vec![0.0; self.n_classes];
        let (mut best, mut last): (Option<(f64, f64)>, Option<f64>) = (None, None);
        for (&value, counts) in self.values.iter().zip(self.drawn.chunks_exact(self.n_classes)) {
            if counts.iter().all(|&count| count == 0) {
                continue;
            }
            if let Some(last) = last {
                right.iter_mut().zip(&total).zip(&left).for_each(|((r, t), l)| *r = t - l);
                let n_left: f64 = left.iter().sum();
                let n_right = n - n_left;
                let gain = total_impurity
                    - (n_left / n * impurity(&left, n_left)
                        + n_right / n * impurity(&right, n_right));
                if best.is_none_or(|(most, _)| gain > most) {
                    best = Some((gain, (last + value) / 2.0));
                }
            }
            add(&mut left, counts);
            last = Some(value);
        }
        best.map(|(_, threshold)| threshold)
    }
}

fn add(sums: &mut [f64], counts: &[u32]) {
    sums.iter_mut().zip(counts).for_each(|(sum, &count)| *sum += f64::from(count));
}

/// `1 - sum of p * p`.
fn impurity(counts: &[f64], n: f64) -> f64 {
    1.0 - numpy_sum(counts.iter().map(|count| count / n * (count / n)))
}

/// `numpy.std`.
fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = numpy_sum(values.iter().copied()) / n;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    (numpy_sum(squares) / n).sqrt()
}

/// `numpy.sum` of fewer than 128 numbers: from 8 numbers on, eight interleaved partial sums.
fn numpy_sum(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    if values.len() < 8 {
        return values.sum();
    }
    let mut values: Vec<f64> = values.collect();
    let rest = values.split_off(values.len() / 8 * 8);
    let mut lanes = [0.0; 8];
    lanes.copy_from_slice(&values[..8]);
    for block in values[8..].chunks_exact(8) {
        lanes.iter_mut().zip(block).for_each(|(lane, value)| *lane += value);
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
    rest.into_iter().fold(sum, |sum, value| sum + value)
}
