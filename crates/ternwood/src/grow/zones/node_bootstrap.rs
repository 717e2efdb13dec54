//! Node bootstrap: how much the best threshold varies when the node is resampled.
//!
//! ```text
//! delta = population standard deviation of theta*_b over resamples b = 1..B
//! ```
//!
//! `theta*_b` is the best threshold of the winning feature in resample b: n draws with
//! replacement from the node's rows (with weights: as many draws as the node weighs, in
//! proportion to weight). Candidates are midpoints of the values drawn, without a minimum leaf
//! size. `delta = 0` for nodes of fewer than 10 rows or with fewer than 2 usable resamples. A
//! resample is usable if it has two distinct values. If no split has a gain (only one class was
//! drawn), its lowest candidate counts, as published.

use super::lowest_best::LowestBest;
use super::resample::PairColumn;
use super::resample::Urn;
use crate::dataset::binade;
use crate::grow::evidence::{Entry, SplitEvidence};
use crate::grow::search::midpoint;
use crate::recipe::Criterion;
use crate::recipe::Resamples;
use std::cell::LazyCell;

const MIN_ROWS: u64 = 10;

pub(super) fn half_width(evidence: &SplitEvidence<'_>, resamples: Resamples) -> f64 {
    standard_deviation(&thresholds(evidence, resamples))
}

/// The best threshold of every usable resample, in the order drawn.
pub(crate) fn thresholds(evidence: &SplitEvidence<'_>, resamples: Resamples) -> Vec<f64> {
    let missing = evidence.missing_counts();
    let mut pair = match evidence.criterion() {
        Criterion::Gini if missing.is_none() => PairColumn::new(evidence),
        _ => None,
    };
    let urn = LazyCell::new(|| Urn::new(evidence));
    let draws = pair.as_ref().map_or_else(|| urn.draws(), |pair| pair.len() as u64);
    if draws < MIN_ROWS {
        return Vec::new();
    }
    let mut multiplicities = Vec::new();
    let mut scan = ResampleScan::new(evidence.criterion(), evidence.n_classes());
    if let Some(missing) = missing {
        scan.missing = missing.map(|counts| evidence.weighted(&counts));
    }
    (0..count(resamples, evidence.training_weight()))
        .take_while(|_| !evidence.is_cancelled())
        .filter_map(|resample| {
            if let Some(pair) = &mut pair
                && pair.draw(&mut evidence.stream(resample))
            {
                let (a, b) = pair.neighbours(pair.best_place()?)?;
                return Some(midpoint(a, b));
            }
            let entries = evidence.entries();
            multiplicities.clear();
            multiplicities.resize(entries.len(), 0);
            urn.draw(&mut evidence.stream(resample), &mut multiplicities);
            scan.best_threshold(entries, &multiplicities)
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
    let n = values.len() as f64;
    // Offsets from the first value are exact for integers, so shifting all values by an integer
    // changes nothing. Halved, so that none overflows.
    let mut offsets: Vec<f64> = values.iter().map(|value| 0.5 * value - 0.5 * values[0]).collect();
    // In units of a power of two, so that squares neither overflow nor underflow.
    let largest = offsets.iter().fold(0.0, |largest: f64, offset| largest.max(offset.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let unit = binade(largest);
    offsets.iter_mut().for_each(|offset| *offset /= unit);
    let mean = offsets.iter().sum::<f64>() / n;
    let squares = offsets.iter().map(|offset| (offset - mean) * (offset - mean)).sum::<f64>();
    let deviation = (squares / n).sqrt() * unit;
    // At most half the range of the values, so only rounding can overflow.
    (2.0 * deviation).min(f64::MAX)
}

/// Finds the best threshold of each resample, in buffers that are reused.
struct ResampleScan {
    criterion: Criterion,
    /// Class weights of missing values, left and right of every threshold. They are not drawn.
    missing: [Vec<f64>; 2],
    left: Vec<f64>,
    right: Vec<f64>,
}

impl ResampleScan {
    fn new(criterion: Criterion, n_classes: usize) -> Self {
        let zeros = || vec![0.0; n_classes];
        Self { criterion, missing: [zeros(), zeros()], left: zeros(), right: zeros() }
    }

    /// The threshold with the largest gain, the lowest on ties; `None` if only one value was drawn.
    fn best_threshold(&mut self, entries: &[Entry], multiplicities: &[u32]) -> Option<f64> {
        let n_log2_n = |n: f64| if n > 0.0 { n * n.log2() } else { 0.0 };
        let at = match self.criterion {
            Criterion::Gini => {
                self.best_place(entries, multiplicities, |n| n * n, |sum, n| sum / n)
            }
            Criterion::Entropy => {
                self.best_place(entries, multiplicities, n_log2_n, |sum, n| sum - n_log2_n(n))
            }
        }?;
        // The nearest drawn entries on either side.
        let drawn = |i: &usize| multiplicities[*i] > 0;
        let below = (0..at).rev().find(drawn)?;
        let above = (at..entries.len()).find(drawn)?;
        Some(midpoint(entries[below].value, entries[above].value))
    }

    /// The entry before which the best split lies, the lowest on ties.
    ///
    /// Gain grows with the sum of both sides' `purity`, a function of the side's size and of its
    /// sum of a `term` per class. The sums are updated entry by entry, so a resample costs O(n)
    /// whatever the number of classes. Entries that were not drawn do no harm: passing them
    /// changes no score, and ties go to the lowest place.
    fn best_place(
        &mut self,
        entries: &[Entry],
        multiplicities: &[u32],
        term: impl Fn(f64) -> f64,
        purity: impl Fn(f64, f64) -> f64,
    ) -> Option<usize> {
        let Self { left, right, missing, .. } = self;
        left.copy_from_slice(&missing[0]);
        right.copy_from_slice(&missing[1]);
        let [missing_left, missing_right] = missing.each_ref().map(|side| side.iter().sum::<f64>());
        for (entry, &drawn) in entries.iter().zip(multiplicities) {
            right[entry.class as usize] += f64::from(drawn);
        }
        let total = multiplicities.iter().map(|&drawn| f64::from(drawn)).sum();
        let mut best = LowestBest::among(missing_left + missing_right + total);
        let (mut left_total, mut right_total): (f64, f64) = (0.0, total);
        let mut left_sum = left.iter().map(|&n| term(n)).sum::<f64>();
        let mut right_sum = right.iter().map(|&n| term(n)).sum::<f64>();
        let mut previous = f64::INFINITY;
        for (i, (entry, &drawn)) in entries.iter().zip(multiplicities).enumerate() {
            if previous < entry.value && left_total > 0.0 && right_total > 0.0 {
                let left = purity(left_sum, missing_left + left_total);
                best.enter(i, left + purity(right_sum, missing_right + right_total));
            }
            let class = entry.class as usize;
            let moved = f64::from(drawn);
            left_sum += term(left[class] + moved) - term(left[class]);
            right_sum += term(right[class] - moved) - term(right[class]);
            left[class] += moved;
            right[class] -= moved;
            left_total += moved;
            right_total -= moved;
            previous = entry.value;
        }
        best.place()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grow::zones::tests::with_evidence;

    fn entry(value: f64, class: u32) -> Entry {
        Entry { value, class, rows: 1, count: 1.0 }
    }

    fn best(criterion: Criterion, entries: &[Entry], multiplicities: &[u32]) -> Option<f64> {
        ResampleScan::new(criterion, 2).best_threshold(entries, multiplicities)
    }

    #[test]
    fn the_best_threshold_lies_between_values_that_were_drawn() {
        let entries = [entry(1.0, 0), entry(2.0, 0), entry(3.0, 1), entry(4.0, 1)];
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            assert_eq!(best(criterion, &entries, &[1, 1, 1, 1]), Some(2.5));
            // 2 was not drawn: the midpoint of 1 and 3.
            assert_eq!(best(criterion, &entries, &[2, 0, 1, 1]), Some(2.0));
            // One class only: nothing gains, the lowest candidate counts.
            assert_eq!(best(criterion, &entries, &[3, 1, 0, 0]), Some(1.5));
            // A value of both classes after one of the first only: the place between counts.
            let mixed = [entry(1.0, 0), entry(2.0, 0), entry(3.0, 0), entry(3.0, 1)];
            assert_eq!(best(criterion, &mixed, &[1, 1, 1, 1]), Some(2.5));
            assert_eq!(best(criterion, &entries, &[4, 0, 0, 0]), None);
        }
    }

    #[test]
    fn passing_over_entries_misses_no_split() {
        // Classes that change slowly along the column, so that much can be passed over.
        let class = |i: u32| u32::from(i * 7919 % 1000 < i);
        for n in [20, 64, 65, 1000] {
            let rows: Vec<(f64, i32)> = (0..n)
                .flat_map(|i| match i % 5 {
                    // Now and then both classes share a value.
                    0 => vec![(f64::from(i), 0), (f64::from(i), 1)],
                    _ => vec![(f64::from(i), class(i * 1000 / n) as i32)],
                })
                .collect();
            with_evidence(&rows, |evidence| {
                let mut pair = PairColumn::new(evidence).expect("entries are single rows");
                for resample in 0..20 {
                    assert!(pair.draw(&mut evidence.stream(resample)));
                    let entries = evidence.entries();
                    let multiplicities: Vec<u32> =
                        (0..entries.len()).map(|i| pair.multiplicity(i).into()).collect();
                    let place = pair.best_place().expect("two values were drawn");
                    let (a, b) = pair.neighbours(place).expect("both sides have rows");
                    let expected = best(Criterion::Gini, entries, &multiplicities);
                    assert_eq!(Some(midpoint(a, b)), expected);
                }
            });
        }
    }

    #[test]
    fn resamples_follow_the_size_of_the_training_set() {
        let counts =
            [100.0, 1_999.0, 2_000.0, 9_999.0, 10_000.0].map(|n| count(Resamples::Auto, n));
        assert_eq!(counts, [20, 20, 15, 15, 10]);
        assert_eq!(count(Resamples::Count(7), 100.0), 7);
    }

    #[test]
    fn standard_deviations_by_hand() {
        // Mean 2.5; squared deviations 2.25, 0.25, 0.25, 2.25; their mean is 1.25.
        assert_eq!(standard_deviation(&[1.0, 2.0, 3.0, 4.0]), 1.25f64.sqrt());
        assert_eq!(standard_deviation(&[7.0]), 0.0);
        assert_eq!(standard_deviation(&[0.1; 5]), 0.0);
    }

    #[test]
    fn neither_large_nor_small_numbers_lose_their_spread() {
        for unit in [2f64.powi(-1000), 2f64.powi(-600), 2f64.powi(600), 2f64.powi(1020)] {
            let values = [1.0, 2.0, 3.0, 4.0].map(|x| x * unit);
            assert_eq!(standard_deviation(&values), 1.25f64.sqrt() * unit);
        }
        // Half of the range, which itself overflows.
        assert_eq!(standard_deviation(&[-f64::MAX, f64::MAX]), f64::MAX);
    }
}
