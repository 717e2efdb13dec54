//! Nodes and their numbers.

use super::test::Test;
use super::zone::Side;
use std::fmt;

/// The number of a node: its position in preorder, the root being 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// The number of a feature: its column, from 0.
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

/// A node is a question or an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A test of one feature, with a child for each outcome.
    Split(Split),
    /// The end of a path. Its class distribution is the answer.
    Leaf,
}

/// A test and its children.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The test.
    pub test: Test,
    /// The child of rows below the zone.
    pub left: NodeId,
    /// The child of rows within the zone, in trees of the three-child shape.
    pub middle: Option<NodeId>,
    /// The child of rows above the zone.
    pub right: NodeId,
}

impl Split {
    /// The children, from left to right.
    pub fn children(&self) -> impl Iterator<Item = NodeId> + use<> {
        [Some(self.left), self.middle, Some(self.right)].into_iter().flatten()
    }

    /// The child of rows on a side; `None` where such rows go both ways.
    #[must_use]
    #[inline]
    pub fn child(&self, side: Side) -> Option<NodeId> {
        match side {
            Side::Below => Some(self.left),
            Side::Within => self.middle,
            Side::Above => Some(self.right),
        }
    }

    /// The child of a row with this value when zones do not count.
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

    /// Whether the node is a leaf.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        matches!(self, Self::Leaf)
    }
}
