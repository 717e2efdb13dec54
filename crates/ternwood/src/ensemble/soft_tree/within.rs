//! How many rows are within the zone of every node.

use super::lists::{beyond, part};
use super::{ColumnBlock, SoftTree};
use crate::tree::{Node, NodeId, Side, Split, Tree};

impl SoftTree {
    /// Counts the wanted rows of a block that reach each node by thresholds alone, as in training, and are
    /// within its zone or unknown there.
    pub(crate) fn count_within(
        &self,
        tree: &Tree,
        block: ColumnBlock<'_>,
        is_wanted: impl Fn(usize) -> bool,
        within: &mut [u32],
    ) {
        // The rows at all nodes still to be passed; those of the present one come last.
        let mut rows: Vec<u32> =
            (0..block.n_rows as u32).filter(|&row| is_wanted(row as usize)).collect();
        let (mut open, mut values) = (vec![(0, 0..rows.len())], Vec::new());
        while let Some((mut node, mut here)) = open.pop() {
            rows.truncate(here.end);
            // Down the left side; right children wait.
            while !here.is_empty() {
                let split = self.nodes[node as usize];
                let Node::Split(Split { test, .. }) = tree.node(NodeId(node)) else { break };
                let start = here.start;
                block.gather(
                    split.feature,
                    rows[start..].iter().map(|&row| row as usize),
                    &mut values,
                );
                let within = &mut within[node as usize];
                if split.threshold.is_nan() || !block.is_complete {
                    let is_within = |&&x: &&f64| test.side(x) == Side::Within;
                    *within += values.iter().filter(is_within).count() as u32;
                    let sides = values.iter().map(|&x| test.training_side(x, false));
                    // A row that is unknown here may train neither child.
                    let kept =
                        rows[start..].iter().zip(sides).filter(|(_, side)| *side != Side::Within);
                    let (kept, sides): (Vec<u32>, Vec<f64>) =
                        kept.map(|(&row, side)| (row, beyond(side == Side::Below))).unzip();
                    rows.truncate(start);
                    rows.extend(kept);
                    values = sides;
                } else {
                    let half_width = self.half_widths[node as usize];
                    let (lower, upper) =
                        (split.threshold - half_width, split.threshold + half_width);
                    let is_within = |&x: &f64| u32::from((x > lower) & (x <= upper));
                    *within += values.iter().map(is_within).sum::<u32>();
                }
                let middle = start + part(&mut rows[start..], &values, split.pivot());
                open.push((split.right, start..middle));
                (node, here) = (node + 1, middle..rows.len());
            }
        }
    }
}
