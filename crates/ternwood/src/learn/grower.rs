//! The loop that grows a tree: take a node, stop?, search, partition, put the children back.

use super::evidence::{EvidenceRules, SplitEvidence};
use super::frontier::Frontier;
use super::grown::{GrownNode, GrownSplit, GrownTree};
use super::node_rows::NodeRows;
use super::params::CheckedParams;
use super::split_search::{NodeToSplit, ScanSearch, SplitChoice, SplitSearch};
use super::stream::NodeKey;
use super::training::{Tally, Training};
use crate::cancel::CancelToken;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::tree::{Tree, Zone};
use crate::workers::Workers;
use std::ops::Range;

/// Grows trees from one data set.
///
/// ```
/// use ternwood::{Columns, Dataset, Grower, Labels, TreeParams, ZoneKind};
///
/// let columns = Columns::from_columns((0..8).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values([0, 0, 0, 1, 0, 1, 1, 1]))?;
/// let params = TreeParams { max_depth: Some(1), ..TreeParams::default() }.check()?;
///
/// // Grow once, then look at it through several kinds of zone.
/// let grown = Grower::new(&data, &params)?.grow_two_child()?;
/// let margin = grown.with_zones(&ZoneKind::Margin.into())?;
/// let plateau = grown.with_zones(&ZoneKind::quality_plateau().into())?;
/// assert_eq!(margin.n_nodes(), plateau.n_nodes());
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug)]
pub struct Grower<'a> {
    training: Training<'a>,
    params: &'a CheckedParams,
    workers: Workers,
    cancel: CancelToken,
}

impl<'a> Grower<'a> {
    /// Makes `data` ready for growing with `params`.
    ///
    /// # Errors
    /// Parameters that do not fit the data: class weights or specified half-widths of the wrong
    /// length, or weights that leave no row.
    pub fn new(data: &'a Dataset, params: &'a CheckedParams) -> Result<Self> {
        params.zone.check_features(data.n_features())?;
        let training = Training::new(data, params)?;
        Ok(Self { training, params, workers: Workers::single(), cancel: CancelToken::new() })
    }

    /// Spreads the work over `workers`. The tree does not depend on them.
    #[must_use]
    pub fn workers(mut self, workers: &Workers) -> Self {
        self.workers = workers.clone();
        self
    }

    /// Stops growing soon after `token` is cancelled.
    #[must_use]
    pub fn cancel_with(mut self, token: &CancelToken) -> Self {
        self.cancel = token.clone();
        self
    }

    /// Grows a plain CART tree. Zones play no part in its growth: ask the result for them.
    ///
    /// # Errors
    /// Only if cancelled.
    pub fn grow_two_child(self) -> Result<GrownTree<'a>> {
        self.grow(false)
    }

    /// Grows a tree in which the rows within a zone train a middle subtree of their own.
    ///
    /// # Errors
    /// Only if cancelled.
    pub fn grow_three_child(self) -> Result<Tree> {
        Ok(self.grow(true)?.tree())
    }

    fn grow(self, three_child: bool) -> Result<GrownTree<'a>> {
        let rules = EvidenceRules::new(&self.training, self.params);
        let mut growth = Growth {
            rows: NodeRows::new(self.training.rows()),
            nodes: Vec::new(),
            grower: &self,
            rules,
            three_child,
        };
        growth.run()?;
        let Growth { nodes, rows, .. } = growth;
        let Self { training, params, workers, cancel } = self;
        Ok(GrownTree { nodes, rows, training, params, rules, workers, cancel })
    }
}

/// A tree in the making.
struct Growth<'g, 'a> {
    grower: &'g Grower<'a>,
    rules: EvidenceRules,
    three_child: bool,
    rows: NodeRows,
    nodes: Vec<GrownNode>,
}

/// A split that was found and can be made.
pub(super) struct Plan {
    pub(super) node: usize,
    choice: SplitChoice,
    zone: Zone,
    /// The impurity the split removes, weighted by the node's share of all rows.
    pub(super) improvement: f64,
}

impl Growth<'_, '_> {
    fn run(&mut self) -> Result<()> {
        let all = self.rows.all();
        let tally = self.grower.training.tally(self.rows.of(&all));
        let root = self.add(all, tally, 0, NodeKey::root());
        let mut frontier = Frontier::new(self.grower.params.max_leaf_nodes);
        frontier.push(self.plan(vec![root])?);
        let arity = if self.three_child { 3 } else { 2 };
        while let Some(plans) = frontier.next(arity) {
            let mut children = Vec::new();
            for plan in plans {
                self.grower.cancel.check()?;
                self.make(&plan, &mut children);
            }
            frontier.push(self.plan(children)?);
        }
        Ok(())
    }

    fn add(&mut self, range: Range<usize>, tally: Tally, depth: u32, key: NodeKey) -> usize {
        let class_weights = self.grower.training.weighted(&tally.counts);
        let weight = class_weights.iter().sum();
        let impurity = self.rules.criterion.impurity(&class_weights, weight);
        self.nodes.push(GrownNode { range, tally, depth, key, weight, impurity, split: None });
        self.nodes.len() - 1
    }

    /// Finds the splits of several nodes at once; nodes that become leaves have none.
    fn plan(&self, nodes: Vec<usize>) -> Result<Vec<Plan>> {
        let Grower { training, params, workers, cancel } = self.grower;
        let search = ScanSearch {
            training,
            criterion: params.criterion,
            limits: self.rules.limits,
            max_features: params.max_features.of(training.n_features()),
            seed: params.seed,
            workers,
            cancel,
        };
        let nodes = nodes.into_iter().filter(|&node| !self.must_be_leaf(node)).collect();
        let plans = workers.map(nodes, |node| self.plan_one(node, &search));
        plans.into_iter().filter_map(Result::transpose).collect()
    }

    fn must_be_leaf(&self, node: usize) -> bool {
        let params = self.grower.params;
        let node = &self.nodes[node];
        let rows = node.range.len();
        let limits = self.rules.limits;
        let pure = node.tally.rows.iter().filter(|&&rows| rows > 0).count() < 2;
        pure || params.max_depth.is_some_and(|depth| node.depth >= depth)
            || rows < params.min_samples_split.of(self.grower.training.rows().len())
            || rows < 2 * limits.rows
            || node.weight < 2.0 * limits.weight
    }

    fn plan_one(&self, node: usize, search: &dyn SplitSearch) -> Result<Option<Plan>> {
        let GrownNode { range, tally, key, weight, .. } = &self.nodes[node];
        let to_split = NodeToSplit { rows: self.rows.of(range), tally, key: *key };
        let Some(choice) = search.best_split(to_split)? else { return Ok(None) };
        let improvement = weight / self.rules.training_weight * choice.gain;
        // Like scikit-learn, a split that falls short by rounding alone is made.
        if improvement + f64::EPSILON < self.grower.params.min_impurity_decrease {
            return Ok(None);
        }
        let mut zone = Zone::from_checked(choice.threshold, 0.0);
        if self.three_child {
            let training = &self.grower.training;
            let evidence = SplitEvidence::gather(training, self.rules, to_split, choice);
            zone = zone.with_half_width(self.grower.params.zone.half_width(&evidence));
            let (rows, weights) = evidence.outside(zone);
            if !self.rules.limits.allow(rows, weights) {
                return Ok(None); // The zone swallowed a side.
            }
        }
        Ok(Some(Plan { node, choice, zone, improvement }))
    }

    /// Partitions the rows of a node, and lists the children that may be split in turn.
    fn make(&mut self, plan: &Plan, children: &mut Vec<usize>) {
        let training = &self.grower.training;
        let column = training.column(plan.choice.feature);
        let GrownNode { range, depth, key, .. } = self.nodes[plan.node].clone();
        let sides = if self.three_child {
            self.rows.cut_three(range, column, plan.zone)
        } else {
            self.rows.cut(range, column, plan.zone)
        };
        let left_tally = training.tally(self.rows.of(&sides.left));
        let middle_tally = training.tally(self.rows.of(&sides.middle));
        let right_tally = training.tally(self.rows.of(&sides.right));
        let depth = depth + 1;
        let left = self.add(sides.left, left_tally, depth, key.child(0));
        children.push(left);
        let middle = self.three_child.then(|| {
            let held = training.weighted(&middle_tally.counts).iter().sum::<f64>();
            let grows = held >= f64::from(self.grower.params.min_samples_middle);
            // With no row of its own the middle child answers with all rows of its parent.
            let stands_in = sides.middle.is_empty();
            let tally = if stands_in { self.nodes[plan.node].tally.clone() } else { middle_tally };
            let middle = self.add(sides.middle, tally, depth, key.child(1));
            if grows && !stands_in {
                children.push(middle);
            }
            middle
        });
        let right = self.add(sides.right, right_tally, depth, key.child(2));
        children.push(right);
        let split = GrownSplit { choice: plan.choice, zone: plan.zone, left, middle, right };
        self.nodes[plan.node].split = Some(split);
    }
}
