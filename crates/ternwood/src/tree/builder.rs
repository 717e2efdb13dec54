//! Builds trees from a list of nodes: by hand, from a file, or from a learner.

use super::digits::Digits;
use super::test::Test;
use super::tree::{Node, NodeId, NodeStatistics, Split, Tree};
use super::zone::Zone;
use crate::error::{Error, ErrorKind, Result};

/// Builds a [`Tree`] from its nodes in preorder: a split, then its left subtree, then (in the
/// three-child shape) its middle subtree, then its right subtree.
///
/// ```
/// use ternwood::tree::{TreeBuilder, Zone};
///
/// let mut builder = TreeBuilder::new(1, 2);
/// builder.split(0, Zone::new(127.0, 1.1)?);
/// builder.leaf(&[8.0, 2.0]);
/// builder.leaf(&[1.0, 9.0]);
/// let tree = builder.finish()?;
/// assert_eq!(tree.depth(), 1);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TreeBuilder {
    tree: Tree,
    /// True if splits have a middle child.
    three_child: bool,
    /// Splits whose counts `finish` sums up from their children.
    uncounted: Vec<usize>,
    first_error: Option<Error>,
}

/// The training rows at a node.
#[derive(Debug, Clone, Copy)]
pub enum NodeRows<'a> {
    /// By class.
    OfClasses {
        /// Rows of each class.
        rows: &'a [u32],
        /// Weight of the rows of each class.
        weights: &'a [f64],
    },
    /// Rows without classes.
    All {
        /// Their number.
        rows: u32,
        /// Their weight.
        weight: f64,
    },
}

/// The data of one node.
#[derive(Debug, Clone, Copy)]
pub struct NodeRecord<'a> {
    /// The test; `None` for a leaf.
    pub test: Option<&'a Test>,
    /// The training rows that reached the node.
    pub rows: NodeRows<'a>,
    /// What is predicted here, one number per output: of a classifier the class probabilities.
    pub values: &'a [f64],
    /// Impurity of the training rows.
    pub impurity: f64,
    /// Training rows within the zone.
    pub rows_within: u32,
}

impl TreeBuilder {
    /// A builder for a tree whose splits have two children.
    #[must_use]
    pub fn new(n_features: usize, n_classes: usize) -> Self {
        Self::with_outputs(n_features, n_classes, n_classes)
    }

    /// A builder for a tree with two children per split that predicts this many values and whose rows have no classes:
    /// nodes are [pushed](Self::push).
    #[must_use]
    pub fn of_values(n_features: usize, n_outputs: usize) -> Self {
        Self::with_outputs(n_features, n_outputs, 0)
    }

    fn with_outputs(n_features: usize, n_outputs: usize, n_classes: usize) -> Self {
        let tree = Tree {
            n_features,
            n_outputs,
            n_classes,
            nodes: Vec::new(),
            statistics: Vec::new(),
            values: Vec::new(),
            class_rows: Vec::new(),
            class_weights: Vec::new(),
            digits: Vec::new(),
        };
        Self { tree, three_child: false, uncounted: Vec::new(), first_error: None }
    }

    /// A builder for a tree whose splits have three children.
    #[must_use]
    pub fn three_child(n_features: usize, n_classes: usize) -> Self {
        Self { three_child: true, ..Self::new(n_features, n_classes) }
    }

    /// A builder for trees of the same shape, features, outputs and classes.
    pub(super) fn like(tree: &Tree) -> Self {
        let three_child = tree.is_three_child();
        let Tree { n_features, n_outputs, n_classes, .. } = *tree;
        Self { three_child, ..Self::with_outputs(n_features, n_outputs, n_classes) }
    }

    /// Adds a leaf with the number of rows of each class.
    pub fn leaf(&mut self, class_counts: &[f64]) {
        self.push_counts(None, class_counts);
    }

    /// Adds a split at a threshold; its children must follow. Its counts are the sums of its
    /// children's. The rows within its zone are the middle child's; without one they are unknown
    /// and set to 0.
    pub fn split(&mut self, feature: u32, zone: Zone) {
        self.split_by(&Test::new(feature, zone));
    }

    /// Adds a split by any test; otherwise like [`split`](Self::split).
    pub fn split_by(&mut self, test: &Test) {
        self.uncounted.push(self.tree.nodes.len());
        // Placeholders until `finish` sums up the children.
        let counts = vec![1.0; self.tree.n_classes];
        self.push_counts(Some(test), &counts);
    }

    /// Sets the digits that people see of the split added last; only thresholds have digits.
    pub fn show_with(&mut self, digits: Option<Digits>) {
        let has_threshold =
            |node: &Node| node.as_split().is_some_and(|it| it.test.zone().is_some());
        if digits.is_some() && self.tree.nodes.last().is_some_and(has_threshold) {
            self.tree.digits.resize(self.tree.nodes.len() - 1, None);
            self.tree.digits.push(digits);
        }
    }

    fn push_counts(&mut self, test: Option<&Test>, class_counts: &[f64]) {
        let total: f64 = class_counts.iter().sum();
        let shares: Vec<f64> = class_counts.iter().map(|count| count / total).collect();
        let rows: Vec<u32> = class_counts.iter().map(|&count| count as u32).collect();
        self.push(&NodeRecord {
            test,
            rows: NodeRows::OfClasses { rows: &rows, weights: class_counts },
            values: &shares,
            impurity: 1.0 - shares.iter().map(|p| p * p).sum::<f64>(),
            rows_within: 0,
        });
    }

    /// Adds a node. [`finish`](Self::finish) reports the first error.
    pub fn push(&mut self, record: &NodeRecord<'_>) {
        if self.first_error.is_some() {
            return;
        }
        if let Err(problem) = self.check(record) {
            self.first_error = Some(tree_error(self.tree.nodes.len(), problem));
            return;
        }
        let tree = &mut self.tree;
        let child = NodeId::ROOT; // set by `finish`
        let node = record.test.map_or(Node::Leaf, |test| {
            let middle = self.three_child.then_some(child);
            Node::Split(Split { test: test.clone(), left: child, middle, right: child })
        });
        tree.nodes.push(node);
        let (rows, weight) = match record.rows {
            NodeRows::OfClasses { rows, weights } => {
                tree.class_rows.extend_from_slice(rows);
                tree.class_weights.extend_from_slice(weights);
                (
                    rows.iter().fold(0, |sum: u32, &rows| sum.saturating_add(rows)),
                    weights.iter().sum(),
                )
            }
            NodeRows::All { rows, weight } => (rows, weight),
        };
        let &NodeRecord { rows_within, impurity, .. } = record;
        tree.statistics.push(NodeStatistics { rows, rows_within, weight, impurity });
        tree.values.extend_from_slice(record.values);
    }

    fn check(&self, record: &NodeRecord<'_>) -> Result<(), String> {
        let Tree { n_features, n_outputs, n_classes, nodes, .. } = &self.tree;
        if nodes.len() >= u32::MAX as usize {
            return Err(format!("there are more than {} nodes", u32::MAX));
        }
        if let Some(feature) = record.test.map(Test::feature)
            && feature.index() >= *n_features
        {
            return Err(format!("feature {feature} is out of range: there are {n_features}"));
        }
        let finite = |x: &f64| x.is_finite() && *x >= 0.0;
        let (class_rows, class_weights) = match &record.rows {
            NodeRows::OfClasses { rows, weights } => (*rows, *weights),
            NodeRows::All { .. } => (&[][..], &[][..]),
        };
        for (what, length, expected, of) in [
            ("class_weights", class_weights.len(), *n_classes, "classes"),
            ("class_rows", class_rows.len(), *n_classes, "classes"),
            ("values", record.values.len(), *n_outputs, "outputs"),
        ] {
            if length != expected {
                return Err(format!("{what} has length {length}, but there are {expected} {of}"));
            }
        }
        if let Some(weight) = class_weights.iter().find(|x| !finite(x)) {
            return Err(format!("a class weight is {weight}; it must be finite and not negative"));
        }
        let (rows, total, [what, it]) = match record.rows {
            NodeRows::OfClasses { rows, weights } => {
                let rows = rows.iter().map(|&rows| u64::from(rows)).sum();
                (rows, weights.iter().sum::<f64>(), ["the class weights sum to", "the sum"])
            }
            NodeRows::All { rows, weight } => (u64::from(rows), weight, ["the weight is", "it"]),
        };
        if !(total > 0.0 && total.is_finite()) {
            return Err(format!("{what} {total}; {it} must be positive and finite"));
        }
        if u64::from(record.rows_within) > rows {
            return Err(format!(
                "{} rows are within its zone, but it has only {rows}",
                record.rows_within
            ));
        }
        if record.test.is_none() && record.rows_within > 0 {
            return Err("a leaf has no zone, and so no rows within it".to_owned());
        }
        if !finite(&record.impurity) {
            return Err(format!(
                "the impurity is {}; it must be finite and not negative",
                record.impurity
            ));
        }
        if let Some(value) = record.values.iter().find(|value| !value.is_finite()) {
            return Err(format!("a value is {value}; it must be finite"));
        }
        Ok(())
    }

    /// Links parents with children and checks that the nodes form exactly one tree.
    ///
    /// # Errors
    /// No nodes, nodes missing or left over, a feature out of range, or invalid numbers.
    pub fn finish(self) -> Result<Tree> {
        let Self { mut tree, three_child, uncounted, first_error } = self;
        let arity = if three_child { 3 } else { 2 };
        if let Some(error) = first_error {
            return Err(error);
        }
        if tree.nodes.is_empty() {
            return Err(tree_error(0, "there are no nodes; a tree has at least a leaf".to_owned()));
        }
        // Splits that still need children: (node, children linked so far).
        let mut open: Vec<(usize, u8)> = Vec::new();
        for id in 0..tree.nodes.len() {
            if let Some((parent, linked)) = open.last_mut() {
                link(&mut tree.nodes[*parent], *linked, NodeId(id as u32));
                *linked += 1;
                if *linked == arity {
                    open.pop();
                }
            } else if id > 0 {
                return Err(tree_error(
                    id,
                    "it belongs to no split: the tree ends before it".to_owned(),
                ));
            }
            if !tree.nodes[id].is_leaf() {
                open.push((id, 0));
            }
        }
        match open.last() {
            Some(&(id, linked)) => {
                let problem = format!("it has {linked} of its {arity} children");
                Err(tree_error(id, problem))
            }
            None => {
                // Children come after their parents.
                uncounted.into_iter().rev().for_each(|id| sum_up(&mut tree, id));
                share_unknown(&mut tree);
                if !tree.digits.is_empty() {
                    tree.digits.resize(tree.nodes.len(), None);
                }
                tree.shrink_to_fit();
                Ok(tree)
            }
        }
    }
}

/// Sets a split's counts to the sums of its children's.
fn sum_up(tree: &mut Tree, id: usize) {
    let Node::Split(split) = tree.nodes[id].clone() else { return };
    let n_classes = tree.n_classes;
    for class in 0..n_classes {
        let at = |child: NodeId| child.index() * n_classes + class;
        let rows = split.children().map(|child| tree.class_rows[at(child)]);
        let rows = rows.fold(0, u32::saturating_add);
        let weight: f64 = split.children().map(|child| tree.class_weights[at(child)]).sum();
        tree.class_rows[id * n_classes + class] = rows;
        tree.class_weights[id * n_classes + class] = weight;
    }
    let block = id * n_classes..(id + 1) * n_classes;
    let total: f64 = tree.class_weights[block.clone()].iter().sum();
    let (mut rows, mut squares) = (0_u32, 0.0);
    for at in block {
        let share = tree.class_weights[at] / total;
        tree.values[at] = share;
        squares += share * share;
        rows = rows.saturating_add(tree.class_rows[at]);
    }
    let rows_within = split.middle.map_or(0, |middle| tree.statistics[middle.index()].rows);
    tree.statistics[id] =
        NodeStatistics { rows, rows_within, weight: total, impurity: (1.0 - squares).max(0.0) };
}

/// Sends unknown values both ways in proportion to the weights of the outer children.
fn share_unknown(tree: &mut Tree) {
    let Tree { nodes, statistics, .. } = tree;
    for node in nodes {
        if let Node::Split(split) = node {
            let [left, right] = [split.left, split.right].map(|id| statistics[id.index()].weight);
            // Halved, so that the sum cannot overflow.
            let share = 0.5 * left / (0.5 * left + 0.5 * right);
            split.test.set_unknown_left(if share.is_nan() { 0.5 } else { share });
        }
    }
}

fn link(parent: &mut Node, position: u8, child: NodeId) {
    if let Node::Split(split) = parent {
        match (position, &mut split.middle) {
            (0, _) => split.left = child,
            (1, Some(middle)) => *middle = child,
            _ => split.right = child,
        }
    }
}

fn tree_error(node: usize, problem: String) -> Error {
    ErrorKind::Tree { node, problem }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preorder_links_children_to_parents() {
        let mut builder = TreeBuilder::three_child(2, 2);
        builder.split(1, Zone::crisp(0.0).unwrap()); // 0
        builder.split(0, Zone::crisp(1.0).unwrap()); // 1: left of 0
        builder.leaf(&[1.0, 0.0]); // 2
        builder.leaf(&[2.0, 1.0]); // 3
        builder.leaf(&[0.0, 1.0]); // 4
        builder.leaf(&[1.0, 1.0]); // 5: middle of 0
        builder.leaf(&[0.0, 1.0]); // 6: right of 0
        let tree = builder.finish().unwrap();
        let children = |id| {
            let split = tree.node(NodeId(id)).as_split().unwrap();
            split.children().map(|child| child.0).collect::<Vec<_>>()
        };
        assert_eq!(children(0), [1, 5, 6]);
        assert_eq!(children(1), [2, 3, 4]);
        assert_eq!((tree.depth(), tree.n_leaves()), (2, 5));
        assert_eq!(tree.parents()[3], Some(NodeId(1)));
    }

    #[test]
    fn splits_by_hand_have_the_rows_of_their_children() {
        let mut builder = TreeBuilder::three_child(1, 2);
        builder.split(0, Zone::new(0.0, 1.0).unwrap()); // 0
        builder.split(0, Zone::new(-3.0, 1.0).unwrap()); // 1
        builder.leaf(&[4.0, 0.0]);
        builder.leaf(&[1.0, 1.0]);
        builder.leaf(&[0.0, 2.0]);
        builder.leaf(&[3.0, 1.0]); // 5: middle of 0
        builder.leaf(&[0.0, 4.0]);
        let tree = builder.finish().unwrap();
        assert_eq!(tree.class_rows(NodeId(1)), [5, 3]);
        assert_eq!(tree.class_weights(NodeId::ROOT), [8.0, 8.0]);
        assert_eq!(tree.values(NodeId::ROOT), [0.5, 0.5]);
        assert_eq!((tree.rows(NodeId::ROOT), tree.weight(NodeId::ROOT)), (16, 16.0));
        assert_eq!(tree.impurity(NodeId::ROOT), 0.5);
        assert_eq!((tree.rows_within(NodeId::ROOT), tree.rows_within(NodeId(1))), (4, 2));
    }

    #[test]
    fn a_tree_of_values_has_no_classes() {
        let mut builder = TreeBuilder::of_values(1, 1);
        let test = Test::new(0, Zone::new(5.0, 1.0).unwrap());
        for (test, rows, value) in [(Some(&test), 3, -1.5), (None, 1, -40.0), (None, 2, 17.75)] {
            builder.push(&NodeRecord {
                test,
                rows: NodeRows::All { rows, weight: 0.5 * f64::from(rows) },
                values: &[value],
                impurity: 2.0,
                rows_within: 0,
            });
        }
        let tree = builder.finish().unwrap();
        assert_eq!((tree.n_outputs(), tree.n_classes(), tree.rows(NodeId::ROOT)), (1, 0, 3));
        assert_eq!((tree.values(NodeId(2)), tree.weight(NodeId(2))), (&[17.75][..], 1.0));
        assert!(tree.class_rows(NodeId::ROOT).is_empty());
        // Unknown values are shared out by weight, and pruning needs no classes.
        let test = &tree.node(NodeId::ROOT).as_split().unwrap().test;
        assert_eq!(test.left_share(f64::NAN), 1.0 / 3.0);
        assert_eq!(tree.pruned(1e9).values(NodeId::ROOT), [-1.5]);
        let error = tree.check_classifier(2).unwrap_err().to_string();
        assert!(error.contains("the list of classes has length 2"), "{error}");
    }

    #[test]
    fn nodes_missing_or_left_over_are_named() {
        let mut builder = TreeBuilder::new(1, 1);
        builder.split(0, Zone::crisp(0.0).unwrap());
        builder.leaf(&[1.0]);
        let error = builder.clone().finish().unwrap_err();
        assert_eq!(error.to_string(), "node 0: it has 1 of its 2 children");
        builder.leaf(&[1.0]);
        builder.leaf(&[1.0]);
        let error = builder.finish().unwrap_err();
        assert!(error.to_string().starts_with("node 3: it belongs to no split"), "{error}");
        assert!(TreeBuilder::new(1, 1).finish().is_err());
    }

    #[test]
    fn impossible_numbers_are_named() {
        let cases: [(&[f64], &str); 4] = [
            (&[0.5], "values has length 1, but there are 2 outputs"),
            (&[0.5, f64::NAN], "a value is NaN; it must be finite"),
            (&[0.5, 0.6], "the probabilities sum to 1.1"),
            (&[1.5, -0.5], "a probability is 1.5"),
        ];
        for (values, expected) in cases {
            let mut builder = TreeBuilder::new(1, 2);
            builder.push(&NodeRecord {
                test: None,
                rows: NodeRows::OfClasses { rows: &[1, 1], weights: &[1.0, 1.0] },
                values,
                impurity: 0.5,
                rows_within: 0,
            });
            let checked = builder.finish().and_then(|tree| tree.check_classifier(2));
            let error = checked.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let mut builder = TreeBuilder::new(1, 2);
        builder.split(7, Zone::crisp(0.0).unwrap());
        let error = builder.finish().unwrap_err().to_string();
        assert!(error.contains("feature 7 is out of range"), "{error}");
    }
}
