//! The rows of a fit, with their weights and class shares.

use crate::dataset::{DatasetView, Resampler, RowSubset};
use crate::error::Result;
use crate::grow::{ClassTraining, Grower, Prepared};
use crate::recipe::CheckedParams;
use std::sync::{Arc, OnceLock};

/// A data set and its rows of positive weight. All subsets share its class weights and prior.
pub(super) struct FitRows<'a> {
    pub(super) data: &'a DatasetView<'a>,
    /// The rows of positive weight.
    pub(super) all: RowSubset,
    /// The class shares of all these rows.
    pub(super) prior: Vec<f64>,
    /// Encodings and rows that all trees of the fit share.
    training: ClassTraining<'a>,
    prepared: Arc<Prepared>,
    /// Deals rows to folds.
    pub(super) resampler: Resampler<'a>,
    numbers: OnceLock<Vec<u32>>,
}

impl<'a> FitRows<'a> {
    pub(super) fn new(data: &'a DatasetView<'a>, params: &CheckedParams) -> Result<Self> {
        let training = ClassTraining::of(data, params)?;
        training.check(data, params)?;
        let class_weights = training.weighted(&training.tally(training.rows()).counts);
        let total: f64 = class_weights.iter().sum();
        Ok(Self {
            data,
            all: training.all(),
            prior: class_weights.iter().map(|weight| weight / total).collect(),
            training,
            prepared: Arc::default(),
            resampler: Resampler::new(data),
            numbers: OnceLock::new(),
        })
    }

    /// Grows trees from some of the rows, with other parameters for zones and depth.
    ///
    /// # Errors
    /// No row of the subset has a positive weight.
    pub(super) fn grower<'p>(
        &self,
        params: &'p CheckedParams,
        rows: &RowSubset,
    ) -> Result<Grower<'p>>
    where
        'a: 'p,
    {
        let training = self.training.restricted_to(rows)?;
        Ok(Grower::of_prepared(training, Arc::clone(&self.prepared), params))
    }

    /// The rows and their targets.
    pub(super) fn training(&self) -> &ClassTraining<'a> {
        &self.training
    }

    pub(super) fn class_of(&self, row: u32) -> usize {
        self.data.labels()[row as usize] as usize
    }

    /// The weight of a row of `subset`, class weight included.
    pub(super) fn weight(&self, subset: &RowSubset, row: u32) -> f64 {
        self.class_weighted(row, subset.weight(row))
    }

    /// A sample weight of a row times the weight of its class.
    pub(super) fn class_weighted(&self, row: u32, sample_weight: f64) -> f64 {
        sample_weight * self.training.class_factors()[self.class_of(row)]
    }

    /// The weight of all rows of `subset`, class weights included.
    pub(super) fn total_weight(&self, subset: &RowSubset) -> f64 {
        // Sums of sample weights are exact, so the order of rows does not matter.
        let mut of_class = vec![0.0; self.prior.len()];
        for &row in &subset.rows {
            of_class[self.class_of(row)] += subset.weight(row);
        }
        of_class.iter().zip(self.training.class_factors()).map(|(sum, factor)| sum * factor).sum()
    }

    /// The number of a row, which depends on what it holds, not on where it is.
    pub(super) fn number(&self, row: u32) -> u32 {
        self.numbers.get_or_init(|| self.resampler.numbers())[row as usize]
    }
}
