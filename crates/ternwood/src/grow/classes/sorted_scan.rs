//! Scores every cut between two distinct values of a sorted column, with short cuts for Gini.

use super::left_of::LeftOf;
use super::{ClassTraining, Classes};
use crate::grow::search::candidate::{Leader, Place};
use crate::grow::search::sorted::{ColumnScan, SortedTarget};
use crate::grow::search::sorted_column::RankedRow;

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
