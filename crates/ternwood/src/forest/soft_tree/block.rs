//! Values of some rows, row by row or feature by feature.

use crate::dataset::RowBlock;

/// A block of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    values: &'a [f64],
    n_features: usize,
    /// True if no value is missing.
    is_complete: bool,
}

impl<'a> Block<'a> {
    pub(crate) fn new(values: &'a [f64], n_features: usize) -> Self {
        Self { values, n_features, is_complete: is_complete(values) }
    }

    pub(crate) fn n_rows(self) -> usize {
        self.values.len() / self.n_features
    }

    pub(super) fn is_complete(self) -> bool {
        self.is_complete
    }

    #[inline(always)]
    pub(super) fn row(self, row: u32) -> &'a [f64] {
        &self.values[row as usize * self.n_features..][..self.n_features]
    }
}

impl<'a> From<RowBlock<'a>> for Block<'a> {
    fn from(block: RowBlock<'a>) -> Self {
        Self::new(block.values(), block.n_features())
    }
}

/// The values of a block of rows, feature by feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnBlock<'a> {
    values: &'a [f64],
    pub(super) n_rows: usize,
    /// True if no value is missing.
    pub(super) is_complete: bool,
}

impl<'a> ColumnBlock<'a> {
    pub(crate) fn new(values: &'a [f64], n_rows: usize) -> Self {
        Self { values, n_rows, is_complete: is_complete(values) }
    }

    pub(super) fn column(self, feature: u32) -> &'a [f64] {
        &self.values[feature as usize * self.n_rows..][..self.n_rows]
    }
}

fn is_complete(values: &[f64]) -> bool {
    !values.iter().any(|x| x.is_nan())
}
