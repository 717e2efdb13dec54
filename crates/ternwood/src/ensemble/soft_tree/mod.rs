//! A tree laid out for many rows at once, at any scale of its zones.

mod divide;
mod edges;
mod flow;
mod lists;
mod part;
mod targets;
mod within;

pub(crate) use flow::Parts;
pub(crate) use targets::Targets;

use crate::blend::LeastShare;
use crate::tree::{Cut, Node, NodeId, Side, Test, Tree, Zone};
use edges::Place;

/// A tree as flat arrays: a fast path for numbers, and the [`Test`] itself for all else.
#[derive(Debug, Clone)]
pub(crate) struct SoftTree {
    /// In preorder, so that a left child comes right after its parent.
    nodes: Vec<SoftNode>,
    /// Of the zone of every node.
    half_widths: Vec<f64>,
    has_zones: bool,
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

impl SoftNode {
    /// What tells the sides of values: where numbers are not compared, those beyond every threshold.
    fn pivot(self) -> f64 {
        if self.threshold.is_nan() { 0.0 } else { self.threshold }
    }
}

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
    pub(crate) least_share: LeastShare,
}

/// The values of a block of rows, feature by feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnBlock<'a> {
    values: &'a [f64],
    n_rows: usize,
    /// True if no value is missing.
    is_complete: bool,
}

impl<'a> ColumnBlock<'a> {
    pub(crate) fn new(values: &'a [f64], n_rows: usize) -> Self {
        Self { values, n_rows, is_complete: !values.iter().any(|x| x.is_nan()) }
    }

    pub(crate) fn n_rows(self) -> usize {
        self.n_rows
    }

    /// The values of some rows. Read before they are needed: so many are on their way from memory at once.
    fn gather(self, feature: u32, rows: impl Iterator<Item = usize>, values: &mut Vec<f64>) {
        let column = &self.values[feature as usize * self.n_rows..][..self.n_rows];
        values.clear();
        values.extend(rows.map(|row| column[row]));
    }
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
            has_zones: half_widths.iter().any(|&width| width > 0.0),
            has_numbers_only: !nodes.iter().any(|node| node.threshold.is_nan()),
            has_categories: tree.tests().any(|test| test.categories().is_some()),
            nodes,
            half_widths,
        }
    }

    /// The number of leaves: one more than splits.
    pub(crate) fn n_leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// True if some test is of categories.
    pub(crate) fn has_categories(&self) -> bool {
        self.has_categories
    }
}

/// True if the numbers of a zone are neither so large nor so small that a scale could make them overflow or
/// vanish.
fn is_usual(zone: Zone) -> bool {
    let (threshold, half_width) = (zone.threshold().abs(), zone.half_width());
    threshold < 1e300 && (half_width == 0.0 || (1e-300..1e300).contains(&half_width))
}

impl<'a> Walk<'a> {
    /// As the tree says.
    pub(crate) fn of(tree: &'a Tree, crisp: bool, least_share: LeastShare) -> Self {
        Self { tree, scale: 1.0, categories: None, crisp, least_share }
    }

    fn least_share(&self) -> LeastShare {
        if self.crisp { LeastShare::NEVER } else { self.least_share }
    }

    fn test(&self, node: u32) -> &'a Test {
        let replaced = self.categories.and_then(|tests| tests.0[node as usize].as_ref());
        let own = || self.tree.node(NodeId(node)).as_split().map(|split| &split.test);
        replaced.or_else(own).expect("a split has a test")
    }

    /// For what is no number, and for the largest and smallest numbers.
    #[cold]
    fn rare(&self, node: u32, x: f64) -> Place {
        let test = self.test(node);
        let goes_left = test.goes_left(x);
        if self.crisp {
            return Place { left_share: 0.0, goes_left, is_unsure: test.is_unknown(x) };
        }
        let scaled = match test.zone() {
            Some(_) if self.scale != 1.0 => Some(test.clone().scaled(self.scale, 0.0)),
            _ => None,
        };
        let test = scaled.as_ref().unwrap_or(test);
        let is_unsure = test.side(x) == Side::Within;
        Place { left_share: test.left_share(x), goes_left, is_unsure }
    }
}
