//! What histograms add up per class: rows and their weight.

use super::{ClassColumn, Classes};
use crate::dataset::RowWeights;
use crate::grow::target::Cell;
use std::ops::{AddAssign, SubAssign};

/// The class and the weight of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClassOf<W> {
    class: u32,
    weight: W,
}

/// Rows that all have weight 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct UnitCell(u32);

#[cfg(test)]
impl UnitCell {
    pub(super) fn of_rows(rows: u32) -> Self {
        Self(rows)
    }
}

impl Cell for UnitCell {
    type Target = Classes;
    type Rows<'a> = &'a [u32];
    type OfRow = u32;

    fn rows<'a>(column: &'a ClassColumn, _: &'a RowWeights) -> &'a [u32] {
        &column.classes
    }

    #[inline(always)]
    fn of_row(classes: &[u32], row: u32) -> u32 {
        classes[row as usize]
    }

    #[inline(always)]
    fn row(class: u32) -> (u32, f64) {
        (class, 1.0)
    }

    #[inline(always)]
    fn weighed(class: u32, _: f64) -> (u32, u64) {
        (class, 1)
    }

    #[inline(always)]
    fn count(histogram: &mut [Self], bin: usize, n_classes: usize, class: u32) {
        histogram[bin * n_classes + class as usize].0 += 1;
    }

    #[inline(always)]
    fn n_rows(self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        f64::from(self.0)
    }
}

impl AddAssign for UnitCell {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl SubAssign for UnitCell {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

/// Rows with whole weights whose total is below 2^32. Both sums in one word: one addition.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WholeCell(u64);

impl Cell for WholeCell {
    type Target = Classes;
    type Rows<'a> = (&'a [u32], &'a [u32]);
    type OfRow = ClassOf<u32>;

    fn rows<'a>(column: &'a ClassColumn, weights: &'a RowWeights) -> (&'a [u32], &'a [u32]) {
        match weights {
            RowWeights::Whole(times) => (&column.classes, times),
            _ => unreachable!("these cells are for whole weights"),
        }
    }

    #[inline(always)]
    fn of_row((classes, times): (&[u32], &[u32]), row: u32) -> ClassOf<u32> {
        ClassOf { class: classes[row as usize], weight: times[row as usize] }
    }

    #[inline(always)]
    fn row(of_row: ClassOf<u32>) -> (u32, f64) {
        (of_row.class, f64::from(of_row.weight))
    }

    #[inline(always)]
    fn weighed(of_row: ClassOf<u32>, _: f64) -> (u32, u64) {
        (of_row.class, of_row.weight.into())
    }

    #[inline(always)]
    fn count(histogram: &mut [Self], bin: usize, n_classes: usize, of_row: ClassOf<u32>) {
        let cell = &mut histogram[bin * n_classes + of_row.class as usize];
        cell.0 += 1 << 32 | u64::from(of_row.weight);
    }

    #[inline(always)]
    fn n_rows(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    fn sum(self) -> f64 {
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
pub(crate) struct RealCell {
    weight: f64,
    rows: u32,
}

impl RealCell {
    pub(crate) fn new(rows: u32, weight: f64) -> Self {
        Self { weight, rows }
    }
}

impl Cell for RealCell {
    type Target = Classes;
    type Rows<'a> = (&'a [u32], &'a [f64]);
    type OfRow = ClassOf<f64>;

    fn rows<'a>(column: &'a ClassColumn, weights: &'a RowWeights) -> (&'a [u32], &'a [f64]) {
        match weights {
            RowWeights::Given { weights, .. } => (&column.classes, weights),
            _ => unreachable!("these cells are for real weights"),
        }
    }

    #[inline(always)]
    fn of_row((classes, weights): (&[u32], &[f64]), row: u32) -> ClassOf<f64> {
        ClassOf { class: classes[row as usize], weight: weights[row as usize] }
    }

    #[inline(always)]
    fn row(of_row: ClassOf<f64>) -> (u32, f64) {
        (of_row.class, of_row.weight)
    }

    #[inline(always)]
    fn weighed(of_row: ClassOf<f64>, unit: f64) -> (u32, u64) {
        (of_row.class, (of_row.weight / unit) as u64)
    }

    #[inline(always)]
    fn count(histogram: &mut [Self], bin: usize, n_classes: usize, of_row: ClassOf<f64>) {
        let cell = &mut histogram[bin * n_classes + of_row.class as usize];
        *cell += Self { weight: of_row.weight, rows: 1 };
    }

    #[inline(always)]
    fn n_rows(self) -> u32 {
        self.rows
    }

    #[inline(always)]
    fn sum(self) -> f64 {
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
