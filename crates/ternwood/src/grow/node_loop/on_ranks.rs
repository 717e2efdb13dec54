//! Grows a tree on ranks: nodes are independent of each other, so they may come in any order.

use super::frontier::Frontier;
use super::rank_sides::RankSides;
use super::rules::{GrowRules, Plan};
use crate::dataset::RowWeights;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::evidence::summary::Summary;
use crate::grow::grown::GrownNode;
use crate::grow::search::ranked::{
    CodeTable, Item, RankedChoice, RankedColumns, RankedNode, RankedRows, RankedSearch, Scratch,
};
use crate::grow::search::{Cell, RealCell, WholeCell};
use crate::grow::training::Tally;
use crate::grow::zones::Weights;
use crate::recipe::ZoneKind;
use std::ops::Range;
use std::rc::Rc;

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
        let item = |&row: &u32| Item {
            row,
            place: row,
            class: training.class_of(row),
            weight: T::weight_of(weights, row),
        };
        let mut items: Vec<Item<T>> = rows.iter().map(item).collect();
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
        // By node that is to be split, the codes of its branch; without, those of all rows.
        let mut codes_of: Vec<Option<Rc<CodeTable>>> = vec![None];
        loop {
            for node in open.drain(..) {
                exec.check()?;
                let here = &nodes[node];
                let node_items = &mut items[here.range.clone()];
                let codes = codes_of[node].as_deref().unwrap_or(columns.codes());
                if let Some(own) = codes.narrowed(node_items) {
                    codes_of[node] = Some(Rc::new(own));
                }
                let ranked = self.ranked(&codes_of[node]);
                let to_split = RankedNode { items: node_items, node: here };
                let search = RankedSearch { rules: rules.search, ranked };
                let choice = search.best_split(to_split, &mut scratch);
                let plan = choice.and_then(|choice| self.plan(to_split, choice));
                match plan {
                    Some((plan, first_right)) => {
                        firsts.resize(nodes.len(), None);
                        firsts[node] = first_right;
                        frontier.push(node, plan);
                    }
                    None => codes_of[node] = None,
                }
            }
            let Some((node, plan)) = frontier.next(arity) else { break };
            let node_items = &mut items[nodes[node].range.clone()];
            let codes = codes_of[node].take();
            let ranked = self.ranked(&codes);
            let sides = RankSides::new(rules, ranked, &plan, firsts[node]);
            let sides = sides.arrange(node_items, &mut spare);
            let tally = |side: Range<usize>| {
                let mut tally = Tally::empty(training.n_classes());
                for item in &node_items[side] {
                    tally.add(item.class, item.cell().weight());
                }
                tally
            };
            open = rules.make_children(&mut nodes, node, plan, sides, tally);
            codes_of.resize(nodes.len(), None);
            open.iter().for_each(|&child| codes_of[child].clone_from(&codes));
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
            let weighed = rows
                .map(|(item, &x)| (x, item.class as usize, (item.cell().weight() / unit) as u64));
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
                summary.left_counts[item.class as usize] -= item.cell().weight();
            }
        }
        for (item, &x) in rights.iter().zip(right_values) {
            let nearest = &mut summary.nearest_right[item.class as usize];
            *nearest = nearest.min(x);
            max = max.max(x);
            if x.is_nan() {
                summary.right_counts[item.class as usize] -= item.cell().weight();
            }
        }
        summary.extremes = (min, max);
        Some(summary)
    }

    /// The ranks, and the codes of a branch or of all rows.
    fn ranked<'b>(&'b self, codes: &'b Option<Rc<CodeTable>>) -> RankedRows<'b> {
        let columns = self.columns;
        RankedRows { columns, codes: codes.as_deref().unwrap_or(columns.codes()) }
    }
}
