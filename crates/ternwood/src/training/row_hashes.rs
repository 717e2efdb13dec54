//! Hashes of whole rows, column by column.

use crate::dataset::{Column, mix};
use std::ops::Range;

/// Hashes blocks of consecutive rows.
///
/// Every cell is multiplied by an odd number of its column, and the products of a row are added and
/// scattered. So columns can be taken one after the other, which is fast in either memory order.
pub(super) struct RowHashes {
    multipliers: Vec<u64>,
}

/// The range and the gaps of a column, in a block of rows.
pub(super) struct ColumnValues {
    pub(super) range: [f64; 2],
    pub(super) missing: u64,
}

impl ColumnValues {
    pub(super) const NONE: Self = Self { range: [f64::INFINITY, f64::NEG_INFINITY], missing: 0 };
}

impl RowHashes {
    /// For rows with this many features.
    pub(super) fn new(n_features: usize) -> Self {
        Self { multipliers: (0..=n_features as u64).map(|column| mix(column) | 1).collect() }
    }

    /// Adds the cells of one column to the sums of the rows, and notes their values. Rows whose
    /// count is 0 are passed over.
    #[inline]
    pub(super) fn add_column(
        &self,
        feature: usize,
        (column, rows): (Column<'_>, Range<usize>),
        count_of: impl Fn(usize) -> u64,
        sums: &mut [u64],
        values: &mut ColumnValues,
    ) {
        let multiplier = self.multipliers[feature];
        let ([mut low, mut high], mut missing) = (values.range, values.missing);
        for (index, (value, sum)) in column.of(rows).zip(sums).enumerate() {
            let count = count_of(index);
            // One zero, and one NaN for all.
            let value = if count == 0 { f64::NAN } else { value + 0.0 };
            let bits = if value.is_nan() { f64::NAN } else { value }.to_bits();
            // Small whole numbers have all their bits in the upper half.
            *sum = sum.wrapping_add((bits ^ (bits >> 32)).wrapping_mul(multiplier));
            low = if value < low { value } else { low };
            high = if value > high { value } else { high };
            missing += if value.is_nan() { count } else { 0 };
        }
        *values = ColumnValues { range: [low, high], missing };
    }

    /// The hash of a row of this class, from the sum of its cells.
    #[inline]
    pub(super) fn hash(&self, sum: u64, class: u32) -> u64 {
        let multiplier = self.multipliers[self.multipliers.len() - 1];
        let sum = sum.wrapping_add(u64::from(class).wrapping_mul(multiplier));
        mix(sum) >> (u64::BITS - super::RowSketch::BITS)
    }
}
