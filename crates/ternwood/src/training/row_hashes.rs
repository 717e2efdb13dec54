//! Hashes of the features of rows, column by column.

use crate::dataset::{DatasetView, FeatureKind, Schema, mix};
use std::ops::Range;

/// Hashes blocks of rows. Classes and weights take no part.
///
/// Both halves of every cell are multiplied by numbers of its column, and the products of a row are
/// added and scattered. So columns can be taken one after the other, several rows at a time.
pub(super) struct RowHashes {
    multipliers: Vec<[u32; 2]>,
    /// For every feature, what stands for its categories: hashes of their names, so that their order
    /// does not matter. Empty for numbers.
    names: Vec<Vec<u64>>,
}

/// Stands for a category without a name.
const UNNAMED: u64 = 1;

impl RowHashes {
    pub(super) fn new(schema: &Schema) -> Self {
        let of_column = |column: u64| {
            let bits = mix(column);
            [(bits >> 32) as u32 | 1, bits as u32 | 1]
        };
        let hash = |name: &String| name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
        let of_kind = |kind: &FeatureKind| kind.names().iter().map(hash).collect();
        Self {
            multipliers: (0..schema.n_features() as u64).map(of_column).collect(),
            names: schema.features().iter().map(|feature| of_kind(&feature.kind)).collect(),
        }
    }

    /// Adds the cells of one column to the sums of the rows.
    #[inline]
    pub(super) fn add(&self, feature: usize, cells: &[f64], has_gaps: bool, sums: &mut [u64]) {
        let names = &self.names[feature];
        let missing = f64::NAN.to_bits();
        // Adding zero takes its sign away.
        if !names.is_empty() {
            let named = |id: f64| match names.get(id as usize) {
                _ if id.is_nan() => missing,
                Some(&name) if id >= 0.0 => name,
                _ => UNNAMED,
            };
            self.add_bits(feature, cells.iter().map(|&cell| named(cell)), sums);
        } else if has_gaps {
            let bits = |cell: f64| if cell.is_nan() { missing } else { (cell + 0.0).to_bits() };
            self.add_bits(feature, cells.iter().map(|&cell| bits(cell)), sums);
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

    /// The hashes of rows, from the sums of their cells.
    pub(super) fn finish(sums: &mut [u64]) {
        sums.iter_mut().for_each(|sum| *sum = mix(*sum));
    }

    /// The hashes of some rows.
    pub(super) fn of_rows(data: &DatasetView<'_>, rows: Range<usize>) -> Vec<u64> {
        let (matrix, hashes) = (data.matrix(), Self::new(data.schema()));
        let (mut sums, mut column) = (vec![0; rows.len()], Vec::new());
        for (sums, first) in sums.chunks_mut(ROWS_PER_BLOCK).zip(rows.step_by(ROWS_PER_BLOCK)) {
            let block = first..first + sums.len();
            for feature in 0..data.n_features() as u32 {
                let cells = matrix.column(feature).gathered(block.clone(), &mut column);
                hashes.add(feature as usize, cells, data.has_missing(feature), sums);
            }
            Self::finish(sums);
        }
        sums
    }
}

/// The sums of a block and the cells of a column stay in the nearest cache.
pub(super) const ROWS_PER_BLOCK: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Feature, UNKNOWN};

    fn hashes(rows: &[[f64; 2]], categories: [&str; 2]) -> Vec<u64> {
        let features = vec![Feature::number("x"), Feature::categories("ward", categories)];
        let schema = Schema::new(features, vec!["a".into()]).unwrap();
        let columns = Columns::from_rows(&rows.concat(), 2).unwrap();
        let data = Dataset::with_schema(columns, vec![0; rows.len()], schema).unwrap();
        RowHashes::of_rows(&DatasetView::from(&data), 0..rows.len())
    }

    #[test]
    fn neither_zeros_nor_gaps_nor_the_order_of_categories_matter() {
        let rows = [[0.0, 0.0], [7.0, 1.0], [f64::NAN, f64::NAN]];
        let others = [[-0.0, 1.0], [7.0, 0.0], [UNKNOWN, -f64::NAN]];
        let there = hashes(&rows, ["north", "south"]);
        assert_eq!(there, hashes(&others, ["south", "north"]));
        assert!(there[0] != there[1] && there[1] != there[2] && there[0] != there[2]);
        // A category without a name is not a gap.
        assert_ne!(hashes(&[[1.0, 5.0]], ["n", "s"]), hashes(&[[1.0, f64::NAN]], ["n", "s"]));
    }
}
