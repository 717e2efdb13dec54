//! The rows of a fit, with their weights and class shares.

use crate::dataset::{DatasetView, Resampler, RowSubset};
use crate::error::Result;
use crate::grow::Training;
use crate::recipe::CheckedParams;
use std::sync::OnceLock;

/// A data set and its rows of positive weight. All subsets share its class weights and prior.
pub(super) struct FitRows<'a> {
    pub(super) data: &'a DatasetView<'a>,
    /// The rows of positive weight.
    pub(super) all: RowSubset,
    /// The class shares of all these rows.
    pub(super) prior: Vec<f64>,
    class_factors: Vec<f64>,
    /// Deals rows to folds.
    pub(super) resampler: Resampler<'a>,
    numbers: OnceLock<Vec<u32>>,
}

impl<'a> FitRows<'a> {
    pub(super) fn new(data: &'a DatasetView<'a>, params: &CheckedParams) -> Result<Self> {
        let training = Training::new(data, params)?;
        let class_weights = training.weighted(&training.tally(training.rows()).counts);
        let total: f64 = class_weights.iter().sum();
        Ok(Self {
            data,
            all: training.all(),
            prior: class_weights.iter().map(|weight| weight / total).collect(),
            class_factors: training.class_factors().to_vec(),
            resampler: Resampler::new(data),
            numbers: OnceLock::new(),
        })
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
        sample_weight * self.class_factors[self.class_of(row)]
    }

    /// The weight of all rows of `subset`, class weights included.
    pub(super) fn total_weight(&self, subset: &RowSubset) -> f64 {
        // Sums of sample weights are exact, so the order of rows does not matter.
        let mut of_class = vec![0.0; self.prior.len()];
        for &row in &subset.rows {
            of_class[self.class_of(row)] += subset.weight(row);
        }
        of_class.iter().zip(&self.class_factors).map(|(sum, factor)| sum * factor).sum()
    }

    /// The number of a row, which depends on what it holds, not on where it is.
    pub(super) fn number(&self, row: u32) -> u32 {
        self.numbers.get_or_init(|| self.resampler.numbers())[row as usize]
    }
}
