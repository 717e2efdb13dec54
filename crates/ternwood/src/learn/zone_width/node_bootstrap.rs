//! Node bootstrap: how much the best threshold moves when the node is sampled again.
//!
//! ```text
//! delta = population standard deviation of theta*_b over resamples b = 1..B
//! ```
//!
//! `theta*_b` is the best threshold of the winning feature in resample b: n draws with
//! replacement of the node's rows (with weights: as many as the node weighs, in proportion to
//! weight), candidates being midpoints of the values present in it, without a minimum leaf
//! size. 0 for nodes of fewer than 10 rows or fewer than 2 usable resamples.

use super::Resamples;
use super::resample::Urn;
use crate::learn::criterion::Criterion;
use crate::learn::evidence::{Entry, SplitEvidence};
use crate::learn::split_search::midpoint;

const FEWEST_ROWS: u64 = 10;

pub(super) fn half_width(evidence: &SplitEvidence<'_>, resamples: Resamples) -> f64 {
    standard_deviation(&thresholds(evidence, resamples))
}

/// The best threshold of every usable resample, in the order they were drawn.
pub(in crate::learn) fn thresholds(evidence: &SplitEvidence<'_>, resamples: Resamples) -> Vec<f64> {
    let urn = Urn::new(evidence);
    if urn.draws() < FEWEST_ROWS {
        return Vec::new();
    }
    let mut multiplicities = vec![0; evidence.entries().len()];
    let mut scan = ResampleScan::new(evidence.criterion(), evidence.n_classes());
    (0..count(resamples, evidence.training_weight()))
        .filter_map(|resample| {
            urn.draw(&mut evidence.stream(resample), &mut multiplicities);
            scan.best_threshold(evidence.entries(), &multiplicities)
        })
        .collect()
}

fn count(resamples: Resamples, training_weight: f64) -> u32 {
    match resamples {
        Resamples::Count(count) => count,
        Resamples::Auto if training_weight < 2_000.0 => 20,
        Resamples::Auto if training_weight < 10_000.0 => 15,
        Resamples::Auto => 10,
    }
}

/// The population standard deviation; 0 for fewer than 2 numbers.
fn standard_deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    // Deviations from the first value are exact where the values are integers, so shifting
    // them all by an integer changes nothing. Halving first, where they would overflow.
    let overflow = values.iter().any(|value| !(value - values[0]).is_finite());
    let unit = if overflow { 2f64.powi(-600) } else { 1.0 };
    let n = values.len() as f64;
    let offsets: Vec<f64> = values.iter().map(|value| value * unit - values[0] * unit).collect();
    let mean = offsets.iter().sum::<f64>() / n;
    let squares = offsets.iter().map(|offset| (offset - mean) * (offset - mean)).sum::<f64>();
    let deviation = (squares / n).sqrt() / unit;
    if deviation.is_finite() { deviation } else { f64::MAX }
}

/// Finds the best threshold of resamples, one after the other, with buffers kept between them.
struct ResampleScan {
    criterion: Criterion,
    left: Vec<f64>,
    right: Vec<f64>,
}

impl ResampleScan {
    fn new(criterion: Criterion, n_classes: usize) -> Self {
        Self { criterion, left: vec![0.0; n_classes], right: vec![0.0; n_classes] }
    }

    /// The threshold of largest gain, the lowest on ties; `None` if no split has a gain.
    ///
    /// For Gini, gain grows with `sum l_k^2 / n_l + sum r_k^2 / n_r`; for entropy with
    /// `sum l_k log l_k - n_l log n_l` and the same for the right. Both sums are kept up to date
    /// entry by entry, so a resample costs O(n) whatever the number of classes.
    fn best_threshold(&mut self, entries: &[Entry], multiplicities: &[u32]) -> Option<f64> {
        self.left.fill(0.0);
        self.right.fill(0.0);
        for (entry, &drawn) in entries.iter().zip(multiplicities) {
            self.right[entry.class as usize] += f64::from(drawn);
        }
        let total: f64 = self.right.iter().sum();
        let term = self.criterion.class_term();
        let (mut left_sum, mut right_sum) = (0.0, self.right.iter().map(|&n| term(n)).sum::<f64>());
        let purity = self.criterion.side_purity();
        // The unsplit resample has gain 0; rounding must not pass for more.
        let mut best = purity(right_sum, total) + 1e-12 * total;
        let mut threshold = None;
        let mut left_total = 0.0;
        let mut previous: Option<f64> = None;
        for (entry, &drawn) in entries.iter().zip(multiplicities) {
            if drawn == 0 {
                continue;
            }
            if let Some(previous) = previous
                && previous < entry.value
            {
                let score = purity(left_sum, left_total) + purity(right_sum, total - left_total);
                if score > best {
                    best = score;
                    threshold = Some(midpoint(previous, entry.value));
                }
            }
            let class = entry.class as usize;
            let moved = f64::from(drawn);
            left_sum += term(self.left[class] + moved) - term(self.left[class]);
            right_sum += term(self.right[class] - moved) - term(self.right[class]);
            self.left[class] += moved;
            self.right[class] -= moved;
            left_total += moved;
            previous = Some(entry.value);
        }
        threshold
    }
}

impl Criterion {
    /// What each class count of a side contributes to the side's sum.
    fn class_term(self) -> fn(f64) -> f64 {
        match self {
            Self::Gini => |n| n * n,
            Self::Entropy => |n| if n > 0.0 { n * n.log2() } else { 0.0 },
        }
    }

    /// A side's purity from its sum and its size; a split's gain grows with the sum of both.
    fn side_purity(self) -> fn(f64, f64) -> f64 {
        match self {
            Self::Gini => |sum, n| if n > 0.0 { sum / n } else { 0.0 },
            Self::Entropy => |sum, n| if n > 0.0 { sum - n * n.log2() } else { 0.0 },
        }
    }
}
