//! The rows to predict, in whatever order they lie in memory.

use crate::dataset::{Columns, all_finite, default_feature_name, rows_of};
use crate::error::{ErrorKind, Result};
use std::ops::Range;

/// A view of rows to predict, row by row or column by column.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    values: &'a [f64],
    n_rows: usize,
    n_features: usize,
    by_column: bool,
}

impl<'a> Rows<'a> {
    /// Values row by row (C order).
    ///
    /// # Errors
    /// A length that is not a multiple of `n_features`, or no features.
    pub fn row_major(values: &'a [f64], n_features: usize) -> Result<Self> {
        let n_rows = rows_of(values.len(), n_features)?;
        Ok(Self { values, n_rows, n_features, by_column: false })
    }

    /// Values column by column (Fortran order).
    ///
    /// # Errors
    /// A length that is not a multiple of `n_features`, or no features.
    pub fn column_major(values: &'a [f64], n_features: usize) -> Result<Self> {
        let n_rows = rows_of(values.len(), n_features)?;
        Ok(Self { values, n_rows, n_features, by_column: true })
    }

    /// How many rows there are.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// How many columns there are.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// The values of some rows, row by row; `buffer` is used only if they lie otherwise.
    ///
    /// # Errors
    /// A value that is NaN or infinite, with its row and its column.
    pub(super) fn block<'b>(
        &self,
        rows: Range<usize>,
        buffer: &'b mut Vec<f64>,
    ) -> Result<&'b [f64]>
    where
        'a: 'b,
    {
        let first_row = rows.start;
        let block: &'b [f64] = if self.by_column {
            buffer.clear();
            buffer.resize(rows.len() * self.n_features, 0.0);
            for feature in 0..self.n_features {
                let column = &self.values[feature * self.n_rows..][..self.n_rows];
                for (target, &value) in
                    buffer[feature..].iter_mut().step_by(self.n_features).zip(&column[rows.clone()])
                {
                    *target = value;
                }
            }
            buffer
        } else {
            &self.values[rows.start * self.n_features..rows.end * self.n_features]
        };
        if !all_finite(block)
            && let Some(at) = block.iter().position(|value| !value.is_finite())
        {
            let column_index = at % self.n_features;
            return Err(ErrorKind::NotFinite {
                column: default_feature_name(column_index),
                column_index,
                row: first_row + at / self.n_features,
                value: block[at],
            }
            .into());
        }
        Ok(block)
    }
}

impl<'a> From<&'a Columns> for Rows<'a> {
    fn from(columns: &'a Columns) -> Self {
        Self {
            values: columns.values(),
            n_rows: columns.n_rows(),
            n_features: columns.n_features(),
            by_column: true,
        }
    }
}
