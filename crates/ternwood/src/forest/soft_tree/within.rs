//! How many rows are within the zone of every node.

use super::crisp::divide;
use super::flow::{OpenNode, Parts};
use super::{ColumnBlock, SoftNode, SoftTree};
use crate::tree::{NodeId, Side, Tree};

impl SoftTree {
    /// Counts the wanted rows of a block that reach each node by thresholds alone, as in training, and are
    /// within its zone or unknown there.
    pub(crate) fn count_within(
        &self,
        tree: &Tree,
        block: ColumnBlock<'_>,
        is_wanted: impl Fn(usize) -> bool,
        memory: &mut Parts,
        within: &mut [u32],
    ) {
        let Parts { open, values, rows: [rows, lefts], .. } = memory;
        rows.clear();
        rows.extend((0..block.n_rows as u32).filter(|&row| is_wanted(row as usize)));
        lefts.resize(rows.len(), 0);
        open.clear();
        open.push(OpenNode { node: 0, parts: 0..rows.len() });
        while let Some(OpenNode { mut node, parts: mut here }) = open.pop() {
            // Down the left side; right children wait.
            while !here.is_empty() {
                let SoftNode { threshold, feature, right } = self.nodes[node as usize];
                if right == node {
                    break;
                }
                let column = block.column(feature);
                let rows = &mut rows[here.clone()];
                let (n_right, n_left) = if threshold.is_nan() || !block.is_complete {
                    within[node as usize] += count_by_test(tree, node, column, rows);
                    divide_by_test(tree, node, column, rows, lefts)
                } else {
                    let half_width = self.half_widths[node as usize];
                    let (lower, upper) = (threshold - half_width, threshold + half_width);
                    let is_within = |&row: &u32| {
                        let x = column[row as usize];
                        u32::from((x > lower) & (x <= upper))
                    };
                    within[node as usize] += rows.iter().map(is_within).sum::<u32>();
                    let n_right = divide(rows, lefts, values, column, threshold);
                    (n_right, rows.len() - n_right)
                };
                let middle = here.start + n_right;
                open.push(OpenNode { node: right, parts: here.start..middle });
                (node, here) = (node + 1, middle..middle + n_left);
            }
        }
    }
}

/// How many rows the test of a node cannot place.
fn count_by_test(tree: &Tree, node: u32, column: &[f64], rows: &[u32]) -> u32 {
    let Some(split) = tree.node(NodeId(node)).as_split() else { return 0 };
    rows.iter().map(|&row| u32::from(split.test.side(column[row as usize]) == Side::Within)).sum()
}

/// Puts the rows that train the right child first, and after them those that train the left one; returns
/// their numbers. Others train neither child.
fn divide_by_test(
    tree: &Tree,
    node: u32,
    column: &[f64],
    rows: &mut [u32],
    lefts: &mut [u32],
) -> (usize, usize) {
    let Some(split) = tree.node(NodeId(node)).as_split() else { return (0, 0) };
    let (mut n_left, mut n_right) = (0, 0);
    for at in 0..rows.len() {
        let row = rows[at];
        match split.test.training_side(column[row as usize], false) {
            Side::Below => {
                lefts[n_left] = row;
                n_left += 1;
            }
            Side::Above => {
                rows[n_right] = row;
                n_right += 1;
            }
            Side::Within => {}
        }
    }
    rows[n_right..n_right + n_left].copy_from_slice(&lefts[..n_left]);
    (n_right, n_left)
}
