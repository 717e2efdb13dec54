//! How many rows have a twin: another row with the same features.

use serde::{Deserialize, Serialize};

/// The number of rows that have a twin, of the rows that were counted.
///
/// A new row of the same source has a twin among the training rows about as often as a training row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twins {
    /// The number of rows with a twin,
    pub part: u64,
    /// of this many.
    pub whole: u64,
}

impl Twins {
    /// With a larger share nothing can be told of single rows.
    pub const MOST: f64 = 0.05;

    /// The share of rows with a twin.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.whole == 0 { 0.0 } else { self.part as f64 / self.whole as f64 }
    }

    /// A share that the true one hardly exceeds: three standard errors more, and three rows.
    pub(super) fn cautious_share(&self) -> f64 {
        let (share, rows) = (self.share(), self.whole.max(1) as f64);
        (share + 3.0 * (share * (1.0 - share) / rows).sqrt() + 3.0 / rows).min(1.0)
    }

    /// True if so many rows have twins that a match says nothing.
    pub(super) fn are_too_many(&self) -> bool {
        self.share() > Self::MOST
    }
}

/// The rows with the smallest hashes, from which twins are counted: all of them, if there are few.
///
/// All copies of a row are in the sample or none is. Samples of parts [merge](Self::merged) to the sample
/// of the whole, and the order of rows does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct TwinSample {
    /// Hashes and numbers of rows, ascending by hash.
    entries: Vec<(u64, u64)>,
}

impl TwinSample {
    /// The most hashes in a sample.
    const SIZE: usize = 1 << 12;

    pub(super) fn twins(&self) -> Twins {
        let sum = |counts: &mut dyn Iterator<Item = u64>| counts.fold(0, u64::saturating_add);
        let counts = || self.entries.iter().map(|&(_, count)| count);
        Twins { part: sum(&mut counts().filter(|&count| count > 1)), whole: sum(&mut counts()) }
    }

    /// The sample of the rows of both.
    pub(super) fn merged(mut self, other: &Self) -> Self {
        self.entries.extend_from_slice(&other.entries);
        Self { entries: smallest(self.entries) }
    }
}

/// Equal hashes together, and only the smallest.
fn smallest(mut entries: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    entries.sort_unstable_by_key(|&(hash, _)| hash);
    entries.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        is_same
    });
    entries.truncate(TwinSample::SIZE);
    entries
}

/// Collects the smallest hashes of many.
pub(super) struct TwinSampler {
    entries: Vec<(u64, u64)>,
    /// Larger hashes are not among the smallest.
    limit: u64,
}

impl TwinSampler {
    /// Sorting seldom is cheaper than a heap.
    const ROOM: usize = 4 * TwinSample::SIZE;

    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), limit: u64::MAX }
    }

    #[inline]
    pub(super) fn add(&mut self, hash: u64, count: u64) {
        if hash > self.limit {
            return;
        }
        self.entries.push((hash, count));
        if self.entries.len() == Self::ROOM {
            self.compact();
        }
    }

    #[cold]
    fn compact(&mut self) {
        self.entries = smallest(std::mem::take(&mut self.entries));
        self.entries.reserve_exact(Self::ROOM - self.entries.len());
        if let Some(last) = self.entries.get(TwinSample::SIZE - 1) {
            self.limit = last.0;
        }
    }

    pub(super) fn finish(self) -> TwinSample {
        TwinSample { entries: smallest(self.entries) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::mix;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn sample(hashes: &[u64]) -> TwinSample {
        let mut sampler = TwinSampler::new();
        hashes.iter().for_each(|&hash| sampler.add(hash, 1));
        sampler.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// More rows than fit, with many copies, against a sorted map.
        #[test]
        fn it_has_the_smallest_hashes_with_their_counts(
            hashes in prop::collection::vec((0_u64..30_000).prop_map(mix), 60_000..80_000),
        ) {
            let mut counts = BTreeMap::new();
            hashes.iter().for_each(|&hash| *counts.entry(hash).or_default() += 1);
            let expected: Vec<(u64, u64)> = counts.into_iter().take(TwinSample::SIZE).collect();
            prop_assert_eq!(sample(&hashes).entries, expected);
        }

        #[test]
        fn samples_of_parts_merge_to_that_of_the_whole(
            hashes in prop::collection::vec((0_u64..30_000).prop_map(mix), 0..40_000),
            at in any::<prop::sample::Index>(),
        ) {
            let (one, other) = hashes.split_at(at.index(hashes.len() + 1));
            prop_assert_eq!(sample(one).merged(&sample(other)), sample(&hashes));
        }
    }

    #[test]
    fn twins_of_few_rows_by_hand() {
        let twins = sample(&[7, 1, 7, 2, 7, 3, 3]).twins();
        assert_eq!(twins, Twins { part: 5, whole: 7 });
        // 5 % of 400: 3 sqrt(.05 * .95 / 400) = .0327, and 3 / 400.
        let twins = Twins { part: 20, whole: 400 };
        assert!((twins.cautious_share() - 0.09019).abs() < 1e-5);
        assert!(!twins.are_too_many() && Twins { part: 21, whole: 400 }.are_too_many());
    }
}
