//! Nodes, and the ids of nodes and features.

use super::test::Test;
use super::zone::Side;
use std::fmt;

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
