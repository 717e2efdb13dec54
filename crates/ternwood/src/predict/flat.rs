//! The crisp path of many rows at once, without a branch to mispredict.
//!
//! A row is undecided iff its crisp path meets a zone that it lies within: up to the first such
//! zone, crisp path and walk are the same. So one quick pass along the crisp path answers all
//! decided rows, and tells which rows need the walker.

use super::routing::Routing;
use super::walk::Walker;
use crate::tree::{Node, NodeId};

/// A tree made ready for the quick pass.
pub(super) struct FlatTree {
    nodes: Vec<FlatNode>,
    depth: usize,
}

/// A split; or a leaf, which leads to itself and has no zone.
#[derive(Clone, Copy)]
struct FlatNode {
    threshold: f64,
    lower: f64,
    upper: f64,
    feature: u32,
    left: u32,
    right: u32,
}

/// Where a row's crisp path ends, and whether it met a zone on the way.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CrispEnd {
    node: u32,
    pub(super) undecided: bool,
}

impl CrispEnd {
    /// For rows whose path was not followed: the walker must tell.
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
    /// `None` where the quick pass would not be quick, or the path is not crisp.
    pub(super) fn new(walker: Walker<'_>) -> Option<Self> {
        let tree = walker.tree();
        let depth = tree.depth();
        if walker.routing() == Routing::HardMiddle || depth > MAX_DEPTH {
            return None;
        }
        let blind = walker.routing() == Routing::Crisp;
        let nodes = tree.ids().map(|id| match tree.node(id) {
            Node::Split(split) => FlatNode {
                threshold: split.zone.threshold(),
                // Without a zone no value is above `lower` and not above `upper`.
                lower: if blind { f64::INFINITY } else { split.zone.lower() },
                upper: split.zone.upper(),
                feature: split.feature.0,
                left: split.left.0,
                right: split.right.0,
            },
            Node::Leaf => FlatNode {
                threshold: f64::INFINITY,
                lower: f64::INFINITY,
                upper: f64::INFINITY,
                feature: 0,
                left: id.0,
                right: id.0,
            },
        });
        Some(Self { nodes: nodes.collect(), depth })
    }

    /// The end of the crisp path of every row of a block.
    pub(super) fn ends(&self, block: &[f64], n_features: usize, ends: &mut Vec<CrispEnd>) {
        ends.clear();
        let mut groups = block.chunks_exact(IN_STEP * n_features);
        for rows in &mut groups {
            let mut group = [CrispEnd::default(); IN_STEP];
            for _ in 0..self.depth {
                for (end, row) in group.iter_mut().zip(rows.chunks_exact(n_features)) {
                    self.step(end, row);
                }
            }
            ends.extend(group);
        }
        for row in groups.remainder().chunks_exact(n_features) {
            let mut end = CrispEnd::default();
            (0..self.depth).for_each(|_| self.step(&mut end, row));
            ends.push(end);
        }
    }

    #[inline]
    fn step(&self, end: &mut CrispEnd, row: &[f64]) {
        let node = &self.nodes[end.node as usize];
        let x = row[node.feature as usize];
        end.undecided |= (x > node.lower) & (x <= node.upper);
        end.node = if x <= node.threshold { node.left } else { node.right };
    }
}
