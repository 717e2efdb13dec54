//! The nodes of a growing tree.

use super::search::SplitChoice;
use super::stream::NodeKey;
use super::summary::Summary;
use super::target::Target;
use crate::tree::{Side, Test};
use std::ops::Range;

/// A node of a growing tree.
#[derive(Debug, Clone)]
pub(crate) struct GrownNode<T: Target> {
    /// Where its rows are, once they are in the order of the tree.
    pub(crate) range: Range<usize>,
    pub(crate) tally: T::Tally,
    pub(crate) depth: u32,
    pub(crate) key: NodeKey,
    pub(crate) weight: f64,
    pub(crate) impurity: f64,
    pub(crate) split: Option<GrownSplit<T>>,
}

#[derive(Debug, Clone)]
pub(crate) struct GrownSplit<T: Target> {
    pub(crate) choice: SplitChoice,
    pub(crate) test: Test,
    pub(crate) left: usize,
    pub(crate) middle: Option<usize>,
    pub(crate) right: usize,
    /// Statistics for the zone estimators, if growing computed them.
    pub(crate) summary: Option<Summary<T::Sum>>,
}

impl<T: Target> GrownSplit<T> {
    /// The children, from left to right.
    pub(crate) fn children(&self) -> impl Iterator<Item = usize> + use<T> {
        [Some(self.left), self.middle, Some(self.right)].into_iter().flatten()
    }

    /// The side of the only child in `children`, if that is the left or the right one.
    pub(crate) fn only_side(&self, children: &[usize]) -> Option<Side> {
        match *children {
            [child] if child == self.left => Some(Side::Below),
            [child] if child == self.right => Some(Side::Above),
            _ => None,
        }
    }
}

/// The nodes in the order of the finished tree.
pub(crate) fn preorder<T: Target>(nodes: &[GrownNode<T>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut stack = vec![0];
    while let Some(index) = stack.pop() {
        order.push(index);
        if let Some(split) = &nodes[index].split {
            stack.push(split.right);
            stack.extend(split.middle);
            stack.push(split.left);
        }
    }
    order
}

/// Replaces the node `root` by its grown subtree.
pub(crate) fn graft<T: Target>(
    nodes: &mut Vec<GrownNode<T>>,
    root: usize,
    subtree: Vec<GrownNode<T>>,
) {
    // The subtree's root takes the node's place; the others are appended.
    let offset = nodes.len() - 1;
    let mut subtree = subtree.into_iter().map(|mut node| {
        if let Some(split) = &mut node.split {
            split.left += offset;
            split.right += offset;
            split.middle = split.middle.map(|middle| middle + offset);
        }
        node
    });
    if let Some(node) = subtree.next() {
        nodes[root] = node;
    }
    nodes.extend(subtree);
}
