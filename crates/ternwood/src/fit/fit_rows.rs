//! The rows of a fit, with their weights and class shares.

use crate::dataset::{DatasetView, RowKeys};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::{ClassTraining, Grower, Prepared, RowSubset};
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
    numbered: OnceLock<NumberedRows>,
}

/// Rows that are numbered by what they hold.
struct NumberedRows {
    value_hashes: Vec<u64>,
    numbers: Vec<u32>,
}

impl<'a> FitRows<'a> {
    pub(super) fn new(data: &'a DatasetView<'a>, params: &CheckedParams) -> Result<Self> {
        let training = ClassTraining::of(data, params)?;
        training.check(data, params)?;
        let class_weights = training.weighted(&training.tally(training.rows()).counts);
        let total: f64 = class_weights.iter().sum();
        Ok(Self {
            data,
            all: RowSubset { rows: training.rows().to_vec(), weights: None },
            prior: class_weights.iter().map(|weight| weight / total).collect(),
            training,
            prepared: Arc::default(),
            numbered: OnceLock::new(),
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

    /// The weight of a row of `subset`, before class weights.
    pub(super) fn sample_weight(&self, subset: &RowSubset, row: u32) -> f64 {
        match &subset.weights {
            Some(weights) => weights[row as usize],
            None => self.training.weight_of(row),
        }
    }

    /// The weight of a row of `subset`, class weight included.
    pub(super) fn weight(&self, subset: &RowSubset, row: u32) -> f64 {
        self.class_weighted(row, self.sample_weight(subset, row))
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
            of_class[self.class_of(row)] += self.sample_weight(subset, row);
        }
        of_class.iter().zip(self.training.class_factors()).map(|(sum, factor)| sum * factor).sum()
    }

    /// True if every row of `subset` has sample weight 1.
    pub(super) fn has_unit_weights(&self, subset: &RowSubset) -> bool {
        subset.weights.is_none() && !self.training.has_weights()
    }

    /// A hash of the row's values.
    pub(super) fn value_hash(&self, row: u32) -> u64 {
        self.numbered().value_hashes[row as usize]
    }

    /// The number of a row, which depends on what it holds, not on where it is.
    pub(super) fn number(&self, row: u32) -> u32 {
        self.numbered().numbers[row as usize]
    }

    fn numbered(&self) -> &NumberedRows {
        self.numbered.get_or_init(|| {
            let keys = RowKeys::new(self.data, &Exec::default());
            let mut numbers = vec![0; self.data.n_rows()];
            let rows = keys.in_order(0..self.data.n_rows() as u32);
            (0..).zip(rows).for_each(|(number, row)| numbers[row as usize] = number);
            NumberedRows { value_hashes: keys.into_value_hashes(), numbers }
        })
    }
}
