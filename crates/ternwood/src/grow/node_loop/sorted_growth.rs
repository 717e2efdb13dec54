//! Grows the subtree of a block of rows on sorted columns.

use super::growth::{NodeSearch, grow};
use super::node_rows::Sides;
use super::rules::GrowRules;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::evidence::summary::Summary;
use crate::grow::grown::GrownNode;
use crate::grow::search::SplitChoice;
use crate::grow::search::binned::BinnedColumns;
use crate::grow::search::sorted::SortedBlock;
use crate::grow::search::sorted_column::{MAX_NARROW_ROWS, Narrow, RankedRow, Wide};
use crate::grow::training::Tally;
use crate::tree::Test;
use std::borrow::Cow;
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
        let sorted = SortedBlock::<R>::new(rules.search, &block_rows, bins, exec)?;
        let mut search = SortedRows { rules, sorted, exec };
        let nodes = grow(rules, &mut search, root, ())?;
        for (row, in_order) in rows.iter_mut().zip(search.sorted.rows_at(0..block_rows.len())) {
            *row = in_order;
        }
        Ok(nodes)
    }
}

struct SortedRows<'a, R> {
    rules: &'a GrowRules<'a>,
    sorted: SortedBlock<'a, R>,
    exec: &'a Exec,
}

impl<R: RankedRow> NodeSearch for SortedRows<'_, R> {
    type Kept = ();

    fn best_split(&mut self, node: &GrownNode, (): &mut ()) -> Result<Option<SplitChoice>> {
        Ok(self.sorted.best_split(node, self.exec))
    }

    fn rows_of(&self, node: &GrownNode) -> Cow<'_, [u32]> {
        self.sorted.rows_at(node.range.clone()).collect()
    }

    fn divide(&mut self, node: &GrownNode, test: &Test, (): &()) -> Sides {
        self.sorted.split(&node.range, test, self.rules.three_child)
    }

    fn tally(&self, rows: Range<usize>) -> Tally {
        self.sorted.tally(rows)
    }

    fn summary(&mut self, nodes: &[GrownNode], node: usize, (): &()) -> Result<Option<Summary>> {
        let Some(split) = &nodes[node].split else { return Ok(None) };
        let children = [split.left, split.right].map(|child| &nodes[child].tally);
        Ok(self.sorted.summary(&nodes[node].range, &split.test, children))
    }

    fn children(
        &mut self,
        nodes: &[GrownNode],
        node: usize,
        (): (),
        open: Vec<usize>,
    ) -> Result<Vec<(usize, ())>> {
        if let Some(split) = &nodes[node].split {
            let only = split.only_side(&open);
            self.sorted.partition_columns(&nodes[node].range, &split.test, only, self.exec);
        }
        Ok(open.into_iter().map(|child| (child, ())).collect())
    }
}
