//! Rows that no zone divides: each goes one way.

use super::flow::{OpenNode, Parts, Targets};
use super::{ColumnBlock, SoftNode, SoftTree, Walk};
use crate::tree::{NodeId, Tree, most_probable};
use std::ops::Range;

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
        let Parts { open, values, rows, .. } = memory;
        rows.clear();
        rows.extend(wanted);
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
                block.gather(feature, &rows[here.clone()], values);
                let (left, of_right) =
                    divide(rows, here, values, |x| [x <= threshold, x > threshold]);
                open.push(OpenNode { node: right, parts: of_right });
                (node, here) = (node + 1, left);
            }
        }
    }
}

/// Divides the rows of a node, with these values; `sides` tells whether a value belongs to the left and to the right
/// child. The rows of the right child take the place of the node's; those of the left one come after them. Returns
/// where those of the left and of the right child are.
#[inline(always)]
pub(super) fn divide(
    rows: &mut Vec<u32>,
    here: Range<usize>,
    values: &[f64],
    sides: impl Fn(f64) -> [bool; 2],
) -> (Range<usize>, Range<usize>) {
    let (Range { start, end }, n) = (here, values.len());
    if rows.len() < end + n {
        rows.resize(end + n, 0);
    }
    let (before, after) = rows.split_at_mut(end);
    let (rights, lefts) = (&mut before[start..][..n], &mut after[..n]);
    let (mut n_left, mut n_right) = (0, 0);
    // Every row is written to both lists, but advances only where it belongs: no branch to mispredict.
    for (at, &x) in values.iter().enumerate() {
        let row = rights[at];
        let [goes_left, goes_right] = sides(x);
        lefts[n_left] = row;
        rights[n_right] = row;
        n_left += usize::from(goes_left);
        n_right += usize::from(goes_right);
    }
    (end..end + n_left, start..start + n_right)
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
