//! Hashes of whole rows, column by column.

use super::RowSketch;
use crate::dataset::mix;

/// Hashes blocks of rows.
///
/// Both halves of every cell are multiplied by numbers of its column, and the products of a row are
/// added and scattered. So columns can be taken one after the other, several rows at a time.
pub(super) struct RowHashes {
    multipliers: Vec<[u32; 2]>,
}

impl RowHashes {
    /// For rows with this many features.
    pub(super) fn new(n_features: usize) -> Self {
        let of_column = |column: u64| {
            let bits = mix(column);
            [(bits >> 32) as u32 | 1, bits as u32 | 1]
        };
        Self { multipliers: (0..=n_features as u64).map(of_column).collect() }
    }

    /// Adds the cells of one column to the sums of the rows.
    #[inline]
    pub(super) fn add(&self, feature: usize, cells: &[f64], has_gaps: bool, sums: &mut [u64]) {
        // Adding zero takes its sign away.
        if has_gaps {
            let value = |value: f64| if value.is_nan() { f64::NAN } else { value + 0.0 };
            self.add_bits(feature, cells.iter().map(|&cell| value(cell).to_bits()), sums);
        } else {
            self.add_bits(feature, cells.iter().map(|&cell| (cell + 0.0).to_bits()), sums);
        }
    }

    #[inline]
    fn add_bits(&self, column: usize, cells: impl Iterator<Item = u64>, sums: &mut [u64]) {
        // Products of halves fit into 64 bits, and processors have vectors for them.
        let [upper, lower] = self.multipliers[column].map(u64::from);
        for (sum, bits) in sums.iter_mut().zip(cells) {
            let product = ((bits >> 32) * upper).wrapping_add(u64::from(bits as u32) * lower);
            *sum = sum.wrapping_add(product);
        }
    }

    /// The hashes of rows of these classes, from the sums of their cells.
    pub(super) fn finish(&self, classes: &[u32], sums: &mut [u64]) {
        let class = self.multipliers.len() - 1;
        self.add_bits(class, classes.iter().map(|&class| u64::from(class)), sums);
        sums.iter_mut().for_each(|sum| *sum = mix(*sum) >> (u64::BITS - RowSketch::BITS));
    }
}
