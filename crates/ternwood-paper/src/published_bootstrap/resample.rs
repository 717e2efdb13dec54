//! The deviation of the best threshold over resamples, in numpy's order of operations.

use super::numpy::NumpyRandom;

const FEWEST_ROWS: usize = 10;

/// The tested values and the classes of a node's rows, in the order of the training data.
pub(super) struct NodeRows {
    pub(super) values: Vec<f64>,
    pub(super) classes: Vec<u32>,
    pub(super) n_classes: usize,
}

impl NodeRows {
    /// The population standard deviation of the best threshold over resamples of the rows.
    pub(super) fn half_width(&self, resamples: u32, random: &mut NumpyRandom) -> f64 {
        if self.values.len() < FEWEST_ROWS {
            return 0.0;
        }
        let mut scan = Scan::new(self);
        let thresholds: Vec<f64> =
            (0..resamples).filter_map(|_| scan.best_threshold(random)).collect();
        if thresholds.len() < 2 { 0.0 } else { deviation(&thresholds) }
    }
}

/// A node's rows by value, and room for a resample: how often each was drawn.
struct Scan {
    /// Distinct values; rows of a value stand together below.
    values: Vec<f64>,
    /// For each row in its first order: which value it has, and its class.
    rows: Vec<(u32, u32)>,
    n_classes: usize,
    /// Per value and class, how often it was drawn.
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

    /// Draws a resample and cuts it best; nothing if it has a single value. The lowest of
    /// equally good cuts wins, also where nothing is gained.
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
        let impurity_of_all = impurity(&total, n);
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
                let gain = impurity_of_all
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

/// `numpy.sum` of fewer than 128 numbers: from 8 on, in eight interleaved partial sums.
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
