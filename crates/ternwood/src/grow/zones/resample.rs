//! Bootstrap resamples of a sorted column, without sorting again.
//!
//! A resample is a vector of multiplicities over the entries (distinct value and class, in
//! order). It draws entries, not rows, so a row of weight k and k copies of it give the same
//! resample.

use crate::grow::evidence::SplitEvidence;
use crate::grow::stream::Stream;

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
