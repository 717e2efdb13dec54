//! Gradients and Hessians of rows as whole numbers, so that sums are exact.

/// Sums of gradients and Hessians, and the number of rows.
///
/// All are multiples of powers of two. The number of rows is in the low bits of `h`, so that rows are counted without
/// another addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(16))]
pub(super) struct Cell {
    pub(super) g: i64,
    pub(super) h: u64,
}

impl Cell {
    #[inline]
    pub(super) fn with(self, other: Self) -> Self {
        Self { g: self.g.wrapping_add(other.g), h: self.h.wrapping_add(other.h) }
    }

    #[inline]
    pub(super) fn without(self, other: Self) -> Self {
        Self { g: self.g.wrapping_sub(other.g), h: self.h.wrapping_sub(other.h) }
    }

    #[inline]
    pub(super) fn rows(self, mask: u64) -> u32 {
        (self.h & mask) as u32
    }
}

/// The gradients of all rows, output by output of each row.
pub(super) struct Gradients {
    cells: Vec<Cell>,
    n_outputs: usize,
    /// The bits of the number of rows.
    shift: u32,
    g_unit: f64,
    h_unit: f64,
}

impl Gradients {
    /// For rows with at most this total weight, and gradients and Hessians up to `largest` for a weight of 1.
    pub(super) fn new(n_rows: usize, n_outputs: usize, total_weight: f64, largest: [f64; 2]) -> Self {
        let total = total_weight.max(n_rows as f64);
        let shift = (total.log2().floor() as u32 + 1).min(31);
        let unit = |largest: f64, bits: i32| 2f64.powi(largest.log2().ceil() as i32 + total.log2().ceil() as i32 - bits);
        Self {
            cells: vec![Cell::default(); n_rows * n_outputs],
            n_outputs,
            shift,
            g_unit: unit(largest[0], 62),
            h_unit: unit(largest[1], 63 - shift as i32),
        }
    }

    pub(super) fn n_outputs(&self) -> usize {
        self.n_outputs
    }

    pub(super) fn units(&self) -> [f64; 2] {
        [self.g_unit, self.h_unit]
    }

    pub(super) fn shift(&self) -> u32 {
        self.shift
    }

    pub(super) fn count_mask(&self) -> u64 {
        (1 << self.shift) - 1
    }

    /// The gradient and the Hessian of a sum.
    #[inline]
    pub(super) fn values(&self, cell: Cell) -> [f64; 2] {
        [cell.g as f64 * self.g_unit, (cell.h >> self.shift) as f64 * self.h_unit]
    }

    /// Those of one row.
    #[inline]
    pub(super) fn of_row(&self, row: usize) -> &[Cell] {
        &self.cells[row * self.n_outputs..][..self.n_outputs]
    }

    /// A row's gradient and Hessian, each times its weight. They are rounded towards zero before they are multiplied
    /// by a whole number, so that a weight of k is the same as k copies.
    #[inline]
    pub(super) fn cell(&self, g: f64, h: f64, weight: f64) -> Cell {
        let (per_g, per_h) = (1.0 / self.g_unit, 1.0 / self.h_unit);
        let (g, h) = if weight == 1.0 {
            ((g * per_g) as i64, (h * per_h) as u64)
        } else if weight.fract() == 0.0 {
            ((g * per_g) as i64 * weight as i64, (h * per_h) as u64 * weight as u64)
        } else {
            ((weight * g * per_g) as i64, (weight * h * per_h) as u64)
        };
        Cell { g, h: (h << self.shift) | 1 }
    }

    pub(super) fn set(&mut self, row: usize, output: usize, cell: Cell) {
        self.cells[row * self.n_outputs + output] = cell;
    }

    /// The sums of some rows.
    pub(super) fn sums(&self, rows: &[u32]) -> Vec<Cell> {
        let mut sums = vec![Cell::default(); self.n_outputs];
        for &row in rows {
            sums.iter_mut().zip(self.of_row(row as usize)).for_each(|(sum, &cell)| *sum = sum.with(cell));
        }
        sums
    }

    /// Copies the cells of rows side by side.
    #[inline]
    pub(super) fn gather(&self, rows: &[u32], into: &mut Vec<Cell>) {
        into.clear();
        if self.n_outputs == 1 {
            into.extend(rows.iter().map(|&row| self.cells[row as usize]));
        } else {
            rows.iter().for_each(|&row| into.extend_from_slice(self.of_row(row as usize)));
        }
    }
}
