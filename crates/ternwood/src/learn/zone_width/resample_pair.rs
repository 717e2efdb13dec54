//! Resamples of two classes under Gini, where every entry is one row: most of a column can be
//! passed over sixty-four entries at a time.

use crate::learn::evidence::{Entry, SplitEvidence};
use crate::learn::stream::Stream;

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

/// So many entries are drawn together.
const AT_ONCE: usize = 256;

/// So many entries are passed over or looked at together.
const STRIDE: usize = 64;

/// How many of both classes were drawn.
#[derive(Clone, Copy, Default)]
struct Drawn {
    all: i64,
    second: i64,
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
        let (n, last) = (self.drawn.len(), self.drawn.len() - 1);
        let (mut full, mut places) = (false, [0u32; AT_ONCE]);
        for start in (0..n).step_by(AT_ONCE) {
            // First all numbers, then all counts: counts are out of cache and can be waited for
            // together.
            let places = &mut places[..AT_ONCE.min(n - start)];
            for place in &mut *places {
                *place = (stream.unit() * n as f64) as u32;
            }
            for &mut place in places {
                let drawn = &mut self.drawn[(place as usize).min(last)];
                *drawn = drawn.wrapping_add(1);
                full |= *drawn == 0;
            }
        }
        !full
    }

    /// How often each entry was drawn.
    pub(super) fn multiplicity(&self, entry: usize) -> u8 {
        self.drawn[entry]
    }

    /// The entry before which the best split lies, the lowest on ties; like `best_place`.
    ///
    /// With D as in `ColumnScan::two_classes`, purity exceeds that of no split by
    /// `2 D^2 / (n i (n - i))`. Passing `a` rows of the second class and `b` of the first, D
    /// rises by at most `a (n - t)` and falls by at most `b t`: often that tells that nothing
    /// here can beat the best.
    pub(super) fn best_place(&self) -> Option<usize> {
        let strides: Vec<Drawn> = (0..self.drawn.len())
            .step_by(STRIDE)
            .map(|start| {
                let end = (start + STRIDE).min(self.drawn.len());
                sums(&self.drawn[start..end], &self.classes[start..end])
            })
            .collect();
        let n: i64 = strides.iter().map(|drawn| drawn.all).sum();
        let second: i64 = strides.iter().map(|drawn| drawn.second).sum();
        let rounding = 1e-12 * n as f64;
        let without_split = gini_sum(n - second, second) / n as f64;
        let (mut best, mut place) = (f64::NEG_INFINITY, None);
        let mut left = Drawn::default();
        for (stride, here) in strides.iter().enumerate() {
            let d = left.second * n - left.all * second;
            let highest = (d + here.second * (n - second)).abs();
            let lowest = (d - (here.all - here.second) * second).abs();
            let furthest = highest.max(lowest) as f64;
            let after = left.all + here.all;
            let sides = (left.all * (n - left.all)).min(after * (n - after)) as f64;
            let demanded = (best - without_split) * (n as f64 * sides);
            // With nothing on a side, or no best yet, there is nothing to compare.
            if demanded.is_nan() || 2.0 * furthest * furthest >= demanded {
                let start = stride * STRIDE;
                for i in start..(start + STRIDE).min(self.drawn.len()) {
                    if self.is_new_value[i] && left.all > 0 && left.all < n {
                        let right = Drawn { all: n - left.all, second: second - left.second };
                        let score = purity(left) + purity(right);
                        if score > best + rounding {
                            (best, place) = (score, Some(i));
                        }
                    }
                    let drawn = i64::from(self.drawn[i]);
                    left.all += drawn;
                    left.second += drawn * i64::from(self.classes[i]);
                }
            } else {
                left.all = after;
                left.second += here.second;
            }
        }
        place
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
    let mut sums = [0u32; 2];
    for (&drawn, &class) in drawn.iter().zip(classes) {
        sums[0] += u32::from(drawn);
        sums[1] += u32::from(drawn & class.wrapping_neg());
    }
    Drawn { all: sums[0].into(), second: sums[1].into() }
}

fn gini_sum(first: i64, second: i64) -> f64 {
    (first * first + second * second) as f64
}

fn purity(side: Drawn) -> f64 {
    gini_sum(side.all - side.second, side.second) / side.all as f64
}
