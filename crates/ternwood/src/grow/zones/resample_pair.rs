//! Resamples of two classes under Gini, where every entry is one row: most of a column can be
//! passed over sixty-four entries at a time.

use super::lowest_best::LowestBest;
use super::resample::draw_evenly;
use crate::grow::evidence::{Entry, SplitEvidence};
use crate::grow::stream::Stream;
use std::iter::Sum;
use std::ops::Add;

/// What a resample needs of the sorted column, a byte each.
pub(super) struct PairColumn {
    /// 1 for rows of the second class.
    classes: Vec<u8>,
    /// Whether an entry has another value than the one before it.
    is_new_value: Vec<bool>,
    /// How often each entry was drawn.
    drawn: Vec<u8>,
}

/// Whole numbers up to the square of this are exact.
const MOST_ROWS: usize = 1 << 26;

/// So many entries are passed over or looked at together.
const STRIDE: usize = 64;

/// How many of both classes were drawn.
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
    /// `None` where entries are not single rows of two classes.
    pub(super) fn new(evidence: &SplitEvidence<'_>) -> Option<Self> {
        let entries = evidence.entries();
        let fits = evidence.n_classes() == 2
            && entries.len() < MOST_ROWS
            && entries.iter().all(|entry| evidence.weight(entry) == 1.0);
        fits.then(|| Self {
            classes: entries.iter().map(|entry| entry.class as u8).collect(),
            is_new_value: std::iter::once(false)
                .chain(entries.windows(2).map(|pair| pair[0].value < pair[1].value))
                .collect(),
            drawn: vec![0; entries.len()],
        })
    }

    /// Draws as many entries as there are; false if one was drawn more often than a byte can
    /// tell.
    pub(super) fn draw(&mut self, stream: &mut Stream) -> bool {
        self.drawn.fill(0);
        let mut full = false;
        draw_evenly(stream, self.drawn.len(), |start, places| {
            let drawn = &mut self.drawn[start..];
            for &place in places {
                let drawn = &mut drawn[usize::from(place)];
                *drawn = drawn.wrapping_add(1);
                full |= *drawn == 0;
            }
        });
        !full
    }

    /// How often each entry was drawn.
    pub(super) fn multiplicity(&self, entry: usize) -> u8 {
        self.drawn[entry]
    }

    /// The entry before which the best split lies, the lowest on ties.
    ///
    /// With D as in `ColumnScan::two_classes`, purity exceeds that of no split by
    /// `2 D^2 / (n i (n - i))`. Passing `a` rows of the second class and `b` of the first, D
    /// rises by at most `a (n - t)` and falls by at most `b t`: often that tells that nothing
    /// here can be as good as the best of the places between strides.
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
            let furthest = highest.max(lowest) as f64;
            let after = left.all + here.all;
            let sides = (left.all * (n - left.all)).min(after * (n - after)) as f64;
            let demanded = (best.floor() - without_split) * (n as f64 * sides);
            // With nothing on a side, or no best yet, there is nothing to compare. Slack, as
            // both sides of the comparison are rounded.
            if demanded.is_nan() || 2.0 * furthest * furthest >= demanded * (1.0 - 1e-12) {
                for i in start..(start + STRIDE).min(self.drawn.len()) {
                    // The start was entered above.
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

    /// The first entry of every stride, and what was drawn before it.
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

    /// How good it is to cut before an entry, if that is possible.
    #[inline]
    fn score(&self, entry: usize, left: Drawn, total: Drawn) -> Option<f64> {
        if !self.is_new_value[entry] || left.all == 0 || left.all == total.all {
            return None;
        }
        let right = Drawn { all: total.all - left.all, second: total.second - left.second };
        Some(purity(left) + purity(right))
    }

    /// The values of the drawn entries next to a place.
    pub(super) fn neighbours(&self, entries: &[Entry], place: usize) -> Option<(f64, f64)> {
        let drawn = |i: &usize| self.multiplicity(*i) > 0;
        let below = (0..place).rev().find(drawn)?;
        let above = (place..entries.len()).find(drawn)?;
        Some((entries[below].value, entries[above].value))
    }
}

fn sums(drawn: &[u8], classes: &[u8]) -> Drawn {
    // Sixty-four bytes have a sum of at most 16,320.
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
