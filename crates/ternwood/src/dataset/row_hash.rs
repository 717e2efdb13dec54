//! Hashes of what rows hold, which do not depend on where the rows are.

use super::{DatasetView, Feature, FeatureKind, Schema, mix};
use crate::exec::Exec;
use std::ops::Range;

/// What a hash of rows is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HashUse {
    /// Dealing rows to folds and bags. Cells are mixed one after the other.
    #[cfg(feature = "learn")]
    Dealing,
    /// Recognising training rows. Every fit hashes all its rows, so this must be fast: both halves of
    /// every cell are multiplied by numbers of its column, which processors have vectors for, and the
    /// products of a row are added and mixed once.
    Recognition,
}

/// Hashes rows by their features: numbers by their bits, equal for 0.0 and -0.0 and for all NaN;
/// categories by their names, so that their order does not matter. Classes and weights take no part.
pub(crate) struct RowHasher {
    hash_use: HashUse,
    /// For every feature, the hashes of its categories' names; empty where values are hashed as numbers.
    names: Vec<Vec<u64>>,
    multipliers: Vec<[u32; 2]>,
}

/// The hashes of a block and the cells of a column stay in the nearest cache.
pub(crate) const ROWS_PER_BLOCK: usize = 1024;

/// Fewer rows are not worth a thread.
pub(crate) const ROWS_PER_TASK: usize = 1 << 14;

impl RowHasher {
    pub(crate) fn new(hash_use: HashUse, schema: &Schema) -> Self {
        let of_column = |column: u64| {
            let bits = mix(column);
            [(bits >> 32) as u32 | 1, bits as u32 | 1]
        };
        let hash = |name: &String| name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
        let names = |feature: &Feature| match &feature.kind {
            // Rows are dealt by rank, which is what trees see.
            #[cfg(feature = "learn")]
            FeatureKind::Ordered(_) if hash_use == HashUse::Dealing => Vec::new(),
            kind => kind.names().iter().map(hash).collect(),
        };
        Self {
            hash_use,
            names: schema.features().iter().map(names).collect(),
            multipliers: (0..schema.n_features() as u64).map(of_column).collect(),
        }
    }

    /// Adds the cells of the next column to the hashes of rows, which begin with 0.
    #[inline]
    pub(crate) fn add(&self, feature: usize, cells: &[f64], has_gaps: bool, hashes: &mut [u64]) {
        // Products of halves fit into 64 bits.
        let [upper, lower] = self.multipliers[feature].map(u64::from);
        let summed = |sum: u64, bits: u64| {
            let product = ((bits >> 32) * upper).wrapping_add(u64::from(bits as u32) * lower);
            sum.wrapping_add(product)
        };
        match self.hash_use {
            #[cfg(feature = "learn")]
            HashUse::Dealing => {
                self.add_by(feature, cells, has_gaps, hashes, |hash, bits| mix(hash ^ bits));
            }
            HashUse::Recognition => self.add_by(feature, cells, has_gaps, hashes, summed),
        }
    }

    #[inline]
    fn add_by(
        &self,
        feature: usize,
        cells: &[f64],
        has_gaps: bool,
        hashes: &mut [u64],
        with: impl Fn(u64, u64) -> u64 + Copy,
    ) {
        let names = &self.names[feature];
        let missing = f64::NAN.to_bits();
        let rows = hashes.iter_mut().zip(cells);
        // Adding zero takes its sign away.
        let number = |cell: f64| if cell.is_nan() { missing } else { (cell + 0.0).to_bits() };
        let named = |id: f64| match names.get(id as usize) {
            Some(&name) if id >= 0.0 => name,
            // A category without a name, or a gap.
            _ => number(id),
        };
        if !names.is_empty() {
            rows.for_each(|(hash, &id)| *hash = with(*hash, named(id)));
        } else if has_gaps {
            rows.for_each(|(hash, &cell)| *hash = with(*hash, number(cell)));
        } else {
            rows.for_each(|(hash, &cell)| *hash = with(*hash, (cell + 0.0).to_bits()));
        }
    }

    /// Completes the hashes of rows to which all columns are added.
    pub(crate) fn finish(&self, hashes: &mut [u64]) {
        if self.hash_use == HashUse::Recognition {
            hashes.iter_mut().for_each(|hash| *hash = mix(*hash));
        }
    }

    /// The hashes of some rows.
    fn of_rows(&self, data: &DatasetView<'_>, rows: Range<usize>) -> Vec<u64> {
        let (matrix, mut column) = (data.matrix(), Vec::new());
        let mut hashes = vec![0; rows.len()];
        for (hashes, first) in hashes.chunks_mut(ROWS_PER_BLOCK).zip(rows.step_by(ROWS_PER_BLOCK)) {
            let block = first..first + hashes.len();
            for feature in 0..data.n_features() as u32 {
                let cells = matrix.column(feature).gathered(block.clone(), &mut column);
                self.add(feature as usize, cells, data.has_missing(feature), hashes);
            }
            self.finish(hashes);
        }
        hashes
    }

    /// The hashes of all rows of a table.
    pub(crate) fn hashes(hash_use: HashUse, data: &DatasetView<'_>, exec: &Exec) -> Vec<u64> {
        let (hasher, n_rows) = (Self::new(hash_use, data.schema()), data.n_rows());
        let parts = (0..n_rows).step_by(ROWS_PER_TASK);
        let parts = parts.map(|first| first..n_rows.min(first + ROWS_PER_TASK)).collect();
        exec.map(parts, |rows| hasher.of_rows(data, rows)).concat()
    }
}

#[cfg(test)]
#[cfg(feature = "learn")]
mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Matrix, UNKNOWN};

    const USES: [HashUse; 2] = [HashUse::Dealing, HashUse::Recognition];

    fn hashes(hash_use: HashUse, rows: &[[f64; 2]], categories: [&str; 2]) -> Vec<u64> {
        let features = vec![Feature::number("x"), Feature::categories("ward", categories)];
        let schema = Schema::new(features, vec!["a".into()]).unwrap();
        let columns = Columns::from_rows(&rows.concat(), 2).unwrap();
        let data = Dataset::with_schema(columns, vec![0; rows.len()], schema).unwrap();
        RowHasher::hashes(hash_use, &(&data).into(), &Exec::default())
    }

    #[test]
    fn neither_zeros_nor_gaps_nor_the_order_of_categories_matter() {
        let rows = [[0.0, 0.0], [0.0, 1.0], [7.0, 1.0], [f64::NAN, f64::NAN], [f64::NAN, 0.0]];
        let others = [[-0.0, 1.0], [-0.0, 0.0], [7.0, 0.0], [UNKNOWN, -f64::NAN], [UNKNOWN, 1.0]];
        for hash_use in USES {
            let there = hashes(hash_use, &rows, ["north", "south"]);
            assert_eq!(there, hashes(hash_use, &others, ["south", "north"]));
            for (row, hash) in there.iter().enumerate() {
                assert!(!there[..row].contains(hash), "row {row}");
            }
            // A category without a name is neither a gap nor another.
            let unnamed = |id: f64| hashes(hash_use, &[[1.0, id]], ["n", "s"]);
            assert_ne!(unnamed(5.0), unnamed(f64::NAN));
            assert_ne!(unnamed(5.0), unnamed(6.0));
        }
    }

    #[test]
    fn neither_blocks_nor_memory_order_nor_threads_matter() {
        let n_rows = ROWS_PER_TASK + 3 * ROWS_PER_BLOCK + 5;
        let by_row: Vec<f64> = (0..2 * n_rows).map(|i| (i * i % 1009) as f64).collect();
        let by_column: Vec<f64> =
            (0..2).flat_map(|c| by_row.iter().copied().skip(c).step_by(2)).collect();
        for hash_use in USES {
            let of = |matrix: Matrix<'_>, threads| {
                let classes = vec![0; matrix.n_rows()];
                let schema = Schema::unnamed(2, vec!["a".into()]).unwrap();
                let exec = Exec::with_threads(threads).unwrap();
                let data = DatasetView::new(matrix, &classes, schema, &exec).unwrap();
                RowHasher::hashes(hash_use, &data, &exec)
            };
            let rows = Matrix::row_major(&by_row, 2).unwrap();
            let whole = of(rows, 1);
            assert_eq!(whole, of(Matrix::column_major(&by_column, 2).unwrap(), 2));
            for row in [0, 1, ROWS_PER_BLOCK, n_rows - 1] {
                let alone = [rows.value(row, 0), rows.value(row, 1)];
                assert_eq!(of(Matrix::row_major(&alone, 2).unwrap(), 1), [whole[row]]);
            }
        }
    }
}
