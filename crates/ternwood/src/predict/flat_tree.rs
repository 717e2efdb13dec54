//! Descending with many rows at once, without a branch to mispredict.
//!
//! Up to the first zone that a row lies within, it goes one way. So one fast pass answers all
//! decided rows and finds those that need the walker.

use super::walk::Walker;
use crate::dataset::RowBlock;
use crate::error::Result;
use crate::recipe::Routing;
use crate::tree::{Edges, Node, NodeId};

/// A tree laid out for the fast pass.
pub(super) struct FlatTree {
    nodes: Vec<FlatNode>,
    depth: usize,
}

/// A split; or a leaf, which leads to itself and has no zone.
#[derive(Clone, Copy)]
struct FlatNode {
    /// The edges of the zone: equal where there is none.
    edges: Edges,
    feature: u32,
    /// Left and right.
    children: [u32; 2],
}

/// How far a row descended: to a leaf, unless it met a zone.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Descent {
    node: u32,
    pub(super) undecided: bool,
}

impl Descent {
    /// A row that the walker must follow.
    pub(super) fn unknown() -> Self {
        Self { node: 0, undecided: true }
    }

    pub(super) fn leaf(self) -> NodeId {
        NodeId(self.node)
    }
}

/// Beyond this depth most rows end long before the last level, and waiting for it costs more
/// than branches do.
const MAX_DEPTH: usize = 24;

/// Rows that descend in step: enough to hide the latency of a look-up.
const IN_STEP: usize = 8;

impl FlatTree {
    /// `None` where the pass would not be fast, or rows within zones have a child of their own.
    pub(super) fn new(walker: Walker<'_>) -> Option<Self> {
        let tree = walker.tree();
        let depth = tree.depth();
        if walker.routing() == Routing::HardMiddle || depth > MAX_DEPTH {
            return None;
        }
        let crisp = walker.routing() == Routing::Crisp;
        let nodes = tree.ids().map(|id| match tree.node(id) {
            Node::Split(split) => FlatNode {
                edges: split.test.edges(!crisp),
                feature: split.test.feature().0,
                children: [split.left.0, split.right.0],
            },
            Node::Leaf => FlatNode {
                edges: Edges { lower: f64::INFINITY, upper: f64::INFINITY },
                feature: 0,
                children: [id.0; 2],
            },
        });
        Some(Self { nodes: nodes.collect(), depth })
    }

    /// The descent of every row.
    ///
    /// # Errors
    /// A value that is NaN or infinite. Values are checked just before they are looked at: so the
    /// memory fetches the next ones while rows are walked.
    pub(super) fn ends(&self, block: RowBlock<'_>) -> Result<Vec<Descent>> {
        let mut ends = vec![Descent::default(); block.n_rows()];
        for (bunch, ends) in block.bunches(IN_STEP).zip(ends.chunks_mut(IN_STEP)) {
            bunch.check_finite()?;
            for _ in 0..self.depth {
                for (end, row) in ends.iter_mut().zip(bunch.rows()) {
                    self.step(end, row);
                }
            }
        }
        Ok(ends)
    }

    #[inline]
    fn step(&self, end: &mut Descent, row: &[f64]) {
        let node = &self.nodes[end.node as usize];
        let x = row[node.feature as usize];
        // `Edges::side` without a branch.
        let above = x > node.edges.upper;
        // Where an undecided row ends up from here on does not matter.
        end.undecided |= (x > node.edges.lower) & !above;
        end.node = node.children[usize::from(above)];
    }
}
