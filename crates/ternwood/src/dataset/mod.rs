//! Training data: columns, labels, weights and names, validated once.
//!
//! A [`Dataset`] that exists is valid: every value finite, every label in range,
//! every length right. Nothing downstream checks again.

mod folds;
mod labels;
mod matrix;
mod rows;
mod view;
mod weights;

pub use folds::Folds;
pub(crate) use labels::check_class_names;
pub use labels::{ClassName, Labels};
pub use matrix::Columns;
pub use rows::Rows;
pub(crate) use rows::{Column, RowBlock};
pub use view::DatasetView;
pub(crate) use weights::RowWeights;

use crate::error::{Error, ErrorKind, Result};
use crate::workers::Workers;
use std::collections::HashSet;

/// Most rows a data set may have: row numbers are 32 bits wide.
pub const MAX_ROWS: usize = u32::MAX as usize;

/// Training data: feature columns, class labels, optional sample weights, names.
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
    labels: Labels,
    weights: Option<Vec<f64>>,
    feature_names: Vec<String>,
}

impl Dataset {
    /// Joins columns and labels, checking that lengths agree and all values are finite.
    ///
    /// # Errors
    /// No rows, no columns, lengths that differ, or a value that is NaN or infinite.
    pub fn new(columns: Columns, labels: Labels) -> Result<Self> {
        Self::new_with(columns, labels, &Workers::single())
    }

    /// [`Dataset::new`] with the check for finite values spread over `workers`.
    ///
    /// # Errors
    /// As [`Dataset::new`].
    pub fn new_with(columns: Columns, labels: Labels, workers: &Workers) -> Result<Self> {
        let feature_names: Vec<String> =
            (0..columns.n_features()).map(default_feature_name).collect();
        view::check_shape(Rows::from(&columns), &labels)?;
        Rows::from(&columns).check_finite(&feature_names, workers)?;
        Ok(Self { columns, labels, weights: None, feature_names })
    }

    /// Gives every row a weight. Integer weights act exactly like copies of the row.
    ///
    /// # Errors
    /// A wrong number of weights, a weight that is negative or not finite, or weights that
    /// are all zero.
    pub fn with_weights(mut self, weights: impl Into<Vec<f64>>) -> Result<Self> {
        let weights = weights.into();
        check_length("the list of sample weights", weights.len(), self.n_rows(), "one per row")?;
        weights::check(&weights)?;
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
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        check_length(
            "the list of feature names",
            names.len(),
            self.n_features(),
            "one per column",
        )?;
        check_distinct("feature", &names)?;
        self.feature_names = names;
        Ok(self)
    }

    /// Some of the rows, in the order given. All classes keep their names and numbers.
    ///
    /// # Errors
    /// No rows are named.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        let columns = (0..self.n_features()).map(|feature| self.columns.column(feature));
        let values = columns.flat_map(|column| rows.iter().map(|&row| column[row])).collect();
        let ids = rows.iter().map(|&row| self.labels.ids()[row]).collect();
        let labels = Labels::from_ids(ids, self.labels.names().to_vec())?;
        let columns = Columns::from_columns(values, self.n_features())?;
        let mut selected = Self::new(columns, labels)?;
        selected.weights =
            self.weights.as_ref().map(|weights| rows.iter().map(|&row| weights[row]).collect());
        selected.feature_names.clone_from(&self.feature_names);
        Ok(selected)
    }

    /// How many rows there are.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.columns.n_rows()
    }

    /// How many feature columns there are.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.columns.n_features()
    }

    /// How many classes are named (some may have no row).
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.labels.n_classes()
    }

    /// The feature values.
    #[must_use]
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The class labels.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The sample weights as given, if any were.
    #[must_use]
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The feature names, one per column.
    #[must_use]
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }
}

/// What a feature is called when nobody named it.
pub(crate) fn default_feature_name(index: usize) -> String {
    format!("x{index}")
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

pub(crate) fn check_distinct(what: &'static str, names: &[String]) -> Result<()> {
    let mut seen = HashSet::with_capacity(names.len());
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => Err(ErrorKind::DuplicateName { what, name: name.clone() }.into()),
        None => Ok(()),
    }
}
