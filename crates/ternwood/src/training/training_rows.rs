//! What a model knows of the rows it was trained on.

use super::feature_values::FeatureValues;
use super::row_hashes::RowHashes;
use super::row_sketch::{RowSketch, SketchBuilder};
#[cfg(feature = "learn")]
use super::shared_rows::SharedRows;
use super::value_notes::ValueNotes;
use crate::dataset::{DatasetView, Schema, check_length};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a model knows of its training rows: how many there were, the range of every feature, and a
/// [sketch](RowSketch) by which it recognises them.
///
/// A row of weight w counts as many times as w rounded up, so weight k is k copies. Nothing depends
/// on the order of the rows, and parts [merge](Self::merged) to the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "training rows")]
pub struct TrainingRows {
    rows: u64,
    features: Vec<FeatureValues>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sketch: Option<RowSketch>,
}

impl TrainingRows {
    /// What a model fitted to `data` would know of them; rows without weight do not count.
    ///
    /// ```
    /// use ternwood::training::TrainingRows;
    /// use ternwood::{Columns, Dataset, Exec, Labels};
    ///
    /// let rows = |values: std::ops::Range<i32>| -> ternwood::Result<TrainingRows> {
    ///     let columns = Columns::from_columns(values.clone().map(f64::from).collect(), 1)?;
    ///     let data = Dataset::new(columns, Labels::from_values(values.map(|i| i % 2)))?;
    ///     TrainingRows::of(&data, &Exec::default())
    /// };
    /// let training = rows(0..500)?;
    /// assert_eq!(training.features()[0].range(), Some([0.0, 499.0]));
    /// // Of 200 rows, 100 are among those of training.
    /// let seen = training.seen(&rows(400..600)?).unwrap();
    /// assert!(seen.are_trained_on());
    /// assert_eq!(seen.share, 0.5);
    /// assert!(!training.seen(&rows(500..600)?).unwrap().are_trained_on());
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// Cancellation.
    pub fn of<'a>(data: impl Into<DatasetView<'a>>, exec: &Exec) -> Result<Self> {
        Self::of_classes(&data.into(), |_| true, exec)
    }

    /// The same of the rows whose class is `counted`.
    pub(crate) fn of_classes(
        data: &DatasetView<'_>,
        counted: impl Fn(u32) -> bool + Sync,
        exec: &Exec,
    ) -> Result<Self> {
        let (n_rows, labels) = (data.n_rows(), data.labels());
        let all_count = (0..data.n_classes() as u32).all(&counted);
        let count_of = |row: usize| match data.weights() {
            _ if !counted(labels[row]) => 0,
            // At least 1 for a positive weight; casting saturates.
            Some(weights) => u64::from(weights[row].ceil() as u32),
            None => 1,
        };
        // Parts merge to the same, whatever their number.
        let length = n_rows.div_ceil(exec.threads()).max(ROWS_PER_TASK);
        let parts = (0..n_rows).step_by(length).map(|first| first..n_rows.min(first + length));
        let parts = exec.map(parts.collect(), |rows| {
            exec.check()?;
            let is_plain = data.weights().is_none() && all_count;
            let count_of: &dyn Fn(usize) -> u64 = &count_of;
            Ok(part(data, rows, (!is_plain).then_some(count_of)))
        });
        let parts = parts.into_iter().collect::<Result<Vec<Self>>>()?;
        let whole = parts.into_iter().reduce(|one, other| one.merged(&other));
        whole.ok_or_else(|| ErrorKind::NoRows.into())
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What is known of every feature.
    #[must_use]
    pub fn features(&self) -> &[FeatureValues] {
        &self.features
    }

    /// The hashes of some rows; `None` if they were left out.
    #[must_use]
    pub fn sketch(&self) -> Option<&RowSketch> {
        self.sketch.as_ref()
    }

    /// The same without hashes.
    #[must_use]
    pub fn without_sketch(mut self) -> Self {
        self.sketch = None;
        self
    }

    /// What is known of the rows of both; they have the same features.
    #[must_use]
    pub fn merged(self, other: &Self) -> Self {
        let features = self.features.into_iter().zip(&other.features);
        Self {
            rows: self.rows.saturating_add(other.rows),
            features: features.map(|(one, other)| one.merged(other)).collect(),
            sketch: self.sketch.zip(other.sketch.as_ref()).map(|(one, other)| one.merged(other)),
        }
    }

    /// Checks that other rows are these, as far as the sketch can tell.
    ///
    /// # Errors
    /// [`ErrorKind::NotTrainedOn`].
    #[cfg(feature = "learn")]
    pub(crate) fn check_same(&self, given: &Self) -> Result<()> {
        let (Some(known), Some(found)) = (&self.sketch, &given.sketch) else { return Ok(()) };
        if self == given {
            return Ok(());
        }
        let shared = SharedRows::new(known, found);
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        Err(ErrorKind::NotTrainedOn {
            training: self.rows,
            given: given.rows,
            new: share(shared.only_given, shared.given),
            absent: share(shared.only_training, shared.training),
        }
        .into())
    }

    /// Checks what a file says.
    pub(crate) fn check(&self, schema: &Schema) -> Result<()> {
        let what = "the list of features of the training rows";
        check_length(what, self.features.len(), schema.n_features(), "the model's")?;
        let unusable = |problem: String| Err(ErrorKind::ModelFile { problem }.into());
        for (values, feature) in self.features.iter().zip(schema.features()) {
            if let Some(problem) = values.problem(self.rows, &feature.kind) {
                return unusable(format!("training rows, feature '{}': {problem}", feature.name));
            }
        }
        let Some(sketch) = &self.sketch else { return Ok(()) };
        let (known, rows) = (sketch.n_rows(), self.rows);
        if known > rows || (sketch.is_complete() && known < rows) {
            return unusable(format!("the sketch has {known} of {rows} training rows"));
        }
        Ok(())
    }
}

/// Fewer rows are not worth a thread.
const ROWS_PER_TASK: usize = 1 << 14;

/// Rows per block: their sums and the cells of a column stay in the nearest cache.
const ROWS_PER_BLOCK: usize = 1024;

/// What is to be known of some consecutive rows, and how often each counts; `None` if all count
/// once.
fn part(
    data: &DatasetView<'_>,
    rows: Range<usize>,
    count_of: Option<&dyn Fn(usize) -> u64>,
) -> TrainingRows {
    let (matrix, hashes) = (data.matrix(), RowHashes::new(data.n_features()));
    let features = (0..).zip(data.schema().features());
    let mut notes: Vec<ValueNotes<'_>> = features
        .map(|(index, feature)| ValueNotes::new(&feature.kind, data.has_missing(index)))
        .collect();
    let (mut sketch, mut n_rows) = (SketchBuilder::new(), 0_u64);
    let (mut sums, mut column, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for first in rows.clone().step_by(ROWS_PER_BLOCK) {
        let block = first..rows.end.min(first + ROWS_PER_BLOCK);
        if let Some(count_of) = count_of {
            counts.clear();
            counts.extend(block.clone().map(count_of));
        }
        let counts = count_of.is_some().then_some(&counts[..]);
        sums.clear();
        sums.resize(block.len(), 0);
        for (feature, notes) in (0..).zip(&mut notes) {
            let cells = matrix.column(feature).gathered(block.clone(), &mut column);
            hashes.add(feature as usize, cells, data.has_missing(feature), &mut sums);
            notes.add(cells, counts);
        }
        hashes.finish(&data.labels()[block], &mut sums);
        match counts {
            None => sums.iter().for_each(|&hash| sketch.add(hash, 1)),
            Some(counts) => {
                let counted = sums.iter().zip(counts).filter(|(_, count)| **count > 0);
                counted.for_each(|(&hash, &count)| sketch.add(hash, count));
            }
        }
        let in_block = counts.map_or(sums.len() as u64, |counts| {
            counts.iter().fold(0, |sum: u64, &count| sum.saturating_add(count))
        });
        n_rows = n_rows.saturating_add(in_block);
    }
    let features = notes.into_iter().map(ValueNotes::finish).collect();
    TrainingRows { rows: n_rows, features, sketch: Some(sketch.finish()) }
}
