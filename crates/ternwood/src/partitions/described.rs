//! What the rows of a partition are like.

use crate::dataset::{DatasetView, WeightNotes, mix};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use crate::grow::pieces::mismatch;
use crate::training::TrainingRows;
use serde::{Deserialize, Serialize};

/// What is known of some rows before the tree begins. Parts merge to the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Described {
    pub(super) rows: u64,
    /// Of every feature, whether some value is missing.
    pub(super) missing: Vec<bool>,
    pub(super) weights: WeightNotes,
    /// What the model will know of them, as in a model file; `None` without rows.
    training: Option<String>,
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
    pub(super) fn nothing(n_features: usize, most: u32) -> Self {
        Self {
            rows: 0,
            missing: vec![false; n_features],
            weights: WeightNotes::of(None, 0),
            training: None,
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
        counted: &[bool],
        most: u32,
        exec: &Exec,
    ) -> Result<Self> {
        let is_counted = |class: u32| counted.get(class as usize).copied().unwrap_or(false);
        let training = TrainingRows::of_classes(data, is_counted, exec)?;
        let n_features = data.n_features() as u32;
        Ok(Self {
            rows: data.n_rows() as u64,
            missing: (0..n_features).map(|feature| data.has_missing(feature)).collect(),
            weights: WeightNotes::of(data.weights(), data.n_rows()),
            training: Some(json(&training)?),
            sample: sample(data, most),
            most,
        })
    }

    pub(super) fn merged(mut self, mut other: Self) -> Result<Self> {
        if self.missing.len() != other.missing.len() || self.most != other.most {
            return Err(mismatch("two partitions described different features"));
        }
        self.rows = self.rows.saturating_add(other.rows);
        self.missing.iter_mut().zip(&other.missing).for_each(|(one, other)| *one |= other);
        self.weights = self.weights.merged(other.weights);
        self.training = match (self.training()?, other.training()?) {
            (Some(one), Some(other)) => Some(json(&one.merged(&other))?),
            (one, other) => one.or(other).as_ref().map(json).transpose()?,
        };
        self.sample.append(&mut other.sample);
        keep_smallest(&mut self.sample, SAMPLES * self.most as usize);
        Ok(self)
    }

    /// What the model will know of the rows.
    pub(super) fn training(&self) -> Result<Option<TrainingRows>> {
        let read = |text: &String| {
            let broken = |error: serde_json::Error| mismatch(&error.to_string());
            serde_json::from_str(text).map_err(broken)
        };
        self.training.as_ref().map(read).transpose()
    }

    /// The sampled values of a feature.
    pub(super) fn sampled(&self, feature: usize) -> Vec<f64> {
        self.sample.iter().filter_map(|row| row.values.get(feature).copied()).collect()
    }
}

fn json(training: &TrainingRows) -> Result<String> {
    let problem = |error: serde_json::Error| ErrorKind::Pieces { problem: error.to_string() };
    serde_json::to_string(training).map_err(|error| problem(error).into())
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
