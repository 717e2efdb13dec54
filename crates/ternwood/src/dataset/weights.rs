//! Row weights whose sums do not depend on the order of addition.

use super::check_length;
use super::exact_sum::ExactSum;
use crate::error::{ErrorKind, Result};

/// Checks that there is one weight per row, that all are finite and not negative, and that one is
/// positive.
pub(super) fn check(weights: &[f64], n_rows: usize) -> Result<()> {
    check_length("the list of sample weights", weights.len(), n_rows, "one per row")?;
    if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        return Err(ErrorKind::Weight { row, value: weights[row] }.into());
    }
    if weights.iter().all(|&w| w == 0.0) {
        return Err(ErrorKind::WeightsAllZero { rows: weights.len() }.into());
    }
    Ok(())
}

/// The weight of every row, rounded to a grid on which `f64` addition is exact.
///
/// All weights are multiples of one power of two, and their total is below 2^53 multiples, so
/// every partial sum is exact. Sums have the same bits for any order of addition, any number
/// of threads, and weight k or k copies. Integer weights with a total below 2^52 are on the
/// grid already; others are rounded to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RowWeights {
    /// Every row counts once.
    Unit,
    /// Every row counts a whole number of times, fewer than 2^32 in total.
    Whole(Vec<u32>),
    /// One weight per row, all of them multiples of `unit`, a power of two.
    Given {
        /// The weights.
        weights: Vec<f64>,
        /// The spacing of the grid.
        unit: f64,
    },
}

impl RowWeights {
    /// Rounds weights to the grid. `weights` must have passed [`check`].
    pub(crate) fn new(weights: Option<&[f64]>) -> Self {
        let Some(weights) = weights else { return Self::Unit };
        if weights.iter().all(|&w| w == 1.0) {
            return Self::Unit;
        }
        if let Some(times) = whole(weights) {
            return Self::Whole(times);
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        // Scaling by powers of two is exact. First bring the largest weight near 1, so that
        // nothing overflows, then find the grid that leaves 53 bits for the total.
        let down = power_of_two(-exponent(largest));
        let scaled: Vec<f64> = weights.iter().map(|w| w * down).collect();
        let mut total = ExactSum::default();
        scaled.iter().for_each(|&weight| total.add(weight, 1));
        // One bit of slack for the rounding of `total` and of the weights themselves.
        let grid = exponent(total.value()) + 2 - 53;
        let (to_grid, from_grid) = (power_of_two(-grid), power_of_two(grid));
        // Only ratios of weights matter, so extreme weights are rescaled: within these bounds
        // neither sums nor products with class weights overflow or vanish.
        let up = power_of_two(exponent(largest).clamp(-600, 600));
        let rounded =
            scaled.iter().map(|w| (w * to_grid).round_ties_even() * from_grid * up).collect();
        Self::Given { weights: rounded, unit: from_grid * up }
    }

    /// The weights of some rows, on the same grid.
    pub(crate) fn of_rows(&self, rows: &[u32]) -> Self {
        match self {
            Self::Unit => Self::Unit,
            Self::Whole(times) => {
                Self::Whole(rows.iter().map(|&row| times[row as usize]).collect())
            }
            Self::Given { weights, unit } => Self::Given {
                weights: rows.iter().map(|&row| weights[row as usize]).collect(),
                unit: *unit,
            },
        }
    }

    /// The weight of one row.
    #[inline]
    pub(crate) fn of(&self, row: usize) -> f64 {
        match self {
            Self::Unit => 1.0,
            Self::Whole(times) => f64::from(times[row]),
            Self::Given { weights, .. } => weights[row],
        }
    }

    /// The weight of one row as an integer multiple of the grid spacing.
    #[inline]
    pub(crate) fn times(&self, row: usize) -> u64 {
        match self {
            Self::Unit => 1,
            Self::Whole(times) => times[row].into(),
            Self::Given { weights, unit } => (weights[row] / unit) as u64,
        }
    }

    /// The spacing of the grid.
    pub(crate) fn unit(&self) -> f64 {
        match self {
            Self::Unit | Self::Whole(_) => 1.0,
            Self::Given { unit, .. } => *unit,
        }
    }
}

/// Weights as whole numbers, if they are and their total is below 2^32.
fn whole(weights: &[f64]) -> Option<Vec<u32>> {
    let mut total = 0u64;
    let mut times = Vec::with_capacity(weights.len());
    for &weight in weights {
        let time = weight as u32;
        if f64::from(time) != weight {
            return None;
        }
        total += u64::from(time);
        times.push(time);
    }
    (total <= u64::from(u32::MAX)).then_some(times)
}

/// The binary exponent `e` with `2^e <= value < 2^(e+1)`, for a positive normal value; below
/// that, the smallest normal exponent.
fn exponent(value: f64) -> i32 {
    ((value.to_bits() >> 52) as i32 - 1023).max(-1022)
}

/// `2^e`, with `e` clamped to the exponents of normal numbers.
fn power_of_two(e: i32) -> f64 {
    f64::from_bits((e.clamp(-1022, 1023) + 1023) as u64 * (1 << 52))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(weights: &[f64]) -> Vec<f64> {
        match RowWeights::new(Some(weights)) {
            RowWeights::Unit => vec![1.0; weights.len()],
            RowWeights::Whole(times) => times.into_iter().map(f64::from).collect(),
            RowWeights::Given { weights, .. } => weights,
        }
    }

    #[test]
    fn integers_stay_as_they_are() {
        for weights in
            [vec![1.0, 2.0, 3.0], vec![0.0, 7.0, 2f64.powi(31)], vec![2f64.powi(50), 1.0]]
        {
            assert_eq!(given(&weights), weights);
        }
    }

    #[test]
    fn sums_of_fractions_do_not_depend_on_the_order() {
        let weights: Vec<f64> = (1..2000).map(|i| 1.0 / f64::from(i)).collect();
        let rounded = given(&weights);
        let forward: f64 = rounded.iter().sum();
        let backward: f64 = rounded.iter().rev().sum();
        assert_eq!(forward, backward);
        for (w, r) in weights.iter().zip(&rounded) {
            // The grid leaves 51 bits below the total, which is 8.2 here.
            assert!((w - r).abs() <= 16.0 * 2f64.powi(-52), "{w} became {r}");
        }
    }

    #[test]
    fn the_grid_does_not_depend_on_the_order_of_rows() {
        // Added from left to right these make 1 and 0.9999999999999999: two binades.
        let forward = [0.1, 0.2, 0.3, 0.4];
        let backward = [0.4, 0.3, 0.2, 0.1];
        assert_ne!(forward.iter().sum::<f64>(), backward.iter().sum::<f64>());
        let mut reversed = given(&backward);
        reversed.reverse();
        assert_eq!(given(&forward), reversed);
    }

    #[test]
    fn the_largest_and_the_smallest_numbers_survive() {
        for unit in [f64::MAX / 4.0, f64::MIN_POSITIVE] {
            let weights = given(&[unit, 2.0 * unit, 0.0]);
            assert!((weights[0] + weights[1]).is_normal(), "{weights:?}");
            assert_eq!(weights[1] / weights[0], 2.0);
            assert_eq!(weights[2], 0.0);
        }
    }

    #[test]
    fn weights_are_checked_by_row() {
        assert!(matches!(
            check(&[1.0, -2.0], 2).unwrap_err().kind(),
            ErrorKind::Weight { row: 1, .. }
        ));
        assert!(matches!(
            check(&[f64::NAN], 1).unwrap_err().kind(),
            ErrorKind::Weight { row: 0, .. }
        ));
        assert!(check(&[0.0, 0.0], 2).is_err());
        assert!(check(&[0.0, 0.5], 2).is_ok());
    }
}
