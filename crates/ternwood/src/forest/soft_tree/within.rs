//! How many rows are within the zone of every node.

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
        within: &mut [u32],
    ) {
        let mut rows: Vec<u32> =
            (0..block.n_rows as u32).filter(|&row| is_wanted(row as usize)).collect();
        let mut lefts: Vec<u32> = Vec::new();
        // Nodes with the first of their rows; those of the last come last.
        let mut open = vec![(0, 0)];
        while let Some((node, start)) = open.pop() {
            let SoftNode { threshold, feature, right } = self.nodes[node as usize];
            if right == node || start == rows.len() {
                rows.truncate(start);
                continue;
            }
            let column = block.column(feature);
            let half_width = self.half_widths[node as usize];
            let (lower, upper) = (threshold - half_width, threshold + half_width);
            lefts.clear();
            let (mut n_right, mut n_within) = (start, 0);
            for at in start..rows.len() {
                let row = rows[at];
                let x = column[row as usize];
                if x.is_nan() | threshold.is_nan() {
                    let Some(split) = tree.node(NodeId(node)).as_split() else { continue };
                    n_within += u32::from(split.test.side(x) == Side::Within);
                    match split.test.training_side(x, false) {
                        Side::Below => lefts.push(row),
                        Side::Above => {
                            rows[n_right] = row;
                            n_right += 1;
                        }
                        // Trains neither child.
                        Side::Within => {}
                    }
                    continue;
                }
                n_within += u32::from((x > lower) & (x <= upper));
                lefts.push(row);
                rows[n_right] = row;
                let is_left = x <= threshold;
                n_right += usize::from(!is_left);
                lefts.truncate(lefts.len() - usize::from(!is_left));
            }
            within[node as usize] += n_within;
            rows.truncate(n_right);
            rows.extend_from_slice(&lefts);
            open.push((right, start));
            open.push((node + 1, n_right));
        }
    }
}
