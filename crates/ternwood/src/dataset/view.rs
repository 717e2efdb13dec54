//! A data set that borrows its values.

use super::matrix::Matrix;
use super::schema::Schema;
use super::{Dataset, MAX_ROWS, check_class_ids, check_length};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use std::borrow::Cow;
use std::sync::Arc;

/// Borrowed training data, in either memory order; nothing is copied.
///
/// ```
/// use ternwood::{DatasetView, Exec, Learner, Matrix, Routing, Schema, TreeParams};
///
/// let values = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0];
/// let schema = Schema::unnamed(2, vec!["no".into(), "yes".into()])?;
/// let exec = Exec::default();
/// let data = DatasetView::new(Matrix::row_major(&values, 2)?, &[0, 0, 1], schema, &exec)?;
/// let model = Learner::new(TreeParams::default(), Routing::Probabilistic)?.fit(data, &exec)?;
/// assert_eq!(model.trees()[0].n_nodes(), 3);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DatasetView<'a> {
    matrix: Matrix<'a>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    schema: Arc<Schema>,
    /// Which columns have missing values; empty if none has.
    missing: Cow<'a, [bool]>,
}

impl<'a> DatasetView<'a> {
    /// Combines values, the class id of every row and the schema that describes them.
    ///
    /// # Errors
    /// No rows, no columns, lengths that differ, a class id that the schema does not have, or a
    /// value that is infinite. NaN is a missing value. A category that the schema does not have is
    /// an error only where a tree is grown.
    pub fn new(
        matrix: Matrix<'a>,
        labels: &'a [u32],
        schema: impl Into<Arc<Schema>>,
        exec: &Exec,
    ) -> Result<Self> {
        let schema = schema.into();
        let (n_rows, n_features) = (matrix.n_rows(), matrix.n_features());
        if n_features == 0 {
            return Err(ErrorKind::NoColumns.into());
        }
        check_length("the list of columns", n_features, schema.n_features(), "the schema's")?;
        if n_rows == 0 {
            return Err(ErrorKind::NoRows.into());
        }
        if n_rows > MAX_ROWS {
            let limit = MAX_ROWS;
            return Err(ErrorKind::TooLarge { what: "rows", found: n_rows, limit }.into());
        }
        check_length("the list of labels", labels.len(), n_rows, "one per row")?;
        check_class_ids(labels, schema.n_classes())?;
        let missing = Cow::Owned(matrix.check_missing(&schema, exec)?);
        Ok(Self { matrix, labels, weights: None, schema, missing })
    }

    /// Gives every row a weight. An integer weight k acts exactly like k copies of the row.
    ///
    /// # Errors
    /// As [`Dataset::with_weights`].
    pub fn with_weights(mut self, weights: &'a [f64]) -> Result<Self> {
        super::weights::check(weights, self.n_rows())?;
        self.weights = Some(weights);
        Ok(self)
    }

    /// The same for a part of the rows: all its weights, which are checked, may be 0.
    pub(crate) fn with_weights_of_part(mut self, weights: &'a [f64]) -> Self {
        self.weights = Some(weights);
        self
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.matrix.n_rows()
    }

    /// The number of feature columns.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.matrix.n_features()
    }

    /// The number of classes; some may have no row.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.schema.n_classes()
    }

    /// The feature values.
    #[must_use]
    pub fn matrix(&self) -> Matrix<'a> {
        self.matrix
    }

    /// The class id of every row.
    #[must_use]
    pub fn labels(&self) -> &'a [u32] {
        self.labels
    }

    /// The sample weights as given, if any.
    #[must_use]
    pub fn weights(&self) -> Option<&'a [f64]> {
        self.weights
    }

    /// True if some value of the feature is missing.
    ///
    /// # Panics
    /// May panic if there is no such feature.
    #[must_use]
    pub fn has_missing(&self, feature: u32) -> bool {
        !self.missing.is_empty() && self.missing[feature as usize]
    }

    /// Returns an error with row and column if a value of these rows is missing.
    pub(crate) fn check_complete(&self, rows: &[u32]) -> Result<()> {
        let features = (0..).zip(self.schema.features());
        for (column_index, feature) in features.filter(|&(index, _)| self.has_missing(index)) {
            let column = self.matrix.column(column_index);
            let mut rows = rows.iter().map(|&row| row as usize);
            if let Some(row) = rows.find(|&row| column.at(row).is_nan()) {
                let (column, column_index) = (feature.name.clone(), column_index as usize);
                return Err(ErrorKind::MissingValue { column, column_index, row }.into());
            }
        }
        Ok(())
    }

    pub(super) fn missing(&self) -> &[bool] {
        &self.missing
    }

    /// The features and classes.
    #[must_use]
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

impl<'a> From<&'a Dataset> for DatasetView<'a> {
    fn from(data: &'a Dataset) -> Self {
        Self {
            matrix: Matrix::from(data.columns()),
            labels: data.labels(),
            weights: data.weights(),
            schema: Arc::clone(data.schema()),
            missing: Cow::Borrowed(&data.missing),
        }
    }
}

impl<'a> From<&DatasetView<'a>> for DatasetView<'a> {
    fn from(view: &DatasetView<'a>) -> Self {
        view.clone()
    }
}
