//! The training and the test part of a fold, standardised on the training part.

use crate::error::Result;
use std::sync::Arc;
use ternwood::{Columns, Dataset};

/// One fold of a data set, ready for the engine.
#[derive(Debug, Clone)]
pub struct FoldData {
    /// The training part.
    pub train: Dataset,
    /// The test part, with the same class ids as the training part.
    pub test: Dataset,
}

impl FoldData {
    /// The number of rows of both parts.
    pub(crate) fn n_rows(&self) -> usize {
        self.train.n_rows() + self.test.n_rows()
    }

    pub(crate) fn new(data: &Dataset, train: &[usize], test: &[usize]) -> Result<Self> {
        let n_features = data.n_features();
        let mut train_values = Vec::with_capacity(train.len() * n_features);
        let mut test_values = Vec::with_capacity(test.len() * n_features);
        for feature in 0..n_features {
            let column = data.columns().column(feature);
            let scale = Scale::of(train.iter().map(|&row| column[row]));
            train_values.extend(train.iter().map(|&row| scale.apply(column[row])));
            test_values.extend(test.iter().map(|&row| scale.apply(column[row])));
        }
        let part = |values: Vec<f64>, rows: &[usize]| -> Result<Dataset> {
            let labels = rows.iter().map(|&row| data.labels()[row]).collect();
            let columns = Columns::from_columns(values, n_features)?;
            Ok(Dataset::with_schema(columns, labels, Arc::clone(data.schema()))?)
        };
        Ok(Self { train: part(train_values, train)?, test: part(test_values, test)? })
    }
}

/// `z = (x - mean) / deviation`, in the published order of operations: sums in row order,
/// population variance, constant columns divided by 1.
struct Scale {
    mean: f64,
    deviation: f64,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (mut sum, mut n) = (0.0, 0.0);
        for value in values.clone() {
            sum += value;
            n += 1.0;
        }
        let mean = sum / n;
        let squares = values.fold(0.0, |squares, value| squares + (value - mean) * (value - mean));
        let deviation = (squares / n).sqrt();
        Self { mean, deviation: if deviation == 0.0 { 1.0 } else { deviation } }
    }

    fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn a_column_gets_mean_0_and_deviation_1() {
        // Mean 4, deviations -2 0 2: population variance 8 / 3.
        let scale = Scale::of([2.0, 4.0, 6.0].into_iter());
        assert_eq!(scale.apply(4.0), 0.0);
        assert_eq!(scale.apply(6.0), 2.0 / (8.0f64 / 3.0).sqrt());
        assert_eq!(Scale::of([7.0, 7.0].into_iter()).apply(9.0), 2.0);
    }
}
