//! A tree laid out for many rows at once, at any scale of its zones.

mod block;
mod crisp;
mod divided;
mod within;

pub(crate) use block::{Block, ColumnBlock};
pub(crate) use divided::LEAST_SHARE;
pub(crate) use within::RowLists;

use crate::tree::{Cut, Node, NodeId, Side, Test, Tree, Zone};

/// A tree as flat arrays: a fast path for numbers, and the [`Test`] itself for all else.
#[derive(Debug, Clone)]
pub(crate) struct SoftTree {
    /// In preorder, so that a left child comes right after its parent.
    nodes: Vec<SoftNode>,
    zones: SoftZones,
    has_numbers_only: bool,
    has_categories: bool,
}

/// A split, or a leaf.
#[derive(Debug, Clone, Copy)]
struct SoftNode {
    /// NaN where numbers are not compared, negative infinity at a leaf.
    threshold: f64,
    feature: u32,
    /// The right child; a leaf itself, so that rows stay there.
    right: u32,
}

/// The zones of a tree's tests of numbers.
#[derive(Debug, Clone)]
pub(crate) struct SoftZones {
    /// One per node; of width 0 where numbers are not compared.
    of_nodes: Vec<SoftZone>,
    /// True if some zone is not empty.
    are_any: bool,
    /// How much wider they are than the tree's own.
    scale: f64,
}

#[derive(Debug, Clone, Copy)]
struct SoftZone {
    half_width: f64,
    /// The share of a number that goes right, per unit of its distance from the lower edge; 0 without a
    /// zone, so that nothing is divided.
    per_width: f64,
}

/// Tests of categories with another number of standard errors than the tree's: one per node, `None`
/// where numbers are compared.
#[derive(Debug)]
pub(crate) struct CategoryTests(Vec<Option<Test>>);

/// How to walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk<'a> {
    pub(crate) tree: &'a Tree,
    /// If given, replace the tree's zones of numbers.
    pub(crate) zones: Option<&'a SoftZones>,
    /// If given, replaces the tests of categories.
    pub(crate) categories: Option<&'a CategoryTests>,
    /// True if zones are ignored.
    pub(crate) crisp: bool,
}

/// What one tree says of the rows of a block is added here.
pub(crate) struct Targets<'a> {
    pub(crate) n_classes: usize,
    /// Sums of distributions, row by row.
    pub(crate) sums: &'a mut [f64],
    /// By row and class, the number of trees that are decided for it.
    pub(crate) decided: &'a mut [u32],
}

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

impl SoftZones {
    fn new(half_widths: impl Iterator<Item = f64>, scale: f64) -> Self {
        let zone = |half_width: f64| {
            let per_width = if half_width > 0.0 { 1.0 / (2.0 * half_width) } else { 0.0 };
            SoftZone { half_width, per_width }
        };
        let of_nodes: Vec<SoftZone> = half_widths.map(zone).collect();
        Self { are_any: of_nodes.iter().any(|zone| zone.half_width > 0.0), of_nodes, scale }
    }
}

impl SoftTree {
    pub(crate) fn new(tree: &Tree) -> Self {
        let node = |id: NodeId| match tree.node(id) {
            Node::Leaf => (SoftNode { threshold: f64::NEG_INFINITY, feature: 0, right: id.0 }, 0.0),
            Node::Split(split) => {
                debug_assert_eq!(split.left.0, id.0 + 1, "a left child comes next");
                let (threshold, half_width) = match split.test.cut() {
                    Cut::Threshold { zone, .. } if is_usual(*zone) => {
                        (zone.threshold(), zone.half_width())
                    }
                    _ => (f64::NAN, 0.0),
                };
                let feature = split.test.feature().0;
                (SoftNode { threshold, feature, right: split.right.0 }, half_width)
            }
        };
        let (nodes, half_widths): (Vec<SoftNode>, Vec<f64>) = tree.ids().map(node).unzip();
        Self {
            zones: SoftZones::new(half_widths.into_iter(), 1.0),
            has_numbers_only: !nodes.iter().any(|node| node.threshold.is_nan()),
            has_categories: tree.tests().any(|test| test.categories().is_some()),
            nodes,
        }
    }

    /// Its zones, all wider by a factor.
    pub(crate) fn scaled_zones(&self, scale: f64) -> SoftZones {
        SoftZones::new(self.zones.of_nodes.iter().map(|zone| zone.half_width * scale), scale)
    }

    /// True if some test is of categories.
    pub(crate) fn has_categories(&self) -> bool {
        self.has_categories
    }
}

/// True if the numbers of a zone are neither so large nor so small that a scale could make them overflow or
/// vanish.
pub(crate) fn is_usual(zone: Zone) -> bool {
    let (threshold, half_width) = (zone.threshold().abs(), zone.half_width());
    threshold < 1e300 && (half_width == 0.0 || (1e-300..1e300).contains(&half_width))
}

impl<'a> Walk<'a> {
    /// As the tree says.
    pub(crate) fn of(tree: &'a Tree, crisp: bool) -> Self {
        Self { tree, zones: None, categories: None, crisp }
    }

    fn test(&self, node: u32) -> &'a Test {
        let replaced = self.categories.and_then(|tests| tests.0[node as usize].as_ref());
        let own = || self.tree.node(NodeId(node)).as_split().map(|split| &split.test);
        replaced.or_else(own).expect("a split has a test")
    }

    /// For what is no number, and for the largest and smallest numbers: the share that goes left, whether
    /// all of it would, and whether the row is unsure.
    #[cold]
    fn rare(&self, node: u32, x: f64) -> (f64, bool, bool) {
        let test = self.test(node);
        if self.crisp {
            return (0.0, test.goes_left(x), test.is_unknown(x));
        }
        let scaled = match (test.zone(), self.zones) {
            (Some(_), Some(zones)) => Some(test.clone().scaled(zones.scale, 0.0)),
            _ => None,
        };
        let test = scaled.as_ref().unwrap_or(test);
        (test.left_share(x), test.goes_left(x), test.side(x) == Side::Within)
    }
}
