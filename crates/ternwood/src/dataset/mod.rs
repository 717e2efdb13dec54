//! Training data: values, classes, weights and the schema, validated once.
//!
//! A [`Dataset`] or [`DatasetView`] is always valid: every value is finite or missing (NaN), every
//! class id is in range, every length is right. Nothing downstream checks again, except that
//! growing refuses categories that the schema does not have: rows to answer may have such.

pub mod doubts;
mod labels;
mod matrix;
pub mod notation;
mod random;
#[cfg(feature = "learn")]
mod resampler;
mod row_hash;
#[cfg(feature = "learn")]
mod row_subset;
mod schema;
mod view;
mod weights;

pub(crate) use labels::check_class_ids;
pub use labels::one_line;
pub use labels::{ClassName, Labels};
pub use matrix::Columns;
pub use matrix::Matrix;
pub(crate) use matrix::as_trained;
pub(crate) use matrix::{Column, RowBlock};
pub use matrix::{UNKNOWN, is_unknown_value};
#[cfg(feature = "learn")]
pub(crate) use random::Stream;
pub(crate) use random::mix;
#[cfg(feature = "learn")]
pub(crate) use resampler::{Bag, Bags, FoldRows, OutOfBagRows, Shuffle, UnitFolds};
#[cfg(feature = "learn")]
pub use resampler::{Folds, HoldOut, Resampler};
pub(crate) use row_hash::{HashUse, ROWS_PER_BLOCK, ROWS_PER_TASK, RowHasher};
#[cfg(feature = "learn")]
pub(crate) use row_subset::RowSubset;
pub(crate) use schema::TrainingValues;
pub use schema::{Feature, FeatureKind, Schema};
pub use view::DatasetView;
pub(crate) use weights::{ExactSum, Moments, binade};
pub(crate) use weights::{RowWeights, WeightGrid, WeightNotes, check_each as check_weights};

use crate::error::{Error, ErrorKind, Result};
use crate::exec::Exec;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// The most rows a data set may have: row indices are 32 bits wide.
pub const MAX_ROWS: usize = u32::MAX as usize;

/// Training data that owns its values.
///
/// Functions that need training data take `impl Into<DatasetView>`: this, or a [`DatasetView`]
/// of borrowed values.
///
/// ```
/// use ternwood::{Columns, Dataset, Labels};
///
/// let columns = Columns::from_rows(&[1.0, 10.0, 2.0, 20.0, 3.0, 30.0], 2)?;
/// let labels = Labels::from_values(["no", "no", "yes"]);
/// let data = Dataset::new(columns, labels)?.with_feature_names(["age", "dose"])?;
/// assert_eq!((data.n_rows(), data.n_features(), data.n_classes()), (3, 2, 2));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    columns: Columns,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    schema: Arc<Schema>,
    /// Which columns have missing values; empty if none has.
    missing: Vec<bool>,
}

impl Dataset {
    /// Combines columns and labels. Features are unnamed: `x0`, `x1`, ...
    ///
    /// # Errors
    /// No rows, no columns, lengths that differ, or a value that is infinite. NaN is a missing value.
    pub fn new(columns: Columns, labels: Labels) -> Result<Self> {
        let (ids, classes) = labels.into_parts();
        let schema = Schema::unnamed(columns.n_features(), classes)?;
        Self::with_schema(columns, ids, schema)
    }

    /// Combines columns, class ids and the schema that describes them.
    ///
    /// # Errors
    /// As [`Dataset::new`]; or columns or class ids that the schema does not have.
    pub fn with_schema(
        columns: Columns,
        labels: Vec<u32>,
        schema: impl Into<Arc<Schema>>,
    ) -> Result<Self> {
        let schema = schema.into();
        let view = DatasetView::new(
            Matrix::from(&columns),
            &labels,
            Arc::clone(&schema),
            &Exec::default(),
        )?;
        let missing = view.missing().to_vec();
        Ok(Self { columns, labels, weights: None, schema, missing })
    }

    /// Gives every row a weight. An integer weight k acts exactly like k copies of the row.
    ///
    /// # Errors
    /// A wrong number of weights, a weight that is negative or not finite, or weights that
    /// are all zero.
    pub fn with_weights(mut self, weights: impl Into<Vec<f64>>) -> Result<Self> {
        let weights = weights.into();
        weights::check(&weights, self.n_rows())?;
        self.weights = Some(weights);
        Ok(self)
    }

    /// Names the features; unnamed ones are called `x0`, `x1`, ...
    ///
    /// # Errors
    /// A wrong number of names, or a name given twice.
    pub fn with_feature_names<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Self> {
        self.schema = Arc::new(Schema::clone(&self.schema).with_feature_names(names)?);
        Ok(self)
    }

    /// The given rows, in that order. All classes keep their names and ids.
    ///
    /// # Errors
    /// `rows` is empty.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        if rows.is_empty() {
            return Err(ErrorKind::NoRows.into());
        }
        let columns = (0..self.n_features()).map(|feature| self.columns.column(feature));
        let values = columns.flat_map(|column| rows.iter().map(|&row| column[row])).collect();
        let weights =
            self.weights.as_ref().map(|weights| rows.iter().map(|&row| weights[row]).collect());
        Ok(Self {
            columns: Columns::from_columns(values, self.n_features())?,
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            weights,
            schema: Arc::clone(&self.schema),
            missing: self.missing.clone(),
        })
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.columns.n_rows()
    }

    /// The number of feature columns.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.columns.n_features()
    }

    /// The number of classes; some may have no row.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.schema.n_classes()
    }

    /// The feature values.
    #[must_use]
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The class id of every row.
    #[must_use]
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The sample weights as given, if any.
    #[must_use]
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The features and classes.
    #[must_use]
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

pub(crate) fn check_length(
    what: &str,
    found: usize,
    expected: usize,
    reason: &str,
) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(ErrorKind::Length { what: what.to_owned(), expected, found, reason: reason.to_owned() }
        .into())
}

pub(crate) fn check_distinct<S>(
    what: &'static str,
    names: impl IntoIterator<Item = S>,
) -> Result<()>
where
    S: AsRef<str> + Eq + Hash + Clone,
{
    let mut seen = HashSet::new();
    match names.into_iter().find(|name| !seen.insert(name.clone())) {
        Some(name) => Err(ErrorKind::DuplicateName { what, name: name.as_ref().to_owned() }.into()),
        None => Ok(()),
    }
}
