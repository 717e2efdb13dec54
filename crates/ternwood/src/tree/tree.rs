//! The tree itself: nodes in preorder, what they predict, and what is known of their training rows.

use super::builder::NodeRows;
use super::category_cut::CategoryCut;
use super::digits::Digits;
use super::test::Test;
use super::zone::Side;
use crate::dataset::check_length;
use crate::error::{ErrorKind, Result};
use std::collections::BTreeSet;
use std::fmt;

/// A grown tree: nodes in preorder, each with the values that it predicts and statistics of its training rows.
///
/// A classifier predicts one value per class, the class probabilities, and knows the rows of each class at every node.
///
/// Every child comes after its parent, and a subtree is a contiguous range of nodes. So a
/// forward pass visits parents before children, a backward pass children before parents, and
/// no algorithm on a tree needs recursion.
///
/// Trees come from growing, from a model file, or by hand from a
/// [`TreeBuilder`](super::TreeBuilder).
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    pub(super) n_features: usize,
    pub(super) n_outputs: usize,
    /// As many as there are outputs; 0 if rows have no classes.
    pub(super) n_classes: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) statistics: Vec<NodeStatistics>,
    /// A block of `n_outputs` numbers per node.
    pub(super) values: Vec<f64>,
    // Each holds a block of `n_classes` numbers per node:
    pub(super) class_rows: Vec<u32>,
    pub(super) class_weights: Vec<f64>,
    /// How people see the threshold of each node; empty if all digits of all thresholds are shown.
    pub(super) digits: Vec<Option<Digits>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NodeStatistics {
    pub(super) rows: u32,
    pub(super) rows_within: u32,
    pub(super) weight: f64,
    pub(super) impurity: f64,
}

impl Tree {
    /// The number of features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// How many values every node predicts.
    #[must_use]
    pub fn n_outputs(&self) -> usize {
        self.n_outputs
    }

    /// The number of classes; 0 if training rows have none.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The number of nodes, splits and leaves together.
    #[must_use]
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The number of leaves.
    #[must_use]
    pub fn n_leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_leaf()).count()
    }

    /// Gives back the memory that growing left over: a forest keeps many trees.
    pub(super) fn shrink_to_fit(&mut self) {
        self.nodes.shrink_to_fit();
        self.statistics.shrink_to_fit();
        self.class_rows.shrink_to_fit();
        self.class_weights.shrink_to_fit();
        self.values.shrink_to_fit();
        self.digits.shrink_to_fit();
    }

    /// The bytes that the tree takes in memory.
    #[must_use]
    pub fn n_bytes(&self) -> usize {
        let categories = self.tests().filter_map(Test::categories).map(CategoryCut::n_bytes);
        size_of::<Self>()
            + size_of_val(self.nodes.as_slice())
            + size_of_val(self.statistics.as_slice())
            + size_of_val(self.class_rows.as_slice())
            + size_of_val(self.class_weights.as_slice())
            + size_of_val(self.values.as_slice())
            + size_of_val(self.digits.as_slice())
            + categories.sum::<usize>()
    }

    /// The indices of the features that some test looks at.
    #[must_use]
    pub fn tested_features(&self) -> BTreeSet<usize> {
        let splits = self.nodes.iter().filter_map(Node::as_split);
        splits.map(|split| split.test.feature().index()).collect()
    }

    /// The ids of all nodes, in preorder.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// One node.
    ///
    /// # Panics
    /// If there is no such node, here and in all methods that take a [`NodeId`].
    #[must_use]
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What is predicted at the node, one number per output: of a classifier the class probabilities.
    #[must_use]
    #[inline]
    pub fn values(&self, id: NodeId) -> &[f64] {
        &self.values[id.index() * self.n_outputs..][..self.n_outputs]
    }

    /// The number of training rows of each class that reached the node.
    #[must_use]
    pub fn class_rows(&self, id: NodeId) -> &[u32] {
        &self.class_rows[id.index() * self.n_classes..][..self.n_classes]
    }

    /// The weight of the training rows of each class that reached the node.
    #[must_use]
    pub fn class_weights(&self, id: NodeId) -> &[f64] {
        &self.class_weights[id.index() * self.n_classes..][..self.n_classes]
    }

    /// All that is known of the training rows that reached the node.
    pub(super) fn node_rows(&self, id: NodeId) -> NodeRows<'_> {
        match self.n_classes {
            0 => NodeRows::All { rows: self.rows(id), weight: self.weight(id) },
            _ => NodeRows::OfClasses { rows: self.class_rows(id), weights: self.class_weights(id) },
        }
    }

    /// The number of training rows that reached the node.
    #[must_use]
    pub fn rows(&self, id: NodeId) -> u32 {
        self.statistics[id.index()].rows
    }

    /// The number of them within the node's zone; 0 for a leaf.
    #[must_use]
    pub fn rows_within(&self, id: NodeId) -> u32 {
        self.statistics[id.index()].rows_within
    }

    /// The weight of the training rows that reached the node.
    #[must_use]
    pub fn weight(&self, id: NodeId) -> f64 {
        self.statistics[id.index()].weight
    }

    /// The impurity of the training rows that reached the node, by the criterion used.
    #[must_use]
    pub fn impurity(&self, id: NodeId) -> f64 {
        self.statistics[id.index()].impurity
    }

    /// The most probable class at the node, the lowest id on ties.
    #[must_use]
    pub fn majority_class(&self, id: NodeId) -> u32 {
        most_probable(self.values(id))
    }

    /// True if splits have a middle child.
    ///
    /// A tree that is a single leaf has no shape; it counts as two-child.
    #[must_use]
    pub fn is_three_child(&self) -> bool {
        self.nodes.first().and_then(Node::as_split).is_some_and(|split| split.middle.is_some())
    }

    /// True if `child` is a middle child that no training row reached.
    ///
    /// Such a leaf copies its parent's statistics, so that a new row within the zone gets a
    /// prediction. The copied rows are not its own and must not be counted again.
    #[must_use]
    pub fn stands_in(&self, parent: NodeId, child: NodeId) -> bool {
        let middle = self.node(parent).as_split().and_then(|split| split.middle);
        middle == Some(child) && self.rows_within(parent) == 0
    }

    /// The weight of a split's training rows that trained none of its children, because their
    /// value was unknown.
    pub(crate) fn untrained_weight(&self, id: NodeId) -> f64 {
        let Some(split) = self.node(id).as_split() else { return 0.0 };
        let children = || split.children().filter(|&child| !self.stands_in(id, child));
        let rows: u64 = children().map(|child| u64::from(self.rows(child))).sum();
        // Weights of rows that all train a child may differ by rounding.
        if rows == u64::from(self.rows(id)) {
            return 0.0;
        }
        (self.weight(id) - children().map(|child| self.weight(child)).sum::<f64>()).max(0.0)
    }

    /// The number of tests on the longest path; 0 for a single leaf.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depths().into_iter().max().unwrap_or(0) as usize
    }

    /// The depth of every node; the root's is 0.
    #[must_use]
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            if let Node::Split(split) = node {
                for child in split.children() {
                    depths[child.index()] = depths[id] + 1;
                }
            }
        }
        depths
    }

    /// The parent of every node, `None` for the root.
    #[must_use]
    pub fn parents(&self) -> Vec<Option<NodeId>> {
        let mut parents = vec![None; self.nodes.len()];
        for id in self.ids() {
            if let Node::Split(split) = self.node(id) {
                for child in split.children() {
                    parents[child.index()] = Some(id);
                }
            }
        }
        parents
    }

    /// The tests of all splits, in preorder.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.nodes.iter().filter_map(Node::as_split).map(|split| &split.test)
    }

    /// The digits that people see of a split's threshold and half-width; `None` for all digits.
    #[must_use]
    pub fn digits(&self, id: NodeId) -> Option<Digits> {
        self.digits.get(id.index()).copied().flatten()
    }

    /// The same tree with the digits that people see of every split, in preorder. Only thresholds have digits.
    #[must_use]
    pub(crate) fn with_digits(
        mut self,
        of_splits: impl IntoIterator<Item = Option<Digits>>,
    ) -> Self {
        let mut of_splits = of_splits.into_iter();
        let of_node = |node: &Node| {
            let split = node.as_split()?;
            of_splits.next().flatten().filter(|_| split.test.zone().is_some())
        };
        self.digits = self.nodes.iter().map(of_node).collect();
        if self.digits.iter().all(Option::is_none) {
            self.digits = Vec::new();
        }
        self
    }

    /// The same tree with other zones: one test and the number of rows within its zone per node;
    /// entries of leaves are ignored.
    #[must_use]
    pub(crate) fn with_tests(mut self, tests: Vec<Option<(Test, u32)>>) -> Self {
        for ((node, statistics), test) in self.nodes.iter_mut().zip(&mut self.statistics).zip(tests)
        {
            if let (Node::Split(split), Some((mut test, rows_within))) = (node, test) {
                test.set_unknown_left(split.test.unknown_left());
                split.test = test;
                statistics.rows_within = rows_within;
            }
        }
        // They were those of other zones.
        self.digits = Vec::new();
        self
    }

    /// The same tree with these numbers of rows within zones, one per node.
    #[must_use]
    pub(crate) fn with_rows_within(mut self, rows_within: &[u32]) -> Self {
        for (statistics, &rows) in self.statistics.iter_mut().zip(rows_within) {
            statistics.rows_within = rows;
        }
        self
    }

    /// The same tree with all half-widths multiplied by `scale`, and with categories undecided
    /// within `error` standard errors.
    ///
    /// The numbers of rows within zones stay as they were: the training rows are not known here.
    #[must_use]
    pub(crate) fn with_scaled_zones(mut self, scale: f64, error: f64) -> Self {
        for node in &mut self.nodes {
            if let Node::Split(split) = node {
                split.test = split.test.clone().scaled(scale, error);
            }
        }
        self.digits = Vec::new();
        self
    }

    /// The leaves, in preorder.
    pub(crate) fn leaf_ids(&self) -> impl Iterator<Item = NodeId> {
        self.ids().filter(|&id| self.node(id).is_leaf())
    }

    /// The same tree with other values of leaves, in preorder.
    #[must_use]
    pub(crate) fn with_leaf_values(mut self, values: &[f64]) -> Self {
        let leaves: Vec<NodeId> = self.leaf_ids().collect();
        for (leaf, values) in leaves.iter().zip(values.chunks_exact(self.n_outputs)) {
            self.values[leaf.index() * self.n_outputs..][..self.n_outputs].copy_from_slice(values);
        }
        self
    }

    /// Refuses a tree that is not of a classifier with this number of classes: one that counts other classes, or that
    /// predicts what are no probabilities.
    pub(crate) fn check_classifier(&self, n_classes: usize) -> Result<()> {
        check_length("the list of classes", n_classes, self.n_classes, "the tree's")?;
        let problem = |id: NodeId| {
            let values = self.values(id);
            if let Some(p) = values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
                return Some(format!("a probability is {p}; it must be between 0 and 1"));
            }
            // The sum of K shares of one total is off by about K ulp at most.
            let sum: f64 = values.iter().sum();
            let is_one = (sum - 1.0).abs() <= 1e-9;
            (!is_one).then(|| format!("the probabilities sum to {sum}, not to 1"))
        };
        match self.ids().find_map(|id| Some((id.index(), problem(id)?))) {
            Some((node, problem)) => Err(ErrorKind::Tree { node, problem }.into()),
            None => Ok(()),
        }
    }
}

/// The index of the largest number, the lowest on ties.
#[must_use]
#[inline]
pub fn most_probable(distribution: &[f64]) -> u32 {
    let mut best = 0;
    for (class, &probability) in distribution.iter().enumerate().skip(1) {
        if probability > distribution[best] {
            best = class;
        }
    }
    best as u32
}

/// The id of a node: its position in preorder; the root is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// The id of a feature: its column, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeatureId(pub u32);

impl NodeId {
    /// The root of every tree.
    pub const ROOT: Self = Self(0);

    /// As an index into an array with one entry per node.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl FeatureId {
    /// As an index into an array with one entry per feature.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for FeatureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A split or a leaf.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A test of one feature, with a child for each outcome.
    Split(Split),
    /// The end of a path. Its class distribution is the prediction.
    Leaf,
}

/// A test and its children.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The test.
    pub test: Test,
    /// The child for rows below the zone.
    pub left: NodeId,
    /// The child for rows within the zone, in trees of the three-child shape.
    pub middle: Option<NodeId>,
    /// The child for rows above the zone.
    pub right: NodeId,
}

impl Split {
    /// The children, from left to right.
    pub fn children(&self) -> impl Iterator<Item = NodeId> + use<> {
        [Some(self.left), self.middle, Some(self.right)].into_iter().flatten()
    }

    /// The child for rows on a side; `None` if they go to both children.
    #[must_use]
    #[inline]
    pub fn child(&self, side: Side) -> Option<NodeId> {
        match side {
            Side::Below => Some(self.left),
            Side::Within => self.middle,
            Side::Above => Some(self.right),
        }
    }

    /// The child that a training row with this value belongs to: within a zone without a middle child
    /// by the threshold, and where its value is unknown none.
    #[must_use]
    pub fn trained_child(&self, x: f64) -> Option<NodeId> {
        match self.child(self.test.side(x)) {
            None if self.test.is_unknown(x) => None,
            None => Some(self.crisp_child(x)),
            child => child,
        }
    }

    /// The child for a row with this value when zones are ignored.
    #[must_use]
    #[inline]
    pub fn crisp_child(&self, x: f64) -> NodeId {
        if self.test.goes_left(x) { self.left } else { self.right }
    }
}

impl Node {
    /// The split, if the node is one.
    #[must_use]
    pub fn as_split(&self) -> Option<&Split> {
        match self {
            Self::Split(split) => Some(split),
            Self::Leaf => None,
        }
    }

    /// True for a leaf.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        matches!(self, Self::Leaf)
    }
}

impl Tree {
    /// The impurity importance of every feature: the weighted impurity decrease of its splits, as
    /// a share of the total decrease. Sums to 1, or to 0 for a single leaf.
    ///
    /// Middle children count too.
    #[must_use]
    pub fn importances(&self) -> Vec<f64> {
        let mut importances = vec![0.0; self.n_features()];
        for id in self.ids() {
            let Node::Split(split) = self.node(id) else { continue };
            let before = self.weight(id) * self.impurity(id);
            let after: f64 = split
                .children()
                .filter(|&child| !self.stands_in(id, child))
                .map(|child| self.weight(child) * self.impurity(child))
                .sum();
            let after = after + self.untrained_weight(id) * self.impurity(id);
            importances[split.test.feature().index()] += before - after;
        }
        // Rows that train no child may be purer than the others, which then seem to lose.
        importances.iter_mut().for_each(|importance| *importance = importance.max(0.0));
        // Divide by the largest first: the sum of weighted impurities may be huge.
        let largest = importances.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            importances.iter_mut().for_each(|importance| *importance /= largest);
            let total: f64 = importances.iter().sum();
            importances.iter_mut().for_each(|importance| *importance /= total);
        }
        importances
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::{NodeRecord, NodeRows, Test, TreeBuilder, Zone};

    fn push(builder: &mut TreeBuilder, feature: Option<u32>, counts: [f64; 2], rows_within: u32) {
        let total = counts[0] + counts[1];
        let shares = counts.map(|count| count / total);
        let test = feature.map(|feature| Test::new(feature, Zone::crisp(0.0).unwrap()));
        builder.push(&NodeRecord {
            test: test.as_ref(),
            rows: NodeRows::OfClasses { rows: &counts.map(|count| count as u32), weights: &counts },
            values: &shares,
            impurity: 1.0 - shares[0] * shares[0] - shares[1] * shares[1],
            rows_within,
        });
    }

    #[test]
    fn all_three_children_count_but_not_a_stand_in() {
        let mut builder = TreeBuilder::three_child(2, 2);
        push(&mut builder, Some(0), [6.0, 6.0], 4); // 12 * 0.5 = 6
        push(&mut builder, None, [4.0, 0.0], 0); // 4 * 0 = 0
        push(&mut builder, Some(1), [2.0, 2.0], 0); // 4 * 0.5 = 2: the middle child
        push(&mut builder, None, [2.0, 0.0], 0);
        push(&mut builder, None, [2.0, 2.0], 0); // no row within: stands in for its parent
        push(&mut builder, None, [0.0, 2.0], 0);
        push(&mut builder, None, [0.0, 4.0], 0); // 4 * 0 = 0
        let tree = builder.finish().unwrap();
        // Feature 0 removed 6 - (0 + 2 + 0) = 4, feature 1 removed 2 - (0 + 0) = 2.
        assert_eq!(tree.importances(), [4.0 / 6.0, 2.0 / 6.0]);
    }
}
