//! Resamples of two classes under Gini, where every entry is one row. Most of a column can be
//! skipped 64 entries at a time.

use super::lowest_best::LowestBest;
use super::resample::draw_evenly;
use crate::grow::evidence::{SortedRow, SplitEvidence};
use crate::grow::stream::Stream;
use std::iter::Sum;
use std::ops::Add;

/// A sorted column of two classes, with one byte per entry and field.
pub(super) struct PairColumn<'e> {
    /// The entries, each of one row.
    rows: &'e [SortedRow],
    /// 1 for rows of the second class.
    classes: Vec<u8>,
    /// True if the value of an entry differs from the one before.
    is_new_value: Vec<bool>,
    /// The number of times each entry was drawn.
    drawn: Vec<u8>,
    /// The rows drawn in each stride.
    strides: Vec<Drawn>,
}

/// The row limit: integers up to its square are exact in f64.
const MAX_ROWS: usize = 1 << 26;

/// Entries that are skipped or scanned together.
const STRIDE: usize = 64;

/// The number of rows drawn: of both classes, and of the second.
#[derive(Clone, Copy, Default)]
struct Drawn {
    all: i64,
    second: i64,
}

impl Add for Drawn {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { all: self.all + other.all, second: self.second + other.second }
    }
}

impl Sum for Drawn {
    fn sum<I: Iterator<Item = Self>>(drawn: I) -> Self {
        drawn.fold(Self::default(), Add::add)
    }
}

impl<'e> PairColumn<'e> {
    /// `None` unless there are two classes and every entry is a single row.
    pub(super) fn new(evidence: &'e SplitEvidence<'_>) -> Option<Self> {
        if evidence.n_classes() != 2 {
            return None;
        }
        let rows = evidence.sorted_rows();
        let fits = rows.len() < MAX_ROWS
            && rows.iter().all(|row| evidence.row_weight(row) == 1.0)
            && rows.windows(2).all(|pair| !pair[0].is_same_entry(&pair[1]));
        fits.then(|| Self {
            rows,
            classes: rows.iter().map(|row| row.class as u8).collect(),
            is_new_value: std::iter::once(false)
                .chain(rows.windows(2).map(|pair| pair[0].value < pair[1].value))
                .collect(),
            drawn: vec![0; rows.len()],
            strides: Vec::with_capacity(rows.len().div_ceil(STRIDE)),
        })
    }

    /// The number of entries, and of draws.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Draws a resample; false if a count overflowed its byte.
    pub(super) fn draw(&mut self, stream: &mut Stream) -> bool {
        self.drawn.fill(0);
        draw_evenly(stream, self.drawn.len(), |start, places| {
            let drawn = &mut self.drawn[start..];
            for &place in places {
                let drawn = &mut drawn[usize::from(place)];
                *drawn = drawn.wrapping_add(1);
            }
        });
        let strides = self.drawn.chunks(STRIDE).zip(self.classes.chunks(STRIDE));
        self.strides.clear();
        self.strides.extend(strides.map(|(drawn, classes)| sums(drawn, classes)));
        // Every overflow lost 256 draws.
        self.total().all == self.len() as i64
    }

    fn total(&self) -> Drawn {
        self.strides.iter().copied().sum()
    }

    /// The number of times an entry was drawn.
    pub(super) fn multiplicity(&self, entry: usize) -> u8 {
        self.drawn[entry]
    }

    /// The entry before which the best split lies, the lowest on ties.
    ///
    /// With D as in `ColumnScan::scan_two_class_gini`, purity exceeds that of the unsplit node by
    /// `2 D^2 / (n i (n - i))`. Over `a` rows of the second class and `b` of the first, D rises by
    /// at most `a (n - t)` and falls by at most `b t`. That often rules out a whole stride, given
    /// the best place between strides.
    pub(super) fn best_place(&self) -> Option<usize> {
        let total = self.total();
        let Drawn { all: n, second } = total;
        let without_split = gini_sum(n - second, second) / n as f64;
        let mut best = LowestBest::among(n as f64);
        for (start, left) in self.stride_starts() {
            if let Some(score) = self.score(start, left, total) {
                best.enter(start, score);
            }
        }
        for ((start, mut left), here) in self.stride_starts().zip(&self.strides) {
            let d = left.second * n - left.all * second;
            let highest = (d + here.second * (n - second)).abs();
            let lowest = (d - (here.all - here.second) * second).abs();
            let largest = highest.max(lowest) as f64;
            let after = left.all + here.all;
            let sides = (left.all * (n - left.all)).min(after * (n - after)) as f64;
            let required = (best.floor() - without_split) * (n as f64 * sides);
            // NaN if a side is empty and there is no best yet. Slack, as both sides of the
            // comparison are rounded.
            if required.is_nan() || 2.0 * largest * largest >= required * (1.0 - 1e-12) {
                for i in start..(start + STRIDE).min(self.drawn.len()) {
                    // The start was scored above.
                    if i > start
                        && let Some(score) = self.score(i, left, total)
                    {
                        best.enter(i, score);
                    }
                    left = left + self.drawn_at(i);
                }
            }
        }
        best.place()
    }

    /// The first entry of every stride, and the rows drawn before it.
    fn stride_starts(&self) -> impl Iterator<Item = (usize, Drawn)> {
        let before = self.strides.iter().scan(Drawn::default(), |left, &here| {
            let before = *left;
            *left = before + here;
            Some(before)
        });
        (0..).step_by(STRIDE).zip(before)
    }

    fn drawn_at(&self, entry: usize) -> Drawn {
        let drawn = i64::from(self.drawn[entry]);
        Drawn { all: drawn, second: drawn * i64::from(self.classes[entry]) }
    }

    /// The purity of a split before an entry, if there is one.
    #[inline]
    fn score(&self, entry: usize, left: Drawn, total: Drawn) -> Option<f64> {
        if !self.is_new_value[entry] || left.all == 0 || left.all == total.all {
            return None;
        }
        let right = Drawn { all: total.all - left.all, second: total.second - left.second };
        Some(purity(left) + purity(right))
    }

    /// The values of the nearest drawn entries on either side of a place.
    pub(super) fn neighbours(&self, place: usize) -> Option<(f64, f64)> {
        let drawn = |i: &usize| self.multiplicity(*i) > 0;
        let below = (0..place).rev().find(drawn)?;
        let above = (place..self.len()).find(drawn)?;
        Some((self.rows[below].value, self.rows[above].value))
    }
}

fn sums(drawn: &[u8], classes: &[u8]) -> Drawn {
    // 64 bytes sum to at most 16,320.
    let mut sums = [0u16; 2];
    for (&drawn, &class) in drawn.iter().zip(classes) {
        sums[0] += u16::from(drawn);
        sums[1] += u16::from(drawn & class.wrapping_neg());
    }
    Drawn { all: sums[0].into(), second: sums[1].into() }
}

fn gini_sum(first: i64, second: i64) -> f64 {
    (first * first + second * second) as f64
}

fn purity(side: Drawn) -> f64 {
    gini_sum(side.all - side.second, side.second) / side.all as f64
}
