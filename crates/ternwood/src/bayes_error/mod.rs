//! Lower and upper bounds on the Bayes error, which no classifier can avoid.

mod flag_rate;
mod nearest;

pub use flag_rate::{ZoneScale, zone_scale_for_flag_rate};

use crate::dataset::{DatasetView, ExactSum, RowWeights};
use crate::error::{Result, parameter};
use crate::exec::Exec;
use crate::metrics::u_over_b;
use nearest::Neighbourhood;

/// An interval for the Bayes error, from nearest neighbours.
///
/// With `R` the leave-one-out error of the nearest neighbour on standardised features, and `K`
/// classes, Cover and Hart's inequality bounds the Bayes error `B` in the limit of many rows:
///
/// ```text
/// (K - 1) / K * (1 - sqrt(1 - K / (K - 1) * R))  <=  B  <=  R
/// ```
///
/// With finitely many rows the nearest neighbour is some distance away, in many dimensions far
/// away. Then `R` is too large, and the interval may lie above the truth. Always read it as an
/// interval.
///
/// - Every feature gets mean 0 and standard deviation 1; constant ones are left out.
/// - Equally near neighbours count by their share, so the order of rows does not matter. The
///   nearest neighbour of a duplicated row is its copy: data with many copies looks easier than
///   it is.
/// - Weights count in the mean error and among equally near neighbours. A row of weight 2 is
///   *not* its own neighbour, unlike two copies.
/// - All pairs of rows are compared, O(n^2 d): 10,000 rows of 40 features take about two seconds
///   on one core.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BayesError {
    /// The Cover-Hart bound.
    pub lower: f64,
    /// `R`, the leave-one-out error of the nearest neighbour.
    pub upper: f64,
}

impl BayesError {
    /// Estimates the interval from the nearest neighbour of every row.
    ///
    /// # Errors
    /// Fewer than two rows, or cancellation.
    pub fn of<'a>(data: impl Into<DatasetView<'a>>, exec: &Exec) -> Result<Self> {
        let data = data.into();
        let grid = RowWeights::new(data.weights());
        let rows: Vec<u32> =
            (0..data.n_rows()).filter(|&row| grid.of(row) > 0.0).map(|row| row as u32).collect();
        if rows.len() < 2 {
            let allowed = "2 or more: a row needs a neighbour";
            return Err(parameter("the number of rows", rows.len(), allowed));
        }
        let weights: Vec<f64> = rows.iter().map(|&row| grid.of(row as usize)).collect();
        let classes: Vec<u32> = rows.iter().map(|&row| data.labels()[row as usize]).collect();
        let neighbourhood = Neighbourhood::new(&data, &rows, &classes, &weights);
        let errors = neighbourhood.errors(exec)?;
        let mut wrong = ExactSum::default();
        for (&row, error) in rows.iter().zip(errors) {
            wrong.add(error, grid.times(row as usize));
        }
        // Weights are on a grid, and their sum is exact.
        let total = weights.iter().sum::<f64>() / grid.unit();
        Ok(Self::from_nearest_neighbour(wrong.value() / total, classes_present(&classes)))
    }

    /// An interval from elsewhere.
    #[must_use]
    pub fn new(lower: f64, upper: f64) -> Self {
        Self { lower, upper }
    }

    /// The interval for a nearest-neighbour error and a number of classes.
    ///
    /// ```
    /// use ternwood::bayes_error::BayesError;
    ///
    /// // Two classes: 1/2 * (1 - sqrt(1 - 2 * 0.18)) = 1/2 * (1 - 0.8) = 0.1.
    /// let bayes = BayesError::from_nearest_neighbour(0.18, 2);
    /// assert!((bayes.lower - 0.1).abs() < 1e-15);
    /// assert_eq!(bayes.upper, 0.18);
    /// ```
    #[must_use]
    pub fn from_nearest_neighbour(error: f64, n_classes: usize) -> Self {
        let upper = error.clamp(0.0, 1.0);
        if n_classes < 2 {
            return Self { lower: 0.0, upper };
        }
        // The error of guessing among equally frequent classes.
        let guessing = (n_classes - 1) as f64 / n_classes as f64;
        let lower = guessing * (1.0 - (1.0 - upper / guessing).max(0.0).sqrt());
        Self { lower, upper }
    }

    /// `U/B`, flags per unavoidable error, as an interval: `[u / upper, u / lower]`. An end is
    /// `None` instead of a division by zero.
    #[must_use]
    pub fn flags_per_error(&self, undecided_rate: f64) -> [Option<f64>; 2] {
        [u_over_b(undecided_rate, self.upper), u_over_b(undecided_rate, self.lower)]
    }
}

fn classes_present(classes: &[u32]) -> usize {
    let mut present = classes.to_vec();
    present.sort_unstable();
    present.dedup();
    present.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Labels};
    use crate::exec::CancelToken;

    fn of(values: &[f64], labels: &[i32], weights: Option<&[f64]>) -> Result<BayesError> {
        let columns = Columns::from_columns(values.to_vec(), 1).unwrap();
        let mut data = Dataset::new(columns, Labels::from_values(labels.to_vec())).unwrap();
        if let Some(weights) = weights {
            data = data.with_weights(weights).unwrap();
        }
        BayesError::of(&data, &Exec::default())
    }

    #[test]
    fn bounds_by_hand() {
        let bound = |error, classes| BayesError::from_nearest_neighbour(error, classes).lower;
        assert_eq!(bound(0.0, 2), 0.0);
        // Three classes: 2/3 * (1 - sqrt(1 - 3/2 * 0.5)) = 2/3 * (1 - 0.5).
        assert!((bound(0.5, 3) - 1.0 / 3.0).abs() < 1e-15);
        // Worse than guessing: no more than guessing.
        assert_eq!(bound(0.5, 2), 0.5);
        assert_eq!(bound(0.9, 2), 0.5);
        assert_eq!(bound(0.0, 1), 0.0);
    }

    #[test]
    fn weights_count_in_the_mean_and_rows_without_weight_are_gone() {
        // Nearest to 0 is 1 (other class), to 1 is 0 (other), to 5 is 6 (same), to 6 is 5.
        let (values, labels) = ([0.0, 1.0, 5.0, 6.0], [0, 1, 1, 1]);
        assert_eq!(of(&values, &labels, None).unwrap().upper, 0.5);
        // Errors of weight 3 + 1 in 3 + 1 + 4 + 8.
        let weighted = of(&values, &labels, Some(&[3.0, 1.0, 4.0, 8.0])).unwrap();
        assert_eq!(weighted.upper, 0.25);
        // Without the first row only one class is left.
        let without = of(&values, &labels, Some(&[0.0, 1.0, 1.0, 1.0])).unwrap();
        assert_eq!((without.lower, without.upper), (0.0, 0.0));
    }

    #[test]
    fn a_single_row_has_no_neighbour() {
        let error = of(&[1.0], &[0], None).unwrap_err().to_string();
        assert_eq!(error, "the number of rows is 1; allowed: 2 or more: a row needs a neighbour");
        assert!(of(&[1.0, 2.0], &[0, 1], Some(&[1.0, 0.0])).is_err());
    }

    #[test]
    fn flags_are_set_beside_both_ends() {
        let bayes = BayesError { lower: 0.1, upper: 0.2 };
        assert_eq!(bayes.flags_per_error(0.3), [Some(0.3 / 0.2), Some(0.3 / 0.1)]);
        let clean = BayesError { lower: 0.0, upper: 0.0 };
        assert_eq!(clean.flags_per_error(0.3), [None, None]);
    }

    #[test]
    fn it_can_be_stopped() {
        let columns = Columns::from_columns(vec![0.0, 1.0], 1).unwrap();
        let data = Dataset::new(columns, Labels::from_values([0, 1])).unwrap();
        let cancel = CancelToken::new();
        cancel.cancel();
        assert!(BayesError::of(&data, &Exec::default().cancelled_by(&cancel)).is_err());
    }
}
