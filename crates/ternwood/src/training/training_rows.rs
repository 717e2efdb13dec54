//! What a model knows of the rows it was trained on.

use super::feature_values::FeatureValues;
use super::row_hashes::{ColumnValues, RowHashes};
use super::row_sketch::{RowSketch, SketchBuilder};
#[cfg(feature = "learn")]
use super::shared_rows::SharedRows;
use crate::dataset::{DatasetView, FeatureKind, Schema, check_length};
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
            Ok(if is_plain { part(data, rows, |_| 1) } else { part(data, rows, count_of) })
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

/// Values per block: they stay in the cache while one column after the other is hashed.
const VALUES_PER_BLOCK: usize = 1 << 15;

/// What is to be known of some consecutive rows.
fn part(
    data: &DatasetView<'_>,
    rows: Range<usize>,
    count_of: impl Fn(usize) -> u64,
) -> TrainingRows {
    let (matrix, n_features) = (data.matrix(), data.n_features());
    let hashes = RowHashes::new(n_features);
    let kinds: Vec<&FeatureKind> = data.schema().features().iter().map(|f| &f.kind).collect();
    let mut values: Vec<ColumnValues> = (0..n_features).map(|_| ColumnValues::NONE).collect();
    let mut counts: Vec<Vec<u64>> = kinds.iter().map(|kind| vec![0; kind.names().len()]).collect();
    let (mut sketch, mut n_rows) = (SketchBuilder::new(), 0_u64);
    let length = (VALUES_PER_BLOCK / n_features).clamp(64, 1024);
    let mut sums = Vec::with_capacity(length);
    for first in rows.clone().step_by(length) {
        let block = first..rows.end.min(first + length);
        sums.clear();
        sums.resize(block.len(), 0);
        for (feature, values) in values.iter_mut().enumerate() {
            let cells = (matrix.column(feature as u32), block.clone());
            hashes.add_column(feature, cells, |index| count_of(first + index), &mut sums, values);
        }
        for (feature, counts) in counts.iter_mut().enumerate().filter(|(_, c)| !c.is_empty()) {
            let ids = matrix.column(feature as u32).of(block.clone());
            for (row, id) in block.clone().zip(ids).filter(|(_, id)| *id >= 0.0) {
                // A category that nobody knows has no count.
                if let Some(count) = counts.get_mut(id as usize) {
                    *count = count.saturating_add(count_of(row));
                }
            }
        }
        for (row, &sum) in block.zip(&sums) {
            let count = count_of(row);
            if count > 0 {
                sketch.add(hashes.hash(sum, data.labels()[row]), count);
                n_rows = n_rows.saturating_add(count);
            }
        }
    }
    let features = values.into_iter().zip(counts).zip(kinds);
    let features = features.map(|((ColumnValues { range, missing }, counts), kind)| {
        if kind.is_number() {
            FeatureValues::of_numbers((range[0] <= range[1]).then_some(range), missing)
        } else {
            FeatureValues::of_categories(counts, missing)
        }
    });
    TrainingRows { rows: n_rows, features: features.collect(), sketch: Some(sketch.finish()) }
}
