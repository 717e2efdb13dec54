//! A tree laid out for many rows at once, at any scale of its zones.

use crate::blend::LeastShare;
use crate::tree::{Cut, Node, NodeId, Side, Split, Test, Tree, Zone};

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
pub(super) struct SoftNode {
    /// NaN where numbers are not compared, negative infinity at a leaf.
    pub(super) threshold: f64,
    pub(super) feature: u32,
    /// The right child; a leaf itself, so that rows stay there.
    pub(super) right: u32,
}

impl SoftNode {
    /// What tells the sides of values: where numbers are not compared, those beyond every threshold.
    pub(super) fn pivot(self) -> f64 {
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

/// Where a test sends a value.
pub(super) struct Place {
    /// The share that goes left, if the test cannot place the value.
    pub(super) left_share: f64,
    /// Whether it goes left, if it is not divided.
    pub(super) goes_left: bool,
    /// True if the test cannot place it.
    pub(super) is_unsure: bool,
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

    pub(super) fn is_complete(self) -> bool {
        self.is_complete
    }

    /// The values of some rows. Read before they are needed, so that many are on their way from memory at once.
    pub(super) fn gather(
        self,
        feature: u32,
        rows: impl Iterator<Item = usize>,
        values: &mut Vec<f64>,
    ) {
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

    #[inline(always)]
    pub(super) fn node(&self, node: u32) -> SoftNode {
        self.nodes[node as usize]
    }

    /// True if every row of a block follows thresholds alone, all the way.
    pub(super) fn is_crisp(&self, walk: Walk<'_>, block: ColumnBlock<'_>) -> bool {
        let no_zones = walk.crisp || walk.scale == 0.0 || !self.has_zones;
        no_zones && self.has_numbers_only && block.is_complete
    }

    /// The half-width of the zone of a node.
    pub(super) fn width(&self, walk: Walk<'_>, node: u32) -> f64 {
        if walk.crisp { 0.0 } else { self.half_widths[node as usize] * walk.scale }
    }

    /// Counts the wanted rows of a block that reach each node by thresholds alone, as in training, and are
    /// within its zone or unknown there.
    pub(crate) fn count_within(
        &self,
        tree: &Tree,
        block: ColumnBlock<'_>,
        is_wanted: impl Fn(usize) -> bool,
        within: &mut [u32],
    ) {
        // The rows at all nodes still to be visited; those of the present one come last.
        let mut rows: Vec<u32> =
            (0..block.n_rows as u32).filter(|&row| is_wanted(row as usize)).collect();
        let (mut open, mut values) = (vec![(0, 0..rows.len())], Vec::new());
        while let Some((mut node, mut here)) = open.pop() {
            rows.truncate(here.end);
            // Down the left side; right children wait.
            while !here.is_empty() {
                let split = self.nodes[node as usize];
                let Node::Split(Split { test, .. }) = tree.node(NodeId(node)) else { break };
                let start = here.start;
                block.gather(
                    split.feature,
                    rows[start..].iter().map(|&row| row as usize),
                    &mut values,
                );
                let within = &mut within[node as usize];
                if split.threshold.is_nan() || !block.is_complete {
                    let is_within = |&&x: &&f64| test.side(x) == Side::Within;
                    *within += values.iter().filter(is_within).count() as u32;
                    let sides = values.iter().map(|&x| test.training_side(x, false));
                    // A row that is unknown here may train neither child.
                    let kept =
                        rows[start..].iter().zip(sides).filter(|(_, side)| *side != Side::Within);
                    let (kept, sides): (Vec<u32>, Vec<f64>) =
                        kept.map(|(&row, side)| (row, far_value(side == Side::Below))).unzip();
                    rows.truncate(start);
                    rows.extend(kept);
                    values = sides;
                } else {
                    let half_width = self.half_widths[node as usize];
                    let (lower, upper) =
                        (split.threshold - half_width, split.threshold + half_width);
                    let is_within = |&x: &f64| u32::from((x > lower) & (x <= upper));
                    *within += values.iter().map(is_within).sum::<u32>();
                }
                let middle = start + right_sides_first(&mut rows[start..], &values, split.pivot());
                open.push((split.right, start..middle));
                (node, here) = (node + 1, middle..rows.len());
            }
        }
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

    pub(super) fn least_share(&self) -> LeastShare {
        if self.crisp { LeastShare::NEVER } else { self.least_share }
    }

    fn test(&self, node: u32) -> &'a Test {
        let replaced = self.categories.and_then(|tests| tests.0[node as usize].as_ref());
        let own = || self.tree.node(NodeId(node)).as_split().map(|split| &split.test);
        replaced.or_else(own).expect("a split has a test")
    }

    /// For what is no number, and for the largest and smallest numbers.
    #[cold]
    pub(super) fn rare(&self, node: u32, x: f64) -> Place {
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

/// Puts what goes right before what goes left, by values and threshold; returns how much goes right. No value is
/// NaN.
#[inline(always)]
#[expect(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::needless_range_loop,
    reason = "the innermost loop of a forest: written so, it has 11 instructions, else 16"
)]
pub(super) fn right_sides_first<T: Copy>(list: &mut [T], values: &[f64], threshold: f64) -> usize {
    let mut n_right = 0;
    // Every item trades places, if only with itself: no branch to mispredict.
    let values = &values[..list.len()];
    for at in 0..list.len() {
        list.swap(at, n_right);
        n_right += usize::from(!(values[at] <= threshold));
    }
    n_right
}

/// A value on the wanted side of every threshold.
pub(super) fn far_value(goes_left: bool) -> f64 {
    if goes_left { f64::NEG_INFINITY } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_right_comes_first() {
        let mut list: Vec<usize> = (0..7).collect();
        let values = [2.0, 1.0, 0.5, f64::INFINITY, 3.0, f64::NEG_INFINITY, 1.5];
        let n_right = right_sides_first(&mut list, &values, 1.0);
        let mut rights = list[..n_right].to_vec();
        rights.sort_unstable();
        assert_eq!(rights, [0, 3, 4, 6]);
        list.sort_unstable();
        assert_eq!(list, [0, 1, 2, 3, 4, 5, 6], "nothing is lost");
    }
}
