//! The best split of a node.
//!
//! All methods find the same split: the one with the largest gain, by `SplitScorer` to the last
//! bit. Ties go to the lowest feature, then to the lowest threshold, then to the split that sends
//! missing values left.
//!
//! Missing values of a node are tried on both sides of every threshold, and against all present
//! ones. Categories become numbers on an axis and are searched from their sums
//! ([`categories`]).
//!
//! - [`sorted`]: columns sorted once and kept sorted; for blocks of rows that fit a cache, and
//!   for everything the binned search does not support.
//! - [`binned`]: branch and bound on bins; for many rows. Sorts only the few bins that could
//!   hold the best split.
//! - `scan`: sorts each column of each node; slow and obviously correct. For tests.

pub(super) mod binned;
mod bucket_sort;
pub(super) mod candidate;
mod categories;
pub(super) mod ranked;
#[cfg(test)]
mod scan;
pub(super) mod sorted;
pub(super) mod sorted_column;

pub(super) use bucket_sort::{scatter, sort_by_value};
#[cfg(test)]
pub(super) use scan::best_split_by_scan;

use super::stream::{NodeKey, Purpose};
use super::target::Target;
use super::training::Training;
use crate::exec::Exec;
use crate::recipe::{CategoryGain, CheckedParams, MissingValues};
use crate::tree::{Missing, Test, Zone};
use candidate::Contender;

/// A node to split.
pub(crate) struct NodeToSplit<'a, T: Target> {
    /// Its rows.
    pub(crate) rows: &'a [u32],
    /// Their targets.
    pub(crate) tally: &'a T::Tally,
    /// Its position in the tree.
    pub(crate) key: NodeKey,
}

impl<T: Target> Clone for NodeToSplit<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Target> Copy for NodeToSplit<'_, T> {}

/// The best split of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SplitChoice {
    /// Without a zone.
    pub(crate) test: Test,
    pub(crate) gain: f64,
}

impl SplitChoice {
    /// A split between two values of a feature.
    fn between(feature: u32, values: [f64; 2], missing: Missing, gain: f64) -> Self {
        let threshold = midpoint(values[0], values[1]);
        let test = Test::new(feature, Zone::from_checked(threshold, 0.0));
        Self { test: test.with_missing(missing), gain }
    }

    pub(crate) fn feature(&self) -> u32 {
        self.test.feature().0
    }
}

/// Where splits without gain are made, gains below this count as 0: they may be rounding alone.
pub(crate) const NO_GAIN: f64 = 1e-12;

/// The minimum rows and weight of each side of a split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SideLimits {
    pub(crate) rows: usize,
    pub(crate) weight: f64,
}

impl SideLimits {
    /// For a training set of so many rows with a weight.
    pub(crate) fn new(params: &CheckedParams, n_rows: usize, weight: f64) -> Self {
        Self {
            rows: params.min_samples_leaf.of(n_rows).max(1),
            weight: params.min_weight_fraction_leaf * weight,
        }
    }

    /// True if both sides have enough rows and weight.
    pub(crate) fn allow(&self, rows: [usize; 2], weights: [f64; 2]) -> bool {
        rows.iter().all(|&rows| rows >= self.rows)
            && weights.iter().all(|&weight| weight >= self.weight)
    }
}

/// The data and parameters of a split search.
pub(crate) struct SearchRules<'a, T: Target> {
    pub(crate) training: &'a Training<'a, T>,
    pub(crate) limits: SideLimits,
    pub(crate) max_features: usize,
    pub(crate) missing: MissingValues,
    /// The fewest rows of a category; rarer ones are unknown at the split.
    pub(crate) min_category_rows: u32,
    pub(crate) category_gain: CategoryGain,
    /// Whether a node is split where nothing gains.
    pub(crate) zero_gain_splits: bool,
    pub(crate) seed: u64,
    /// In a forest, a coin per feature: see [`Ties`].
    pub(crate) ties: Ties<'a>,
    /// A search that is cancelled ends early, with any split; whoever asked for it must check.
    pub(crate) exec: &'a Exec,
}

impl<T: Target> Clone for SearchRules<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Target> Copy for SearchRules<'_, T> {}

/// Who wins among splits of equal gain.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ties<'a> {
    /// The lowest feature, and of that the lowest threshold.
    Lowest,
    /// The feature drawn first at the node, and of that the lowest threshold, or the highest where its coin
    /// says so. In a forest ties are many, and the same winner everywhere would make trees alike.
    Random(&'a [bool]),
}

impl<'a, T: Target> SearchRules<'a, T> {
    /// For counting rows, without searching.
    pub(crate) fn for_counting(training: &'a Training<'a, T>, exec: &'a Exec) -> Self {
        Self {
            training,
            limits: SideLimits { rows: 1, weight: 0.0 },
            max_features: training.n_features(),
            missing: MissingValues::Learn,
            min_category_rows: 1,
            category_gain: CategoryGain::Measured,
            zero_gain_splits: false,
            seed: 0,
            ties: Ties::Lowest,
            exec,
        }
    }

    /// True if every node searches all features in the same order.
    fn has_fixed_features(&self) -> bool {
        self.max_features == self.training.n_features() && matches!(self.ties, Ties::Lowest)
    }

    /// All features, in order.
    pub(crate) fn all_features(&self) -> Vec<Contender> {
        let features = 0..self.training.n_features() as u32;
        features
            .map(|feature| Contender { feature, order: feature, highest_first: false })
            .collect()
    }

    /// The features in the random order in which a node searches them, drawn one by one.
    fn drawn_features(&self, key: NodeKey) -> impl Iterator<Item = Contender> {
        let mut stream = key.stream(self.seed, Purpose::FeatureSubset);
        let mut order: Vec<u32> = (0..self.training.n_features() as u32).collect();
        let ties = self.ties;
        (0..order.len()).map(move |i| {
            let j = i + stream.below((order.len() - i) as u32) as usize;
            order.swap(i, j);
            let feature = order[i];
            match ties {
                Ties::Lowest => Contender { feature, order: feature, highest_first: false },
                Ties::Random(coins) => {
                    let highest_first = coins[feature as usize];
                    Contender { feature, order: i as u32, highest_first }
                }
            }
        })
    }
}

/// The candidate threshold between two neighbouring values `a < b`: their midpoint, or `a` if
/// the midpoint rounds to `b`.
pub(crate) fn midpoint(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let middle = if sum.is_finite() { sum / 2.0 } else { a / 2.0 + b / 2.0 };
    if middle >= b { a } else { middle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn midpoints_separate_their_neighbours() {
        assert_eq!(midpoint(1.0, 2.0), 1.5);
        assert_eq!(midpoint(1.0, 1f64.next_up()), 1.0);
        // (a + b) / 2 rounds to the even neighbour, which here is b.
        let a = 1f64.next_up();
        assert_eq!(midpoint(a, a.next_up()), a);
        assert_eq!(midpoint(1.5e308, 1.7e308), 1.6e308);
        assert_eq!(midpoint(-f64::MAX, f64::MAX), 0.0);
        assert_eq!(midpoint(0.0, f64::from_bits(1)), 0.0);
    }
}
