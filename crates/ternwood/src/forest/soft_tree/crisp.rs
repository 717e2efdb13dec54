//! Rows that no zone divides: each goes one way.
//!
//! Several rows descend side by side: while the node of one is on its way from memory, the others go on.

use super::block::Block;
use super::{SoftNode, SoftTree, Targets, Walk};
use crate::tree::{NodeId, Tree, most_probable};

/// Rows that descend side by side.
const LANES: usize = 8;

impl SoftTree {
    /// True if every row of a block follows thresholds alone, all the way.
    pub(super) fn is_crisp(&self, walk: Walk<'_>, block: Block<'_>) -> bool {
        let no_zones = walk.crisp || !walk.zones.unwrap_or(&self.zones).are_any;
        no_zones && self.has_numbers_only && block.is_complete()
    }

    /// Adds what the tree says of some rows of a block.
    pub(super) fn add_crisp(
        &self,
        tree: &Tree,
        block: Block<'_>,
        mut wanted: impl Iterator<Item = u32>,
        targets: &mut Targets<'_>,
    ) {
        let mut rows = [0; LANES];
        loop {
            let mut n_rows = 0;
            for (lane, row) in rows.iter_mut().zip(&mut wanted) {
                *lane = row;
                n_rows += 1;
            }
            if n_rows == 0 {
                return;
            }
            let leaves = self.leaves(block, rows);
            for (row, leaf) in rows.into_iter().zip(leaves).take(n_rows) {
                targets.add_decided(tree.distribution(NodeId(leaf)), row);
            }
        }
    }

    /// The leaves that rows reach.
    fn leaves(&self, block: Block<'_>, rows: [u32; LANES]) -> [u32; LANES] {
        let rows = rows.map(|row| block.row(row));
        let mut nodes = [0; LANES];
        loop {
            let mut moved = 0;
            for (node, row) in nodes.iter_mut().zip(rows) {
                let SoftNode { threshold, feature, right } = self.nodes[*node as usize];
                // Every number is above a leaf's threshold, and to the right of a leaf is the leaf.
                let next = if row[feature as usize] > threshold { right } else { *node + 1 };
                moved |= next ^ *node;
                *node = next;
            }
            if moved == 0 {
                return nodes;
            }
        }
    }
}

impl Targets<'_> {
    /// Adds the distribution of a leaf to a row that is decided there.
    fn add_decided(&mut self, shares: &[f64], row: u32) {
        let at = row as usize * self.n_classes;
        let sums = &mut self.sums[at..at + self.n_classes];
        sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
        self.decided[at + most_probable(shares) as usize] += 1;
    }
}
