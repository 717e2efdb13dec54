//! Classes: a sum is the sample weight of the rows of one class, a split lowers Gini impurity or entropy.

mod axes;
mod cell;
mod purity;
mod scorer;

pub(crate) use cell::{RealCell, UnitCell, WholeCell};
pub(crate) use purity::Purity;
pub(crate) use scorer::{SplitScorer, p_log2_p};

use super::summary::Summary;
use super::target::{self, Target, WithCells, WithLeft};
use super::training::{ColumnKind, Features, Training};
use crate::dataset::{DatasetView, Matrix, RowWeights, check_length};
use crate::error::{ErrorKind, Result};
use crate::recipe::{CheckedParams, ClassWeight, Criterion};
use crate::tree::{Axis, Test};
use purity::LeftOf;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The target of classification.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Classes {}

/// A training set with classes.
pub(crate) type ClassTraining<'a> = Training<'a, Classes>;

/// The classes of rows, and how they are measured.
#[derive(Debug, Clone)]
pub(crate) struct ClassColumn {
    classes: Arc<[u32]>,
    measure: Purity,
}

/// The number of rows and the sample weight of each class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) rows: Vec<u32>,
    /// Exact sums of sample weights, before class weights.
    pub(crate) counts: Vec<f64>,
}

impl Target for Classes {
    type Column = ClassColumn;
    /// Class and sample weight.
    type Row = (u32, f64);
    type Sum = f64;
    type Tally = Tally;
    type Measure = Purity;

    fn measure(column: &ClassColumn) -> &Purity {
        &column.measure
    }

    fn select(column: &ClassColumn, rows: &[u32]) -> ClassColumn {
        let classes = rows.iter().map(|&row| column.classes[row as usize]).collect();
        ClassColumn { classes, measure: column.measure.clone() }
    }

    /// Class weights stay, unless they are to be balanced within every bag.
    fn reweighted(
        column: &ClassColumn,
        weights: &RowWeights,
        bag: Option<&CheckedParams>,
    ) -> ClassColumn {
        let mut column = column.clone();
        if bag.is_some_and(|params| params.class_weight == ClassWeight::BalancedSubsample) {
            let counts = class_counts(&column.classes, weights, column.measure.n_classes());
            column.measure = Purity::new(column.measure.criterion(), balanced_factors(&counts));
        }
        column
    }

    #[inline]
    fn group(column: &ClassColumn, row: u32) -> u32 {
        column.classes[row as usize]
    }

    fn group_factors(column: &ClassColumn) -> &[f64] {
        column.measure.class_factors()
    }

    #[inline]
    fn row(column: &ClassColumn, weights: &RowWeights, row: u32) -> (u32, f64) {
        (column.classes[row as usize], weights.of(row as usize))
    }

    fn tally(column: &ClassColumn, rows: impl Iterator<Item = (u32, f64)>) -> Tally {
        let mut tally = Tally::empty(column.measure.n_classes());
        rows.for_each(|(class, weight)| tally.add(class, weight));
        tally
    }

    fn with_cells<F: WithCells<Self>>(weights: &RowWeights, f: F) -> F::Output {
        match weights {
            RowWeights::Unit => f.call::<UnitCell>(),
            RowWeights::Whole(_) => f.call::<WholeCell>(),
            RowWeights::Given { .. } => f.call::<RealCell>(),
        }
    }

    fn with_left<F: WithLeft<Self>>(purity: &Purity, f: F) -> F::Output {
        match purity.n_classes() {
            2 => f.call::<LeftOf<[f64; 2]>>(),
            3 => f.call::<LeftOf<[f64; 3]>>(),
            _ => f.call::<LeftOf<Vec<f64>>>(),
        }
    }

    fn axes(purity: &Purity, categories: &[&[f64]]) -> Vec<Axis> {
        axes::axes(categories, purity.class_factors())
    }

    fn position(purity: &Purity, axis: &Axis, counts: &[f64]) -> f64 {
        axes::position(axis, counts, purity.class_factors())
    }

    fn standard_error(purity: &Purity, axis: &Axis, counts: &[f64], _: &[f64]) -> f64 {
        axes::standard_error(axis, counts, purity.class_factors())
    }
}

impl Tally {
    pub(crate) fn empty(n_classes: usize) -> Self {
        Self { rows: vec![0; n_classes], counts: vec![0.0; n_classes] }
    }

    /// The sum of cells, class by class.
    pub(crate) fn of_cells<C: target::Cell<Target = Classes>>(
        cells: &[C],
        n_classes: usize,
    ) -> Self {
        let mut tally = Self::empty(n_classes);
        for cells in cells.chunks_exact(n_classes) {
            for (class, cell) in cells.iter().enumerate() {
                tally.rows[class] += cell.n_rows();
                tally.counts[class] += cell.sum();
            }
        }
        tally
    }

    #[inline]
    pub(crate) fn add(&mut self, class: u32, weight: f64) {
        self.rows[class as usize] += 1;
        self.counts[class as usize] += weight;
    }

    /// The number of all rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.rows.iter().map(|&rows| rows as usize).sum()
    }

    /// The tally without a subset of its rows. Exact, like the sums.
    pub(crate) fn without(&self, others: &Self) -> Self {
        Self {
            rows: self.rows.iter().zip(&others.rows).map(|(all, part)| all - part).collect(),
            counts: self.counts.iter().zip(&others.counts).map(|(all, part)| all - part).collect(),
        }
    }
}

impl target::Tally<Classes> for Tally {
    fn n_rows(&self) -> usize {
        self.n_rows()
    }

    fn sums(&self) -> &[f64] {
        &self.counts
    }

    fn group_rows(&self) -> &[u32] {
        &self.rows
    }

    fn is_pure(&self) -> bool {
        self.rows.iter().filter(|&&rows| rows > 0).count() < 2
    }

    fn without(&self, others: &Self) -> Self {
        self.without(others)
    }

    fn weight_and_impurity(&self, column: &ClassColumn) -> [f64; 2] {
        let class_weights = column.measure.weighted(&self.counts);
        let weight = class_weights.iter().sum();
        [weight, column.measure.criterion().impurity(&class_weights, weight)]
    }
}

impl Summary<f64> {
    /// Of no rows of any class.
    pub(crate) fn of_classes(n_classes: usize) -> Self {
        Self::empty(n_classes, &vec![0.0; n_classes])
    }

    /// Adds a value, and the weight of its class to the sums of its side.
    #[inline]
    pub(crate) fn add(&mut self, value: f64, class: u32, weight: f64, test: &Test) {
        self.see(value, class, test)[class as usize] += weight;
    }
}

/// Some rows of a training set that as a whole is elsewhere.
#[derive(Debug)]
pub(crate) struct TrainingPart<'a> {
    pub(crate) matrix: Matrix<'a>,
    pub(crate) classes: &'a [u32],
    /// On the grid of the whole.
    pub(crate) weights: Arc<RowWeights>,
    /// Of the whole.
    pub(crate) class_factors: Vec<f64>,
    pub(crate) criterion: Criterion,
    pub(crate) columns: Arc<[ColumnKind]>,
    /// Those to go through.
    pub(crate) rows: Vec<u32>,
}

impl<'a> From<TrainingPart<'a>> for ClassTraining<'a> {
    fn from(part: TrainingPart<'a>) -> Self {
        let TrainingPart { matrix, classes, weights, class_factors, criterion, columns, rows } =
            part;
        let measure = Purity::new(criterion, class_factors);
        let target = ClassColumn { classes: classes.into(), measure };
        Self::new(Features::new(matrix, columns), target, weights, rows)
    }
}

impl<'a> ClassTraining<'a> {
    /// The rows of a data set that have weight.
    ///
    /// # Errors
    /// Class weights of the wrong length, or no such row.
    pub(crate) fn of(data: impl Into<DatasetView<'a>>, params: &CheckedParams) -> Result<Self> {
        let data = data.into();
        let weights = RowWeights::new(data.weights());
        let classes = data.labels();
        let factors = class_factors(&params.class_weight, classes, &weights, data.n_classes())?;
        let rows: Vec<u32> = (0..data.n_rows())
            .filter(|&row| weights.of(row) > 0.0 && factors[classes[row] as usize] > 0.0)
            .map(|row| row as u32)
            .collect();
        if rows.is_empty() {
            return Err(ErrorKind::WeightsAllZero { rows: data.n_rows() }.into());
        }
        let measure = Purity::new(params.criterion, factors);
        let target = ClassColumn { classes: classes.into(), measure };
        Ok(Self::new(Features::of(&data), target, Arc::new(weights), rows))
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.class_factors().len()
    }

    #[inline]
    pub(crate) fn class_of(&self, row: u32) -> u32 {
        self.target().classes[row as usize]
    }

    /// The class weights.
    pub(crate) fn class_factors(&self) -> &[f64] {
        self.target().measure.class_factors()
    }

    /// Counts times class weights.
    pub(crate) fn weighted(&self, counts: &[f64]) -> Vec<f64> {
        self.target().measure.weighted(counts)
    }
}

/// The class weights. Balanced ones come from weighted counts, so that a row of weight k and k
/// copies of it are the same data; scikit-learn counts rows instead.
fn class_factors(
    class_weight: &ClassWeight,
    classes: &[u32],
    weights: &RowWeights,
    n_classes: usize,
) -> Result<Vec<f64>> {
    class_factors_of(class_weight, n_classes, || class_counts(classes, weights, n_classes))
}

/// The class weights, from the weight of each class where they are to be balanced.
pub(crate) fn class_factors_of(
    class_weight: &ClassWeight,
    n_classes: usize,
    counts: impl FnOnce() -> Vec<f64>,
) -> Result<Vec<f64>> {
    match class_weight {
        ClassWeight::Uniform => Ok(vec![1.0; n_classes]),
        ClassWeight::Given(factors) => {
            check_length("class_weight", factors.len(), n_classes, "one per class")?;
            Ok(factors.clone())
        }
        ClassWeight::Balanced | ClassWeight::BalancedSubsample => Ok(balanced_factors(&counts())),
    }
}

fn class_counts(classes: &[u32], weights: &RowWeights, n_classes: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n_classes];
    for (row, &class) in classes.iter().enumerate() {
        counts[class as usize] += weights.of(row);
    }
    counts
}

fn balanced_factors(counts: &[f64]) -> Vec<f64> {
    let total: f64 = counts.iter().sum();
    let present = counts.iter().filter(|&&count| count > 0.0).count() as f64;
    let factor = |&count: &f64| if count > 0.0 { total / (present * count) } else { 1.0 };
    counts.iter().map(factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Labels};
    use crate::recipe::TreeParams;

    fn data(weights: Option<&[f64]>) -> Dataset {
        let columns = Columns::from_columns(vec![1.0, 2.0, 3.0, 4.0], 1).unwrap();
        let data = Dataset::new(columns, Labels::from_values([0, 0, 0, 1])).unwrap();
        match weights {
            Some(weights) => data.with_weights(weights).unwrap(),
            None => data,
        }
    }

    fn params(class_weight: ClassWeight) -> CheckedParams {
        TreeParams { class_weight, ..TreeParams::default() }.check().unwrap()
    }

    #[test]
    fn balanced_factors_make_classes_equal() {
        // n / (K n_k): 4 / (2 * 3) and 4 / (2 * 1).
        let data = data(None);
        let training = ClassTraining::of(&data, &params(ClassWeight::Balanced)).unwrap();
        assert_eq!(training.class_factors(), [4.0 / 6.0, 2.0]);
        assert_eq!(training.weighted(&training.tally(training.rows()).counts), [2.0, 2.0]);
    }

    #[test]
    fn rows_without_weight_are_dropped() {
        let data = data(Some(&[1.0, 0.0, 2.0, 1.0]));
        let training =
            ClassTraining::of(&data, &params(ClassWeight::Given(vec![1.0, 0.0]))).unwrap();
        assert_eq!(training.rows(), [0, 2]);
        assert_eq!(
            training.tally(training.rows()),
            Tally { rows: vec![2, 0], counts: vec![3.0, 0.0] }
        );
        let nothing_left = ClassTraining::of(&data, &params(ClassWeight::Given(vec![0.0, 0.0])));
        assert!(nothing_left.is_err());
        let too_short =
            ClassTraining::of(&data, &params(ClassWeight::Given(vec![1.0]))).unwrap_err();
        assert!(too_short.to_string().contains("class_weight has length 1"), "{too_short}");
    }
}
