//! The rows of a fit: what each weighs, and their classes in proportion.

use crate::dataset::{DatasetView, Folds};
use crate::error::Result;
use crate::learn::{CheckedParams, Training};

/// A data set with the rows that count. All parts of it share weights and class shares.
pub(super) struct FitRows<'a> {
    pub(super) data: &'a DatasetView<'a>,
    /// The rows that count, ascending.
    pub(super) rows: Vec<u32>,
    /// The weight of every row of the data, class weight included.
    pub(super) weights: Vec<f64>,
    /// The class shares of all rows that count.
    pub(super) prior: Vec<f64>,
}

/// A division of rows: grow from some, ask about the others. Both ascending.
pub(super) struct Part {
    pub(super) training: Vec<u32>,
    pub(super) test: Vec<u32>,
}

impl<'a> FitRows<'a> {
    pub(super) fn new(data: &'a DatasetView<'a>, params: &CheckedParams) -> Result<Self> {
        let training = Training::new(data.clone(), params)?;
        let factors = training.class_factors();
        let weight = |row: u32| training.weight_of(row) * factors[training.class_of(row) as usize];
        let weights = (0..data.n_rows() as u32).map(weight).collect();
        let class_weights = training.weighted(&training.tally(training.rows()).counts);
        let total: f64 = class_weights.iter().sum();
        let prior = class_weights.iter().map(|weight| weight / total).collect();
        Ok(Self { data, rows: training.rows().to_vec(), weights, prior })
    }

    pub(super) fn class_of(&self, row: u32) -> usize {
        self.data.labels().ids()[row as usize] as usize
    }

    pub(super) fn weight_of(&self, row: u32) -> f64 {
        self.weights[row as usize]
    }

    /// Deals `rows` out to stratified folds. Fewer rows than folds make as many folds as rows.
    ///
    /// `deal` tells one dealing from another with the same seed.
    ///
    /// # Errors
    /// Fewer than two rows.
    pub(super) fn parts(
        &self,
        rows: &[u32],
        folds: u32,
        seed: u64,
        deal: u64,
    ) -> Result<Vec<Part>> {
        /// 2^64 divided by the golden ratio: dealings of neighbouring seeds do not meet.
        const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;
        let classes: Vec<u32> = rows.iter().map(|&row| self.class_of(row) as u32).collect();
        let folds = folds.min(rows.len() as u32);
        let seed = seed.wrapping_add(STRIDE.wrapping_mul(deal + 1));
        let folds = Folds::stratified(&classes, folds, seed)?;
        let chosen = |indices: Vec<usize>| indices.into_iter().map(|index| rows[index]).collect();
        let part = |(training, test)| Part { training: chosen(training), test: chosen(test) };
        Ok(folds.iter().map(part).collect())
    }
}
