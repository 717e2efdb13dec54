//! Training data: rows of positive weight, features, targets and exact sample weights.

use super::target::{Cell, Measure, Target};
use crate::dataset::{Bag, Column, DatasetView, Feature, Matrix, RowSubset, RowWeights, Schema};
use crate::error::{ErrorKind, Result};
use crate::recipe::CheckedParams;
use std::ops::Deref;
use std::sync::Arc;

/// The training data, without rows of weight 0.
#[derive(Debug)]
pub(crate) struct Training<'a, T: Target> {
    features: Features<'a>,
    target: T::Column,
    weights: Arc<RowWeights>,
    rows: Vec<u32>,
}

/// The features of a training set.
#[derive(Debug, Clone)]
pub(crate) struct Features<'a> {
    matrix: Matrix<'a>,
    /// The matrix row of each training row; `None` if they are the same.
    origins: Option<&'a [u32]>,
    columns: Arc<[ColumnKind]>,
}

/// What the search must know of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnKind {
    /// The number of categories, if they have no order.
    n_categories: Option<usize>,
    has_missing: bool,
}

impl ColumnKind {
    /// Of all columns.
    pub(crate) fn of(schema: &Schema, has_missing: impl Fn(u32) -> bool) -> Arc<[Self]> {
        let kind = |(index, feature): (u32, &Feature)| Self {
            n_categories: feature.kind.n_unordered(),
            has_missing: has_missing(index),
        };
        (0..).zip(schema.features()).map(kind).collect()
    }

    /// The number of categories, if they have no order.
    pub(crate) fn n_categories(&self) -> Option<usize> {
        self.n_categories
    }
}

impl<'a> Features<'a> {
    pub(crate) fn new(matrix: Matrix<'a>, columns: Arc<[ColumnKind]>) -> Self {
        Self { matrix, origins: None, columns }
    }

    pub(crate) fn of(data: &DatasetView<'a>) -> Self {
        let columns = ColumnKind::of(data.schema(), |feature| data.has_missing(feature));
        Self::new(data.matrix(), columns)
    }

    pub(crate) fn n_features(&self) -> usize {
        self.matrix.n_features()
    }

    /// The number of categories of a feature, if it has categories without an order.
    pub(crate) fn n_categories(&self, feature: u32) -> Option<usize> {
        self.columns[feature as usize].n_categories
    }

    /// True if some value of the feature may be missing.
    pub(crate) fn has_missing(&self, feature: u32) -> bool {
        self.columns[feature as usize].has_missing
    }

    /// True if some value of some feature may be missing.
    pub(crate) fn has_any_missing(&self) -> bool {
        self.columns.iter().any(|column| column.has_missing)
    }

    /// The largest number of categories of a feature.
    pub(crate) fn most_categories(&self) -> usize {
        self.columns.iter().filter_map(|column| column.n_categories).max().unwrap_or(0)
    }

    /// The number of rows, including those of weight 0.
    pub(crate) fn n_rows(&self) -> usize {
        self.origins.map_or(self.matrix.n_rows(), <[u32]>::len)
    }

    pub(crate) fn column(&self, feature: u32) -> Column<'a> {
        let column = self.matrix.column(feature);
        self.origins.map_or(column, |origins| column.renumbered(origins))
    }
}

impl<'a, T: Target> Deref for Training<'a, T> {
    type Target = Features<'a>;

    fn deref(&self) -> &Features<'a> {
        &self.features
    }
}

impl<'a, T: Target> Training<'a, T> {
    /// Of `rows`, which ascend.
    pub(crate) fn new(
        features: Features<'a>,
        target: T::Column,
        weights: Arc<RowWeights>,
        rows: Vec<u32>,
    ) -> Self {
        Self { features, target, weights, rows }
    }

    /// The same data, restricted to some of its rows.
    pub(crate) fn restricted_to(&self, subset: &RowSubset) -> Result<Self> {
        let mut wanted = subset.rows.iter().copied().peekable();
        let is_wanted = |row: &u32| {
            while wanted.next_if(|&next| next < *row).is_some() {}
            wanted.peek() == Some(row)
        };
        let rows: Vec<u32> = self.rows.iter().copied().filter(is_wanted).collect();
        if rows.is_empty() {
            return Err(ErrorKind::WeightsAllZero { rows: subset.rows.len() }.into());
        }
        let weights = Arc::clone(subset.weights());
        let target = T::reweighted(&self.target, &weights, None);
        Ok(Self { features: self.features.clone(), target, weights, rows })
    }

    /// The same data as a bag of its rows, in which some occur several times.
    pub(crate) fn in_bag(&self, bag: &Bag, params: &CheckedParams) -> Self {
        let weights = match &*self.weights {
            RowWeights::Unit => RowWeights::Whole(bag.times().to_vec()),
            weights => {
                let weight = |(row, &times): (usize, &u32)| f64::from(times) * weights.of(row);
                let of_rows: Vec<f64> = bag.times().iter().enumerate().map(weight).collect();
                RowWeights::new(Some(&of_rows))
            }
        };
        Self {
            features: self.features.clone(),
            target: T::reweighted(&self.target, &weights, Some(params)),
            weights: Arc::new(weights),
            rows: self.rows.iter().copied().filter(|&row| bag.contains(row)).collect(),
        }
    }

    /// The targets.
    pub(crate) fn target(&self) -> &T::Column {
        &self.target
    }

    /// What splits are ranked by.
    pub(crate) fn measure(&self) -> &T::Measure {
        T::measure(&self.target)
    }

    /// The targets of all rows, as cells count them.
    pub(crate) fn counted<C: Cell<Target = T>>(&self) -> C::Rows<'_> {
        C::rows(&self.target, &self.weights)
    }

    /// The number of sums of a set of rows.
    pub(crate) fn width(&self) -> usize {
        self.measure().width()
    }

    /// The rows of positive weight, with their weights.
    pub(crate) fn all(&self) -> RowSubset {
        RowSubset::new(self.rows.clone(), Arc::clone(&self.weights))
    }

    /// The rows of positive weight, ascending.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The sample weights.
    pub(crate) fn weights(&self) -> &RowWeights {
        &self.weights
    }

    /// The sample weight of a row, before class weights.
    #[inline]
    pub(crate) fn weight_of(&self, row: u32) -> f64 {
        self.weights.of(row as usize)
    }

    /// The sample weight of a row in units of [`weight_unit`](Self::weight_unit).
    #[inline]
    pub(crate) fn weight_in_units(&self, row: u32) -> u64 {
        self.weights.times(row as usize)
    }

    /// The power of two of which all sample weights are multiples.
    pub(crate) fn weight_unit(&self) -> f64 {
        self.weights.unit()
    }

    /// True if some row has a sample weight other than 1.
    pub(crate) fn has_weights(&self) -> bool {
        *self.weights != RowWeights::Unit
    }

    /// The training set reduced to some rows, renumbered. Values are not copied: few are read more than once.
    pub(crate) fn reduced_to<'c>(&self, rows: &'c [u32]) -> Training<'c, T>
    where
        'a: 'c,
    {
        let Features { matrix, ref columns, .. } = self.features;
        let columns = Arc::clone(columns);
        Training {
            features: Features { matrix, origins: Some(rows), columns },
            target: T::select(&self.target, rows),
            weights: Arc::new(self.weights.of_rows(rows)),
            rows: (0..rows.len() as u32).collect(),
        }
    }

    pub(crate) fn tally(&self, rows: &[u32]) -> T::Tally {
        T::tally(&self.target, rows.iter().map(|&row| T::row(&self.target, &self.weights, row)))
    }
}
