//! The values of rows: borrowed in either memory order, owned by column, and the value that stands for an
//! unparseable one.

use super::schema::{Schema, default_feature_name};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::Exec;
use std::ops::Range;

/// A borrowed matrix of feature values, row-major or column-major.
///
/// A value is a number, the id of a category, NaN where it is missing, or
/// [`UNKNOWN`](crate::UNKNOWN) where it cannot be read. Infinite values are reported when the matrix
/// is used, with row and column.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    values: &'a [f64],
    n_rows: usize,
    n_features: usize,
    by_column: bool,
}

/// Values checked per task.
const VALUES_PER_CHECK: usize = 1 << 18;

/// Rows checked per task, where columns are told apart.
const ROWS_PER_CHECK: usize = 1 << 14;

/// Marks the columns of rows that have a missing value. Returns true if a value is infinite.
fn note_missing(rows: &[f64], missing: &mut [bool]) -> bool {
    // Sums without branches: the compiler vectorises them. 0 times NaN or infinity is NaN.
    let n_features = missing.len();
    let (mut not_finite, mut not_missing) = (vec![0.0; n_features], vec![0.0; n_features]);
    for row in rows.chunks_exact(n_features) {
        let sums = not_finite.iter_mut().zip(&mut not_missing);
        for ((all, present), &value) in sums.zip(row) {
            *all += 0.0 * value;
            *present += if value.is_nan() { 0.0 } else { 0.0 * value };
        }
    }
    let has_infinite = not_missing.iter().any(|sum: &f64| sum.is_nan());
    missing.iter_mut().zip(not_finite).for_each(|(missing, sum): (_, f64)| *missing = sum.is_nan());
    has_infinite
}

impl<'a> Matrix<'a> {
    /// Values in row-major (C) order: 14 values of 7 features are 2 rows.
    ///
    /// # Errors
    /// A length that is not a multiple of `n_features`, or no features.
    pub fn row_major(values: &'a [f64], n_features: usize) -> Result<Self> {
        let n_rows = rows_of(values.len(), n_features)?;
        Ok(Self { values, n_rows, n_features, by_column: false })
    }

    /// All values, in memory order.
    pub(super) fn values(&self) -> &'a [f64] {
        self.values
    }

    /// True for column-major order.
    pub(super) fn is_by_column(&self) -> bool {
        self.by_column
    }

    /// No rows.
    pub(crate) fn empty(n_features: usize) -> Self {
        Self { values: &[], n_rows: 0, n_features, by_column: false }
    }

    /// Values in column-major (Fortran) order.
    ///
    /// # Errors
    /// A length that is not a multiple of `n_features`, or no features.
    pub fn column_major(values: &'a [f64], n_features: usize) -> Result<Self> {
        Ok(Self { by_column: true, ..Self::row_major(values, n_features)? })
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

    /// The value of a feature in a row.
    ///
    /// # Panics
    /// If there is no such row or feature.
    #[must_use]
    pub fn value(&self, row: usize, feature: usize) -> f64 {
        self.column(feature as u32).at(row)
    }

    /// The values of one feature.
    pub(crate) fn column(&self, feature: u32) -> Column<'a> {
        let feature = feature as usize;
        if self.by_column {
            let values = &self.values[feature * self.n_rows..][..self.n_rows];
            Column { values, step: 1, origins: None }
        } else {
            let values = self.values.get(feature..).unwrap_or(&[]);
            Column { values, step: self.n_features, origins: None }
        }
    }

    /// The values of one row, as training sees them.
    pub(crate) fn trained_row(&self, row: usize) -> Vec<f64> {
        let value = |feature: usize| as_trained(self.column(feature as u32).at(row));
        (0..self.n_features).map(value).collect()
    }

    /// Which columns have missing values; empty if none has.
    ///
    /// # Errors
    /// The first infinite value, by column, then by row.
    pub(crate) fn check_missing(&self, schema: &Schema, exec: &Exec) -> Result<Vec<bool>> {
        let parts: Vec<&[f64]> = self.values.chunks(VALUES_PER_CHECK).collect();
        if exec.map(parts, all_finite).into_iter().all(|finite| finite) {
            return Ok(Vec::new());
        }
        // In memory order: all values of a block of rows, or of a column.
        let length = if self.by_column { self.n_rows } else { ROWS_PER_CHECK * self.n_features };
        let parts: Vec<(usize, &[f64])> = self.values.chunks(length.max(1)).enumerate().collect();
        let of_parts = exec.map(parts, |(part, values)| {
            let mut missing = vec![false; self.n_features];
            let has_infinite = if self.by_column {
                missing[part] = values.iter().any(|value| value.is_nan());
                values.iter().any(|value| value.is_infinite())
            } else {
                note_missing(values, &mut missing)
            };
            (missing, has_infinite)
        });
        let mut missing = vec![false; self.n_features];
        for (of_part, has_infinite) in of_parts {
            if has_infinite {
                return Err(self.first_infinite(schema));
            }
            missing.iter_mut().zip(of_part).for_each(|(all, part)| *all |= part);
        }
        Ok(missing)
    }

    #[cold]
    fn first_infinite(&self, schema: &Schema) -> Error {
        for (column_index, feature) in schema.features().iter().enumerate() {
            let mut values = self.column(column_index as u32).of(0..self.n_rows).enumerate();
            if let Some((row, value)) = values.find(|(_, value)| value.is_infinite()) {
                let column = feature.name.clone();
                return ErrorKind::NotFinite { column, column_index, row, value }.into();
            }
        }
        unreachable!("an infinite value was found")
    }

    /// Checks that the categories of these rows are ids of the schema's. Only training needs
    /// that: elsewhere any other number is a category that training did not see.
    pub(crate) fn check_categories(&self, schema: &Schema, rows: &[u32]) -> Result<()> {
        for (column_index, feature) in schema.features().iter().enumerate() {
            if feature.kind.is_number() {
                continue;
            }
            let categories = feature.kind.names().len();
            let is_id =
                |x: f64| x.is_nan() || (x >= 0.0 && x < categories as f64 && x.fract() == 0.0);
            let column = self.column(column_index as u32);
            let mut rows = rows.iter().map(|&row| row as usize);
            if let Some(row) = rows.find(|&row| !is_id(column.at(row))) {
                let (name, value) = (feature.name.clone(), column.at(row));
                return Err(ErrorKind::NoCategory { column: name, row, value, categories }.into());
            }
        }
        Ok(())
    }

    /// A block of rows; `buffer` is used only if the matrix is column-major.
    pub(crate) fn block<'b>(&self, rows: Range<usize>, buffer: &'b mut Vec<f64>) -> RowBlock<'b>
    where
        'a: 'b,
    {
        let first_row = rows.start;
        let values: &'b [f64] = if self.by_column {
            buffer.clear();
            buffer.resize(rows.len() * self.n_features, 0.0);
            for feature in 0..self.n_features {
                let column = &self.values[feature * self.n_rows..][..self.n_rows];
                let targets = buffer[feature..].iter_mut().step_by(self.n_features);
                targets.zip(&column[rows.clone()]).for_each(|(target, &value)| *target = value);
            }
            buffer
        } else {
            &self.values[rows.start * self.n_features..rows.end * self.n_features]
        };
        RowBlock { values, n_features: self.n_features, first_row }
    }
}

/// Consecutive rows, in row-major order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowBlock<'a> {
    values: &'a [f64],
    n_features: usize,
    first_row: usize,
}

impl<'a> RowBlock<'a> {
    pub(crate) fn n_rows(self) -> usize {
        self.values.len() / self.n_features
    }

    /// The values feature by feature.
    pub(crate) fn by_column(self) -> Vec<f64> {
        let n_rows = self.n_rows();
        let mut columns = vec![0.0; self.values.len()];
        for (row, values) in self.rows().enumerate() {
            let targets = columns[row..].iter_mut().step_by(n_rows);
            targets.zip(values).for_each(|(target, &value)| *target = value);
        }
        columns
    }

    pub(crate) fn rows(self) -> impl Iterator<Item = &'a [f64]> {
        self.values.chunks_exact(self.n_features)
    }

    /// Batches of `size` rows; the last one may be smaller.
    pub(crate) fn batches(self, size: usize) -> impl Iterator<Item = Self> {
        let Self { values, n_features, first_row } = self;
        let first_rows = (first_row..).step_by(size);
        let batches = values.chunks(size * n_features).zip(first_rows);
        batches.map(move |(values, first_row)| Self { values, n_features, first_row })
    }

    /// True if no value is missing.
    ///
    /// # Errors
    /// A value that is infinite, or missing unless allowed, with row and column.
    #[inline]
    pub(crate) fn is_complete(self, missing_allowed: bool) -> Result<bool> {
        if all_finite(self.values) {
            return Ok(true);
        }
        self.check_each(missing_allowed)?;
        Ok(false)
    }

    /// Returns an error with row and column if a value is infinite, or missing unless allowed.
    pub(crate) fn check(self, missing_allowed: bool) -> Result<()> {
        self.is_complete(missing_allowed).map(|_| ())
    }

    #[cold]
    fn check_each(self, missing_allowed: bool) -> Result<()> {
        let is_missing = |value: f64| value.is_nan() && !is_unknown_value(value);
        let is_bad = |&value: &f64| value.is_infinite() || (is_missing(value) && !missing_allowed);
        let Some(at) = self.values.iter().position(is_bad) else { return Ok(()) };
        let (column_index, value) = (at % self.n_features, self.values[at]);
        let (column, row) =
            (default_feature_name(column_index), self.first_row + at / self.n_features);
        Err(if value.is_nan() {
            ErrorKind::MissingValue { column, column_index, row }
        } else {
            ErrorKind::NotFinite { column, column_index, row, value }
        }
        .into())
    }
}

impl<'a> From<&'a Columns> for Matrix<'a> {
    fn from(columns: &'a Columns) -> Self {
        Self {
            values: columns.values(),
            n_rows: columns.n_rows(),
            n_features: columns.n_features(),
            by_column: true,
        }
    }
}

/// One feature of a matrix in either memory order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column<'a> {
    values: &'a [f64],
    /// Distance in `values` between consecutive rows.
    step: usize,
    /// The original row of each renumbered row.
    origins: Option<&'a [u32]>,
}

impl<'a> Column<'a> {
    /// The same feature with rows renumbered: row `i` is the original row `origins[i]`.
    pub(crate) fn renumbered(self, origins: &'a [u32]) -> Self {
        Self { origins: Some(origins), ..self }
    }

    /// The value of a row.
    #[inline]
    pub(crate) fn at(self, row: usize) -> f64 {
        let row = self.origins.map_or(row, |origins| origins[row] as usize);
        self.values[row * self.step]
    }

    /// The values of consecutive rows, which are copied into `buffer` unless they lie side by side.
    pub(crate) fn gathered<'b>(self, rows: Range<usize>, buffer: &'b mut Vec<f64>) -> &'b [f64]
    where
        'a: 'b,
    {
        if self.step == 1 && self.origins.is_none() {
            return &self.values[rows];
        }
        buffer.clear();
        buffer.extend(rows.map(|row| self.at(row)));
        buffer
    }

    /// The values of consecutive rows; only for columns that are not renumbered.
    #[inline]
    pub(crate) fn of(self, rows: Range<usize>) -> impl Iterator<Item = f64> + use<'a> {
        self.values[rows.start * self.step..].iter().step_by(self.step).take(rows.len()).copied()
    }
}

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

/// A value that is there, but that nobody could read: a cell `12?5` in a column of numbers, or a
/// category without a rank among ordered ones.
///
/// Every test is unsure about it: the row goes both ways, also where the test has learned a side for
/// missing values, and also where missing values are refused. The row is undecided, unless the verdict policy
/// judges [uncovered](crate::model::Coverage) rows like all others.
///
/// For unordered categories any id that the feature does not have means the same. Not so for ordered
/// ones: a rank beyond the list counts as beyond the last category, so give this instead.
///
/// It is a NaN with bits of its own, which survive being copied and stored, but not arithmetic. In
/// training data it counts as missing, like every NaN.
///
/// ```
/// use ternwood::tree::{Missing, Test, Zone};
/// use ternwood::{UNKNOWN, is_unknown_value};
///
/// let test = Test::new(0, Zone::crisp(127.0)?).with_missing(Missing::Left);
/// assert!(!test.is_unknown(f64::NAN) && test.is_unknown(UNKNOWN));
/// assert!(is_unknown_value(UNKNOWN) && !is_unknown_value(f64::NAN));
/// # Ok::<(), ternwood::Error>(())
/// ```
// A quiet NaN; the payload spells "unread".
pub const UNKNOWN: f64 = f64::from_bits(0x7ff8_756e_7265_6164);

/// True for [`UNKNOWN`] and no other value.
#[must_use]
#[inline]
pub fn is_unknown_value(x: f64) -> bool {
    x.to_bits() == UNKNOWN.to_bits()
}

/// A value as training sees it: missing if it is unknown.
#[inline]
pub(crate) fn as_trained(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
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
