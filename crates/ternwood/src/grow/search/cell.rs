//! What histograms add up: rows and their weight.

use crate::dataset::RowWeights;
use crate::grow::training::Training;
use std::ops::{AddAssign, SubAssign};

/// A number of rows and their sample weight. Sums are exact.
pub(in crate::grow) trait Cell:
    Copy + Default + PartialEq + Send + Sync + AddAssign + SubAssign + std::fmt::Debug
{
    /// What the cells of single rows are made of.
    type Weights<'a>: Copy + Send + Sync;

    /// The weights of a training set that has such cells.
    fn weights<'a>(training: &'a Training<'_>) -> Self::Weights<'a>;

    /// The weight of one row.
    type OfRow: Copy + Default + Send + Sync + std::fmt::Debug;

    fn weight_of(weights: Self::Weights<'_>, row: u32) -> Self::OfRow;

    /// The cell of one row.
    fn of(weight: Self::OfRow) -> Self;

    /// The cell of one row.
    #[inline(always)]
    fn of_row(weights: Self::Weights<'_>, row: u32) -> Self {
        Self::of(Self::weight_of(weights, row))
    }

    fn rows(self) -> u32;
    fn weight(self) -> f64;
}

/// Anything with a weight.
pub(in crate::grow) trait Weighed: Copy {
    fn of(self) -> f64;
}

impl Weighed for f64 {
    #[inline(always)]
    fn of(self) -> f64 {
        self
    }
}

impl<T: Cell> Weighed for T {
    #[inline(always)]
    fn of(self) -> f64 {
        self.weight()
    }
}

/// Rows that all have weight 1.
impl Cell for u32 {
    type Weights<'a> = ();
    type OfRow = ();

    fn weights(_: &Training<'_>) {}

    fn weight_of((): (), _: u32) {}

    #[inline(always)]
    fn of((): ()) -> Self {
        1
    }

    #[inline(always)]
    fn rows(self) -> u32 {
        self
    }

    #[inline(always)]
    fn weight(self) -> f64 {
        f64::from(self)
    }
}

/// Rows with whole weights whose total is below 2^32. Both sums in one word: one addition.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::grow) struct WholeCell(u64);

impl Cell for WholeCell {
    type Weights<'a> = &'a [u32];
    type OfRow = u32;

    fn weights<'a>(training: &'a Training<'_>) -> &'a [u32] {
        match training.weights() {
            RowWeights::Whole(times) => times,
            _ => unreachable!("these cells are for whole weights"),
        }
    }

    #[inline(always)]
    fn weight_of(times: &[u32], row: u32) -> u32 {
        times[row as usize]
    }

    #[inline(always)]
    fn of(times: u32) -> Self {
        Self(1 << 32 | u64::from(times))
    }

    #[inline(always)]
    fn rows(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    fn weight(self) -> f64 {
        f64::from(self.0 as u32)
    }
}

impl AddAssign for WholeCell {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl SubAssign for WholeCell {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

/// Rows with any weights, on the grid of [`RowWeights`](crate::dataset::RowWeights).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::grow) struct RealCell {
    weight: f64,
    rows: u32,
}

impl RealCell {
    pub(in crate::grow) fn new(rows: u32, weight: f64) -> Self {
        Self { weight, rows }
    }
}

impl Cell for RealCell {
    type Weights<'a> = &'a [f64];
    type OfRow = f64;

    fn weights<'a>(training: &'a Training<'_>) -> &'a [f64] {
        match training.weights() {
            RowWeights::Given { weights, .. } => weights,
            _ => unreachable!("these cells are for real weights"),
        }
    }

    #[inline(always)]
    fn weight_of(weights: &[f64], row: u32) -> f64 {
        weights[row as usize]
    }

    #[inline(always)]
    fn of(weight: f64) -> Self {
        Self { weight, rows: 1 }
    }

    #[inline(always)]
    fn rows(self) -> u32 {
        self.rows
    }

    #[inline(always)]
    fn weight(self) -> f64 {
        self.weight
    }
}

impl AddAssign for RealCell {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.weight += other.weight;
        self.rows += other.rows;
    }
}

impl SubAssign for RealCell {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.weight -= other.weight;
        self.rows -= other.rows;
    }
}
