//! Some rows of a data set, with weights of their own.

use super::{MAX_ROWS, RowWeights};
use std::sync::Arc;

/// A subset of a data set's rows, and what each weighs there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowSubset {
    /// Ascending.
    pub(crate) rows: Vec<u32>,
    /// One per row of the whole data set.
    weights: Arc<RowWeights>,
}

impl RowSubset {
    pub(crate) fn new(rows: Vec<u32>, weights: Arc<RowWeights>) -> Self {
        Self { rows, weights }
    }

    /// The rows of this subset that weigh something, given a weight for every row of the data set. They
    /// are a part of the weights here.
    pub(super) fn reweighted(&self, weights: &[f64]) -> Self {
        let rows = self.rows.iter().copied().filter(|&row| weights[row as usize] > 0.0);
        Self { rows: rows.collect(), weights: Arc::new(RowWeights::new(Some(weights))) }
    }

    /// Some rows of this subset, which weigh what they weigh here.
    pub(super) fn only(&self, is_wanted: impl Fn(u32) -> bool) -> Self {
        let rows = self.rows.iter().copied().filter(|&row| is_wanted(row));
        Self { rows: rows.collect(), weights: Arc::clone(&self.weights) }
    }

    pub(crate) fn weights(&self) -> &Arc<RowWeights> {
        &self.weights
    }

    /// The weight of a row, before class weights.
    pub(crate) fn weight(&self, row: u32) -> f64 {
        self.weights.of(row as usize)
    }

    /// True if every row weighs 1.
    pub(super) fn has_unit_weights(&self) -> bool {
        *self.weights == RowWeights::Unit
    }

    /// The units of weight of a row: k for an integer weight k, else 1. Weights above [`MAX_ROWS`] are
    /// also one unit, which keeps sums of units within 64 bits.
    pub(crate) fn units(&self, row: u32) -> u64 {
        let weight = self.weight(row);
        let is_copies = weight.fract() == 0.0 && weight <= MAX_ROWS as f64;
        if is_copies { weight as u64 } else { 1 }
    }

    /// The units of all rows.
    pub(crate) fn n_units(&self) -> u64 {
        self.rows.iter().map(|&row| self.units(row)).sum()
    }
}
