//! How many rows are within the zone of every node.

use super::crisp::divide;
use super::flow::{OpenNode, Parts};
use super::{ColumnBlock, SoftNode, SoftTree};
use crate::tree::{Node, NodeId, Side, Split, Tree};

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
        let Parts { open, values, rows, .. } = memory;
        rows.clear();
        rows.extend((0..block.n_rows as u32).filter(|&row| is_wanted(row as usize)));
        open.clear();
        open.push(OpenNode { node: 0, parts: 0..rows.len() });
        while let Some(OpenNode { mut node, parts: mut here }) = open.pop() {
            // Down the left side; right children wait.
            while !here.is_empty() {
                let SoftNode { threshold, feature, right } = self.nodes[node as usize];
                let Node::Split(Split { test, .. }) = tree.node(NodeId(node)) else { break };
                block.gather(feature, &rows[here.clone()], values);
                let (left, of_right) = if threshold.is_nan() || !block.is_complete {
                    let is_within = |&&x: &&f64| test.side(x) == Side::Within;
                    within[node as usize] += values.iter().filter(is_within).count() as u32;
                    // A row that is unknown here may train neither child.
                    divide(rows, here, values, |x| {
                        let side = test.training_side(x, false);
                        [side == Side::Below, side == Side::Above]
                    })
                } else {
                    let half_width = self.half_widths[node as usize];
                    let (lower, upper) = (threshold - half_width, threshold + half_width);
                    let is_within = |&x: &f64| u32::from((x > lower) & (x <= upper));
                    within[node as usize] += values.iter().map(is_within).sum::<u32>();
                    divide(rows, here, values, |x| [x <= threshold, x > threshold])
                };
                open.push(OpenNode { node: right, parts: of_right });
                (node, here) = (node + 1, left);
            }
        }
    }
}
