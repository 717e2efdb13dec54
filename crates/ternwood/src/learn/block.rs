//! Growing the subtree of a block of rows: take a node, search, partition, put the children back.

use super::evidence::{EvidenceRules, SplitEvidence};
use super::frontier::Frontier;
use super::grown::{GrownNode, GrownSplit};
use super::node_rows::Sides;
use super::params::CheckedParams;
use super::split_search::binned::BinnedColumns;
use super::split_search::sorted::SortedBlock;
use super::split_search::sorted_column::{MOST_NARROW_ROWS, Narrow, RankedRow, Wide};
use super::split_search::{NodeToSplit, SearchRules, SplitChoice};
use super::stream::NodeKey;
use super::training::{Tally, Training};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::tree::{Side, Zone};
use crate::workers::Workers;
use std::ops::Range;

/// When a node is a leaf, which split it gets, and what its children are.
pub(super) struct GrowRules<'a> {
    pub(super) params: &'a CheckedParams,
    pub(super) search: SearchRules<'a>,
    pub(super) evidence: EvidenceRules,
    pub(super) three_child: bool,
    pub(super) cancel: &'a CancelToken,
    /// Nodes with fewer rows are leaves.
    fewest_to_split: usize,
}

/// A split that was found and can be made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) choice: SplitChoice,
    pub(super) zone: Zone,
    /// The impurity the split removes, weighted by the node's share of all rows.
    pub(super) improvement: f64,
}

impl<'a> GrowRules<'a> {
    pub(super) fn new(
        training: &'a Training<'a>,
        params: &'a CheckedParams,
        three_child: bool,
        cancel: &'a CancelToken,
    ) -> Self {
        let evidence = EvidenceRules::new(training, params);
        let EvidenceRules { criterion, limits, seed, .. } = evidence;
        let max_features = params.max_features.of(training.n_features());
        Self {
            params,
            search: SearchRules { training, criterion, limits, max_features, seed },
            evidence,
            three_child,
            cancel,
            fewest_to_split: params.min_samples_split.of(training.rows().len()),
        }
    }

    /// The same rules for some of the rows, which stand in a training set of their own.
    pub(super) fn within<'b>(&self, training: &'b Training<'b>) -> GrowRules<'b>
    where
        'a: 'b,
    {
        GrowRules { search: SearchRules { training, ..self.search }, ..*self }
    }

    /// A node without a split.
    pub(super) fn node(
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

    /// Whether a node is a leaf whatever its best split may be.
    pub(super) fn must_be_leaf(&self, node: &GrownNode) -> bool {
        let limits = self.search.limits;
        let rows = node.range.len();
        let pure = node.tally.rows.iter().filter(|&&rows| rows > 0).count() < 2;
        pure || self.params.max_depth.is_some_and(|depth| node.depth >= depth)
            || rows < self.fewest_to_split
            || rows < 2 * limits.rows
            // With slack: class weights round, and each half may be legal where the sum falls
            // short of twice the limit by a last bit.
            || node.weight < (2.0 - 1e-9) * limits.weight
    }

    /// What to make of a node's best split; `None` if it is not worth making.
    pub(super) fn plan(
        &self,
        node: &GrownNode,
        (to_split, bins): (NodeToSplit<'_>, Option<&BinnedColumns>),
        choice: SplitChoice,
    ) -> Option<Plan> {
        let improvement = node.weight / self.evidence.training_weight * choice.gain;
        // Like scikit-learn, a split that falls short by rounding alone is made.
        if improvement + f64::EPSILON < self.params.min_impurity_decrease {
            return None;
        }
        let mut zone = Zone::from_checked(choice.threshold, 0.0);
        if self.three_child {
            let evidence =
                SplitEvidence::new(self.search.training, self.evidence, to_split, choice)
                    .watching(self.cancel)
                    .with_bins(bins);
            zone = zone.with_half_width(self.params.zone.half_width(&evidence));
            let (rows, weights) = evidence.outside(zone);
            if !self.search.limits.allow(rows, weights) {
                return None; // The zone swallowed a side.
            }
        }
        Some(Plan { choice, zone, improvement })
    }

    /// To which child a training row goes.
    #[inline]
    pub(super) fn side(&self, plan: &Plan, value: f64) -> Side {
        if self.three_child {
            plan.zone.side(value)
        } else if plan.zone.goes_left(value) {
            Side::Below
        } else {
            Side::Above
        }
    }

    /// Makes the children of a node whose rows stand at `sides`, and lists those that may be
    /// split in turn. `tally` tells the classes of some of the node's rows.
    pub(super) fn make(
        &self,
        nodes: &mut Vec<GrownNode>,
        parent: usize,
        plan: &Plan,
        (sides, tally): (Sides, impl Fn(Range<usize>) -> Tally),
    ) -> Vec<usize> {
        let GrownNode { depth, key, .. } = nodes[parent];
        let start = nodes[parent].range.start;
        let add = |nodes: &mut Vec<GrownNode>, side: Range<usize>, tally: Tally, position| {
            let range = start + side.start..start + side.end;
            nodes.push(self.node(range, tally, depth + 1, key.child(position)));
            nodes.len() - 1
        };
        let mut growable = Vec::with_capacity(3);
        let own = self.three_child.then(|| tally(sides.middle.clone()));
        let outer = match &own {
            Some(own) => nodes[parent].tally.without(own),
            None => nodes[parent].tally.clone(),
        };
        // The smaller side is counted, the larger is what it leaves.
        let (left_tally, right_tally) = if sides.left.len() <= sides.right.len() {
            let left = tally(sides.left.clone());
            (left.clone(), outer.without(&left))
        } else {
            let right = tally(sides.right.clone());
            (outer.without(&right), right)
        };
        let left = add(nodes, sides.left, left_tally, 0);
        growable.push(left);
        let middle = own.map(|own| {
            let held: f64 = self.search.training.weighted(&own.counts).iter().sum();
            // With no row of its own the middle child answers with all rows of its parent.
            let stands_in = sides.middle.is_empty();
            let tally = if stands_in { nodes[parent].tally.clone() } else { own };
            let middle = add(nodes, sides.middle, tally, 1);
            if !stands_in && held >= f64::from(self.params.min_samples_middle) {
                growable.push(middle);
            }
            middle
        });
        let right = add(nodes, sides.right, right_tally, 2);
        growable.push(right);
        let Plan { choice, zone, .. } = *plan;
        nodes[parent].split = Some(GrownSplit { choice, zone, left, middle, right, summary: None });
        growable.retain(|&child| !self.must_be_leaf(&nodes[child]));
        growable
    }
}

/// A block of rows whose subtree is grown on sorted columns.
pub(super) struct Block<'a> {
    pub(super) rules: &'a GrowRules<'a>,
    /// Bins that help to sort the columns.
    pub(super) bins: Option<&'a BinnedColumns>,
    pub(super) workers: &'a Workers,
    pub(super) cancel: &'a CancelToken,
}

impl Block<'_> {
    /// Grows the subtree below `root`, which stands at all of `rows`, and orders the rows so
    /// that those of every node stand together.
    pub(super) fn grow(&self, rows: &mut [u32], root: GrownNode) -> Result<Vec<GrownNode>> {
        if self.rules.must_be_leaf(&root) {
            Ok(vec![root])
        } else if rows.len() <= MOST_NARROW_ROWS {
            self.grow_on::<Narrow>(rows, root)
        } else {
            self.grow_on::<Wide>(rows, root)
        }
    }

    fn grow_on<R: RankedRow>(&self, rows: &mut [u32], root: GrownNode) -> Result<Vec<GrownNode>> {
        let Self { rules, bins, workers, cancel } = *self;
        let block_rows = rows.to_vec();
        let mut sorted = SortedBlock::<R>::new(rules.search, &block_rows, bins, (workers, cancel))?;
        let mut nodes = vec![root];
        let mut frontier = Frontier::new(rules.params.max_leaf_nodes);
        let arity = if rules.three_child { 3 } else { 2 };
        let mut open = vec![0];
        loop {
            for node in open.drain(..) {
                cancel.check()?;
                if let Some(plan) = self.plan(&sorted, &nodes[node]) {
                    frontier.push(node, plan);
                }
            }
            let Some((node, plan)) = frontier.next(arity) else { break };
            let range = nodes[node].range.clone();
            let feature = plan.choice.feature;
            let sides = sorted.split(&range, feature, |value| rules.side(&plan, value));
            let tally = |side| sorted.tally(shifted(side, range.start));
            open = rules.make(&mut nodes, node, &plan, (sides, tally));
            if !rules.three_child {
                let children = (&nodes[nodes.len() - 2].tally, &nodes[nodes.len() - 1].tally);
                let summary = sorted.summary(&range, feature, children);
                if let Some(split) = &mut nodes[node].split {
                    split.summary = Some(summary);
                }
            }
            if !open.is_empty() {
                let only = nodes[node].split.as_ref().and_then(|split| split.only_side(&open));
                sorted.follow(&range, feature, only, workers);
            }
        }
        for (row, in_order) in rows.iter_mut().zip(sorted.rows_at(0..block_rows.len())) {
            *row = in_order;
        }
        Ok(nodes)
    }

    fn plan<R: RankedRow>(&self, sorted: &SortedBlock<'_, R>, node: &GrownNode) -> Option<Plan> {
        let choice = sorted.best_split(&node.range, (&node.tally, node.key), self.workers)?;
        // Only zones need the rows, and only trees with middle children need zones now.
        let rows: Vec<u32> = match self.rules.three_child {
            true => sorted.rows_at(node.range.clone()).collect(),
            false => Vec::new(),
        };
        let to_split = NodeToSplit { rows: &rows, tally: &node.tally, key: node.key };
        self.rules.plan(node, (to_split, None), choice)
    }
}

/// The same range, further on.
pub(super) fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}
