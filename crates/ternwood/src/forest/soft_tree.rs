//! A tree laid out for walking rows both ways, at any scale of its zones.

use crate::tree::{Cut, Node, NodeId, Side, Test, Tree, Zone, most_probable};

/// A tree as a flat array: a fast path for numbers outside zones, and the [`Test`] itself for all else.
#[derive(Debug, Clone)]
pub(crate) struct SoftTree {
    /// In preorder, so that a left child comes right after its parent.
    nodes: Vec<SoftNode>,
    has_categories: bool,
}

/// A split, or a leaf.
#[derive(Debug, Clone, Copy)]
struct SoftNode {
    /// NaN where numbers are not compared.
    threshold: f64,
    half_width: f64,
    /// [`LEAF`] for a leaf.
    feature: u32,
    right: u32,
}

const LEAF: u32 = u32::MAX;

/// A share of a row below this follows the threshold alone. Without that, a row in the middle of many
/// zones would visit a good part of a deep tree, for nothing that shows.
pub(super) const LEAST_SHARE: f64 = 1.0 / 1024.0;

/// Tests of categories with another number of standard errors than the tree's: one per node, `None`
/// where numbers are compared.
#[derive(Debug)]
pub(crate) struct CategoryTests(Vec<Option<Test>>);

/// How to walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk<'a> {
    pub(crate) tree: &'a Tree,
    /// A factor on all half-widths.
    pub(crate) scale: f64,
    /// If given, replaces the tests of categories.
    pub(crate) categories: Option<&'a CategoryTests>,
    /// True if zones are ignored.
    pub(crate) crisp: bool,
}

/// Parts of a row still to be walked: a node and a share.
pub(crate) type Shares = Vec<(u32, f64)>;

impl CategoryTests {
    /// The tests of a tree with categories undecided within `error` standard errors.
    pub(crate) fn new(tree: &Tree, error: f64) -> Self {
        let test = |id: NodeId| {
            let test = &tree.node(id).as_split()?.test;
            test.categories().is_some().then(|| test.clone().scaled(1.0, error))
        };
        Self(tree.ids().map(test).collect())
    }
}

impl<'a> Walk<'a> {
    /// As the tree says.
    pub(crate) fn of(tree: &'a Tree, crisp: bool) -> Self {
        Self { tree, scale: 1.0, categories: None, crisp }
    }

    fn test(&self, node: u32) -> &'a Test {
        let replaced = self.categories.and_then(|tests| tests.0[node as usize].as_ref());
        let own = || self.tree.node(NodeId(node)).as_split().map(|split| &split.test);
        replaced.or_else(own).expect("a split has a test")
    }
}

impl SoftTree {
    pub(crate) fn new(tree: &Tree) -> Self {
        let node = |id: NodeId| match tree.node(id) {
            Node::Leaf => SoftNode { threshold: 0.0, half_width: 0.0, feature: LEAF, right: 0 },
            Node::Split(split) => {
                debug_assert_eq!(split.left.0, id.0 + 1);
                let (threshold, half_width) = match split.test.cut() {
                    Cut::Threshold { zone, .. } => (zone.threshold(), zone.half_width()),
                    Cut::Categories(_) | Cut::Present => (f64::NAN, 0.0),
                };
                let feature = split.test.feature().0;
                SoftNode { threshold, half_width, feature, right: split.right.0 }
            }
        };
        let has_categories = tree.tests().any(|test| test.categories().is_some());
        Self { nodes: tree.ids().map(node).collect(), has_categories }
    }

    /// True if some test is of categories.
    pub(crate) fn has_categories(&self) -> bool {
        self.has_categories
    }

    /// Adds the tree's distribution of a row to `sums`. Returns the tree's class if it is decided.
    #[inline]
    pub(crate) fn add(
        &self,
        walk: Walk<'_>,
        row: &[f64],
        shares: &mut Shares,
        sums: &mut [f64],
    ) -> Option<u32> {
        let mut decided = true;
        let mut first_leaf = None;
        shares.clear();
        shares.push((0, if walk.crisp { 0.0 } else { 1.0 }));
        while let Some((mut node, mut share)) = shares.pop() {
            loop {
                let SoftNode { threshold, half_width, feature, right } = self.nodes[node as usize];
                if feature == LEAF {
                    break;
                }
                let x = row[feature as usize];
                let soft = share >= LEAST_SHARE;
                let width = if soft { (half_width * walk.scale).min(f64::MAX) } else { 0.0 };
                let (lower, upper) = (threshold - width, threshold + width);
                if x <= lower {
                    node += 1;
                } else if x > upper {
                    node = right;
                } else if x.is_nan() || threshold.is_nan() {
                    let test = walk.test(node);
                    let is_left = match test.side(x) {
                        Side::Below => true,
                        Side::Above => false,
                        Side::Within => {
                            let unknown = test.is_unknown(x);
                            decided &= !(unknown || soft);
                            if soft {
                                let left = share * test.left_share(x);
                                shares.push((right, share - left));
                                share = left;
                                true
                            } else {
                                test.goes_left(x)
                            }
                        }
                    };
                    node = if is_left { node + 1 } else { right };
                } else {
                    // Within the zone.
                    decided = false;
                    let left = share * Zone::from_checked(threshold, width).left_weight(x);
                    shares.push((right, share - left));
                    share = left;
                    node += 1;
                }
            }
            let leaf = walk.tree.distribution(NodeId(node));
            let share = if walk.crisp { 1.0 } else { share };
            sums.iter_mut().zip(leaf).for_each(|(sum, p)| *sum += share * p);
            first_leaf.get_or_insert(node);
        }
        let leaf = first_leaf.filter(|_| decided)?;
        Some(most_probable(walk.tree.distribution(NodeId(leaf))))
    }
}
