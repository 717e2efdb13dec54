//! A data set where it lies.

use super::labels::Labels;
use super::rows::Rows;
use super::{Dataset, MAX_ROWS, check_distinct, check_length, default_feature_name, weights};
use crate::error::{ErrorKind, Result};
use crate::workers::Workers;

/// Training data that somebody else keeps, in either memory order: nothing is copied.
///
/// Like a [`Dataset`], one that exists is valid.
///
/// ```
/// use ternwood::{DatasetView, Grower, Labels, Rows, TreeParams, Workers};
///
/// let values = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0];
/// let labels = Labels::from_values(["no", "no", "yes"]);
/// let data = DatasetView::new(Rows::row_major(&values, 2)?, &labels, &Workers::single())?;
/// let params = TreeParams::default().check()?;
/// let tree = Grower::new(data, &params)?.grow_two_child()?.tree();
/// assert_eq!(tree.n_nodes(), 3);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DatasetView<'a> {
    rows: Rows<'a>,
    labels: &'a Labels,
    weights: Option<&'a [f64]>,
    feature_names: Vec<String>,
}

impl<'a> DatasetView<'a> {
    /// Joins rows and labels, checking that lengths agree and all values are finite.
    ///
    /// # Errors
    /// No rows, no columns, lengths that differ, or a value that is NaN or infinite.
    pub fn new(rows: Rows<'a>, labels: &'a Labels, workers: &Workers) -> Result<Self> {
        let feature_names: Vec<String> = (0..rows.n_features()).map(default_feature_name).collect();
        check_shape(rows, labels)?;
        rows.check_finite(&feature_names, workers)?;
        Ok(Self { rows, labels, weights: None, feature_names })
    }

    /// Gives every row a weight. Integer weights act exactly like copies of the row.
    ///
    /// # Errors
    /// As [`Dataset::with_weights`].
    pub fn with_weights(mut self, weights: &'a [f64]) -> Result<Self> {
        let n_rows = self.rows.n_rows();
        check_length("the list of sample weights", weights.len(), n_rows, "one per row")?;
        weights::check(weights)?;
        self.weights = Some(weights);
        Ok(self)
    }

    /// Names the features; unnamed ones are called `x0`, `x1`, ...
    ///
    /// # Errors
    /// As [`Dataset::with_feature_names`].
    pub fn with_feature_names(mut self, names: Vec<String>) -> Result<Self> {
        let n_features = self.rows.n_features();
        check_length("the list of feature names", names.len(), n_features, "one per column")?;
        check_distinct("feature", &names)?;
        self.feature_names = names;
        Ok(self)
    }

    /// How many rows there are.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    /// How many feature columns there are.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.rows.n_features()
    }

    /// How many classes are named (some may have no row).
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.labels.n_classes()
    }

    /// The class labels.
    #[must_use]
    pub fn labels(&self) -> &'a Labels {
        self.labels
    }

    /// The sample weights as given, if any were.
    #[must_use]
    pub fn weights(&self) -> Option<&'a [f64]> {
        self.weights
    }

    /// The feature names, one per column.
    #[must_use]
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    pub(crate) fn rows(&self) -> Rows<'a> {
        self.rows
    }
}

impl<'a> From<&'a Dataset> for DatasetView<'a> {
    fn from(data: &'a Dataset) -> Self {
        Self {
            rows: Rows::from(data.columns()),
            labels: data.labels(),
            weights: data.weights(),
            feature_names: data.feature_names().to_vec(),
        }
    }
}

/// Some rows, not too many, some columns, and a label for every row.
pub(super) fn check_shape(rows: Rows<'_>, labels: &Labels) -> Result<()> {
    if rows.n_features() == 0 {
        return Err(ErrorKind::NoColumns.into());
    }
    let found = rows.n_rows();
    if found == 0 {
        return Err(ErrorKind::NoRows.into());
    }
    if found > MAX_ROWS {
        return Err(ErrorKind::TooLarge { what: "rows", found, limit: MAX_ROWS }.into());
    }
    check_length("the list of labels", labels.ids().len(), found, "one per row")
}
