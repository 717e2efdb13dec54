//! The growing rules.

use crate::exec::Exec;
use crate::grow::node_rows::Sides;
use crate::grow::nodes::{GrownNode, GrownSplit};
use crate::grow::search::binned::{BinnedColumns, Tuning};
use crate::grow::search::{NodeToSplit, SearchRules, SideLimits, SplitChoice, Ties};
use crate::grow::stream::NodeKey;
use crate::grow::target::{Tally, Target};
use crate::grow::training::Training;
use crate::recipe::{CheckedParams, MissingValues};
use crate::tree::Test;
use std::ops::Range;

/// When a node is a leaf, which split it gets, and what its children are.
pub(crate) struct GrowRules<'a, T: Target> {
    pub(super) params: &'a CheckedParams,
    pub(crate) search: SearchRules<'a, T>,
    /// For trees of three children, the zones that decide which rows the middle child gets.
    zones: Option<&'a dyn NodeZones<T>>,
    pub(super) exec: &'a Exec,
    /// Nodes with fewer rows are leaves.
    min_rows_to_split: usize,
    /// The weight of the whole training set.
    training_weight: f64,
}

/// Estimates zones while a tree grows.
pub(crate) trait NodeZones<T: Target>: Sync {
    /// The test of a split with its zone; `None` if that leaves too little on a side.
    fn test(
        &self,
        rules: &SearchRules<'_, T>,
        node: NodeToSplit<'_, T>,
        choice: &SplitChoice,
        bins: Option<&BinnedColumns>,
    ) -> Option<Test>;
}

/// A split that is ready to be made.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(super) choice: SplitChoice,
    pub(super) test: Test,
    /// The impurity decrease, weighted by the node's share of the total weight.
    pub(super) improvement: f64,
}

impl<'a, T: Target> GrowRules<'a, T> {
    /// For rows of a training set with the tally `whole`.
    pub(crate) fn new(
        training: &'a Training<'a, T>,
        whole: &T::Tally,
        params: &'a CheckedParams,
        zones: Option<&'a dyn NodeZones<T>>,
        exec: &'a Exec,
    ) -> Self {
        let [training_weight, _] = whole.weight_and_impurity(training.target());
        let max_features = params.max_features.of(training.n_features());
        Self {
            params,
            search: SearchRules {
                training,
                limits: SideLimits::new(params, whole.n_rows(), training_weight),
                max_features,
                missing: params.missing,
                min_category_rows: params.min_samples_category,
                category_gain: params.category_gain,
                zero_gain_splits: params.zero_gain_splits && params.min_impurity_decrease == 0.0,
                seed: params.seed,
                ties: Ties::Lowest,
                exec,
            },
            zones,
            exec,
            min_rows_to_split: params.min_samples_split.of(whole.n_rows()),
            training_weight,
        }
    }

    /// True if rows within a zone grow a middle child.
    pub(crate) fn three_child(&self) -> bool {
        self.zones.is_some()
    }

    /// The same rules with other ties.
    pub(crate) fn with_ties(mut self, ties: Ties<'a>) -> Self {
        self.search.ties = ties;
        self
    }

    /// The same rules for a training set reduced to some of the rows.
    pub(super) fn within<'b>(&self, training: &'b Training<'b, T>) -> GrowRules<'b, T>
    where
        'a: 'b,
    {
        GrowRules { search: SearchRules { training, ..self.search }, ..*self }
    }

    /// True if the binned search applies. It needs leaves of many rows if their number is limited: a
    /// histogram of every leaf is kept. Its counts per bin and class must not outgrow the data. Missing values must not be
    /// unknown, because then each feature is measured on rows of its own.
    pub(crate) fn suit_bins(&self, tuning: Tuning) -> bool {
        let training = self.search.training;
        let all_known =
            self.search.missing != MissingValues::Unknown || !training.has_any_missing();
        tuning.suits(training)
            && all_known
            && self.params.max_leaf_nodes.is_none_or(|leaves| {
                !self.draws_features() && tuning.suits_leaves(leaves, training)
            })
    }

    /// True if the search on ranks applies: nodes draw their features, or the best split of all comes
    /// first. Missing values must not be unknown, because then each feature is measured on rows of its own.
    pub(crate) fn suit_ranks(&self) -> bool {
        let training = self.search.training;
        let all_known =
            self.search.missing != MissingValues::Unknown || !training.has_any_missing();
        all_known && (self.draws_features() || self.params.max_leaf_nodes.is_some())
    }

    /// True if every node draws its features.
    pub(super) fn draws_features(&self) -> bool {
        self.search.max_features < self.search.training.n_features()
            || matches!(self.search.ties, Ties::Random(_))
    }

    /// A node without a split.
    pub(crate) fn node(
        &self,
        range: Range<usize>,
        tally: T::Tally,
        depth: u32,
        key: NodeKey,
    ) -> GrownNode<T> {
        let [weight, impurity] = tally.weight_and_impurity(self.search.training.target());
        GrownNode { range, tally, depth, key, weight, impurity, split: None }
    }

    /// True if a node is a leaf whatever its best split.
    pub(crate) fn must_be_leaf(&self, node: &GrownNode<T>) -> bool {
        let limits = self.search.limits;
        let rows = node.range.len();
        node.tally.is_pure()
            || self.params.max_depth.is_some_and(|depth| node.depth >= depth)
            || rows < self.min_rows_to_split
            || rows < 2 * limits.rows
            // Slack for rounded class weights: each half may be legal although the sum is a last
            // bit short of twice the limit.
            || node.weight < (2.0 - 1e-9) * limits.weight
    }

    /// Turns a node's best split into a plan; `None` if it improves too little or its zone leaves
    /// too little on a side. Only three-child trees need the node's `rows`.
    pub(crate) fn plan(
        &self,
        node: &GrownNode<T>,
        choice: SplitChoice,
        rows: &[u32],
        bins: Option<&BinnedColumns>,
    ) -> Option<Plan> {
        let improvement = node.weight / self.training_weight * choice.gain;
        // Like scikit-learn, accept a split that falls short by rounding alone.
        if improvement + f64::EPSILON < self.params.min_impurity_decrease {
            return None;
        }
        let test = match self.zones {
            None => choice.test.clone(),
            Some(zones) => {
                let node = NodeToSplit { rows, tally: &node.tally, key: node.key };
                zones.test(&self.search, node, &choice, bins)?
            }
        };
        Some(Plan { choice, test, improvement })
    }

    /// Adds the children of a node, with their rows at `sides`, and returns those that may be
    /// split. `tally` adds up a range of the node's rows.
    pub(crate) fn make_children(
        &self,
        nodes: &mut Vec<GrownNode<T>>,
        parent: usize,
        plan: Plan,
        sides: Sides,
        tally: impl Fn(Range<usize>) -> T::Tally,
    ) -> Vec<usize> {
        let GrownNode { depth, key, .. } = nodes[parent];
        let start = nodes[parent].range.start;
        let add = |nodes: &mut Vec<GrownNode<T>>, side: Range<usize>, tally: T::Tally, position| {
            let range = start + side.start..start + side.end;
            nodes.push(self.node(range, tally, depth + 1, key.child(position)));
            nodes.len() - 1
        };
        let mut growable = Vec::with_capacity(3);
        // Without a middle child, the rows between are those whose value is unknown.
        let has_middle = self.three_child() || !sides.middle.is_empty();
        let middle_tally = has_middle.then(|| tally(sides.middle.clone()));
        let outer = match &middle_tally {
            Some(middle_tally) => nodes[parent].tally.without(middle_tally),
            None => nodes[parent].tally.clone(),
        };
        // Count the smaller side; the larger is the rest.
        let (left_tally, right_tally) = if sides.left.len() <= sides.right.len() {
            let left = tally(sides.left.clone());
            (left.clone(), outer.without(&left))
        } else {
            let right = tally(sides.right.clone());
            (outer.without(&right), right)
        };
        let left = add(nodes, sides.left, left_tally, 0);
        growable.push(left);
        let middle = middle_tally.filter(|_| self.three_child()).map(|middle_tally| {
            let [weight, _] = middle_tally.weight_and_impurity(self.search.training.target());
            // A middle child without rows predicts from all rows of its parent.
            let is_empty = sides.middle.is_empty();
            let tally = if is_empty { nodes[parent].tally.clone() } else { middle_tally };
            let middle = add(nodes, sides.middle, tally, 1);
            if !is_empty && weight >= f64::from(self.params.min_samples_middle) {
                growable.push(middle);
            }
            middle
        });
        let right = add(nodes, sides.right, right_tally, 2);
        growable.push(right);
        let Plan { choice, test, .. } = plan;
        nodes[parent].split = Some(GrownSplit { choice, test, left, middle, right, summary: None });
        growable.retain(|&child| !self.must_be_leaf(&nodes[child]));
        growable
    }
}
