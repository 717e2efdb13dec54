//! A tree through which many rows flow at once, at any scale of its zones.
//!
//! Nodes are passed in preorder, each with the parts of rows that reach it: what a node knows is read once
//! for all of them, and no memory is searched. A part that a zone divides goes on as two.

use crate::tree::{Cut, Node, NodeId, Side, Test, Tree, Zone, most_probable};
use std::ops::Range;

/// A tree as a flat array: a fast path for numbers, and the [`Test`] itself for all else.
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
pub(crate) const LEAST_SHARE: f64 = 1.0 / 1024.0;

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

/// The values of a block of rows, feature by feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnBlock<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) n_rows: usize,
}

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
    open: Vec<OpenNode>,
    /// Which rows have met a zone.
    undecided: Vec<bool>,
}

/// A node, and where its parts are.
#[derive(Debug, Clone)]
struct OpenNode {
    node: u32,
    parts: Range<usize>,
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

impl SoftTree {
    pub(crate) fn new(tree: &Tree) -> Self {
        let node = |id: NodeId| match tree.node(id) {
            Node::Leaf => SoftNode { threshold: 0.0, half_width: 0.0, feature: LEAF, right: 0 },
            Node::Split(split) => {
                debug_assert_eq!(split.left.0, id.0 + 1, "a left child comes next");
                let (threshold, half_width) = match split.test.cut() {
                    Cut::Threshold { zone, .. } if is_usual(*zone) => {
                        (zone.threshold(), zone.half_width())
                    }
                    _ => (f64::NAN, 0.0),
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

    /// Adds what the tree says of the wanted rows of a block.
    pub(crate) fn add(
        &self,
        walk: Walk<'_>,
        block: ColumnBlock<'_>,
        is_wanted: impl Fn(usize) -> bool,
        memory: &mut Parts,
        targets: &mut Targets<'_>,
    ) {
        let Parts { parts, open, undecided } = memory;
        let wanted = (0..block.n_rows).filter(|&row| is_wanted(row));
        parts.clear();
        parts.extend(wanted.map(|row| Part { share: 1.0, row: row as u32 }));
        undecided.clear();
        undecided.resize(block.n_rows, false);
        open.clear();
        open.push(OpenNode { node: 0, parts: 0..parts.len() });
        while let Some(OpenNode { mut node, parts: mut here }) = open.pop() {
            // Down the left side; right children wait.
            while !here.is_empty() {
                let SoftNode { feature, right, .. } = self.nodes[node as usize];
                if feature == LEAF {
                    let shares = walk.tree.distribution(NodeId(node));
                    add_leaf(shares, &parts[here], undecided, targets);
                    break;
                }
                let column = &block.values[feature as usize * block.n_rows..][..block.n_rows];
                let (left, of_right) = self.split(walk, node, column, here, parts, undecided);
                open.push(OpenNode { node: right, parts: of_right });
                (node, here) = (node + 1, left);
            }
        }
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
        let mut rows: Vec<u32> =
            (0..block.n_rows as u32).filter(|&row| is_wanted(row as usize)).collect();
        let mut lefts: Vec<u32> = Vec::new();
        // Nodes with the first of their rows; those of the last come last.
        let mut open = vec![(0, 0)];
        while let Some((node, start)) = open.pop() {
            let SoftNode { threshold, half_width, feature, right } = self.nodes[node as usize];
            if feature == LEAF || start == rows.len() {
                rows.truncate(start);
                continue;
            }
            let column = &block.values[feature as usize * block.n_rows..][..block.n_rows];
            let (lower, upper) = (threshold - half_width, threshold + half_width);
            lefts.clear();
            let (mut n_right, mut n_within) = (start, 0);
            for at in start..rows.len() {
                let row = rows[at];
                let x = column[row as usize];
                if x.is_nan() | threshold.is_nan() {
                    let Some(split) = tree.node(NodeId(node)).as_split() else { continue };
                    n_within += u32::from(split.test.side(x) == Side::Within);
                    match split.test.training_side(x, false) {
                        Side::Below => lefts.push(row),
                        Side::Above => {
                            rows[n_right] = row;
                            n_right += 1;
                        }
                        // Trains neither child.
                        Side::Within => {}
                    }
                    continue;
                }
                n_within += u32::from((x > lower) & (x <= upper));
                lefts.push(row);
                rows[n_right] = row;
                let is_left = x <= threshold;
                n_right += usize::from(!is_left);
                lefts.truncate(lefts.len() - usize::from(!is_left));
            }
            within[node as usize] += n_within;
            rows.truncate(n_right);
            rows.extend_from_slice(&lefts);
            open.push((right, start));
            open.push((node + 1, n_right));
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
        let SoftNode { threshold, half_width, .. } = self.nodes[node as usize];
        let Range { start, end } = here;
        if parts.len() < 2 * end - start {
            parts.resize(2 * end - start, Part::default());
        }
        let (before, after) = parts.split_at_mut(end);
        let (here, lefts) = (&mut before[start..], &mut after[..end - start]);
        let (mut n_left, mut n_right) = (0, 0);
        let least = if walk.crisp { f64::INFINITY } else { LEAST_SHARE };
        let width = if walk.crisp { 0.0 } else { half_width * walk.scale };
        let (lower, upper) = (threshold - width, threshold + width);
        let per_width = 1.0 / (2.0 * width);
        // Every part is written to both lists, but advances only those it belongs to: no branch to
        // mispredict.
        for at in 0..here.len() {
            let Part { share, row } = here[at];
            let x = column[row as usize];
            if x.is_nan() | threshold.is_nan() {
                let (left_share, is_unsure) = walk.rare(node, x, share >= least);
                undecided[row as usize] |= is_unsure;
                lefts[n_left] = Part { share: share * left_share, row };
                here[n_right] = Part { share: share - share * left_share, row };
                n_left += usize::from(left_share > 0.0);
                n_right += usize::from(left_share < 1.0);
            } else if width == 0.0 {
                lefts[n_left] = Part { share, row };
                here[n_right] = Part { share, row };
                n_left += usize::from(x <= threshold);
                n_right += usize::from(x > threshold);
            } else {
                let is_soft = share >= least;
                let is_left = x <= if is_soft { lower } else { threshold };
                let is_right = x > if is_soft { upper } else { threshold };
                undecided[row as usize] |= !(is_left | is_right);
                let within = ((upper - x) * per_width).clamp(0.0, 1.0) * share;
                let left = if is_right { 0.0 } else { within };
                let left = if is_left { share } else { left };
                lefts[n_left] = Part { share: left, row };
                here[n_right] = Part { share: share - left, row };
                n_left += usize::from(left > 0.0);
                n_right += usize::from(left < share);
            }
        }
        (end..end + n_left, start..start + n_right)
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

/// True if the numbers of a zone are neither so large nor so small that a scale could make them overflow or
/// vanish.
pub(crate) fn is_usual(zone: Zone) -> bool {
    let (threshold, half_width) = (zone.threshold().abs(), zone.half_width());
    threshold < 1e300 && (half_width == 0.0 || (1e-300..1e300).contains(&half_width))
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

    /// For what is no number, and for the largest and smallest numbers: the share that goes left, and
    /// whether the row is unsure.
    #[cold]
    fn rare(&self, node: u32, x: f64, is_soft: bool) -> (f64, bool) {
        let test = self.test(node);
        if !is_soft {
            return (f64::from(u8::from(test.goes_left(x))), test.is_unknown(x));
        }
        let scaled = match test.zone() {
            Some(_) if self.scale != 1.0 => Some(test.clone().scaled(self.scale, 0.0)),
            _ => None,
        };
        let test = scaled.as_ref().unwrap_or(test);
        (test.left_share(x), test.side(x) == Side::Within)
    }
}
