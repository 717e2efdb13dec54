//! Random streams tied to a position in the tree.
//!
//! A stream depends only on the seed, the node's position and the purpose. Neither the order in
//! which nodes are grown nor the thread that grows them changes what is drawn.

pub(crate) use crate::dataset::Stream;
use crate::dataset::mix;
use serde::{Deserialize, Serialize};

/// The position of a node: a hash of the path from the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NodeKey(u64);

/// The purpose of a stream. Streams for different purposes are unrelated.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    FeatureSubset,
    Resample(u32),
    /// Which threshold of a feature wins ties.
    Ties,
}

impl NodeKey {
    pub(crate) fn root() -> Self {
        Self(mix(0))
    }

    /// The root of a tree of a forest.
    pub(crate) fn root_of_tree(tree: u32) -> Self {
        Self(mix(mix(u64::from(tree) + 1)))
    }

    /// The key of the child at `position` (0 left, 1 middle, 2 right).
    pub(crate) fn child(self, position: u64) -> Self {
        Self(mix(self.0.wrapping_add(position + 1)))
    }

    /// The stream of this node for one purpose.
    pub(crate) fn stream(self, seed: u64, purpose: Purpose) -> Stream {
        let purpose = match purpose {
            Purpose::FeatureSubset => 0,
            Purpose::Resample(index) => 1 + u64::from(index),
            Purpose::Ties => 2 << 40,
        };
        Stream::new(self.0, seed, purpose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_place_and_purpose_only() {
        let first = |seed, key: NodeKey, purpose| key.stream(seed, purpose).unit();
        let left = NodeKey::root().child(0);
        let right = NodeKey::root().child(2);
        let reference = first(1, left, Purpose::Resample(0));
        assert_eq!(reference, first(1, NodeKey::root().child(0), Purpose::Resample(0)));
        assert_ne!(reference, first(2, left, Purpose::Resample(0)));
        assert_ne!(reference, first(1, right, Purpose::Resample(0)));
        assert_ne!(reference, first(1, left, Purpose::Resample(1)));
        assert_ne!(reference, first(1, left, Purpose::FeatureSubset));
    }

    #[test]
    fn numbers_are_where_they_should_be() {
        let mut stream = NodeKey::root().stream(7, Purpose::FeatureSubset);
        let n = 10_000;
        let units: Vec<f64> = (0..n).map(|_| stream.unit()).collect();
        assert!(units.iter().all(|u| (0.0..1.0).contains(u)));
        // The mean of n uniforms has standard deviation 1 / sqrt(12 n) = 0.0029.
        let mean = units.iter().sum::<f64>() / f64::from(n);
        assert!((mean - 0.5).abs() < 0.015, "{mean}");
        let mut seen = [0; 6];
        (0..600).for_each(|_| seen[stream.below(6) as usize] += 1);
        // Each count is binomial(600, 1/6): 100 with standard deviation 9.1.
        assert!(seen.iter().all(|&count| (50..150).contains(&count)), "{seen:?}");
        let normals: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let variance = normals.iter().map(|z| z * z).sum::<f64>() / f64::from(n);
        assert!((variance - 1.0).abs() < 0.1, "{variance}");
    }
}
