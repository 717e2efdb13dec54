//! The way of many rows at once, as far as it is a single one, without a branch to mispredict.
//!
//! Up to the first zone that a row lies within, it goes one way. So one quick pass answers all
//! decided rows, and tells which rows need the walker.

use super::routing::Routing;
use super::walk::Walker;
use crate::dataset::RowBlock;
use crate::error::Result;
use crate::tree::{Node, NodeId};

/// A tree made ready for the quick pass.
pub(super) struct FlatTree {
    nodes: Vec<FlatNode>,
    depth: usize,
}

/// A split; or a leaf, which leads to itself and has no zone.
#[derive(Clone, Copy)]
struct FlatNode {
    /// The edges of the zone: equal where there is none.
    lower: f64,
    upper: f64,
    feature: u32,
    /// Left and right.
    children: [u32; 2],
}

/// Whether a row met a zone on its way; if not, where the way ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WayEnd {
    node: u32,
    pub(super) undecided: bool,
}

impl WayEnd {
    /// For rows whose way was not followed: the walker must tell.
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

/// So many rows are walked in step: enough to hide the time that a look-up takes.
const IN_STEP: usize = 8;

impl FlatTree {
    /// `None` where the quick pass would not be quick, or rows within zones go a way of their own.
    pub(super) fn new(walker: Walker<'_>) -> Option<Self> {
        let tree = walker.tree();
        let depth = tree.depth();
        if walker.routing() == Routing::HardMiddle || depth > MAX_DEPTH {
            return None;
        }
        let crisp = walker.routing() == Routing::Crisp;
        let nodes = tree.ids().map(|id| match tree.node(id) {
            Node::Split(split) => {
                let (zone, threshold) = (split.zone, split.zone.threshold());
                FlatNode {
                    lower: if crisp { threshold } else { zone.lower() },
                    upper: if crisp { threshold } else { zone.upper() },
                    feature: split.feature.0,
                    children: [split.left.0, split.right.0],
                }
            }
            Node::Leaf => FlatNode {
                lower: f64::INFINITY,
                upper: f64::INFINITY,
                feature: 0,
                children: [id.0; 2],
            },
        });
        Some(Self { nodes: nodes.collect(), depth })
    }

    /// The end of the way of every row.
    ///
    /// # Errors
    /// A value that is NaN or infinite. Values are checked just before they are looked at: so the
    /// memory fetches the next ones while rows are walked.
    pub(super) fn ends(&self, block: RowBlock<'_>) -> Result<Vec<WayEnd>> {
        let mut ends = vec![WayEnd::default(); block.n_rows()];
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
    fn step(&self, end: &mut WayEnd, row: &[f64]) {
        let node = &self.nodes[end.node as usize];
        let x = row[node.feature as usize];
        let above = x > node.upper;
        // Where an undecided row ends up from here on does not matter.
        end.undecided |= (x > node.lower) & !above;
        end.node = node.children[usize::from(above)];
    }
}
