//! Owned feature values in column-major order.

use super::matrix::Matrix;
use crate::error::{ErrorKind, Result};

/// A dense matrix of `f64`, stored column by column.
///
/// Growing scans one feature of many rows at a time, which is fast in this layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    values: Vec<f64>,
    n_rows: usize,
    n_features: usize,
}

/// Rows transposed at a time: few enough to stay in the cache.
const TILE: usize = 64;

impl Columns {
    /// Takes values in column-major (Fortran) order.
    ///
    /// # Errors
    /// A length that is not a multiple of `n_features`, or no features.
    pub fn from_columns(values: Vec<f64>, n_features: usize) -> Result<Self> {
        let n_rows = rows_of(values.len(), n_features)?;
        Ok(Self { values, n_rows, n_features })
    }

    /// Transposes values in row-major (C) order.
    ///
    /// # Errors
    /// A length that is not a multiple of `n_features`, or no features.
    pub fn from_rows(rows: &[f64], n_features: usize) -> Result<Self> {
        let n_rows = rows_of(rows.len(), n_features)?;
        Ok(Self { values: transposed(rows, n_rows, n_features), n_rows, n_features })
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The number of columns.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// All values, column by column.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values of one feature.
    ///
    /// # Panics
    /// If there is no such feature.
    #[must_use]
    pub fn column(&self, feature: usize) -> &[f64] {
        &self.values[feature * self.n_rows..][..self.n_rows]
    }

    /// The values of one row, in column order.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> Vec<f64> {
        (0..self.n_features).map(|feature| self.column(feature)[row]).collect()
    }
}

impl From<Matrix<'_>> for Columns {
    fn from(matrix: Matrix<'_>) -> Self {
        let values = matrix.values().to_vec();
        let (n_rows, n_features) = (matrix.n_rows(), matrix.n_features());
        match matrix.is_by_column() {
            true => Self { values, n_rows, n_features },
            false => Self { values: transposed(&values, n_rows, n_features), n_rows, n_features },
        }
    }
}

/// Values in row-major order, column by column.
fn transposed(rows: &[f64], n_rows: usize, n_features: usize) -> Vec<f64> {
    let mut values = vec![0.0; rows.len()];
    for (tile, rows) in rows.chunks(TILE * n_features).enumerate() {
        for (feature, column) in values.chunks_mut(n_rows).enumerate() {
            let sources = rows[feature..].iter().step_by(n_features);
            column[tile * TILE..].iter_mut().zip(sources).for_each(|(to, &from)| *to = from);
        }
    }
    values
}

/// True if no value is NaN or infinite.
pub(crate) fn all_finite(values: &[f64]) -> bool {
    // NaN and infinity have all exponent bits set: adding one to the exponent overflows into the
    // sign bit. Integer arithmetic without branches lets the compiler vectorise the loop.
    const EXPONENT: u64 = f64::INFINITY.to_bits();
    const ONE: u64 = 1 << (f64::MANTISSA_DIGITS - 1);
    let carry = |values: &[f64]| {
        values.iter().fold(0, |carry, value| carry | ((value.to_bits() & EXPONENT) + ONE))
    };
    // An early exit inside a chunk would prevent that.
    values.chunks(512).all(|chunk| carry(chunk) >> 63 == 0)
}

/// The number of rows in `n_values` values.
pub(crate) fn rows_of(n_values: usize, n_features: usize) -> Result<usize> {
    if n_features == 0 {
        return Err(ErrorKind::NoColumns.into());
    }
    if !n_values.is_multiple_of(n_features) {
        return Err(ErrorKind::Length {
            what: "the list of feature values".to_owned(),
            expected: n_values.next_multiple_of(n_features),
            found: n_values,
            reason: format!("a multiple of the {n_features} columns"),
        }
        .into());
    }
    Ok(n_values / n_features)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let (n_rows, n_features) = (3 * TILE + 70, 13);
        let rows: Vec<f64> = (0..n_rows * n_features).map(|i| i as f64).collect();
        let columns = Columns::from_rows(&rows, n_features).unwrap();
        for feature in 0..n_features {
            for row in 0..n_rows {
                assert_eq!(columns.column(feature)[row], rows[row * n_features + feature]);
            }
        }
        assert_eq!(columns.row(3), &rows[3 * n_features..4 * n_features]);
    }

    #[test]
    fn a_ragged_matrix_is_refused() {
        let error = Columns::from_rows(&[1.0, 2.0, 3.0], 2).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Length { found: 3, .. }), "{error}");
        assert!(Columns::from_columns(vec![], 0).is_err());
    }

    #[test]
    fn every_kind_of_number_is_told_from_what_is_none() {
        let numbers =
            [0.0, -0.0, 1.0, -1.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::from_bits(1)];
        let not_finite = [
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
            f64::from_bits(0x7ff0_0000_0000_0001),
            f64::from_bits(u64::MAX),
        ];
        // Longer than a chunk; the odd one first, last, at an end of a chunk.
        for at in [0, 511, 512, 1000] {
            let mut values: Vec<f64> = numbers.iter().copied().cycle().take(1001).collect();
            assert!(all_finite(&values));
            for value in not_finite {
                values[at] = value;
                assert!(!all_finite(&values), "{value} at {at}");
            }
        }
        assert!(all_finite(&[]));
    }
}
