//! Which rows each tree of a forest grows on.

use crate::dataset::{DatasetView, RowKeys};
use crate::exec::Exec;
use crate::grow::Bag;
use crate::recipe::ForestParams;

/// The bags of all trees. They are drawn when asked for: always the same for the same seed and tree,
/// whatever the order of rows.
pub(super) struct Bags {
    /// The rows that count; if bags are random, in an order of their own.
    rows: Vec<u32>,
    n_rows: usize,
    forest: ForestParams,
    seed: u64,
}

/// The rows that a tree has not seen: a bit per row of the data.
pub(super) struct OutOfBagRows(Vec<u64>);

impl Bags {
    /// Bags of some rows of the data.
    pub(super) fn new(
        data: &DatasetView<'_>,
        rows: &[u32],
        forest: ForestParams,
        seed: u64,
        exec: &Exec,
    ) -> Self {
        let rows = match forest.bootstrap {
            true => RowKeys::new(data, exec).in_order(rows.iter().copied()),
            false => rows.to_vec(),
        };
        Self { rows, n_rows: data.n_rows(), forest, seed }
    }

    /// True if bags are random, so that some rows are out of bag.
    pub(super) fn are_drawn(&self) -> bool {
        self.forest.bootstrap
    }

    /// The bag of a tree.
    pub(super) fn draw(&self, tree: u32) -> Bag {
        if !self.forest.bootstrap {
            return Bag::all(&self.rows, self.n_rows);
        }
        let n_draws = self.forest.n_draws(self.rows.len());
        Bag::draw(&self.rows, self.n_rows, n_draws, self.seed, tree)
    }

    /// The rows that count and that the tree has not seen.
    pub(super) fn out_of_bag(&self, tree: u32) -> OutOfBagRows {
        let bag = self.draw(tree);
        let mut bits = vec![0; self.n_rows.div_ceil(64)];
        for &row in self.rows.iter().filter(|&&row| !bag.contains(row)) {
            bits[row as usize / 64] |= 1 << (row % 64);
        }
        OutOfBagRows(bits)
    }

    /// The rows that count; if bags are random, in an order that does not depend on the table's.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }
}

impl OutOfBagRows {
    #[inline]
    pub(super) fn contain(&self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 == 1
    }
}
