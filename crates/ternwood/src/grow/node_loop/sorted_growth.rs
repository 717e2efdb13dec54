//! Grows the subtree of a block of rows on sorted columns.

use super::growth::{NodeSearch, grow};
use super::rules::GrowRules;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::node_rows::Sides;
use crate::grow::nodes::GrownNode;
use crate::grow::search::SplitChoice;
use crate::grow::search::binned::BinnedColumns;
use crate::grow::search::sorted::{SortedBlock, SortedTarget};
use crate::grow::search::sorted_column::{MAX_NARROW_ROWS, Narrow, RankedRow, Wide};
use crate::grow::summary::Summary;
use crate::tree::Test;
use std::borrow::Cow;
use std::ops::Range;

/// A block of rows whose subtree is grown on sorted columns.
pub(crate) struct Block<'a, T: SortedTarget> {
    pub(crate) rules: &'a GrowRules<'a, T>,
    /// Bins that speed up sorting.
    pub(crate) bins: Option<&'a BinnedColumns>,
    pub(crate) exec: &'a Exec,
}

impl<T: SortedTarget> Block<'_, T> {
    /// Grows the subtree of `root`, which holds all of `rows`, and orders the rows so that those
    /// of every node are contiguous.
    pub(crate) fn grow(&self, rows: &mut [u32], root: GrownNode<T>) -> Result<Vec<GrownNode<T>>> {
        if self.rules.must_be_leaf(&root) {
            Ok(vec![root])
        } else if rows.len() <= MAX_NARROW_ROWS {
            self.grow_on::<Narrow>(rows, root)
        } else {
            self.grow_on::<Wide>(rows, root)
        }
    }

    fn grow_on<R: RankedRow>(
        &self,
        rows: &mut [u32],
        root: GrownNode<T>,
    ) -> Result<Vec<GrownNode<T>>> {
        let Self { rules, bins, exec } = *self;
        let block_rows = rows.to_vec();
        let sorted = SortedBlock::<R, T>::new(rules.search, &block_rows, bins, exec)?;
        let mut search = SortedRows { rules, sorted, exec };
        let nodes = grow(rules, &mut search, root, ())?;
        for (row, in_order) in rows.iter_mut().zip(search.sorted.rows_at(0..block_rows.len())) {
            *row = in_order;
        }
        Ok(nodes)
    }
}

struct SortedRows<'a, R, T: SortedTarget> {
    rules: &'a GrowRules<'a, T>,
    sorted: SortedBlock<'a, R, T>,
    exec: &'a Exec,
}

impl<R: RankedRow, T: SortedTarget> NodeSearch for SortedRows<'_, R, T> {
    type Target = T;
    type Kept = ();

    fn best_split(&mut self, node: &GrownNode<T>, (): &mut ()) -> Result<Option<SplitChoice>> {
        Ok(self.sorted.best_split(&node.range, &node.tally, node.key, self.exec))
    }

    fn rows_of(&self, node: &GrownNode<T>) -> Cow<'_, [u32]> {
        self.sorted.rows_at(node.range.clone()).collect()
    }

    fn divide(&mut self, node: &GrownNode<T>, test: &Test, (): &()) -> Sides {
        self.sorted.split(&node.range, test, self.rules.three_child())
    }

    fn tally(&self, rows: Range<usize>) -> T::Tally {
        self.sorted.tally(rows)
    }

    fn summary(
        &mut self,
        nodes: &[GrownNode<T>],
        node: usize,
        (): &(),
    ) -> Result<Option<Summary<T::Sum>>> {
        let Some(split) = &nodes[node].split else { return Ok(None) };
        let children = [split.left, split.right].map(|child| &nodes[child].tally);
        Ok(self.sorted.summary(&nodes[node].range, &split.test, children))
    }

    fn children(
        &mut self,
        nodes: &[GrownNode<T>],
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
