//! Grows the subtree of a block of rows on sorted columns.

use super::frontier::Frontier;
use super::rules::{GrowRules, Plan};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::grown::GrownNode;
use crate::grow::search::binned::BinnedColumns;
use crate::grow::search::sorted::SortedBlock;
use crate::grow::search::sorted_column::{MAX_NARROW_ROWS, Narrow, RankedRow, Wide};
use std::ops::Range;

/// A block of rows whose subtree is grown on sorted columns.
pub(in crate::grow) struct Block<'a> {
    pub(in crate::grow) rules: &'a GrowRules<'a>,
    /// Bins that speed up sorting.
    pub(in crate::grow) bins: Option<&'a BinnedColumns>,
    pub(in crate::grow) exec: &'a Exec,
}

impl Block<'_> {
    /// Grows the subtree of `root`, which holds all of `rows`, and orders the rows so that those
    /// of every node are contiguous.
    pub(in crate::grow) fn grow(
        &self,
        rows: &mut [u32],
        root: GrownNode,
    ) -> Result<Vec<GrownNode>> {
        if self.rules.must_be_leaf(&root) {
            Ok(vec![root])
        } else if rows.len() <= MAX_NARROW_ROWS {
            self.grow_on::<Narrow>(rows, root)
        } else {
            self.grow_on::<Wide>(rows, root)
        }
    }

    fn grow_on<R: RankedRow>(&self, rows: &mut [u32], root: GrownNode) -> Result<Vec<GrownNode>> {
        let Self { rules, bins, exec } = *self;
        let block_rows = rows.to_vec();
        let mut sorted = SortedBlock::<R>::new(rules.search, &block_rows, bins, exec)?;
        let mut nodes = vec![root];
        let mut frontier = Frontier::new(rules.params.max_leaf_nodes);
        let arity = if rules.three_child { 3 } else { 2 };
        let mut open = vec![0];
        loop {
            for node in open.drain(..) {
                exec.check()?;
                if let Some(plan) = self.plan(&sorted, &nodes[node]) {
                    frontier.push(node, plan);
                }
            }
            let Some((node, plan)) = frontier.next(arity) else { break };
            let range = nodes[node].range.clone();
            let test = plan.test.clone();
            let sides = sorted.split(&range, &test, rules.three_child);
            let tally = |side| sorted.tally(shifted(side, range.start));
            open = rules.make_children(&mut nodes, node, plan, sides, tally);
            if !rules.three_child {
                let children = [nodes.len() - 2, nodes.len() - 1].map(|child| &nodes[child].tally);
                let summary = sorted.summary(&range, &test, children);
                if let Some(split) = &mut nodes[node].split {
                    split.summary = summary;
                }
            }
            if !open.is_empty() {
                let only = nodes[node].split.as_ref().and_then(|split| split.only_side(&open));
                sorted.partition_columns(&range, &test, only, exec);
            }
        }
        for (row, in_order) in rows.iter_mut().zip(sorted.rows_at(0..block_rows.len())) {
            *row = in_order;
        }
        Ok(nodes)
    }

    fn plan<R: RankedRow>(&self, sorted: &SortedBlock<'_, R>, node: &GrownNode) -> Option<Plan> {
        let choice = sorted.best_split(node, self.exec)?;
        // Only zones need the rows, and only three-child trees need zones while growing.
        let rows: Vec<u32> = match self.rules.three_child {
            true => sorted.rows_at(node.range.clone()).collect(),
            false => Vec::new(),
        };
        self.rules.plan(node, choice, &rows, None)
    }
}

/// The range moved up by `by`.
pub(super) fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}
