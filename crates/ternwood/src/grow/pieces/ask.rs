//! What is asked about the nodes of a tree.

use serde::{Deserialize, Serialize};

/// One thing to know. Nodes are those of the tree that is sent along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Which bins have a single value.
    SingleValued,
    /// Class counts per bin of all features.
    Count { node: u32 },
    /// Class counts per bin of one feature.
    CountFeature { node: u32, feature: u32 },
    /// The rows in some bins, by value and class.
    Look { node: u32, feature: u32, bins: Vec<u16> },
    /// The largest value in the first bin, and the smallest in the second.
    Edge { node: u32, feature: u32, bins: [u16; 2] },
    /// What lies next to the threshold of a split, and its feature's extremes: all in these bins.
    Summary { node: u32, bins: Vec<u16> },
    /// Sums for the spread of a split's feature between its extremes.
    Moments { node: u32, extremes: (f64, f64) },
    /// The number of rows between two edges of a split's feature.
    Within { node: u32, edges: [f64; 2] },
    /// The rows themselves.
    Fetch { node: u32 },
    /// The values next to some cuts of a feature, among all rows; cuts ascend.
    Neighbours { feature: u32, cuts: Vec<f64> },
}

impl Ask {
    /// The node that is asked about, if it is one.
    pub(crate) fn node(&self) -> Option<usize> {
        match self {
            Self::Count { node }
            | Self::CountFeature { node, .. }
            | Self::Look { node, .. }
            | Self::Edge { node, .. }
            | Self::Summary { node, .. }
            | Self::Moments { node, .. }
            | Self::Within { node, .. }
            | Self::Fetch { node } => Some(*node as usize),
            Self::SingleValued | Self::Neighbours { .. } => None,
        }
    }
}
