//! The first reading of training rows: exact values, twins, and the salt of the filter.

use super::feature_values::ValueNotes;
use super::row_filter::{FilterPlan, RowFilter};
use super::training_rows::TrainingRows;
use crate::dataset::{DatasetView, HashUse, ROWS_PER_BLOCK, ROWS_PER_TASK, RowHasher, Schema, mix};
use crate::error::Result;
use crate::exec::Exec;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What is noted of rows that are read for the first time. Parts [merge](Self::merged) to the whole.
///
/// A row of whole weight k counts k times, a row of any other weight once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RowNotes {
    rows: u64,
    /// The sum of the hashes of all rows, modulo 2^128.
    sum: u128,
    features: Vec<ValueNotes>,
    sample: TwinSample,
}

impl RowNotes {
    /// Of no rows.
    pub(crate) fn nothing(schema: &Schema) -> Self {
        let features = schema.features().iter().map(|it| ValueNotes::new(&it.kind)).collect();
        Self { rows: 0, sum: 0, features, sample: TwinSample::default() }
    }

    /// Of the rows whose class is `counted` and that have weight; and the hashes of these rows.
    ///
    /// # Errors
    /// Cancellation.
    pub(crate) fn of(
        data: &DatasetView<'_>,
        counted: &(dyn Fn(u32) -> bool + Sync),
        exec: &Exec,
    ) -> Result<(Self, Vec<u64>)> {
        let n_rows = data.n_rows();
        // Parts merge to the same, whatever their number.
        let length = n_rows.div_ceil(exec.threads()).max(ROWS_PER_TASK);
        let parts = (0..n_rows).step_by(length).map(|first| first..n_rows.min(first + length));
        let parts = exec.map(parts.collect(), |rows| {
            exec.check()?;
            Ok(part(data, rows, counted))
        });
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        let nothing = (Self::nothing(data.schema()), Vec::new());
        Ok(parts.into_iter().fold(nothing, |(notes, mut hashes), (more, mut of_part)| {
            hashes.append(&mut of_part);
            (notes.merged(&more), hashes)
        }))
    }

    /// The notes on both; they have the same features.
    pub(crate) fn merged(self, other: &Self) -> Self {
        let features = self.features.into_iter().zip(&other.features);
        Self {
            rows: self.rows.saturating_add(other.rows),
            sum: self.sum.wrapping_add(other.sum),
            features: features.map(|(one, other)| one.merged(other)).collect(),
            sample: self.sample.merged(&other.sample),
        }
    }

    /// How the filter of all rows is to be filled; `None` if too many of them have twins.
    pub(crate) fn plan(&self) -> Option<FilterPlan> {
        let has_twins = self.sample.twins().are_too_many();
        (self.rows > 0 && !has_twins).then(|| FilterPlan::new(self.sum, self.rows))
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of features.
    pub(crate) fn n_features(&self) -> usize {
        self.features.len()
    }

    /// What the model is to know of the rows.
    pub(crate) fn finish(self, schema: &Schema, filter: Option<RowFilter>) -> TrainingRows {
        let twins = self.sample.twins();
        let features = self.features.into_iter().zip(schema.features());
        let features = features.map(|(notes, feature)| notes.finish(&feature.kind)).collect();
        TrainingRows::new(self.rows, features, twins, filter)
    }
}

/// How often a row of this weight counts.
fn copies(weight: f64) -> u64 {
    match weight {
        // Casting saturates.
        1.0.. if weight.fract() == 0.0 => u64::from(weight as u32),
        _ => u64::from(weight > 0.0),
    }
}

/// 128 bits of a row, to be added up.
fn wide(hash: u64) -> u128 {
    const OTHER: u64 = 0x5851_f42d_4c95_7f2d;
    u128::from(mix(hash)) << 64 | u128::from(mix(hash ^ OTHER))
}

/// The notes on consecutive rows, and the hashes of those that count.
fn part(
    data: &DatasetView<'_>,
    rows: Range<usize>,
    counted: &(dyn Fn(u32) -> bool + Sync),
) -> (RowNotes, Vec<u64>) {
    let (matrix, hasher) = (data.matrix(), RowHasher::new(HashUse::Recognition, data.schema()));
    let is_plain = data.weights().is_none() && (0..data.n_classes() as u32).all(counted);
    let count_of = |row: usize| match data.weights() {
        _ if !counted(data.labels()[row]) => 0,
        Some(weights) => copies(weights[row]),
        None => 1,
    };
    let mut notes = RowNotes::nothing(data.schema());
    let (mut sampler, mut hashes) = (TwinSampler::new(), Vec::with_capacity(rows.len()));
    let (mut sums, mut column, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for first in rows.clone().step_by(ROWS_PER_BLOCK) {
        let block = first..rows.end.min(first + ROWS_PER_BLOCK);
        counts.clear();
        counts.extend(block.clone().map(count_of));
        let weighed = (!is_plain).then_some(&counts[..]);
        sums.clear();
        sums.resize(block.len(), 0);
        let features = (0..).zip(data.schema().features()).zip(&mut notes.features);
        for ((feature, described), notes) in features {
            let cells = matrix.column(feature).gathered(block.clone(), &mut column);
            hasher.add(feature as usize, cells, data.has_missing(feature), &mut sums);
            notes.add(&described.kind, cells, weighed);
        }
        hasher.finish(&mut sums);
        for (&hash, &count) in sums.iter().zip(&counts).filter(|(_, count)| **count > 0) {
            sampler.add(hash, count);
            hashes.push(hash);
            notes.rows = notes.rows.saturating_add(count);
            notes.sum = notes.sum.wrapping_add(wide(hash).wrapping_mul(count.into()));
        }
    }
    notes.sample = sampler.finish();
    (notes, hashes)
}

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
