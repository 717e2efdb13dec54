//! Grows large nodes on bins, and hands branches over to other threads and to sorted blocks.

use super::growth::{NodeSearch, grow, shifted};
use super::ranked_growth::OnRanks;
use super::rules::GrowRules;
use super::sorted_growth::Block;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::node_rows::{Sides, arrange_with};
use crate::grow::nodes::{GrownNode, GrownSplit, graft};
use crate::grow::search::SplitChoice;
use crate::grow::search::binned::{BinnedColumns, BinnedNode, BinnedSearch, NodeHistogram};
use crate::grow::search::ranked::RankedColumns;
use crate::grow::search::sorted::SortedTarget;
use crate::grow::summary::Summary;
use crate::grow::target::{Cell, WithCells};
use crate::tree::Test;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

/// A tree to be grown on bins.
pub(crate) struct OnBins<'a, T: SortedTarget> {
    pub(crate) rules: &'a GrowRules<'a, T>,
    pub(crate) bins: &'a BinnedColumns,
    pub(crate) exec: &'a Exec,
    /// Are ordered so that those of every node are contiguous.
    pub(crate) rows: &'a mut [u32],
    /// Holds all of the rows.
    pub(crate) root: GrownNode<T>,
}

impl<T: SortedTarget> OnBins<'_, T> {
    pub(crate) fn grow(self) -> Result<Vec<GrownNode<T>>> {
        T::with_cells(self.rules.search.training.weights(), self)
    }
}

impl<T: SortedTarget> WithCells<T> for OnBins<'_, T> {
    type Output = Result<Vec<GrownNode<T>>>;

    fn call<C: Cell<Target = T>>(self) -> Result<Vec<GrownNode<T>>> {
        let Self { rules, bins, exec, rows, root } = self;
        Branch::<C> { rules, bins, exec, cells: PhantomData }.grow_all(rows, root)
    }
}

/// A branch of the tree, grown on bins while that is faster than sorting.
#[derive(Clone, Copy)]
struct Branch<'a, C: Cell> {
    rules: &'a GrowRules<'a, C::Target>,
    bins: &'a BinnedColumns,
    exec: &'a Exec,
    /// What histograms add up.
    cells: PhantomData<C>,
}

/// The root of a branch still to be grown; with its histogram, if it is grown on bins.
struct OpenBranch<C> {
    node: usize,
    histogram: Option<NodeHistogram<C>>,
}

/// A branch grown by one thread.
struct Job<'r, C: Cell> {
    node: usize,
    root: GrownNode<C::Target>,
    rows: &'r mut [u32],
    on_bins: Option<(BinnedColumns, NodeHistogram<C>)>,
}

/// Branches per thread, if all had equal size. Larger nodes are split by all threads together,
/// column by column.
const BRANCHES_PER_THREAD: usize = 8;

/// Where nodes draw their features, branches of at most so many rows are grown on the ranks of these.
const MAX_RANKED_ROWS: usize = 1 << 13;

/// Approximate costs in nanoseconds per value: sorting a block, and scanning its sorted columns
/// once per level.
const SORT_NS: f64 = 10.0;
const SCAN_SORTED_NS: f64 = 2.0;

/// Approximate costs in nanoseconds per bin and sum: scoring the edge of a bin, and checking
/// whether the best split may be inside. Small bins often survive pruning.
const SCORE_EDGE_NS: f64 = 3.0;
const CHECK_BIN_NS: f64 = 3.0;

impl<T: SortedTarget, C: Cell<Target = T>> Branch<'_, C> {
    /// Grows the whole tree.
    fn grow_all(&self, rows: &mut [u32], root: GrownNode<T>) -> Result<Vec<GrownNode<T>>> {
        if self.rules.must_be_leaf(&root) {
            return Ok(vec![root]);
        }
        if self.rules.draws_features() {
            if self.is_faster_ranked(rows.len()) {
                return self.grow_on_ranks(rows, root);
            }
            return self.grow(rows, root, None, Some(0));
        }
        let histogram = self.search().histogram(rows)?;
        // The next split may be anywhere, so no branch can be grown on its own.
        let is_best_first = self.rules.params.max_leaf_nodes.is_some();
        // A single thread gains too: the codes of a branch are copied to be contiguous.
        let max_branch_rows = rows.len() / (BRANCHES_PER_THREAD * self.exec.threads().max(2));
        self.grow(rows, root, Some(histogram), (!is_best_first).then_some(max_branch_rows))
    }

    fn search(&self) -> BinnedSearch<'_, C> {
        let Self { rules, bins, exec, cells } = *self;
        BinnedSearch { rules: rules.search, bins, exec, cells }
    }

    /// True if a node of so many rows, which draws its features, is grown on ranks.
    fn is_faster_ranked(&self, n_rows: usize) -> bool {
        self.bins.tuning().sorts_small_nodes && n_rows <= MAX_RANKED_ROWS
    }

    /// True if sorting the rows of a node and growing its subtree on them is faster than going on
    /// with bins.
    fn is_faster_sorted(&self, node: &GrownNode<T>) -> bool {
        if !self.bins.tuning().sorts_small_nodes {
            return false;
        }
        let rows = node.range.len() as f64;
        let depth_left = self
            .rules
            .params
            .max_depth
            .map_or(f64::INFINITY, |max_depth| f64::from(max_depth - node.depth));
        let levels = rows.log2().min(depth_left).max(1.0);
        let per_row = SORT_NS / levels + SCAN_SORTED_NS;
        let per_sum =
            SCORE_EDGE_NS * self.bins.mean_bins() + CHECK_BIN_NS * self.bins.mean_searchable_bins();
        rows * per_row < per_sum * self.rules.search.training.width() as f64
    }

    /// Grows the tree of `root`, which holds all of `rows`. With `hand_over`, nodes of at most so many rows
    /// become branches, each grown by one thread; so do those that are faster on sorted columns.
    fn grow(
        &self,
        rows: &mut [u32],
        root: GrownNode<T>,
        histogram: Option<NodeHistogram<C>>,
        hand_over: Option<usize>,
    ) -> Result<Vec<GrownNode<T>>> {
        let mut search =
            BinnedRows { branch: *self, rows: &mut *rows, hand_over, branches: Vec::new() };
        let mut nodes = grow(self.rules, &mut search, root, histogram)?;
        let branches = search.branches;
        self.grow_branches(rows, &mut nodes, branches)?;
        Ok(nodes)
    }

    /// Grows a branch on the ranks of its own rows.
    fn grow_on_ranks(&self, rows: &mut [u32], root: GrownNode<T>) -> Result<Vec<GrownNode<T>>> {
        let training = self.rules.search.training;
        let original_rows = rows.to_vec();
        let training = training.reduced_to(&original_rows);
        let rules = self.rules.within(&training);
        let alone = self.exec.alone();
        let columns = RankedColumns::new(&training, &alone)?;
        let mut own_rows = training.rows().to_vec();
        let on_ranks = OnRanks { rules: &rules, columns: &columns, rows: &mut own_rows, root };
        let nodes = on_ranks.grow()?;
        for (row, own_row) in rows.iter_mut().zip(own_rows) {
            *row = original_rows[own_row as usize];
        }
        Ok(nodes)
    }

    /// The children of a node, leaves included, with their histograms: the largest one's is the node's
    /// without the others'.
    fn child_histograms(
        &self,
        rows: &[u32],
        nodes: &[GrownNode<T>],
        node: usize,
        histogram: NodeHistogram<C>,
    ) -> Result<(Vec<usize>, Vec<NodeHistogram<C>>)> {
        let children: Vec<usize> =
            nodes[node].split.iter().flat_map(GrownSplit::children).collect();
        let mut parts: Vec<&[u32]> =
            children.iter().map(|&child| &rows[nodes[child].range.clone()]).collect();
        // Between two children are rows of rare categories: they train neither.
        if let [left, right] = children[..]
            && nodes[left].range.end < nodes[right].range.start
        {
            parts.push(&rows[nodes[left].range.end..nodes[right].range.start]);
        }
        Ok((children, self.search().child_histograms(histogram, &parts)?))
    }

    /// Grows a branch on a contiguous copy of its codes.
    fn grow_on_copy(
        &self,
        rows: &mut [u32],
        root: GrownNode<T>,
        bins: &BinnedColumns,
        histogram: NodeHistogram<C>,
    ) -> Result<Vec<GrownNode<T>>> {
        let histogram = self.search().coarser(histogram, rows.len());
        let training = self.rules.search.training;
        let original_rows = rows.to_vec();
        let training = training.reduced_to(&original_rows);
        let rules = self.rules.within(&training);
        let alone = self.exec.alone();
        let branch = Branch::<C> { rules: &rules, bins, exec: &alone, cells: self.cells };
        let mut own_rows = training.rows().to_vec();
        let nodes = branch.grow(&mut own_rows, root, Some(histogram), Some(0))?;
        for (row, own_row) in rows.iter_mut().zip(own_rows) {
            *row = original_rows[own_row as usize];
        }
        Ok(nodes)
    }

    /// Grows branches in parallel and grafts them onto the tree.
    fn grow_branches(
        &self,
        rows: &mut [u32],
        nodes: &mut Vec<GrownNode<T>>,
        mut branches: Vec<OpenBranch<C>>,
    ) -> Result<()> {
        branches.sort_by_key(|branch| nodes[branch.node].range.start);
        let on_bins: Vec<&[u32]> = branches
            .iter()
            .filter(|branch| branch.histogram.is_some())
            .map(|branch| &rows[nodes[branch.node].range.clone()])
            .collect();
        let mut codes = self.bins.for_subsets(&on_bins, self.exec).into_iter();
        let mut jobs = Vec::with_capacity(branches.len());
        let (mut rest, mut at) = (rows, 0);
        for branch in branches {
            let range = nodes[branch.node].range.clone();
            let (_, after) = std::mem::take(&mut rest).split_at_mut(range.start - at);
            let (own, after) = after.split_at_mut(range.len());
            (rest, at) = (after, range.end);
            let OpenBranch { node, histogram } = branch;
            let on_bins = histogram.and_then(|histogram| Some((codes.next()?, histogram)));
            jobs.push(Job { node, root: nodes[node].clone(), rows: own, on_bins });
        }
        let alone = self.exec.alone();
        let grown: Vec<Result<(usize, Vec<GrownNode<T>>)>> = self.exec.map(jobs, |job| {
            self.exec.check()?;
            let Job { node, mut root, rows, on_bins } = job;
            let start = std::mem::replace(&mut root.range, 0..rows.len()).start;
            let Self { rules, bins, .. } = *self;
            let mut branch = match on_bins {
                Some((codes, histogram)) => self.grow_on_copy(rows, root, &codes, histogram)?,
                None if rules.draws_features() => self.grow_on_ranks(rows, root)?,
                None => Block { rules, bins: Some(bins), exec: &alone }.grow(rows, root)?,
            };
            for node in &mut branch {
                node.range = shifted(node.range.clone(), start);
            }
            Ok((node, branch))
        });
        for outcome in grown {
            let (node, branch) = outcome?;
            graft(nodes, node, branch);
        }
        Ok(())
    }
}

/// The rows of a tree, whose bins are counted.
struct BinnedRows<'a, 'r, C: Cell> {
    branch: Branch<'a, C>,
    rows: &'r mut [u32],
    hand_over: Option<usize>,
    branches: Vec<OpenBranch<C>>,
}

impl<T: SortedTarget, C: Cell<Target = T>> NodeSearch for BinnedRows<'_, '_, C> {
    type Target = T;

    /// The histogram; where nodes draw their features, that of those drawn.
    type Kept = Option<NodeHistogram<C>>;

    fn best_split(
        &mut self,
        node: &GrownNode<T>,
        kept: &mut Option<NodeHistogram<C>>,
    ) -> Result<Option<SplitChoice>> {
        let (search, rows) = (self.branch.search(), &self.rows[node.range.clone()]);
        if let Some(histogram) = kept {
            return search.best_split(BinnedNode { rows, tally: &node.tally, histogram });
        }
        Ok(search.best_drawn_split(rows, &node.tally, node.key)?.map(|(choice, histogram)| {
            *kept = Some(histogram);
            choice
        }))
    }

    fn rows_of(&self, node: &GrownNode<T>) -> Cow<'_, [u32]> {
        Cow::Borrowed(&self.rows[node.range.clone()])
    }

    fn bins(&self) -> Option<&BinnedColumns> {
        Some(self.branch.bins)
    }

    fn divide(&mut self, node: &GrownNode<T>, test: &Test, _: &Self::Kept) -> Sides {
        let Branch { rules, bins, exec, .. } = self.branch;
        let column = rules.search.training.column(test.feature().0);
        let sides_of_rows = bins.sides_of_rows(column, test, rules.three_child());
        arrange_with(exec, &mut self.rows[node.range.clone()], sides_of_rows)
    }

    fn tally(&self, rows: Range<usize>) -> T::Tally {
        self.branch.rules.search.training.tally(&self.rows[rows])
    }

    fn summary(
        &mut self,
        nodes: &[GrownNode<T>],
        node: usize,
        kept: &Self::Kept,
    ) -> Result<Option<Summary<T::Sum>>> {
        let GrownNode { range, tally, split: Some(split), .. } = &nodes[node] else {
            return Ok(None);
        };
        let Some(histogram) = kept else { return Ok(None) };
        let whole = BinnedNode { rows: &self.rows[range.clone()], tally, histogram };
        let children = [split.left, split.right].map(|child| &nodes[child].tally);
        Ok(self.branch.search().summary(whole, &split.test, children))
    }

    fn children(
        &mut self,
        nodes: &[GrownNode<T>],
        node: usize,
        kept: Self::Kept,
        open: Vec<usize>,
    ) -> Result<Vec<(usize, Self::Kept)>> {
        let draws = self.branch.rules.draws_features();
        let is_handed_over = |child: &usize| {
            let child = &nodes[*child];
            match draws {
                true => self.branch.is_faster_ranked(child.range.len()),
                false => self.hand_over.is_some() && self.branch.is_faster_sorted(child),
            }
        };
        let (apart, on_bins): (Vec<usize>, Vec<usize>) = open.into_iter().partition(is_handed_over);
        self.branches.extend(apart.into_iter().map(|node| OpenBranch { node, histogram: None }));
        let Some(histogram) = kept.filter(|_| !on_bins.is_empty()) else { return Ok(Vec::new()) };
        if draws {
            // Nothing is kept for children, which draw other features.
            return Ok(on_bins.into_iter().map(|child| (child, None)).collect());
        }
        let (children, histograms) =
            self.branch.child_histograms(self.rows, nodes, node, histogram)?;
        let mut kept = Vec::with_capacity(on_bins.len());
        for (child, histogram) in children.into_iter().zip(histograms) {
            if !on_bins.contains(&child) {
                continue;
            }
            if self.hand_over.is_some_and(|most_rows| nodes[child].range.len() <= most_rows) {
                self.branches.push(OpenBranch { node: child, histogram: Some(histogram) });
            } else {
                kept.push((child, Some(histogram)));
            }
        }
        Ok(kept)
    }
}
