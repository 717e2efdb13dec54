//! The rows that one tree of a forest grows on.

use super::stream::{NodeKey, Purpose};

/// How often every row of a data set occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bag(Vec<u32>);

impl Bag {
    /// Draws `n_draws` of `rows` with replacement, out of `n_rows` in all, for one tree of a forest.
    pub(crate) fn draw(rows: &[u32], n_rows: usize, n_draws: usize, seed: u64, tree: u32) -> Self {
        let mut stream = NodeKey::root_of_tree(tree).stream(seed, Purpose::Bag);
        let mut times = vec![0; n_rows];
        for _ in 0..n_draws {
            times[rows[stream.below(rows.len() as u32) as usize] as usize] += 1;
        }
        Self(times)
    }

    /// Every one of `rows` once, out of `n_rows` in all.
    pub(crate) fn all(rows: &[u32], n_rows: usize) -> Self {
        let mut times = vec![0; n_rows];
        rows.iter().for_each(|&row| times[row as usize] = 1);
        Self(times)
    }

    /// How often every row occurs.
    pub(crate) fn times(&self) -> &[u32] {
        &self.0
    }

    pub(crate) fn contains(&self, row: u32) -> bool {
        self.0[row as usize] > 0
    }
}
