//! Impurity and the gain of a split; and the score of every cut between two distinct values of a sorted column, with
//! short cuts for Gini.

use super::purity::LeftOf;
use super::{ClassTraining, Classes};
use crate::grow::search::candidate::{Leader, Place};
use crate::grow::search::sorted::{ColumnScan, SortedTarget};
use crate::grow::search::sorted_column::RankedRow;
use crate::grow::target::{Score, Scorer};
use crate::recipe::Criterion;

impl Criterion {
    /// The impurity of a node whose classes have these weights, summing to `total`.
    ///
    /// The published expression to the last bit: probabilities by division, classes in order,
    /// summed as numpy sums.
    pub(crate) fn impurity(self, class_weights: &[f64], total: f64) -> f64 {
        if total == 0.0 {
            return 0.0;
        }
        match self {
            Self::Gini => 1.0 - sum(class_weights, &|weight| square(weight / total)),
            Self::Entropy => {
                let bits = -sum(class_weights, &|weight| p_log2_p(weight / total));
                // -(1 log2 1) is -0; a pure node has impurity 0.
                bits.max(0.0)
            }
        }
    }
}

fn square(x: f64) -> f64 {
    x * x
}

pub(crate) fn p_log2_p(p: f64) -> f64 {
    if p > 0.0 { p * p.log2() } else { 0.0 }
}

/// Sums `f` over `values` in numpy's order: one by one below 8 values, in eight interleaved
/// partial sums up to 128, by halves beyond.
///
/// The order decides the last bit, and the last bit decides which of two equally good splits
/// the published tables contain.
fn sum(values: &[f64], f: &impl Fn(f64) -> f64) -> f64 {
    let n = values.len();
    if n < 8 {
        return values.iter().fold(0.0, |sum, &value| sum + f(value));
    }
    if n > 128 {
        let half = n / 2 - n / 2 % 8;
        return sum(&values[..half], f) + sum(&values[half..], f);
    }
    let mut lanes = [0.0; 8];
    for (lane, &value) in lanes.iter_mut().zip(values) {
        *lane = f(value);
    }
    let (blocks, rest) = values[8..].as_chunks::<8>();
    for block in blocks {
        for (lane, &value) in lanes.iter_mut().zip(block) {
            *lane += f(value);
        }
    }
    let [a, b, c, d, e, g, h, i] = lanes;
    let lanes = ((a + b) + (c + d)) + ((e + g) + (h + i));
    rest.iter().fold(lanes, |sum, &value| sum + f(value))
}

/// Scores the splits of one node.
///
/// Sums of sample weights are exact (see `RowWeights`), so class counts do not depend on the
/// order of rows. Class weights multiply the finished counts.
pub(crate) struct SplitScorer<'a> {
    criterion: Criterion,
    class_factors: &'a [f64],
    node_counts: &'a [f64],
    impurity: f64,
    weight: f64,
    left: Vec<f64>,
    right: Vec<f64>,
}

impl<'a> SplitScorer<'a> {
    /// For a node with these class counts (before class weights).
    pub(crate) fn new(
        criterion: Criterion,
        class_factors: &'a [f64],
        node_counts: &'a [f64],
    ) -> Self {
        let n_classes = node_counts.len();
        let mut scorer = Self {
            criterion,
            class_factors,
            node_counts,
            impurity: 0.0,
            weight: 0.0,
            left: vec![0.0; n_classes],
            right: vec![0.0; n_classes],
        };
        for class in 0..n_classes {
            scorer.left[class] = node_counts[class] * class_factors[class];
        }
        scorer.weight = scorer.left.iter().sum();
        scorer.impurity = criterion.impurity(&scorer.left, scorer.weight);
        scorer
    }

    /// The weight of the node.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }
}

impl Scorer<Classes> for SplitScorer<'_> {
    /// `impurity(parent) - (w_left / w * impurity(left) + w_right / w * impurity(right))`, in
    /// exactly this order of operations.
    fn score(&mut self, left_counts: &[f64]) -> Score {
        let (mut left_weight, mut right_weight) = (0.0, 0.0);
        for (class, &left_count) in left_counts.iter().enumerate() {
            let factor = self.class_factors[class];
            let left = left_count * factor;
            let right = (self.node_counts[class] - left_count) * factor;
            self.left[class] = left;
            self.right[class] = right;
            left_weight += left;
            right_weight += right;
        }
        let left = self.criterion.impurity(&self.left, left_weight);
        let right = self.criterion.impurity(&self.right, right_weight);
        let children = left_weight / self.weight * left + right_weight / self.weight * right;
        Score { gain: self.impurity - children, left_weight, right_weight }
    }
}

/// Class and sample weight of every row of a block.
pub(crate) struct BlockClasses {
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
}

impl SortedTarget for Classes {
    type Block = BlockClasses;

    fn block(training: &ClassTraining<'_>, rows: &[u32]) -> BlockClasses {
        let weights = || rows.iter().map(|&row| training.weight_of(row)).collect();
        BlockClasses {
            classes: rows.iter().map(|&row| training.class_of(row)).collect(),
            weights: training.has_weights().then(weights),
        }
    }

    #[inline]
    fn row_at(block: &BlockClasses, row: usize) -> (u32, f64) {
        (block.classes[row], block.weights.as_ref().map_or(1.0, |weights| weights[row]))
    }

    #[inline]
    fn group_at(block: &BlockClasses, row: usize) -> u32 {
        block.classes[row]
    }

    fn flag(block: &BlockClasses, row: usize) -> bool {
        block.classes[row] == 1
    }

    fn scan<R: RankedRow>(
        scan: &ColumnScan<'_, R, Self>,
        block: &BlockClasses,
        leader: &mut Leader<'_, Self, ()>,
    ) {
        let BlockClasses { classes, weights } = block;
        let n_classes = scan.contest.sums.len();
        let is_plain_gini = scan.contest.measure.is_plain_gini();
        match weights {
            Some(weights) if is_plain_gini => {
                let row = |row: usize| (classes[row], weights[row]);
                match n_classes {
                    2 => scan.scan_by_left::<LeftOf<[f64; 2]>>(leader, row),
                    3 => scan.scan_by_left::<LeftOf<[f64; 3]>>(leader, row),
                    _ => scan.scan_by_left::<LeftOf<Vec<f64>>>(leader, row),
                }
            }
            Some(weights) => scan.scan_weighted(leader, classes, |row| weights[row]),
            None if !is_plain_gini => scan.scan_weighted(leader, classes, |_| 1.0),
            None if n_classes == 2 && scan.ranked_rows.len() <= MAX_TWO_CLASS_ROWS => {
                scan.scan_two_class_gini(leader);
            }
            None => scan.scan_unweighted_gini(leader, classes),
        }
    }
}

/// Cuts per chunk. All are scored before any is tested.
const CUTS_PER_CHUNK: usize = 64;

/// With more rows, D of [`ColumnScan::scan_two_class_gini`] might not fit 32 bits.
const MAX_TWO_CLASS_ROWS: usize = 1 << 16;

impl<R: RankedRow> ColumnScan<'_, R, Classes> {
    /// For any weights and any criterion.
    fn scan_weighted(
        &self,
        leader: &mut Leader<'_, Classes, ()>,
        classes: &[u32],
        weight: impl Fn(usize) -> f64,
    ) {
        let Some((fewest, most)) = self.legal() else { return };
        let mut left = vec![0.0; self.contest.sums.len()];
        for (i, pair) in self.ranked_rows.windows(2).enumerate().take(most) {
            let row = pair[0].row();
            left[classes[row] as usize] += weight(row);
            if pair[0].rank() != pair[1].rank() && i + 1 >= fewest {
                leader.offer(&left, i + 1, Place::Number(()));
            }
        }
    }

    /// For Gini with unit weights: sums of squares are integers, so they are updated exactly, at
    /// a cost independent of the number of classes.
    fn scan_unweighted_gini(&self, leader: &mut Leader<'_, Classes, ()>, classes: &[u32]) {
        let Some((fewest, most)) = self.legal() else { return };
        let counts = self.contest.sums;
        let mut left = vec![0.0; counts.len()];
        let (mut left_rows, mut right_rows) = (0.0, self.contest.n_rows as f64);
        let mut left_squares = 0.0;
        let mut right_squares: f64 = counts.iter().map(|n| n * n).sum();
        let mut floor = leader.floor();
        for (i, pair) in self.ranked_rows.windows(2).enumerate().take(most) {
            let class = classes[pair[0].row()] as usize;
            let count = left[class];
            left_squares += 2.0 * count + 1.0;
            right_squares -= 2.0 * (counts[class] - count) - 1.0;
            left[class] = count + 1.0;
            left_rows += 1.0;
            right_rows -= 1.0;
            // purity >= floor without a division; one rarely taken branch for all three conditions
            let purity = left_squares * right_rows + right_squares * left_rows;
            let good = purity >= floor * (left_rows * right_rows);
            if good & (pair[0].rank() != pair[1].rank()) & (i + 1 >= fewest) {
                leader.offer(&left, i + 1, Place::Number(()));
                floor = leader.floor();
            }
        }
    }

    /// For Gini with unit weights, two classes and at most [`MAX_TWO_CLASS_ROWS`] rows.
    ///
    /// With `l` of `i` left rows in the second class, which has `t` of all `n` rows,
    ///
    /// ```text
    /// purity = (sum of squared class counts) / n  +  2 D^2 / (n i (n - i)),    D = l n - i t
    /// ```
    ///
    /// D is a running sum of integers. Whether `D^2` reaches what the leader requires at `i` is
    /// tested for many cuts at once, rounded to f32 with some slack. Cuts that may reach it are
    /// scored again.
    fn scan_two_class_gini(&self, leader: &mut Leader<'_, Classes, ()>) {
        let Some((fewest, most)) = self.legal() else { return };
        let counts = self.contest.sums;
        let (n, second) = (self.contest.n_rows as i32, counts[1] as i32);
        let requirement = |leader: &Leader<'_, Classes, ()>| {
            let without_split = (counts[0] * counts[0] + counts[1] * counts[1]) / f64::from(n);
            let excess = leader.floor() - leader.tolerance() - without_split;
            (0.5 * f64::from(n) * excess * (1.0 - 1e-5)).max(0.0) as f32
        };
        // A multiplication, as a branch on the class would be unpredictable.
        let step = |row: R| i32::from(row.flag()) * n - second;
        let mut d: i32 = self.ranked_rows[..fewest - 1].iter().map(|&row| step(row)).sum();
        let mut required = requirement(leader);
        let mut ds = [0i32; CUTS_PER_CHUNK];
        let reaches = |i: i32, d: i32, required: f32| {
            (d as f32) * (d as f32) >= required * (i as f32 * (n - i) as f32)
        };
        for first in (fewest - 1..most).step_by(CUTS_PER_CHUNK) {
            let here = &self.ranked_rows[first..(first + CUTS_PER_CHUNK + 1).min(most + 1)];
            let ds = &mut ds[..here.len() - 1];
            for (target, pair) in ds.iter_mut().zip(here.windows(2)) {
                d += step(pair[0]);
                // No split between equal values; 0 almost never reaches what is required.
                *target = if pair[0].rank() != pair[1].rank() { d } else { 0 };
            }
            let mut any = false;
            for (i, &d) in (first as i32 + 1..).zip(&*ds) {
                any |= reaches(i, d, required);
            }
            if !any {
                continue;
            }
            for ((i, &d), pair) in (first as i32 + 1..).zip(&*ds).zip(here.windows(2)) {
                if reaches(i, d, required) && pair[0].rank() != pair[1].rank() {
                    let l = (i64::from(d) + i64::from(i) * i64::from(second)) / i64::from(n);
                    let left = [(i64::from(i) - l) as f64, l as f64];
                    leader.offer(&left, i as usize, Place::Number(()));
                    required = requirement(leader);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impurities_by_hand() {
        // p = (3/4, 1/4): gini 1 - 9/16 - 1/16 = 6/16; entropy 0.75 log2(4/3) + 0.25 * 2.
        assert_eq!(Criterion::Gini.impurity(&[3.0, 1.0], 4.0), 0.375);
        let bits = 0.75 * (4.0f64 / 3.0).log2() + 0.5;
        assert!((Criterion::Entropy.impurity(&[3.0, 1.0], 4.0) - bits).abs() < 1e-15);
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            assert_eq!(criterion.impurity(&[5.0, 0.0, 0.0], 5.0), 0.0);
        }
        assert_eq!(Criterion::Entropy.impurity(&[1.0; 8], 8.0), 3.0);
    }

    #[test]
    fn the_gain_of_a_split_by_hand() {
        // Node (4, 4), left (3, 1), right (1, 3): 0.5 - (0.5 * 0.375 + 0.5 * 0.375) = 0.125.
        let mut scorer = SplitScorer::new(Criterion::Gini, &[1.0, 1.0], &[4.0, 4.0]);
        let score = scorer.score(&[3.0, 1.0]);
        assert_eq!(score, Score { gain: 0.125, left_weight: 4.0, right_weight: 4.0 });
        // Class 1 counting double is like (4, 8), left (3, 2), right (1, 6).
        let doubled =
            SplitScorer::new(Criterion::Gini, &[1.0, 2.0], &[4.0, 4.0]).score(&[3.0, 1.0]);
        let copied = SplitScorer::new(Criterion::Gini, &[1.0, 1.0], &[4.0, 8.0]).score(&[3.0, 2.0]);
        assert_eq!(doubled, copied);
    }

    #[test]
    fn sums_follow_the_eight_lane_order() {
        // 1e16 and -1e16 meet in lane 0 (indices 0 and 8) before any 1 is lost to rounding; the
        // ninth and last value is added to the finished lanes.
        let mut values = vec![1.0; 17];
        values[0] = 1e16;
        values[8] = -1e16;
        assert_eq!(sum(&values, &|x| x), 15.0);
        let in_order = values.iter().fold(0.0, |sum, x| sum + x);
        assert_ne!(in_order, 15.0);
    }
}
