//! The growing rules.

use super::node_rows::Sides;
use crate::exec::Exec;
use crate::grow::evidence::{EvidenceRules, Outside, SplitEvidence};
use crate::grow::grown::{GrownNode, GrownSplit};
use crate::grow::search::binned::{BinnedColumns, Tuning};
use crate::grow::search::{NodeToSplit, SearchRules, SplitChoice, Ties};
use crate::grow::stream::NodeKey;
use crate::grow::training::{Tally, Training};
use crate::recipe::{CheckedParams, MissingValues};
use crate::tree::Test;
use std::ops::Range;

/// When a node is a leaf, which split it gets, and what its children are.
pub(in crate::grow) struct GrowRules<'a> {
    pub(super) params: &'a CheckedParams,
    pub(in crate::grow) search: SearchRules<'a>,
    pub(in crate::grow) evidence: EvidenceRules,
    pub(super) three_child: bool,
    pub(super) exec: &'a Exec,
    /// Nodes with fewer rows are leaves.
    min_rows_to_split: usize,
}

/// A split that is ready to be made.
#[derive(Debug, Clone)]
pub(in crate::grow) struct Plan {
    pub(super) choice: SplitChoice,
    pub(super) test: Test,
    /// The impurity decrease, weighted by the node's share of the total weight.
    pub(super) improvement: f64,
}

impl<'a> GrowRules<'a> {
    /// For rows of a training set with the tally `whole`.
    pub(in crate::grow) fn new(
        training: &'a Training<'a>,
        whole: &Tally,
        params: &'a CheckedParams,
        three_child: bool,
        exec: &'a Exec,
    ) -> Self {
        let evidence = EvidenceRules::of_whole(whole, training, params);
        let EvidenceRules { criterion, limits, seed, .. } = evidence;
        let max_features = params.max_features.of(training.n_features());
        Self {
            params,
            search: SearchRules {
                training,
                criterion,
                limits,
                max_features,
                missing: params.missing,
                min_category_rows: params.min_samples_category,
                category_gain: params.category_gain,
                zero_gain_splits: params.zero_gain_splits && params.min_impurity_decrease == 0.0,
                seed,
                ties: Ties::Lowest,
                exec,
            },
            evidence,
            three_child,
            exec,
            min_rows_to_split: params.min_samples_split.of(whole.n_rows()),
        }
    }

    /// The same rules with other ties.
    pub(in crate::grow) fn with_ties(mut self, ties: Ties<'a>) -> Self {
        self.search.ties = ties;
        self
    }

    /// The same rules for a training set reduced to some of the rows.
    pub(super) fn within<'b>(&self, training: &'b Training<'b>) -> GrowRules<'b>
    where
        'a: 'b,
    {
        GrowRules { search: SearchRules { training, ..self.search }, ..*self }
    }

    /// True if the binned search applies. It needs leaves of many rows if their number is limited: a
    /// histogram of every leaf is kept. Its counts per bin and class must not outgrow the data. Missing values must not be
    /// unknown, because then each feature is measured on rows of its own.
    pub(in crate::grow) fn suit_bins(&self, tuning: Tuning) -> bool {
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
    pub(in crate::grow) fn suit_ranks(&self) -> bool {
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
    pub(in crate::grow) fn node(
        &self,
        range: Range<usize>,
        tally: Tally,
        depth: u32,
        key: NodeKey,
    ) -> GrownNode {
        let class_weights = self.search.training.weighted(&tally.counts);
        let weight = class_weights.iter().sum();
        let impurity = self.search.criterion.impurity(&class_weights, weight);
        GrownNode { range, tally, depth, key, weight, impurity, split: None }
    }

    /// True if a node is a leaf whatever its best split.
    pub(in crate::grow) fn must_be_leaf(&self, node: &GrownNode) -> bool {
        let limits = self.search.limits;
        let rows = node.range.len();
        let pure = node.tally.rows.iter().filter(|&&rows| rows > 0).count() < 2;
        pure || self.params.max_depth.is_some_and(|depth| node.depth >= depth)
            || rows < self.min_rows_to_split
            || rows < 2 * limits.rows
            // Slack for rounded class weights: each half may be legal although the sum is a last
            // bit short of twice the limit.
            || node.weight < (2.0 - 1e-9) * limits.weight
    }

    /// Turns a node's best split into a plan; `None` if it improves too little or its zone leaves
    /// too little on a side. Only three-child trees need the node's `rows`.
    pub(in crate::grow) fn plan(
        &self,
        node: &GrownNode,
        choice: SplitChoice,
        rows: &[u32],
        bins: Option<&BinnedColumns>,
    ) -> Option<Plan> {
        let improvement = node.weight / self.evidence.training_weight * choice.gain;
        // Like scikit-learn, accept a split that falls short by rounding alone.
        if improvement + f64::EPSILON < self.params.min_impurity_decrease {
            return None;
        }
        let mut test = choice.test.clone();
        if self.three_child {
            let to_split = NodeToSplit { rows, tally: &node.tally, key: node.key };
            let evidence =
                SplitEvidence::new(self.search.training, self.evidence, to_split, choice.clone())
                    .cancelled_by(self.exec)
                    .with_bins(bins.filter(|_| !self.search.training.has_weights()));
            test = self.params.zone.test_with_zone(&evidence);
            let Outside { rows, weights } = evidence.outside(&test);
            if !self.search.limits.allow(rows, weights) {
                return None; // The zone leaves too little on a side.
            }
        }
        Some(Plan { choice, test, improvement })
    }

    /// Adds the children of a node, with their rows at `sides`, and returns those that may be
    /// split. `tally` counts the classes of a range of the node's rows.
    pub(in crate::grow) fn make_children(
        &self,
        nodes: &mut Vec<GrownNode>,
        parent: usize,
        plan: Plan,
        sides: Sides,
        tally: impl Fn(Range<usize>) -> Tally,
    ) -> Vec<usize> {
        let GrownNode { depth, key, .. } = nodes[parent];
        let start = nodes[parent].range.start;
        let add = |nodes: &mut Vec<GrownNode>, side: Range<usize>, tally: Tally, position| {
            let range = start + side.start..start + side.end;
            nodes.push(self.node(range, tally, depth + 1, key.child(position)));
            nodes.len() - 1
        };
        let mut growable = Vec::with_capacity(3);
        // Without a middle child, the rows between are those whose value is unknown.
        let has_middle = self.three_child || !sides.middle.is_empty();
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
        let middle = middle_tally.filter(|_| self.three_child).map(|middle_tally| {
            let weight: f64 = self.search.training.weighted(&middle_tally.counts).iter().sum();
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
