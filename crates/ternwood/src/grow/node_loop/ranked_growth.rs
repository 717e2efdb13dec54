//! Grows a tree on ranks: nodes are independent of each other, so they may come in any order.

use super::growth::{NodeSearch, grow};
use super::node_rows::Sides;
use super::rank_sides::RankSides;
use super::rules::GrowRules;
use crate::dataset::RowWeights;
use crate::error::Result;
use crate::grow::evidence::summary::Summary;
use crate::grow::grown::GrownNode;
use crate::grow::search::ranked::{
    CodeTable, Item, RankedChoice, RankedColumns, RankedNode, RankedRows, RankedSearch, Scratch,
};
use crate::grow::search::{Cell, RealCell, SplitChoice, WholeCell};
use crate::grow::training::Tally;
use crate::grow::zones::Weights;
use crate::recipe::ZoneKind;
use crate::tree::Test;
use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

/// A tree grown on ranks.
#[derive(Clone, Copy)]
pub(in crate::grow) struct OnRanks<'a> {
    pub(in crate::grow) rules: &'a GrowRules<'a>,
    pub(in crate::grow) columns: &'a RankedColumns,
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
        let Self { rules, columns, .. } = *self;
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
        let items: Vec<Item<T>> = rows.iter().map(item).collect();
        let mut search = RankedItems {
            rules,
            columns,
            items,
            scratch: Scratch::default(),
            spare: Vec::new(),
            values: Vec::new(),
        };
        let nodes = grow(rules, &mut search, root, KeptCodes::default())?;
        rows.iter_mut().zip(&search.items).for_each(|(row, item)| *row = item.row);
        Ok(nodes)
    }
}

/// The rows of a tree as items that know their ranks.
struct RankedItems<'a, T: Cell> {
    rules: &'a GrowRules<'a>,
    columns: &'a RankedColumns,
    items: Vec<Item<T>>,
    scratch: Scratch<T>,
    /// Memory reused between calls.
    spare: Vec<Item<T>>,
    values: Vec<f64>,
}

/// What is kept about a node.
#[derive(Default)]
struct KeptCodes {
    /// The codes of its branch; `None` for those of all rows.
    codes: Option<Rc<CodeTable>>,
    /// The lowest rank right of its planned split.
    first_right: Option<u32>,
}

impl<T: Cell> NodeSearch for RankedItems<'_, T> {
    type Kept = KeptCodes;

    fn best_split(
        &mut self,
        node: &GrownNode,
        kept: &mut KeptCodes,
    ) -> Result<Option<SplitChoice>> {
        let Self { rules, columns, items, scratch, .. } = self;
        let items = &mut items[node.range.clone()];
        let codes = kept.codes.as_deref().unwrap_or(columns.codes());
        if let Some(own) = codes.narrowed(items) {
            kept.codes = Some(Rc::new(own));
        }
        let search = RankedSearch { rules: rules.search, ranked: ranked(columns, kept) };
        let found = search.best_split(RankedNode { items, node }, scratch);
        Ok(found.map(|RankedChoice { choice, first_right }| {
            kept.first_right = first_right.filter(|_| !rules.three_child);
            choice
        }))
    }

    fn rows_of(&self, node: &GrownNode) -> Cow<'_, [u32]> {
        self.items[node.range.clone()].iter().map(|item| item.row).collect()
    }

    fn divide(&mut self, node: &GrownNode, test: &Test, kept: &KeptCodes) -> Sides {
        let sides = RankSides::new(self.rules, ranked(self.columns, kept), test, kept.first_right);
        sides.arrange(&mut self.items[node.range.clone()], &mut self.spare)
    }

    fn tally(&self, rows: Range<usize>) -> Tally {
        let mut tally = Tally::empty(self.rules.search.training.n_classes());
        self.items[rows].iter().for_each(|item| tally.add(item.class, item.cell().weight()));
        tally
    }

    fn summary(
        &mut self,
        nodes: &[GrownNode],
        node: usize,
        _: &KeptCodes,
    ) -> Result<Option<Summary>> {
        let has_zones = self.rules.params.zone.kind != ZoneKind::None;
        Ok(if has_zones { self.summary_of(nodes, node) } else { None })
    }

    fn children(
        &mut self,
        _: &[GrownNode],
        _: usize,
        kept: KeptCodes,
        open: Vec<usize>,
    ) -> Result<Vec<(usize, KeptCodes)>> {
        let kept_of = |child| (child, KeptCodes { codes: kept.codes.clone(), first_right: None });
        Ok(open.into_iter().map(kept_of).collect())
    }
}

/// The ranks, and the codes of a branch or of all rows.
fn ranked<'b>(columns: &'b RankedColumns, kept: &'b KeptCodes) -> RankedRows<'b> {
    RankedRows { columns, codes: kept.codes.as_deref().unwrap_or(columns.codes()) }
}

impl<T: Cell> RankedItems<'_, T> {
    /// The summary of a split for zone estimators, which see the rows whose value is present; `None` if the
    /// split has no threshold.
    fn summary_of(&mut self, nodes: &[GrownNode], node: usize) -> Option<Summary> {
        let Self { rules, items, values, .. } = self;
        let split = nodes[node].split.as_ref()?;
        split.test.zone()?;
        let training = rules.search.training;
        let column = training.column(split.test.feature().0);
        let [left, right] = [split.left, split.right].map(|child| &nodes[child]);
        let (lefts, rights) = (&items[left.range.clone()], &items[right.range.clone()]);
        // A loop of its own, so that many values are on their way from memory at once.
        values.clear();
        values.extend(lefts.iter().chain(rights).map(|item| column.at(item.row as usize)));
        let (left_values, right_values) = values.split_at(lefts.len());
        if rules.params.zone.kind == ZoneKind::Spread {
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
}
