//! Which rows each tree of a forest grows on.

use crate::grow::Bag;
use crate::recipe::ForestParams;

/// The bags of all trees. They are drawn when asked for: always the same for the same seed and tree.
pub(super) struct Bags<'a> {
    rows: &'a [u32],
    n_rows: usize,
    forest: ForestParams,
    seed: u64,
}

/// The rows that a tree has not seen: a bit per row of the data.
pub(super) struct OutOfBagRows(Vec<u64>);

impl<'a> Bags<'a> {
    /// Bags of `rows`, out of `n_rows` in all.
    pub(super) fn new(rows: &'a [u32], n_rows: usize, forest: ForestParams, seed: u64) -> Self {
        Self { rows, n_rows, forest, seed }
    }

    /// True if bags are random, so that some rows are out of bag.
    pub(super) fn are_drawn(&self) -> bool {
        self.forest.bootstrap
    }

    /// The bag of a tree.
    pub(super) fn draw(&self, tree: u32) -> Bag {
        if !self.forest.bootstrap {
            return Bag::all(self.rows, self.n_rows);
        }
        let n_draws = self.forest.n_draws(self.rows.len());
        Bag::draw(self.rows, self.n_rows, n_draws, self.seed, tree)
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

    /// The rows that count, ascending.
    pub(super) fn rows(&self) -> &'a [u32] {
        self.rows
    }
}

impl OutOfBagRows {
    #[inline]
    pub(super) fn contain(&self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 == 1
    }
}
