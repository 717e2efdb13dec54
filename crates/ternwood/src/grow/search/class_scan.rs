//! Measuring every place between two distinct values of a sorted column.

use super::candidate::{Contest, Leader, Place};
use super::sorted_column::RankedRow;

/// A sorted column at a node.
pub(super) struct ColumnScan<'a, R> {
    pub(super) contest: Contest<'a>,
    pub(super) places: &'a [R],
    /// The value of a row of the block. Asked of few rows.
    pub(super) value: &'a dyn Fn(usize) -> f64,
}

/// So many places are measured before anybody looks whether one was good.
const AT_ONCE: usize = 64;

/// With more rows, products of two counts might not fit 32 bits.
pub(super) const MOST_FOR_TWO_CLASSES: usize = 1 << 16;

impl<R: RankedRow> ColumnScan<'_, R> {
    /// How many rows may go left: from the fewest to the most that are legal.
    fn legal(&self) -> Option<(usize, usize)> {
        let n = self.places.len();
        let fewest = self.contest.limits.rows.max(1);
        let most = n.checked_sub(fewest)?;
        let one_value = self.places[0].rank() == self.places[n - 1].rank();
        (fewest <= most && !one_value).then_some((fewest, most))
    }

    fn enter(&self, leader: &mut Leader<'_>, left: &[f64], left_rows: usize) {
        let purity = self.contest.purity.of(left, self.contest.counts);
        if purity >= leader.floor() {
            let (a, b) = (self.places[left_rows - 1], self.places[left_rows]);
            let between = [a, b].map(|place| (self.value)(place.row()));
            leader.enter(purity, left, left_rows, Place::Between(between));
        }
    }

    /// For rows of any weight, and any criterion.
    pub(super) fn weights(
        &self,
        leader: &mut Leader<'_>,
        classes: &[u32],
        weight: impl Fn(usize) -> f64,
    ) {
        let Some((fewest, most)) = self.legal() else { return };
        let mut left = vec![0.0; self.contest.counts.len()];
        for (i, pair) in self.places.windows(2).enumerate().take(most) {
            let row = pair[0].row();
            left[classes[row] as usize] += weight(row);
            if pair[0].rank() < pair[1].rank() && i + 1 >= fewest {
                self.enter(leader, &left, i + 1);
            }
        }
    }

    /// For Gini and rows that all count 1: sums of squares are whole numbers, so they are kept
    /// up to date exactly, whatever the number of classes.
    pub(super) fn counts(&self, leader: &mut Leader<'_>, classes: &[u32]) {
        let Some((fewest, most)) = self.legal() else { return };
        let counts = self.contest.counts;
        let mut left = vec![0.0; counts.len()];
        let (mut left_rows, mut right_rows) = (0.0, self.contest.n_rows as f64);
        let mut left_squares = 0.0;
        let mut right_squares: f64 = counts.iter().map(|n| n * n).sum();
        let mut floor = leader.floor();
        for (i, pair) in self.places.windows(2).enumerate().take(most) {
            let class = classes[pair[0].row()] as usize;
            let count = left[class];
            left_squares += 2.0 * count + 1.0;
            right_squares -= 2.0 * (counts[class] - count) - 1.0;
            left[class] = count + 1.0;
            left_rows += 1.0;
            right_rows -= 1.0;
            // purity >= floor, without a division; one branch for all three, hardly ever taken
            let purity = left_squares * right_rows + right_squares * left_rows;
            let good = purity >= floor * (left_rows * right_rows);
            if good & (pair[0].rank() < pair[1].rank()) & (i + 1 >= fewest) {
                self.enter(leader, &left, i + 1);
                floor = leader.floor();
            }
        }
    }

    /// [`counts`](Self::counts) for two classes and at most [`MOST_FOR_TWO_CLASSES`].
    ///
    /// With `l` of `i` left rows in the second class, which has `t` of all `n` rows,
    ///
    /// ```text
    /// purity = (sum of squared class counts) / n  +  2 D^2 / (n i (n - i)),    D = l n - i t
    /// ```
    ///
    /// D is a running sum of whole numbers, and whether `D^2` reaches what the leader demands of
    /// `i` can be asked of many places at once, rounded to f32 with some slack. Places that may
    /// reach it are measured again.
    pub(super) fn two_classes(&self, leader: &mut Leader<'_>) {
        let Some((fewest, most)) = self.legal() else { return };
        let counts = self.contest.counts;
        let (n, second) = (self.contest.n_rows as i32, counts[1] as i32);
        let demand = |leader: &Leader<'_>| {
            let without_split = (counts[0] * counts[0] + counts[1] * counts[1]) / f64::from(n);
            let excess = leader.floor() - leader.tolerance() - without_split;
            (0.5 * f64::from(n) * excess * (1.0 - 1e-5)).max(0.0) as f32
        };
        // A multiplication, as nobody can predict the class.
        let step = |place: R| i32::from(place.is_second()) * n - second;
        let mut d: i32 = self.places[..fewest - 1].iter().map(|&place| step(place)).sum();
        let mut demanded = demand(leader);
        let mut ds = [0i32; AT_ONCE];
        let reaches = |i: i32, d: i32, demanded: f32| {
            (d as f32) * (d as f32) >= demanded * (i as f32 * (n - i) as f32)
        };
        for first in (fewest - 1..most).step_by(AT_ONCE) {
            let here = &self.places[first..(first + AT_ONCE + 1).min(most + 1)];
            let ds = &mut ds[..here.len() - 1];
            for (target, pair) in ds.iter_mut().zip(here.windows(2)) {
                d += step(pair[0]);
                // There is no split between equal values; 0 hardly ever reaches anything.
                *target = if pair[0].rank() < pair[1].rank() { d } else { 0 };
            }
            let mut any = false;
            for (i, &d) in (first as i32 + 1..).zip(&*ds) {
                any |= reaches(i, d, demanded);
            }
            if !any {
                continue;
            }
            for ((i, &d), pair) in (first as i32 + 1..).zip(&*ds).zip(here.windows(2)) {
                if reaches(i, d, demanded) && pair[0].rank() < pair[1].rank() {
                    let l = (i64::from(d) + i64::from(i) * i64::from(second)) / i64::from(n);
                    let left = [(i64::from(i) - l) as f64, l as f64];
                    self.enter(leader, &left, i as usize);
                    demanded = demand(leader);
                }
            }
        }
    }
}
