//! Bags: the rows that the trees of a forest grow on.

use super::Resampler;
use crate::dataset::{Stream, mix};

/// The bags of all trees. They are drawn when asked for: always the same for the same seed and tree,
/// whatever the order of rows.
pub(crate) struct Bags {
    /// The rows that count; if bags are drawn, in an order of their own.
    rows: Vec<u32>,
    /// What is drawn: rows that stay together. `None` if that is every row by itself.
    groups: Option<Vec<Vec<u32>>>,
    n_rows: usize,
    /// The number of draws and the seed; `None` if every bag has every row once.
    draws: Option<(usize, u64)>,
}

/// How often every row of a data set occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bag(Vec<u32>);

/// The rows that a tree has not seen: a bit per row of the data.
pub(crate) struct OutOfBagRows(Vec<u64>);

impl Resampler<'_> {
    /// Bags drawn from some rows with replacement. `n_draws` is given the number of rows, or of groups.
    pub(crate) fn bags(
        &self,
        rows: &[u32],
        n_draws: impl FnOnce(usize) -> usize,
        seed: u64,
    ) -> Bags {
        let groups = self.groups.map(|groups| self.groups_of(groups, rows));
        let n_draws = n_draws(groups.as_ref().map_or(rows.len(), Vec::len));
        let rows = self.in_order(rows);
        Bags { rows, groups, n_rows: self.n_rows(), draws: Some((n_draws, seed)) }
    }
}

impl Bags {
    /// Bags that have every one of `rows` once, out of `n_rows` in all.
    pub(crate) fn of_all(rows: &[u32], n_rows: usize) -> Self {
        Self { rows: rows.to_vec(), groups: None, n_rows, draws: None }
    }

    /// True if bags are random, so that some rows are out of bag.
    pub(crate) fn are_drawn(&self) -> bool {
        self.draws.is_some()
    }

    /// The bag of a tree.
    pub(crate) fn draw(&self, tree: u32) -> Bag {
        const BAG: u64 = 1 << 40;
        let Self { rows, groups, n_rows, draws } = self;
        let mut times = vec![0; *n_rows];
        let Some((n_draws, seed)) = *draws else {
            rows.iter().for_each(|&row| times[row as usize] = 1);
            return Bag(times);
        };
        let mut stream = Stream::new(mix(mix(u64::from(tree) + 1)), seed, BAG);
        for _ in 0..n_draws {
            match groups {
                None => times[rows[stream.below(rows.len() as u32) as usize] as usize] += 1,
                Some(groups) => {
                    let group = &groups[stream.below(groups.len() as u32) as usize];
                    group.iter().for_each(|&row| times[row as usize] += 1);
                }
            }
        }
        Bag(times)
    }

    /// The rows that count and that the tree has not seen.
    pub(crate) fn out_of_bag(&self, tree: u32) -> OutOfBagRows {
        let bag = self.draw(tree);
        let mut bits = vec![0; self.n_rows.div_ceil(64)];
        for &row in self.rows.iter().filter(|&&row| !bag.contains(row)) {
            bits[row as usize / 64] |= 1 << (row % 64);
        }
        OutOfBagRows(bits)
    }

    /// The rows that count; if bags are random, in an order that does not depend on the table's.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }
}

impl Bag {
    /// How often every row occurs.
    pub(crate) fn times(&self) -> &[u32] {
        &self.0
    }

    pub(crate) fn contains(&self, row: u32) -> bool {
        self.0[row as usize] > 0
    }
}

impl OutOfBagRows {
    #[inline]
    pub(crate) fn contain(&self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 == 1
    }
}
