//! Hashes of rows' values, which do not depend on where the rows are.

use super::{Feature, FeatureKind, Matrix, Schema, mix};
use crate::exec::Exec;
use std::ops::Range;

/// Hashes rows by their values: numbers by their bits, equal for 0.0 and -0.0 and for all NaN;
/// categories by their names, so that their order does not matter.
pub(crate) struct RowHasher {
    /// For each feature, the hashes of its categories' names; empty for numbers.
    names: Vec<Vec<u64>>,
}

/// Rows per block: their hashes and the cells of a column stay in the nearest cache.
const ROWS_PER_BLOCK: usize = 1024;

/// Rows per task.
const ROWS_PER_TASK: usize = 1 << 14;

impl RowHasher {
    /// For rows of these features.
    pub(crate) fn new(schema: &Schema) -> Self {
        let hash = |name: &String| name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
        let of_feature = |feature: &Feature| match &feature.kind {
            FeatureKind::Categories(names) => names.iter().map(hash).collect(),
            FeatureKind::Number | FeatureKind::Ordered(_) => Vec::new(),
        };
        Self { names: schema.features().iter().map(of_feature).collect() }
    }

    /// The hashes of all rows.
    pub(crate) fn hash_all(&self, matrix: Matrix<'_>, exec: &Exec) -> Vec<u64> {
        let n_rows = matrix.n_rows();
        let parts = (0..n_rows).step_by(ROWS_PER_TASK);
        let parts = parts.map(|first| first..n_rows.min(first + ROWS_PER_TASK)).collect();
        let hashes = exec.map_with(parts, Vec::new, |column, rows: Range<usize>| {
            let mut hashes = vec![0; rows.len()];
            for (block, hashes) in
                rows.step_by(ROWS_PER_BLOCK).zip(hashes.chunks_mut(ROWS_PER_BLOCK))
            {
                self.hash_block(matrix, block, column, hashes);
            }
            hashes
        });
        hashes.concat()
    }

    /// The hashes of the rows from `first` on; `column` is memory to reuse.
    fn hash_block(
        &self,
        matrix: Matrix<'_>,
        first: usize,
        column: &mut Vec<f64>,
        hashes: &mut [u64],
    ) {
        let rows = first..first + hashes.len();
        for (feature, names) in (0..).zip(&self.names) {
            let cells = matrix.column(feature).gathered(rows.clone(), column);
            add_column(hashes, cells, names);
        }
    }
}

/// Adds the cells of the next column to the hashes of rows. `names` has the hashes of the names of
/// its categories, and is empty if it holds numbers.
pub(super) fn add_column(hashes: &mut [u64], cells: &[f64], names: &[u64]) {
    for (hash, &value) in hashes.iter_mut().zip(cells) {
        let bits = match names.get(value as usize) {
            _ if value.is_nan() => f64::NAN.to_bits(),
            Some(&name) => name,
            // Adding zero takes its sign away.
            None => (value + 0.0).to_bits(),
        };
        *hash = mix(*hash ^ bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(categories: [&str; 2], rows: &[f64]) -> Vec<u64> {
        let features = vec![Feature::number("x"), Feature::categories("ward", categories)];
        let schema = Schema::new(features, vec!["a".into()]).unwrap();
        let matrix = Matrix::row_major(rows, 2).unwrap();
        RowHasher::new(&schema).hash_all(matrix, &Exec::default())
    }

    #[test]
    fn neither_zeros_nor_gaps_nor_the_order_of_categories_matter() {
        let other_gap = f64::from_bits(f64::NAN.to_bits() | 1);
        let there = [0.0, 0.0, 0.0, 1.0, f64::NAN, -f64::NAN, f64::NAN, 0.0];
        let back = [-0.0, 1.0, -0.0, 0.0, other_gap, f64::NAN, other_gap, 1.0];
        let there = hashes(["north", "south"], &there);
        assert_eq!(there, hashes(["south", "north"], &back));
        for (row, hash) in there.iter().enumerate() {
            assert!(!there[..row].contains(hash), "row {row}");
        }
    }

    #[test]
    fn neither_blocks_nor_memory_order_nor_threads_matter() {
        let n_rows = ROWS_PER_TASK + 3 * ROWS_PER_BLOCK + 5;
        let by_row: Vec<f64> = (0..2 * n_rows).map(|i| (i * i % 1009) as f64).collect();
        let columns = (0..2).flat_map(|c| by_row.iter().skip(c).step_by(2));
        let by_column: Vec<f64> = columns.copied().collect();
        let hasher = RowHasher { names: vec![Vec::new(); 2] };
        let by_row = Matrix::row_major(&by_row, 2).unwrap();
        let whole = hasher.hash_all(by_row, &Exec::default());
        let by_column = Matrix::column_major(&by_column, 2).unwrap();
        assert_eq!(whole, hasher.hash_all(by_column, &Exec::with_threads(2).unwrap()));
        for row in [0, 1, ROWS_PER_BLOCK, n_rows - 1] {
            let alone = [by_row.value(row, 0), by_row.value(row, 1)];
            let alone = Matrix::row_major(&alone, 2).unwrap();
            assert_eq!(hasher.hash_all(alone, &Exec::default()), [whole[row]]);
        }
    }
}
