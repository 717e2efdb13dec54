//! Resamples of two classes under Gini, where every entry is one row. Most of a column can be
//! skipped 64 entries at a time.

use super::lowest_best::LowestBest;
use super::resample::draw_evenly;
use crate::grow::evidence::{Entry, SplitEvidence};
use crate::grow::stream::Stream;
use std::iter::Sum;
use std::ops::Add;

/// A sorted column of two classes, with one byte per entry and field.
pub(super) struct PairColumn {
    /// 1 for rows of the second class.
    classes: Vec<u8>,
    /// True if the value of an entry differs from the one before.
    is_new_value: Vec<bool>,
    /// The number of times each entry was drawn.
    drawn: Vec<u8>,
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

impl PairColumn {
    /// `None` unless there are two classes and every entry is a single row.
    pub(super) fn new(evidence: &SplitEvidence<'_>) -> Option<Self> {
        let entries = evidence.entries();
        let fits = evidence.n_classes() == 2
            && entries.len() < MAX_ROWS
            && entries.iter().all(|entry| evidence.weight(entry) == 1.0);
        fits.then(|| Self {
            classes: entries.iter().map(|entry| entry.class as u8).collect(),
            is_new_value: std::iter::once(false)
                .chain(entries.windows(2).map(|pair| pair[0].value < pair[1].value))
                .collect(),
            drawn: vec![0; entries.len()],
        })
    }

    /// Draws a resample; false if a count overflowed its byte.
    pub(super) fn draw(&mut self, stream: &mut Stream) -> bool {
        self.drawn.fill(0);
        let mut overflowed = false;
        draw_evenly(stream, self.drawn.len(), |start, places| {
            let drawn = &mut self.drawn[start..];
            for &place in places {
                let drawn = &mut drawn[usize::from(place)];
                *drawn = drawn.wrapping_add(1);
                overflowed |= *drawn == 0;
            }
        });
        !overflowed
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
        let strides: Vec<Drawn> = (0..self.drawn.len())
            .step_by(STRIDE)
            .map(|start| {
                let end = (start + STRIDE).min(self.drawn.len());
                sums(&self.drawn[start..end], &self.classes[start..end])
            })
            .collect();
        let total = strides.iter().copied().sum();
        let Drawn { all: n, second } = total;
        let without_split = gini_sum(n - second, second) / n as f64;
        let mut best = LowestBest::among(n as f64);
        for (start, left) in self.stride_starts(&strides) {
            if let Some(score) = self.score(start, left, total) {
                best.enter(start, score);
            }
        }
        for ((start, mut left), here) in self.stride_starts(&strides).zip(&strides) {
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
    fn stride_starts<'s>(&self, strides: &'s [Drawn]) -> impl Iterator<Item = (usize, Drawn)> + 's {
        let before = strides.iter().scan(Drawn::default(), |left, &here| {
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
    pub(super) fn neighbours(&self, entries: &[Entry], place: usize) -> Option<(f64, f64)> {
        let drawn = |i: &usize| self.multiplicity(*i) > 0;
        let below = (0..place).rev().find(drawn)?;
        let above = (place..entries.len()).find(drawn)?;
        Some((entries[below].value, entries[above].value))
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
