//! Bootstrap resamples of a sorted column, without sorting again.
//!
//! A resample is a vector of multiplicities over the entries (distinct value and class, in order). It draws entries, not
//! rows, so a row of weight k and k copies of it give the same resample.
//!
//! [`PairColumn`] resamples two classes under Gini, where every entry is one row: most of a column can be skipped
//! there, 64 entries at a time.

use super::lowest_best::LowestBest;
use crate::grow::evidence::{SortedRow, SplitEvidence};
use crate::grow::stream::Stream;
use std::iter::Sum;
use std::ops::Add;

/// Draws entries in proportion to their weight.
pub(super) struct Urn {
    /// The cumulative weights of the entries.
    cumulative: Vec<f64>,
    draws: u64,
    /// For each equal slice of the total weight, the first entry that ends after its start.
    guide: Vec<u32>,
    /// True if entries can be drawn uniformly, without `guide`.
    has_unit_weights: bool,
}

/// Above this many draws per entry, multiplicities are drawn as binomial numbers.
const MAX_DRAWS_PER_ENTRY: u64 = 64;

impl Urn {
    pub(super) fn new(evidence: &SplitEvidence<'_>) -> Self {
        let cumulative: Vec<f64> = evidence
            .entries()
            .iter()
            .scan(0.0, |sum, entry| {
                *sum += evidence.weight(entry);
                Some(*sum)
            })
            .collect();
        let total = cumulative[cumulative.len() - 1];
        let draws = total.round_ties_even() as u64;
        let has_unit_weights = evidence.entries().iter().all(|entry| evidence.weight(entry) == 1.0);
        if has_unit_weights {
            return Self { cumulative, draws, guide: Vec::new(), has_unit_weights };
        }
        let units = (draws as usize).min(4 * cumulative.len()).max(1);
        let mut entry = 0;
        let guide = (0..units)
            .map(|unit| {
                let start = total * (unit as f64 / units as f64);
                while cumulative[entry as usize] <= start && (entry as usize) < cumulative.len() - 1
                {
                    entry += 1;
                }
                entry
            })
            .collect();
        Self { cumulative, draws, guide, has_unit_weights }
    }

    /// The number of draws per resample: the weight of the node, rounded.
    pub(super) fn draws(&self) -> u64 {
        self.draws
    }

    /// Draws a resample into `multiplicities`, which must be all 0.
    pub(super) fn draw(&self, stream: &mut Stream, multiplicities: &mut [u32]) {
        if self.draws > MAX_DRAWS_PER_ENTRY * self.cumulative.len() as u64 {
            self.draw_by_binomials(stream, multiplicities);
        } else if self.has_unit_weights {
            draw_evenly(stream, multiplicities.len(), |start, places| {
                let multiplicities = &mut multiplicities[start..];
                places.iter().for_each(|&place| multiplicities[usize::from(place)] += 1);
            });
        } else {
            for _ in 0..self.draws {
                multiplicities[self.entry_at(stream.unit())] += 1;
            }
        }
    }

    /// The entry at the fraction `u` of the total weight.
    #[inline]
    fn entry_at(&self, u: f64) -> usize {
        let total = self.cumulative[self.cumulative.len() - 1];
        let position = u * total;
        let mut entry = self.guide[(u * self.guide.len() as f64) as usize] as usize;
        // Rounding may have put the guide one entry too far.
        while entry > 0 && self.cumulative[entry - 1] > position {
            entry -= 1;
        }
        while self.cumulative[entry] <= position && entry < self.cumulative.len() - 1 {
            entry += 1;
        }
        entry
    }

    /// Draws from the same distribution entry by entry, for few entries of huge weight.
    fn draw_by_binomials(&self, stream: &mut Stream, multiplicities: &mut [u32]) {
        let mut remaining_draws = self.draws;
        let mut before = 0.0;
        let total = self.cumulative[self.cumulative.len() - 1];
        for (multiplicity, &up_to) in multiplicities.iter_mut().zip(&self.cumulative) {
            let share = ((up_to - before) / (total - before)).clamp(0.0, 1.0);
            let drawn = binomial(stream, remaining_draws, share);
            // Saturates: beyond u32 only ratios matter.
            *multiplicity = u32::try_from(drawn).unwrap_or(u32::MAX);
            remaining_draws -= drawn;
            before = up_to;
        }
    }
}

/// Entries per block: their counts stay in the nearest cache, and a place takes 15 random bits.
const IN_BLOCK: usize = 1 << 15;

/// Places per batch. Drawing and counting a batch are separate loops.
const PLACES_PER_BATCH: usize = 256;

/// Draws `n` times from `n` entries, all equally likely. Calls `count` with the start of a block
/// of entries and the places drawn in it.
///
/// The number of draws in each block is drawn first.
pub(super) fn draw_evenly(stream: &mut Stream, n: usize, mut count: impl FnMut(usize, &[u16])) {
    let mut places = [0; PLACES_PER_BATCH];
    let (mut start, mut remaining) = (0, n as u64);
    while start < n {
        let size = IN_BLOCK.min(n - start);
        let mut draws = binomial(stream, remaining, size as f64 / (n - start) as f64);
        remaining -= draws;
        while draws > 0 {
            let places = &mut places[..PLACES_PER_BATCH.min(draws as usize)];
            if size == IN_BLOCK {
                fill(places, || stream.four_short());
            } else {
                fill(places, || stream.two_below(size as u16));
            }
            count(start, places);
            draws -= places.len() as u64;
        }
        start += size;
    }
}

/// Fills `places` with `N` of `more` at a time.
#[inline]
fn fill<const N: usize>(places: &mut [u16], mut more: impl FnMut() -> [u16; N]) {
    let (whole, rest) = places.as_chunks_mut::<N>();
    whole.iter_mut().for_each(|places| *places = more());
    if !rest.is_empty() {
        rest.copy_from_slice(&more()[..rest.len()]);
    }
}

/// A binomial number: exact for small means, a normal approximation for large ones.
fn binomial(stream: &mut Stream, n: u64, p: f64) -> u64 {
    if p >= 1.0 || n == 0 {
        return n;
    }
    if p > 0.5 {
        return n - binomial(stream, n, 1.0 - p);
    }
    let mean = n as f64 * p;
    if mean > 30.0 {
        let number = mean + (mean * (1.0 - p)).sqrt() * stream.normal();
        return number.round_ties_even().clamp(0.0, n as f64) as u64;
    }
    // Inversion: walk up the cumulative distribution until it exceeds a uniform number.
    let odds = p / (1.0 - p);
    let mut probability = (n as f64 * (-p).ln_1p()).exp();
    let mut u = stream.unit();
    let mut k = 0;
    while u > probability && k < n && probability > 0.0 {
        u -= probability;
        k += 1;
        probability *= odds * (n - k + 1) as f64 / k as f64;
    }
    k
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grow::stream::{NodeKey, Purpose};

    #[test]
    fn every_entry_is_drawn_equally_often() {
        // Fewer than a block, and blocks with a rest.
        for n in [1000, 2 * IN_BLOCK, 3 * IN_BLOCK + 777] {
            let mut counts = vec![0u32; n];
            for resample in 0..20 {
                let mut stream = NodeKey::root().stream(5, Purpose::Resample(resample));
                draw_evenly(&mut stream, n, |start, places| {
                    places.iter().for_each(|&place| counts[start + usize::from(place)] += 1);
                });
            }
            assert_eq!(counts.iter().sum::<u32>() as usize, 20 * n);
            // Each count is about Poisson of mean 20; so many of them as there are entries have a
            // mean square deviation of 20 (1 - 1/n) with standard error 20 sqrt(2.1 / n).
            let spread = |counts: &[u32]| {
                let squares = counts.iter().map(|&count| (f64::from(count) - 20.0).powi(2));
                squares.sum::<f64>() / counts.len() as f64
            };
            let error = 20.0 * (2.1 / n as f64).sqrt();
            assert!((spread(&counts) - 20.0).abs() < 5.0 * error, "{}", spread(&counts));
            // The sum over the last entries, the rest after whole blocks included, is binomial.
            let last = n / 5;
            let sum = f64::from(counts[n - last..].iter().sum::<u32>());
            let (mean, deviation) = (20.0 * last as f64, (20.0 * last as f64 * 0.8).sqrt());
            assert!((sum - mean).abs() < 5.0 * deviation, "{sum} instead of {mean}");
        }
    }

    #[test]
    fn binomial_numbers_have_the_right_mean_and_spread() {
        let mut stream = NodeKey::root().stream(3, Purpose::Resample(0));
        for (n, p) in [(20, 0.3), (1000, 0.01), (1000, 0.4), (1 << 40, 0.9)] {
            let runs = 4000;
            let draws: Vec<f64> = (0..runs).map(|_| binomial(&mut stream, n, p) as f64).collect();
            let mean = draws.iter().sum::<f64>() / f64::from(runs);
            let variance = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / f64::from(runs);
            let (true_mean, true_variance) = (n as f64 * p, n as f64 * p * (1.0 - p));
            // Five standard errors of the mean; the variance of 4000 draws errs by 2.2 %.
            let error = 5.0 * (true_variance / f64::from(runs)).sqrt();
            assert!((mean - true_mean).abs() < error, "mean {mean} of B({n}, {p})");
            assert!(
                (variance / true_variance - 1.0).abs() < 0.15,
                "variance {variance} of B({n}, {p})"
            );
        }
    }
}
