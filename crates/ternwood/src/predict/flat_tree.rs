//! Descends many rows at once, without branches that could be mispredicted.
//!
//! Until a row falls into a zone, it follows a single path. So one fast pass predicts all decided
//! rows and finds those that need the walker.

use super::walk::Walker;
use crate::dataset::{RowBlock, is_unknown_value};
use crate::error::Result;
use crate::recipe::Routing;
use crate::tree::{CategoryCut, Cut, Edges, Node, NodeId, Side, Split};
use std::sync::{Arc, OnceLock};

/// A tree laid out for the fast pass.
#[derive(Debug)]
pub(crate) struct FlatTree {
    nodes: Vec<FlatNode>,
    /// One per node.
    others: Vec<NoNumber>,
    /// The most probable class of every node.
    classes: Vec<u32>,
    /// True if all tests compare numbers.
    has_numbers_only: bool,
    depth: usize,
    missing_allowed: bool,
}

/// The flat form of a model's tree, made when first needed and shared by the model's copies.
#[derive(Debug, Clone, Default)]
pub(crate) struct FlatCache(Arc<OnceLock<Option<FlatTree>>>);

impl FlatCache {
    /// The flat form of the walker's tree, if it has one. A cache serves a single walker.
    pub(crate) fn of(&self, walker: Walker<'_>) -> Option<&FlatTree> {
        self.0.get_or_init(|| FlatTree::new(walker)).as_ref()
    }
}

/// Made from a tree, it adds nothing to it.
impl PartialEq for FlatCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A split, or a leaf, whose children are itself and which has no zone.
#[derive(Debug, Clone, Copy)]
struct FlatNode {
    /// The edges of the zone: equal if there is none.
    edges: Edges,
    feature: u32,
    /// Left and right.
    children: [u32; 2],
}

/// What stands for a value that is no number, so that the edges of the node give its side:
/// negative infinity is below, infinity above, NaN neither.
#[derive(Debug)]
struct NoNumber {
    missing: f64,
    /// Of a value that cannot be read.
    unknown: f64,
    /// By category id; empty where numbers are compared.
    categories: Vec<f64>,
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

/// The most entries in all tables of categories: 8 MB. Each table has an entry for every id up to
/// its last, so that many tests of many categories would need far more memory than the tree.
const MAX_CATEGORY_ENTRIES: usize = 1 << 20;

/// Edges that no number is above: of a leaf, and of a test of what is present.
const ALL_BELOW: Edges = Edges { lower: f64::MAX, upper: f64::MAX };

/// Edges for what stands for a category.
const NO_NUMBER: Edges = Edges { lower: f64::MIN, upper: f64::MAX };

/// Rows per batch, which descend in lockstep: enough to hide memory latency.
const BATCH: usize = 8;

impl FlatTree {
    /// `None` if the tree is too deep or has too many categories, or rows within zones go to a
    /// middle child.
    pub(super) fn new(walker: Walker<'_>) -> Option<Self> {
        let tree = walker.tree();
        let depth = tree.depth();
        if walker.routing() == Routing::HardMiddle || depth > MAX_DEPTH {
            return None;
        }
        let cuts = tree.ids().filter_map(|id| tree.node(id).as_split()?.test.categories());
        if cuts.map(CategoryCut::n_ids).sum::<usize>() > MAX_CATEGORY_ENTRIES {
            return None;
        }
        let crisp = walker.routing() == Routing::Crisp;
        let others: Vec<NoNumber> =
            tree.ids().map(|id| NoNumber::new(tree.node(id), crisp)).collect();
        let has_numbers_only = others.iter().all(|other| other.categories.is_empty());
        let nodes = tree.ids().map(|id| match tree.node(id) {
            Node::Split(split) => FlatNode {
                edges: split.test.edges(!crisp).unwrap_or(match split.test.cut() {
                    Cut::Present => ALL_BELOW,
                    _ => NO_NUMBER,
                }),
                feature: split.test.feature().0,
                children: [split.left.0, split.right.0],
            },
            Node::Leaf => FlatNode { edges: ALL_BELOW, feature: 0, children: [id.0; 2] },
        });
        let missing_allowed = walker.missing_allowed();
        let classes = tree.ids().map(|id| tree.majority_class(id)).collect();
        Some(Self {
            nodes: nodes.collect(),
            others,
            classes,
            has_numbers_only,
            depth,
            missing_allowed,
        })
    }

    /// The most probable class of every node.
    pub(super) fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The descent of every row.
    ///
    /// # Errors
    /// A value that is infinite, or missing where that is not allowed. Values are checked just before they are used, so the next
    /// ones are fetched from memory while rows descend.
    pub(super) fn ends(&self, block: RowBlock<'_>) -> Result<Vec<Descent>> {
        let mut ends = vec![Descent::default(); block.n_rows()];
        for (batch, ends) in block.batches(BATCH).zip(ends.chunks_mut(BATCH)) {
            let is_complete = batch.is_complete(self.missing_allowed)?;
            let only_numbers = is_complete && self.has_numbers_only;
            for _ in 0..self.depth {
                for (end, row) in ends.iter_mut().zip(batch.rows()) {
                    if only_numbers { self.step(end, row) } else { self.step_any(end, row) }
                }
            }
        }
        Ok(ends)
    }

    #[inline]
    fn step(&self, end: &mut Descent, row: &[f64]) {
        let node = &self.nodes[end.node as usize];
        end.go(node, row[node.feature as usize]);
    }

    /// A step for any value.
    fn step_any(&self, end: &mut Descent, row: &[f64]) {
        let (node, other) = (&self.nodes[end.node as usize], &self.others[end.node as usize]);
        end.go(node, other.stand_in(row[node.feature as usize]));
    }
}

impl Descent {
    #[inline]
    fn go(&mut self, node: &FlatNode, x: f64) {
        // `Edges::side` without a branch. NaN is neither below nor above.
        let (below, above) = (x <= node.edges.lower, x > node.edges.upper);
        // Where an undecided row goes from here does not matter.
        self.undecided |= !(below | above);
        self.node = node.children[usize::from(above)];
    }
}

impl NoNumber {
    fn new(node: &Node, crisp: bool) -> Self {
        let Node::Split(Split { test, .. }) = node else {
            let below = f64::NEG_INFINITY;
            return Self { missing: below, unknown: below, categories: Vec::new() };
        };
        // Whatever is unknown is left to the walker, under crisp routing too.
        let of_side = |x: f64| match test.training_side(x, !crisp) {
            Side::Below => f64::NEG_INFINITY,
            Side::Within => f64::NAN,
            Side::Above => f64::INFINITY,
        };
        let categories = match test.cut() {
            Cut::Threshold { .. } | Cut::Present => Vec::new(),
            Cut::Categories(cut) => (0..cut.n_ids()).map(|id| of_side(id as f64)).collect(),
        };
        Self { missing: of_side(f64::NAN), unknown: f64::NAN, categories }
    }

    /// What stands for a value.
    fn stand_in(&self, x: f64) -> f64 {
        if x.is_nan() {
            return if is_unknown_value(x) { self.unknown } else { self.missing };
        }
        if self.categories.is_empty() {
            return x;
        }
        let id = x as usize;
        let known = self.categories.get(id).filter(|_| id as f64 == x);
        known.copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Matrix;
    use crate::tree::test_strategies::any_test_and_value;
    use crate::tree::{NodeId, TreeBuilder};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn a_row_descends_as_the_test_says(
            (test, x) in any_test_and_value(),
            left in 1u32..5,
            right in 1u32..5,
        ) {
            let mut builder = TreeBuilder::new(1, 2);
            builder.split_by(&test);
            builder.leaf(&[f64::from(left), 0.0]);
            builder.leaf(&[0.0, f64::from(right)]);
            let tree = builder.finish().unwrap();
            let test = &tree.node(NodeId::ROOT).as_split().unwrap().test;
            let values = [x];
            let mut buffer = Vec::new();
            let row = Matrix::row_major(&values, 1).unwrap().block(0..1, &mut buffer);
            let descend = |routing| {
                let flat = FlatTree::new(Walker::new(&tree, routing).unwrap()).unwrap();
                flat.ends(row).unwrap()[0]
            };
            let zoned = descend(Routing::Probabilistic);
            prop_assert_eq!(zoned.undecided, test.side(x) == Side::Within);
            let leaf = NodeId(if test.goes_left(x) { 1 } else { 2 });
            prop_assert!(zoned.undecided || zoned.leaf() == leaf);
            let crisp = descend(Routing::Crisp);
            prop_assert_eq!(crisp.undecided, test.is_unknown(x));
            prop_assert!(crisp.undecided || crisp.leaf() == leaf);
        }
    }
}
