//! Grows a tree on ranks: nodes are independent of each other, so they may come in any order.

use super::frontier::Frontier;
use super::node_rows::{Sides, arrange};
use super::rules::{GrowRules, Plan};
use crate::dataset::RowWeights;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::evidence::summary::Summary;
use crate::grow::grown::GrownNode;
use crate::grow::search::ranked::{
    FEW_ROWS, Item, RankedChoice, RankedColumns, RankedNode, RankedSearch, Scratch,
};
use crate::grow::search::{Cell, RealCell, WholeCell};
use crate::grow::training::Tally;
use crate::grow::zones::Weights;
use crate::recipe::ZoneKind;
use crate::tree::{Cut, Side};
use std::ops::Range;

/// A tree grown on ranks.
#[derive(Clone, Copy)]
pub(in crate::grow) struct OnRanks<'a> {
    pub(in crate::grow) rules: &'a GrowRules<'a>,
    pub(in crate::grow) columns: &'a RankedColumns,
    pub(in crate::grow) exec: &'a Exec,
}

impl OnRanks<'_> {
    /// Grows the tree of `root`, which holds all of `rows`, and orders the rows so that those of every node
    /// are contiguous.
    pub(in crate::grow) fn grow_all(
        &self,
        rows: &mut [u32],
        root: GrownNode,
    ) -> Result<Vec<GrownNode>> {
        match self.rules.search.training.weights() {
            RowWeights::Unit => self.grow_with::<u32>(rows, root),
            RowWeights::Whole(_) => self.grow_with::<WholeCell>(rows, root),
            RowWeights::Given { .. } => self.grow_with::<RealCell>(rows, root),
        }
    }

    fn grow_with<T: Cell>(&self, rows: &mut [u32], root: GrownNode) -> Result<Vec<GrownNode>> {
        let Self { rules, columns, exec } = *self;
        if rules.must_be_leaf(&root) {
            return Ok(vec![root]);
        }
        let training = rules.search.training;
        let weights = T::weights(training);
        let item =
            |&row: &u32| Item { row, class: training.class_of(row), cell: T::of_row(weights, row) };
        let mut items: Vec<Item<T>> = rows.iter().map(item).collect();
        let search = RankedSearch { rules: rules.search, columns };
        let mut scratch = Scratch::default();
        let mut nodes = vec![root];
        let mut frontier = Frontier::new(rules.params.max_leaf_nodes);
        let arity = if rules.three_child { 3 } else { 2 };
        let mut open = vec![0];
        let mut spare = Vec::new();
        let mut values = Vec::new();
        // Three-child trees have got their zones while growing.
        let has_zones = rules.params.zone.kind != ZoneKind::None && !rules.three_child;
        // By node, the lowest rank right of its planned split.
        let mut firsts: Vec<Option<u32>> = Vec::new();
        loop {
            for node in open.drain(..) {
                exec.check()?;
                let here = &nodes[node];
                let to_split = RankedNode { items: &items[here.range.clone()], node: here };
                let choice = search.best_split(to_split, &mut scratch);
                let plan = choice.and_then(|choice| self.plan(to_split, choice));
                if let Some((plan, first_right)) = plan {
                    firsts.resize(nodes.len(), None);
                    firsts[node] = first_right;
                    frontier.push(node, plan);
                }
            }
            let Some((node, plan)) = frontier.next(arity) else { break };
            let node_items = &mut items[nodes[node].range.clone()];
            let sides = self.arrange(node_items, &plan, firsts[node], &mut spare);
            let tally = |side: Range<usize>| {
                let mut tally = Tally::empty(training.n_classes());
                for item in &node_items[side] {
                    tally.add(item.class, item.cell.weight());
                }
                tally
            };
            open = rules.make_children(&mut nodes, node, plan, sides, tally);
            if has_zones {
                let summary = self.summary(&items, &nodes, node, &mut values);
                if let Some(split) = &mut nodes[node].split {
                    split.summary = summary;
                }
            }
        }
        rows.iter_mut().zip(&items).for_each(|(row, item)| *row = item.row);
        Ok(nodes)
    }

    fn plan<T: Cell>(
        &self,
        node: RankedNode<'_, T>,
        choice: RankedChoice,
    ) -> Option<(Plan, Option<u32>)> {
        // Only zones need the rows, and only three-child trees need zones while growing.
        let rows: Vec<u32> = match self.rules.three_child {
            true => node.items.iter().map(|item| item.row).collect(),
            false => Vec::new(),
        };
        let RankedChoice { choice, first_right } = choice;
        let plan = self.rules.plan(node.node, choice, &rows, None)?;
        Some((plan, first_right.filter(|_| !self.rules.three_child)))
    }

    /// The summary of a split for zone estimators, which see the rows whose value is present; `None` if the
    /// split has no threshold. `values` is memory reused between calls.
    fn summary<T: Cell>(
        &self,
        items: &[Item<T>],
        nodes: &[GrownNode],
        node: usize,
        values: &mut Vec<f64>,
    ) -> Option<Summary> {
        let split = nodes[node].split.as_ref()?;
        split.test.zone()?;
        let training = self.rules.search.training;
        let column = training.column(split.test.feature().0);
        let [left, right] = [split.left, split.right].map(|child| &nodes[child]);
        let (lefts, rights) = (&items[left.range.clone()], &items[right.range.clone()]);
        // A loop of its own, so that many values are on their way from memory at once.
        values.clear();
        values.extend(lefts.iter().chain(rights).map(|item| column.at(item.row as usize)));
        let (left_values, right_values) = values.split_at(lefts.len());
        if self.rules.params.zone.kind == ZoneKind::Spread {
            // The smaller or larger of a number and NaN is the number.
            let min = left_values.iter().copied().fold(f64::INFINITY, f64::min);
            let max = right_values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let (classes, unit) = (training.class_factors(), training.weight_unit());
            let rows = lefts.iter().chain(rights).zip(&*values).filter(|(_, x)| !x.is_nan());
            let weighed =
                rows.map(|(item, &x)| (x, item.class as usize, (item.cell.weight() / unit) as u64));
            let deviation = Weights { classes, unit }.deviation((min, max), weighed);
            return Some(Summary::of_spread((min, max), deviation));
        }
        let mut summary = Summary::empty(left.tally.rows.len());
        summary.left_counts.clone_from(&left.tally.counts);
        summary.right_counts.clone_from(&right.tally.counts);
        let (mut min, mut max) = summary.extremes;
        // The smaller or larger of a number and NaN is the number.
        for (item, &x) in lefts.iter().zip(left_values) {
            let nearest = &mut summary.nearest_left[item.class as usize];
            *nearest = nearest.max(x);
            min = min.min(x);
            if x.is_nan() {
                summary.left_counts[item.class as usize] -= item.cell.weight();
            }
        }
        for (item, &x) in rights.iter().zip(right_values) {
            let nearest = &mut summary.nearest_right[item.class as usize];
            *nearest = nearest.min(x);
            max = max.max(x);
            if x.is_nan() {
                summary.right_counts[item.class as usize] -= item.cell.weight();
            }
        }
        summary.extremes = (min, max);
        Some(summary)
    }

    /// Orders the rows of a node by their side at its split.
    fn arrange<T: Cell>(
        &self,
        items: &mut [Item<T>],
        plan: &Plan,
        first_right: Option<u32>,
        spare: &mut Vec<Item<T>>,
    ) -> Sides {
        let ranks = self.columns.ranks(plan.test.feature().0);
        match self.side(plan, first_right) {
            RankSides::At(first) if items.len() > FEW_ROWS => {
                let is_below = self.columns.is_below(plan.test.feature().0, first);
                arrange(
                    items,
                    spare,
                    |item| {
                        if is_below(item.row) { Side::Below } else { Side::Above }
                    },
                )
            }
            RankSides::At(first) => arrange(items, spare, |item| {
                if ranks.of(item.row) < first { Side::Below } else { Side::Above }
            }),
            sides => arrange(items, spare, |item| sides.of(ranks.of(item.row))),
        }
    }

    /// The side of every rank.
    fn side(&self, plan: &Plan, first_right: Option<u32>) -> RankSides {
        let (test, training) = (&plan.test, self.rules.search.training);
        let column = self.columns.of(test.feature().0);
        // Where nothing is missing, any side will do.
        let missing = match training.has_missing(test.feature().0) {
            true => test.training_side(f64::NAN, self.rules.three_child),
            false => Side::Above,
        };
        let three_child = self.rules.three_child;
        if let Some(first) = first_right.filter(|_| missing == Side::Above) {
            return RankSides::At(first);
        }
        match test.edges(three_child) {
            Some(edges) => {
                let up_to =
                    |edge: f64| column.values.partition_point(|&value| value <= edge) as u32;
                let lower = up_to(edges.lower);
                let upper = up_to(edges.upper).max(lower);
                RankSides::Ranges { lower, upper, n_ranks: column.n_ranks, missing }
            }
            None => {
                let side = |rank: u32| test.training_side(f64::from(rank), three_child);
                let present = match test.cut() {
                    Cut::Present => vec![Side::Below; column.n_ranks as usize],
                    _ => (0..column.n_ranks).map(side).collect(),
                };
                RankSides::Each(present, missing)
            }
        }
    }
}

/// The side of every rank at a test.
enum RankSides {
    /// Below this rank, and above; missing values are above.
    At(u32),
    /// Below `lower`, within below `upper`, above; missing at `n_ranks`.
    Ranges {
        lower: u32,
        upper: u32,
        n_ranks: u32,
        missing: Side,
    },
    Each(Vec<Side>, Side),
}

impl RankSides {
    #[inline(always)]
    fn of(&self, rank: u32) -> Side {
        match self {
            Self::At(first) if rank < *first => Side::Below,
            Self::At(_) => Side::Above,
            Self::Ranges { lower, .. } if rank < *lower => Side::Below,
            Self::Ranges { upper, .. } if rank < *upper => Side::Within,
            Self::Ranges { n_ranks, missing, .. } if rank == *n_ranks => *missing,
            Self::Ranges { .. } => Side::Above,
            Self::Each(sides, missing) => sides.get(rank as usize).copied().unwrap_or(*missing),
        }
    }
}
