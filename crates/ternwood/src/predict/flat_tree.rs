//! Descends many rows at once, without branches that could be mispredicted.
//!
//! Until a row falls into a zone, it follows a single path. So one fast pass predicts all decided
//! rows and finds those that need the walker.

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

/// A split, or a leaf, whose children are itself and which has no zone.
#[derive(Clone, Copy)]
struct FlatNode {
    /// The edges of the zone: equal if there is none.
    edges: Edges,
    feature: u32,
    /// Left and right.
    children: [u32; 2],
}

/// Where a row's descent ended: at a leaf, unless it met a zone.
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

/// The largest depth for the fast pass. In deeper trees most rows reach a leaf long before the
/// last level, and the steps after that cost more than mispredicted branches.
const MAX_DEPTH: usize = 24;

/// Rows per batch, which descend in lockstep: enough to hide memory latency.
const BATCH: usize = 8;

impl FlatTree {
    /// `None` if the tree is too deep, or rows within zones go to a middle child.
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
    /// A value that is NaN or infinite. Values are checked just before they are used, so the next
    /// ones are fetched from memory while rows descend.
    pub(super) fn ends(&self, block: RowBlock<'_>) -> Result<Vec<Descent>> {
        let mut ends = vec![Descent::default(); block.n_rows()];
        for (batch, ends) in block.batches(BATCH).zip(ends.chunks_mut(BATCH)) {
            batch.check_finite()?;
            for _ in 0..self.depth {
                for (end, row) in ends.iter_mut().zip(batch.rows()) {
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
        // Where an undecided row goes from here does not matter.
        end.undecided |= (x > node.edges.lower) & !above;
        end.node = node.children[usize::from(above)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Matrix;
    use crate::tree::test_strategies::test_and_value;
    use crate::tree::{NodeId, Side, TreeBuilder};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn a_row_descends_as_the_test_says((test, x) in test_and_value()) {
            let mut builder = TreeBuilder::new(1, 2);
            builder.split(0, test.zone().unwrap());
            builder.leaf(&[1.0, 0.0]);
            builder.leaf(&[0.0, 1.0]);
            let tree = builder.finish().unwrap();
            let values = [x];
            let mut buffer = Vec::new();
            let row = Matrix::row_major(&values, 1).unwrap().block(0..1, &mut buffer);
            let descend = |routing| {
                let flat = FlatTree::new(Walker::new(&tree, routing).unwrap()).unwrap();
                flat.ends(row).unwrap()[0]
            };
            let zoned = descend(Routing::Probabilistic);
            prop_assert_eq!(zoned.undecided, test.side(x) == Side::Within);
            if !zoned.undecided {
                prop_assert_eq!(zoned.leaf(), NodeId(if test.goes_left(x) { 1 } else { 2 }));
            }
            let crisp = descend(Routing::Crisp);
            prop_assert!(!crisp.undecided);
            prop_assert_eq!(crisp.leaf(), NodeId(if test.goes_left(x) { 1 } else { 2 }));
        }
    }
}
