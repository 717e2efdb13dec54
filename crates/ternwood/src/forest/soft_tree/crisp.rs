//! Rows that no zone divides: each goes one way.

use super::flow::{OpenNode, Parts, Targets};
use super::{ColumnBlock, SoftNode, SoftTree, Walk};
use crate::tree::{NodeId, Tree, most_probable};

impl SoftTree {
    /// True if every row of a block follows thresholds alone, all the way.
    pub(super) fn is_crisp(&self, walk: Walk<'_>, block: ColumnBlock<'_>) -> bool {
        let no_zones = walk.crisp || walk.scale == 0.0 || !self.has_zones;
        no_zones && self.has_numbers_only && block.is_complete
    }

    /// Adds what the tree says of some rows of a block.
    pub(super) fn add_crisp(
        &self,
        tree: &Tree,
        block: ColumnBlock<'_>,
        wanted: impl Iterator<Item = u32>,
        memory: &mut Parts,
        targets: &mut Targets<'_>,
    ) {
        let Parts { open, values, rows: [rows, lefts], .. } = memory;
        rows.clear();
        rows.extend(wanted);
        lefts.resize(rows.len(), 0);
        open.clear();
        open.push(OpenNode { node: 0, parts: 0..rows.len() });
        while let Some(OpenNode { mut node, parts: mut here }) = open.pop() {
            // Down the left side; right children wait.
            while !here.is_empty() {
                let SoftNode { threshold, feature, right } = self.nodes[node as usize];
                if right == node {
                    targets.add(tree.distribution(NodeId(node)), &rows[here]);
                    break;
                }
                let n_right = divide(
                    &mut rows[here.clone()],
                    lefts,
                    values,
                    block.column(feature),
                    threshold,
                );
                let middle = here.start + n_right;
                open.push(OpenNode { node: right, parts: here.start..middle });
                (node, here) = (node + 1, middle..here.end);
            }
        }
    }
}

/// Puts the rows above a threshold before the others, both in their order, and returns their number.
pub(super) fn divide(
    rows: &mut [u32],
    lefts: &mut [u32],
    values: &mut Vec<f64>,
    column: &[f64],
    threshold: f64,
) -> usize {
    // A loop of its own, so that many values are on their way from memory at once.
    values.clear();
    values.extend(rows.iter().map(|&row| column[row as usize]));
    let lefts = &mut lefts[..rows.len()];
    let (mut n_left, mut n_right) = (0, 0);
    // Every row is written to both lists, but advances only one: no branch to mispredict.
    for (at, &x) in values.iter().enumerate() {
        let row = rows[at];
        let is_right = x > threshold;
        lefts[n_left] = row;
        rows[n_right] = row;
        n_left += usize::from(!is_right);
        n_right += usize::from(is_right);
    }
    rows[n_right..].copy_from_slice(&lefts[..n_left]);
    n_right
}

impl Targets<'_> {
    /// Adds the distribution of a leaf to rows that are decided there.
    fn add(&mut self, shares: &[f64], rows: &[u32]) {
        let class = most_probable(shares) as usize;
        for &row in rows {
            let at = row as usize * self.n_classes;
            let sums = &mut self.sums[at..at + self.n_classes];
            sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
            self.decided[at + class] += 1;
        }
    }
}
