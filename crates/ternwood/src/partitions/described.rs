//! What the rows of a partition are like.

use crate::dataset::{DatasetView, Schema, WeightNotes, mix};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::pieces::mismatch;
use crate::training::RowNotes;
use serde::{Deserialize, Serialize};

/// What is known of some rows before the tree begins. Parts merge to the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Described {
    pub(super) rows: u64,
    /// Of every feature, whether some value is missing.
    pub(super) missing: Vec<bool>,
    pub(super) weights: WeightNotes,
    /// What the model will know of them, before the filter of training rows is filled.
    pub(super) notes: RowNotes,
    /// The rows with the smallest hashes.
    sample: Vec<SampledRow>,
    /// The most rows of the sample that one partition sends.
    most: u32,
}

/// A sample of several partitions has up to so many times the rows of one.
const SAMPLES: usize = 4;

/// A row of a sample from which bins are chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SampledRow {
    hash: u64,
    values: Vec<f64>,
}

impl Described {
    /// Of no rows.
    pub(super) fn nothing(schema: &Schema, most: u32) -> Self {
        Self {
            rows: 0,
            missing: vec![false; schema.n_features()],
            weights: WeightNotes::of(None, 0),
            notes: RowNotes::nothing(schema),
            sample: Vec::new(),
            most,
        }
    }

    /// Of the rows of a partition, of which the classes that are `counted` count.
    ///
    /// # Errors
    /// Cancelled.
    pub(super) fn new(
        data: &DatasetView<'_>,
        counted: &(dyn Fn(u32) -> bool + Sync),
        most: u32,
        exec: &Exec,
    ) -> Result<Self> {
        let (notes, _) = RowNotes::of(data, counted, exec)?;
        let n_features = data.n_features() as u32;
        Ok(Self {
            rows: data.n_rows() as u64,
            missing: (0..n_features).map(|feature| data.has_missing(feature)).collect(),
            weights: WeightNotes::of(data.weights(), data.n_rows()),
            notes,
            sample: sample(data, most),
            most,
        })
    }

    pub(super) fn merged(mut self, mut other: Self) -> Result<Self> {
        if self.missing.len() != other.missing.len()
            || self.notes.n_features() != other.notes.n_features()
            || self.most != other.most
        {
            return Err(mismatch("two partitions described different features"));
        }
        self.rows = self.rows.saturating_add(other.rows);
        self.missing.iter_mut().zip(&other.missing).for_each(|(one, other)| *one |= other);
        self.weights = self.weights.merged(other.weights);
        self.notes = self.notes.merged(&other.notes);
        self.sample.append(&mut other.sample);
        keep_smallest(&mut self.sample, SAMPLES * self.most as usize);
        Ok(self)
    }

    /// The sampled values of a feature.
    pub(super) fn sampled(&self, feature: usize) -> Vec<f64> {
        self.sample.iter().filter_map(|row| row.values.get(feature).copied()).collect()
    }
}

/// The rows with the smallest hashes of place and first value: any sample will do, and this one can be
/// merged.
fn sample(data: &DatasetView<'_>, most: u32) -> Vec<SampledRow> {
    let (matrix, n_rows) = (data.matrix(), data.n_rows());
    let first = matrix.column(0);
    let hash = |row: usize| mix(mix(row as u64) ^ first.at(row).to_bits());
    let mut hashes: Vec<(u64, usize)> = (0..n_rows).map(|row| (hash(row), row)).collect();
    let most = (most as usize).min(n_rows);
    if most < n_rows {
        hashes.select_nth_unstable(most);
        hashes.truncate(most);
    }
    let row = |(hash, row): (u64, usize)| SampledRow { hash, values: matrix.trained_row(row) };
    let mut sample: Vec<SampledRow> = hashes.into_iter().map(row).collect();
    keep_smallest(&mut sample, most);
    sample
}

fn keep_smallest(sample: &mut Vec<SampledRow>, most: usize) {
    let values = |row: &SampledRow| row.values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    // Of equal hashes, the order must not depend on who came first.
    sample.sort_unstable_by(|a, b| a.hash.cmp(&b.hash).then_with(|| values(a).cmp(&values(b))));
    sample.truncate(most);
}
