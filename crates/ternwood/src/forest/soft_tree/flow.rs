//! Rows flow through a tree, divided by its zones.
//!
//! Nodes are passed in preorder, each with the parts of rows that reach it: what a node knows is read once
//! for all of them, and no memory is searched. A part that a zone divides goes on as two.

use super::{ColumnBlock, SoftNode, SoftTree, Walk};
use crate::tree::{NodeId, most_probable};
use std::ops::Range;

/// A zone divides a row, or a part of it, only if both parts are at least this share of the row; else the
/// threshold alone tells where all of it goes. Without that, a row in the middle of many zones would visit a
/// good part of a deep tree, for little that shows.
pub(crate) const LEAST_SHARE: f64 = 1.0 / 8.0;

/// A part of a row.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    share: f64,
    row: u32,
}

/// Memory reused from tree to tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    /// The parts at all nodes still to be passed; what lies between them is stale.
    parts: Vec<Part>,
    /// Nodes still to be passed.
    pub(super) open: Vec<OpenNode>,
    /// Which rows have met a zone.
    undecided: Vec<bool>,
    /// Where no zone divides rows, these take the place of parts, and those on the left of a split.
    pub(super) rows: [Vec<u32>; 2],
}

/// A node, and where its parts are.
#[derive(Debug, Clone)]
pub(super) struct OpenNode {
    pub(super) node: u32,
    pub(super) parts: Range<usize>,
}

/// What one tree says of the rows of a block is added here.
pub(crate) struct Targets<'a> {
    pub(crate) n_classes: usize,
    /// Sums of distributions, row by row.
    pub(crate) sums: &'a mut [f64],
    /// By row and class, the number of trees that are decided for it.
    pub(crate) decided: &'a mut [u32],
}

impl SoftTree {
    /// Adds what the tree says of the wanted rows of a block.
    pub(crate) fn add(
        &self,
        walk: Walk<'_>,
        block: ColumnBlock<'_>,
        is_wanted: impl Fn(usize) -> bool,
        memory: &mut Parts,
        targets: &mut Targets<'_>,
    ) {
        let wanted = (0..block.n_rows as u32).filter(|&row| is_wanted(row as usize));
        if self.is_crisp(walk, block) {
            self.add_crisp(walk.tree, block, wanted, memory, targets);
            return;
        }
        let Parts { parts, open, undecided, .. } = memory;
        parts.clear();
        parts.extend(wanted.map(|row| Part { share: 1.0, row }));
        undecided.clear();
        undecided.resize(block.n_rows, false);
        open.clear();
        open.push(OpenNode { node: 0, parts: 0..parts.len() });
        while let Some(OpenNode { mut node, parts: mut here }) = open.pop() {
            // Down the left side; right children wait.
            while !here.is_empty() {
                let SoftNode { feature, right, .. } = self.nodes[node as usize];
                if right == node {
                    let shares = walk.tree.distribution(NodeId(node));
                    add_leaf(shares, &parts[here], undecided, targets);
                    break;
                }
                let column = block.column(feature);
                let (left, of_right) = self.split(walk, node, column, here, parts, undecided);
                open.push(OpenNode { node: right, parts: of_right });
                (node, here) = (node + 1, left);
            }
        }
    }

    /// Divides the parts at a split. Those of the right child take the place of the node's; those of the
    /// left child come after them.
    fn split(
        &self,
        walk: Walk<'_>,
        node: u32,
        column: &[f64],
        here: Range<usize>,
        parts: &mut Vec<Part>,
        undecided: &mut [bool],
    ) -> (Range<usize>, Range<usize>) {
        let threshold = self.nodes[node as usize].threshold;
        let Range { start, end } = here;
        if parts.len() < 2 * end - start {
            parts.resize(2 * end - start, Part::default());
        }
        let (before, after) = parts.split_at_mut(end);
        let (here, lefts) = (&mut before[start..], &mut after[..end - start]);
        let (mut n_left, mut n_right) = (0, 0);
        let width = if walk.crisp { 0.0 } else { self.half_widths[node as usize] * walk.scale };
        let edges = Edges::new(threshold, width);
        // Every part is written to both lists, but advances only those it belongs to: no branch to
        // mispredict.
        for at in 0..here.len() {
            let Part { share, row } = here[at];
            let x = column[row as usize];
            let Place { left_share, goes_left, is_unsure } =
                if x.is_nan() | threshold.is_nan() { walk.rare(node, x) } else { edges.place(x) };
            undecided[row as usize] |= is_unsure;
            let left = share * left_share;
            let right = share - left;
            let divides = is_unsure & (left >= LEAST_SHARE) & (right >= LEAST_SHARE);
            lefts[n_left] = Part { share: if divides { left } else { share }, row };
            here[n_right] = Part { share: if divides { right } else { share }, row };
            n_left += usize::from(divides | goes_left);
            n_right += usize::from(divides | !goes_left);
        }
        (end..end + n_left, start..start + n_right)
    }
}

/// Where a test sends a value.
pub(super) struct Place {
    /// The share that goes left, if the test cannot place the value.
    pub(super) left_share: f64,
    /// Whether it goes left, if it is not.
    pub(super) goes_left: bool,
    /// True if the test cannot place it.
    pub(super) is_unsure: bool,
}

/// A threshold and the edges of its zone.
struct Edges {
    threshold: f64,
    lower: f64,
    upper: f64,
    /// Of the zone; 0 if there is none, so that nothing is divided.
    per_width: f64,
}

impl Edges {
    fn new(threshold: f64, half_width: f64) -> Self {
        let per_width = if half_width > 0.0 { 1.0 / (2.0 * half_width) } else { 0.0 };
        let (lower, upper) = (threshold - half_width, threshold + half_width);
        Self { threshold, lower, upper, per_width }
    }

    /// The share means nothing outside of the zone.
    #[inline(always)]
    fn place(&self, x: f64) -> Place {
        Place {
            left_share: (self.upper - x) * self.per_width,
            goes_left: x <= self.threshold,
            is_unsure: (x > self.lower) & (x <= self.upper),
        }
    }
}

/// Adds the distribution of a leaf to the rows that have parts there.
fn add_leaf(shares: &[f64], parts: &[Part], undecided: &[bool], targets: &mut Targets<'_>) {
    let n_classes = targets.n_classes;
    let class = most_probable(shares) as usize;
    for &Part { share, row } in parts {
        let at = row as usize * n_classes;
        let sums = &mut targets.sums[at..at + n_classes];
        sums.iter_mut().zip(shares).for_each(|(sum, p)| *sum += share * p);
        // A row that met no zone has no other leaf.
        targets.decided[at + class] += u32::from(!undecided[row as usize]);
    }
}
