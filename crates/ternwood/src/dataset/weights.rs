//! Weights on a grid on which sums are exact, and sums of real numbers that no order changes.

use super::check_length;
use crate::error::{ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// Checks that there is one weight per row, that all are finite and not negative, and that one is
/// positive.
pub(super) fn check(weights: &[f64], n_rows: usize) -> Result<()> {
    check_each(weights, n_rows)?;
    if weights.iter().all(|&w| w == 0.0) {
        return Err(ErrorKind::WeightsAllZero { rows: weights.len() }.into());
    }
    Ok(())
}

/// Checks that there is one weight per row, and that all are finite and not negative.
pub(crate) fn check_each(weights: &[f64], n_rows: usize) -> Result<()> {
    check_length("the list of sample weights", weights.len(), n_rows, "one per row")?;
    match weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        Some(row) => Err(ErrorKind::Weight { row, value: weights[row] }.into()),
        None => Ok(()),
    }
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

/// What the grid of some weights depends on. Parts merge to the whole, in any order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct WeightNotes {
    all_one: bool,
    /// The total, if all are whole numbers and it is below 2^32.
    whole: Option<u32>,
    largest: f64,
}

impl WeightNotes {
    /// Of weights that must have passed [`check_each`]; without weights, every row counts once.
    pub(crate) fn of(weights: Option<&[f64]>, n_rows: usize) -> Self {
        let Some(weights) = weights else {
            let whole = u32::try_from(n_rows).ok();
            return Self { all_one: true, whole, largest: if n_rows > 0 { 1.0 } else { 0.0 } };
        };
        Self {
            all_one: weights.iter().all(|&weight| weight == 1.0),
            whole: whole_total(weights),
            largest: weights.iter().copied().fold(0.0, f64::max),
        }
    }

    pub(crate) fn merged(self, other: Self) -> Self {
        Self {
            all_one: self.all_one && other.all_one,
            whole: self.whole.zip(other.whole).and_then(|(one, other)| one.checked_add(other)),
            largest: self.largest.max(other.largest),
        }
    }

    /// True if some weight is positive.
    pub(crate) fn any_positive(self) -> bool {
        self.largest > 0.0
    }

    /// The grid, if the weights themselves decide it; else it takes their [`total`](Self::total).
    pub(crate) fn grid(self) -> Option<WeightGrid> {
        match self {
            Self { all_one: true, .. } => Some(WeightGrid::Unit),
            Self { whole: Some(_), .. } => Some(WeightGrid::Whole),
            _ => None,
        }
    }

    /// The total of some of the weights, in units of the largest of all, exactly.
    pub(crate) fn total(self, weights: &[f64]) -> ExactSum {
        let down = power_of_two(-exponent(self.largest));
        let mut total = ExactSum::default();
        weights.iter().for_each(|&weight| total.add(weight * down, 1));
        total
    }

    /// The grid that leaves 53 bits for the total of all weights.
    pub(crate) fn grid_for(self, total: ExactSum) -> WeightGrid {
        // Scaling by powers of two is exact. `total` is that of weights near 1, so that nothing
        // overflows. One bit of slack for the rounding of `total` and of the weights themselves.
        let grid = exponent(total.value()) + 2 - 53;
        // Only ratios of weights matter, so extreme weights are rescaled: within these bounds
        // neither sums nor products with class weights overflow or vanish.
        let up = power_of_two(exponent(self.largest).clamp(-600, 600));
        WeightGrid::Real { down: power_of_two(-exponent(self.largest)), grid, up }
    }
}

/// The grid of some weights, as plain data: parts of the rows share it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum WeightGrid {
    /// Every row counts once.
    Unit,
    /// Every row counts a whole number of times.
    Whole,
    /// Multiples of a power of two.
    Real {
        /// Brings the largest weight near 1.
        down: f64,
        /// The binary exponent of the spacing, after that.
        grid: i32,
        /// Back to the size of the weights.
        up: f64,
    },
}

impl WeightGrid {
    /// The spacing.
    pub(crate) fn unit(self) -> f64 {
        match self {
            Self::Unit | Self::Whole => 1.0,
            Self::Real { grid, up, .. } => power_of_two(grid) * up,
        }
    }
}

impl RowWeights {
    /// Rounds weights to the grid. `weights` must have passed [`check`].
    pub(crate) fn new(weights: Option<&[f64]>) -> Self {
        let Some(given) = weights else { return Self::Unit };
        let notes = WeightNotes::of(weights, given.len());
        let grid = notes.grid().unwrap_or_else(|| notes.grid_for(notes.total(given)));
        Self::on(grid, weights, given.len())
    }

    /// The weights of `n_rows` rows on a grid that they share with others.
    pub(crate) fn on(grid: WeightGrid, weights: Option<&[f64]>, n_rows: usize) -> Self {
        let of_rows = |round: &dyn Fn(f64) -> f64| match weights {
            Some(weights) => weights.iter().map(|&weight| round(weight)).collect(),
            None => vec![round(1.0); n_rows],
        };
        match grid {
            WeightGrid::Unit => Self::Unit,
            WeightGrid::Whole => {
                let times = of_rows(&|weight| weight);
                Self::Whole(times.into_iter().map(|weight| weight as u32).collect())
            }
            WeightGrid::Real { down, grid: spacing, up } => {
                let (to_grid, from_grid) = (power_of_two(-spacing), power_of_two(spacing));
                let round =
                    |weight: f64| (weight * down * to_grid).round_ties_even() * from_grid * up;
                Self::Given { weights: of_rows(&round), unit: grid.unit() }
            }
        }
    }

    /// From multiples of the spacing.
    pub(crate) fn from_units(grid: WeightGrid, units: Vec<u64>) -> Self {
        match grid {
            WeightGrid::Unit => Self::Unit,
            WeightGrid::Whole => Self::Whole(units.into_iter().map(|n| n as u32).collect()),
            WeightGrid::Real { .. } => {
                let unit = grid.unit();
                Self::Given { weights: units.into_iter().map(|n| n as f64 * unit).collect(), unit }
            }
        }
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

/// The total of weights that are whole numbers, if they are and it is below 2^32.
fn whole_total(weights: &[f64]) -> Option<u32> {
    weights.iter().try_fold(0, |total: u32, &weight| {
        let times = weight as u32;
        if f64::from(times) == weight { total.checked_add(times) } else { None }
    })
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

/// A sum of numbers in `[0, 4)`, each times an integer, as a multiple of `2^-73`.
///
/// The integers may add up to `2^53` without overflowing 128 bits. An `f64` has 53 significant
/// bits, so numbers above `2^-20` are exact; smaller ones are off by at most `2^-74`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ExactSum(u128);

const FRACTION_BITS: i32 = 73;

impl ExactSum {
    /// Adds `times` times `value`.
    #[inline]
    pub(crate) fn add(&mut self, value: f64, times: u64) {
        debug_assert!((0.0..4.0).contains(&value), "{value} does not fit the grid");
        const MANTISSA: u64 = (1 << 52) - 1;
        // Adding 0 turns -0.0 into 0.0.
        let bits = (value + 0.0).to_bits();
        // Subnormal numbers are far below the grid, so their missing hidden bit does not matter.
        let mantissa = u128::from(bits & MANTISSA | (MANTISSA + 1));
        // value = mantissa * 2^(exponent - 52) = mantissa * 2^shift * 2^-73
        let shift = ((bits >> 52) as i32 - 1023) - 52 + FRACTION_BITS;
        let on_grid = if shift >= 0 {
            mantissa << shift
        } else if shift >= -53 {
            // Rounded half up.
            ((mantissa >> (-shift - 1)) + 1) >> 1
        } else {
            0
        };
        self.0 += on_grid * u128::from(times);
    }

    /// The sum of both.
    pub(crate) fn merged(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The sum, rounded once.
    pub(crate) fn value(self) -> f64 {
        self.0 as f64 * 2f64.powi(-FRACTION_BITS)
    }
}

/// Count, sum and sum of squares of numbers in `[0, 2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Moments {
    times: u64,
    first: ExactSum,
    second: ExactSum,
}

impl Moments {
    /// Adds `times` times `value`.
    #[inline]
    pub(crate) fn add(&mut self, value: f64, times: u64) {
        self.times += times;
        self.first.add(value, times);
        self.second.add(value * value, times);
    }

    /// Those of both.
    pub(crate) fn merged(self, other: Self) -> Self {
        Self {
            times: self.times.saturating_add(other.times),
            first: self.first.merged(other.first),
            second: self.second.merged(other.second),
        }
    }

    /// The number of values, their sum and the sum of their squares.
    pub(crate) fn sums(&self) -> [f64; 3] {
        [self.times as f64, self.first.value(), self.second.value()]
    }
}

/// The largest power of two up to a positive `x`, but at least the smallest normal number.
pub(crate) fn binade(x: f64) -> f64 {
    const EXPONENT: u64 = f64::INFINITY.to_bits();
    f64::from_bits(x.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    fn sum(values: impl IntoIterator<Item = (f64, u64)>) -> ExactSum {
        values.into_iter().fold(ExactSum::default(), |mut sum, (value, times)| {
            sum.add(value, times);
            sum
        })
    }

    #[test]
    fn single_numbers_come_back() {
        for value in [0.0, 1.0, 0.1, 3.999_999, 2f64.powi(-20), 1.5 * 2f64.powi(-73)] {
            // 1.5 grid units are rounded to 2.
            let expected = if value < 1e-20 && value > 0.0 { 2f64.powi(-72) } else { value };
            assert_eq!(sum([(value, 1)]).value(), expected);
        }
        assert_eq!(sum([(f64::MIN_POSITIVE, 5), (f64::from_bits(1), 7)]).value(), 0.0);
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(sum([(-0.0, 3), (1.0, 1)]).value(), 1.0);
    }

    #[test]
    fn a_sum_that_floats_would_round_is_exact() {
        // 2^30 additions of 2^-30 + one of 2^-53, which one float sum after the other would lose.
        let total = sum([(2f64.powi(-30), 1 << 30), (2f64.powi(-53), 1 << 20)]);
        assert_eq!(total.value(), 1.0 + 2f64.powi(-33));
    }

    #[test]
    fn the_largest_total_fits() {
        let largest = 4f64.next_down();
        assert_eq!(sum([(largest, 1 << 53)]).value(), largest * 2f64.powi(53));
    }

    proptest! {
        #[test]
        fn order_and_copies_do_not_matter(values in prop::collection::vec((0.0..4.0f64, 0u64..9), 1..40)) {
            let reversed = sum(values.iter().rev().copied());
            let copies = sum(values.iter().flat_map(|&(v, times)| (0..times).map(move |_| (v, 1))));
            let plain = sum(values.iter().copied());
            prop_assert_eq!(plain, reversed);
            prop_assert_eq!(plain, copies);
            let float: f64 = values.iter().map(|&(v, times)| v * times as f64).sum();
            // Forty products of at most 32 round to within forty times their last bits.
            prop_assert!((plain.value() - float).abs() <= 40.0 * 2048.0 * f64::EPSILON);
        }
    }
}
