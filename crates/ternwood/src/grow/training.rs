//! Training data: rows of positive weight, exact sample weights, class weights.

use super::search::Cell;
use crate::dataset::{
    Bag, Column, DatasetView, Feature, Matrix, RowSubset, RowWeights, Schema, check_length,
};
use crate::error::{ErrorKind, Result};
use crate::recipe::{CheckedParams, ClassWeight};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The training data, without rows of weight 0.
#[derive(Debug)]
pub(crate) struct Training<'a> {
    matrix: Matrix<'a>,
    /// The matrix row of each training row; `None` if they are the same.
    origins: Option<&'a [u32]>,
    classes: &'a [u32],
    weights: Arc<RowWeights>,
    class_factors: Vec<f64>,
    rows: Vec<u32>,
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

/// Some rows of a training set that as a whole is elsewhere.
#[derive(Debug)]
pub(crate) struct TrainingPart<'a> {
    pub(crate) matrix: Matrix<'a>,
    pub(crate) classes: &'a [u32],
    /// On the grid of the whole.
    pub(crate) weights: Arc<RowWeights>,
    /// Of the whole.
    pub(crate) class_factors: Vec<f64>,
    pub(crate) columns: Arc<[ColumnKind]>,
    /// Those to go through.
    pub(crate) rows: Vec<u32>,
}

impl<'a> From<TrainingPart<'a>> for Training<'a> {
    fn from(part: TrainingPart<'a>) -> Self {
        let TrainingPart { matrix, classes, weights, class_factors, columns, rows } = part;
        Self { matrix, origins: None, classes, weights, class_factors, rows, columns }
    }
}

/// The number of rows and the sample weight of each class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) rows: Vec<u32>,
    /// Exact sums of sample weights, before class weights.
    pub(crate) counts: Vec<f64>,
}

/// A subset of the rows, renumbered so that their data is contiguous.
#[derive(Debug)]
pub(crate) struct ChosenRows<'a> {
    /// The original row numbers.
    origins: &'a [u32],
    classes: Vec<u32>,
    weights: Arc<RowWeights>,
}

impl Tally {
    pub(crate) fn empty(n_classes: usize) -> Self {
        Self { rows: vec![0; n_classes], counts: vec![0.0; n_classes] }
    }

    /// The sum of cells, class by class.
    pub(in crate::grow) fn of_cells<T: Cell>(cells: &[T], n_classes: usize) -> Self {
        let mut tally = Self::empty(n_classes);
        for cells in cells.chunks_exact(n_classes) {
            for (class, cell) in cells.iter().enumerate() {
                tally.rows[class] += cell.rows();
                tally.counts[class] += cell.weight();
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

impl<'a> Training<'a> {
    pub(crate) fn new(data: impl Into<DatasetView<'a>>, params: &CheckedParams) -> Result<Self> {
        let data = data.into();
        let weights = RowWeights::new(data.weights());
        let classes = data.labels();
        let class_factors =
            class_factors(&params.class_weight, classes, &weights, data.n_classes())?;
        let rows: Vec<u32> = (0..data.n_rows())
            .filter(|&row| weights.of(row) > 0.0 && class_factors[classes[row] as usize] > 0.0)
            .map(|row| row as u32)
            .collect();
        if rows.is_empty() {
            return Err(ErrorKind::WeightsAllZero { rows: data.n_rows() }.into());
        }
        let columns = ColumnKind::of(data.schema(), |feature| data.has_missing(feature));
        let matrix = data.matrix();
        let weights = Arc::new(weights);
        Ok(Self { matrix, origins: None, classes, weights, class_factors, rows, columns })
    }

    /// The same data, restricted to some of its rows.
    pub(crate) fn restricted_to(mut self, subset: &RowSubset) -> Result<Self> {
        let mut wanted = subset.rows.iter().copied().peekable();
        self.rows.retain(|&row| {
            while wanted.next_if(|&next| next < row).is_some() {}
            wanted.peek() == Some(&row)
        });
        self.weights = Arc::clone(subset.weights());
        if self.rows.is_empty() {
            return Err(ErrorKind::WeightsAllZero { rows: subset.rows.len() }.into());
        }
        Ok(self)
    }

    /// The same data as a bag of its rows, in which some occur several times. Class weights stay, unless they
    /// are to be balanced within every bag.
    pub(crate) fn in_bag(&self, bag: &Bag, class_weight: &ClassWeight) -> Self {
        let weights = match &*self.weights {
            RowWeights::Unit => RowWeights::Whole(bag.times().to_vec()),
            weights => {
                let weight = |(row, &times): (usize, &u32)| f64::from(times) * weights.of(row);
                let of_rows: Vec<f64> = bag.times().iter().enumerate().map(weight).collect();
                RowWeights::new(Some(&of_rows))
            }
        };
        let class_factors = match class_weight {
            ClassWeight::BalancedSubsample => {
                balanced_factors(&class_counts(self.classes, &weights, self.n_classes()))
            }
            _ => self.class_factors.clone(),
        };
        Self {
            matrix: self.matrix,
            origins: None,
            classes: self.classes,
            weights: Arc::new(weights),
            class_factors,
            rows: self.rows.iter().copied().filter(|&row| bag.contains(row)).collect(),
            columns: Arc::clone(&self.columns),
        }
    }

    pub(crate) fn n_features(&self) -> usize {
        self.matrix.n_features()
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.class_factors.len()
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

    /// The rows of positive weight, with their weights.
    pub(crate) fn all(&self) -> RowSubset {
        RowSubset::new(self.rows.clone(), Arc::clone(&self.weights))
    }

    /// The rows of positive weight, ascending.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    #[inline]
    pub(crate) fn class_of(&self, row: u32) -> u32 {
        self.classes[row as usize]
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

    /// True if every class weight is 1.
    pub(crate) fn has_unit_factors(&self) -> bool {
        self.class_factors.iter().all(|&factor| factor == 1.0)
    }

    /// The class weights.
    pub(crate) fn class_factors(&self) -> &[f64] {
        &self.class_factors
    }

    /// Selects rows.
    pub(crate) fn choose<'r>(&self, rows: &'r [u32]) -> ChosenRows<'r> {
        ChosenRows {
            origins: rows,
            classes: rows.iter().map(|&row| self.class_of(row)).collect(),
            weights: Arc::new(self.weights.of_rows(rows)),
        }
    }

    /// The training set reduced to the chosen rows. Values are not copied: few are read more than
    /// once.
    pub(crate) fn reduced_to<'c>(&self, chosen: &'c ChosenRows<'c>) -> Training<'c>
    where
        'a: 'c,
    {
        Training {
            matrix: self.matrix,
            origins: Some(chosen.origins),
            classes: &chosen.classes,
            weights: Arc::clone(&chosen.weights),
            class_factors: self.class_factors.clone(),
            rows: (0..chosen.classes.len() as u32).collect(),
            columns: Arc::clone(&self.columns),
        }
    }

    pub(crate) fn tally(&self, rows: &[u32]) -> Tally {
        let mut tally = Tally::empty(self.n_classes());
        rows.iter().for_each(|&row| tally.add(self.class_of(row), self.weight_of(row)));
        tally
    }

    /// Counts times class weights.
    pub(crate) fn weighted(&self, counts: &[f64]) -> Vec<f64> {
        counts.iter().zip(&self.class_factors).map(|(count, factor)| count * factor).collect()
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
        let training = Training::new(&data, &params(ClassWeight::Balanced)).unwrap();
        assert_eq!(training.class_factors(), [4.0 / 6.0, 2.0]);
        assert_eq!(training.weighted(&training.tally(training.rows()).counts), [2.0, 2.0]);
    }

    #[test]
    fn rows_without_weight_are_dropped() {
        let data = data(Some(&[1.0, 0.0, 2.0, 1.0]));
        let training = Training::new(&data, &params(ClassWeight::Given(vec![1.0, 0.0]))).unwrap();
        assert_eq!(training.rows(), [0, 2]);
        assert_eq!(
            training.tally(training.rows()),
            Tally { rows: vec![2, 0], counts: vec![3.0, 0.0] }
        );
        let nothing_left = Training::new(&data, &params(ClassWeight::Given(vec![0.0, 0.0])));
        assert!(nothing_left.is_err());
        let too_short = Training::new(&data, &params(ClassWeight::Given(vec![1.0]))).unwrap_err();
        assert!(too_short.to_string().contains("class_weight has length 1"), "{too_short}");
    }
}
