//! Grows a tree on ranks: nodes are independent of each other, so they may come in any order.

use super::frontier::Frontier;
use super::node_rows::arrange;
use super::rules::{GrowRules, Plan};
use crate::dataset::RowWeights;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::grown::GrownNode;
use crate::grow::search::ranked::{RankView, RankedColumns, RankedNode, RankedSearch, Scratch};
use crate::grow::search::{Cell, RealCell, WholeCell};
use crate::grow::training::Tally;
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
        let training = self.rules.search.training;
        let n_rows = training.n_rows() as u32;
        match training.weights() {
            RowWeights::Unit => self.grow_with(rows, root, &vec![1u32; n_rows as usize]),
            RowWeights::Whole(times) => {
                let cells: Vec<WholeCell> = times.iter().map(|&times| WholeCell::of_row(times)).collect();
                self.grow_with(rows, root, &cells)
            }
            RowWeights::Given { weights, .. } => {
                let cells: Vec<RealCell> = weights.iter().map(|&weight| RealCell::of_row(weight)).collect();
                self.grow_with(rows, root, &cells)
            }
        }
    }

    fn grow_with<T: Cell>(
        &self,
        rows: &mut [u32],
        root: GrownNode,
        cells: &[T],
    ) -> Result<Vec<GrownNode>> {
        let Self { rules, columns, exec } = *self;
        if rules.must_be_leaf(&root) {
            return Ok(vec![root]);
        }
        let ranks: Vec<&[u32]> =
            (0..columns.n_features() as u32).map(|feature| columns.of(feature).ranks.as_slice()).collect();
        let training = rules.search.training;
        let view = RankView { ranks: &ranks, classes: training.classes(), cells };
        let search = RankedSearch { rules: rules.search, columns };
        let mut scratch = Scratch::default();
        let mut nodes = vec![root];
        let mut frontier = Frontier::new(rules.params.max_leaf_nodes);
        let arity = if rules.three_child { 3 } else { 2 };
        let mut open = vec![0];
        let mut spare = Vec::new();
        loop {
            for node in open.drain(..) {
                exec.check()?;
                let here = &nodes[node];
                let node_rows = &rows[here.range.clone()];
                let to_split = RankedNode { rows: node_rows, node: here };
                let choice = search.best_split(view, to_split, &mut scratch);
                let plan = choice.and_then(|choice| rules.plan(here, choice, node_rows, None));
                if let Some(plan) = plan {
                    frontier.push(node, plan);
                }
            }
            let Some((node, plan)) = frontier.next(arity) else { break };
            let node_rows = &mut rows[nodes[node].range.clone()];
            let side = self.side(&plan);
            let feature = plan.test.feature().index();
            let sides = arrange(node_rows, &mut spare, |row| side.of(ranks[feature][row as usize]));
            let tally = |side: Range<usize>| {
                let mut tally = Tally::empty(training.n_classes());
                for &row in &node_rows[side] {
                    tally.add(training.class_of(row), cells[row as usize].weight());
                }
                tally
            };
            open = rules.make_children(&mut nodes, node, plan, sides, tally);
        }
        Ok(nodes)
    }

    /// The side of every rank.
    fn side(&self, plan: &Plan) -> RankSides {
        let test = &plan.test;
        let column = self.columns.of(test.feature().0);
        let missing = test.training_side(f64::NAN, self.rules.three_child);
        let three_child = self.rules.three_child;
        match test.edges(three_child) {
            Some(edges) => {
                let up_to = |edge: f64| column.values.partition_point(|&value| value <= edge) as u32;
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
    /// Below `lower`, within below `upper`, above; missing at `n_ranks`.
    Ranges { lower: u32, upper: u32, n_ranks: u32, missing: Side },
    Each(Vec<Side>, Side),
}

impl RankSides {
    #[inline(always)]
    fn of(&self, rank: u32) -> Side {
        match self {
            Self::Ranges { lower, .. } if rank < *lower => Side::Below,
            Self::Ranges { upper, .. } if rank < *upper => Side::Within,
            Self::Ranges { n_ranks, missing, .. } if rank == *n_ranks => *missing,
            Self::Ranges { .. } => Side::Above,
            Self::Each(sides, missing) => sides.get(rank as usize).copied().unwrap_or(*missing),
        }
    }
}
