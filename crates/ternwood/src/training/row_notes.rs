//! The first reading of training rows: numbers per feature, the salt, and twins.

use super::row_filter::{FilterPlan, RowFilter};
use super::training_rows::TrainingRows;
use super::twins::{TwinSample, TwinSampler};
use super::value_notes::ValueNotes;
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
