//! Grows large nodes on bins, and hands branches over to other threads and to sorted blocks.

use super::block::{Block, shifted};
use super::frontier::Frontier;
use super::node_rows::arrange_with;
use super::on_ranks::OnRanks;
use super::rules::{GrowRules, Plan};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::grown::{GrownNode, GrownSplit};
use crate::grow::search::Cell;
use crate::grow::search::binned::{BinnedColumns, BinnedNode, BinnedSearch, NodeHistogram};
use crate::grow::search::ranked::RankedColumns;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;

/// A branch of the tree, grown on bins while that is faster than sorting.
#[derive(Clone, Copy)]
pub(in crate::grow) struct Branch<'a, T> {
    pub(in crate::grow) rules: &'a GrowRules<'a>,
    pub(in crate::grow) bins: &'a BinnedColumns,
    pub(in crate::grow) exec: &'a Exec,
    /// What histograms add up.
    pub(in crate::grow) cells: PhantomData<T>,
}

/// The root of a branch still to be grown; with its histogram, if it is grown on bins.
struct OpenBranch<T> {
    node: usize,
    histogram: Option<NodeHistogram<T>>,
}

/// A branch grown by one thread.
struct Job<'r, T> {
    node: usize,
    root: GrownNode,
    rows: &'r mut [u32],
    on_bins: Option<(BinnedColumns, NodeHistogram<T>)>,
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

/// Approximate costs in nanoseconds per bin and class: scoring the edge of a bin, and checking
/// whether the best split may be inside. Small bins often survive pruning.
const SCORE_EDGE_NS: f64 = 3.0;
const CHECK_BIN_NS: f64 = 3.0;

impl<T: Cell> Branch<'_, T> {
    /// Grows the whole tree.
    pub(in crate::grow) fn grow_all(
        &self,
        rows: &mut [u32],
        root: GrownNode,
    ) -> Result<Vec<GrownNode>> {
        if self.rules.must_be_leaf(&root) {
            return Ok(vec![root]);
        }
        if self.rules.draws_features() {
            return self.grow_drawing(rows, root);
        }
        let histogram = self.search().histogram(rows)?;
        if let Some(max_leaves) = self.rules.params.max_leaf_nodes {
            return self.grow_best_first(rows, root, histogram, max_leaves);
        }
        // A single thread gains too: the codes of a branch are copied to be contiguous.
        let max_branch_rows = rows.len() / (BRANCHES_PER_THREAD * self.exec.threads().max(2));
        self.grow(rows, root, histogram, max_branch_rows)
    }

    fn search(&self) -> BinnedSearch<'_, T> {
        let Self { rules, bins, exec, cells } = *self;
        BinnedSearch { rules: rules.search, bins, exec, cells }
    }

    /// True if sorting the rows of a node and growing its subtree on them is faster than going on
    /// with bins.
    fn is_faster_sorted(&self, node: &GrownNode) -> bool {
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
        let per_class =
            SCORE_EDGE_NS * self.bins.mean_bins() + CHECK_BIN_NS * self.bins.mean_searchable_bins();
        rows * per_row < per_class * node.tally.rows.len() as f64
    }

    /// Grows the branch of `root`, which holds all of `rows`. Nodes of at most `max_branch_rows`
    /// rows become branches, each grown by one thread.
    fn grow(
        &self,
        rows: &mut [u32],
        root: GrownNode,
        histogram: NodeHistogram<T>,
        max_branch_rows: usize,
    ) -> Result<Vec<GrownNode>> {
        let mut nodes = vec![root];
        let mut stack = vec![(0, histogram)];
        let mut branches = Vec::new();
        while let Some((node, histogram)) = stack.pop() {
            let Some(plan) = self.plan(rows, &nodes[node], &histogram)? else { continue };
            let open = self.make_children(rows, &mut nodes, node, plan, &histogram);
            let (to_sort, on_bins): (Vec<usize>, Vec<usize>) =
                open.into_iter().partition(|&child| self.is_faster_sorted(&nodes[child]));
            branches.extend(to_sort.into_iter().map(|node| OpenBranch { node, histogram: None }));
            if on_bins.is_empty() {
                continue;
            }
            let (children, histograms) = self.child_histograms(rows, &nodes, node, histogram)?;
            for (child, histogram) in children.into_iter().zip(histograms) {
                if !on_bins.contains(&child) {
                    continue;
                }
                if nodes[child].range.len() > max_branch_rows {
                    stack.push((child, histogram));
                } else {
                    branches.push(OpenBranch { node: child, histogram: Some(histogram) });
                }
            }
        }
        self.grow_branches(rows, &mut nodes, branches)?;
        Ok(nodes)
    }

    /// Grows the whole tree, the most useful split first, until it has `max_leaves` leaves.
    fn grow_best_first(
        &self,
        rows: &mut [u32],
        root: GrownNode,
        histogram: NodeHistogram<T>,
        max_leaves: u32,
    ) -> Result<Vec<GrownNode>> {
        let mut nodes = vec![root];
        let mut frontier = Frontier::new(Some(max_leaves));
        let arity = if self.rules.three_child { 3 } else { 2 };
        let mut open = vec![(0, histogram)];
        // Of the nodes whose split is planned.
        let mut histograms: BTreeMap<usize, NodeHistogram<T>> = BTreeMap::new();
        loop {
            for (node, histogram) in open.drain(..) {
                if let Some(plan) = self.plan(rows, &nodes[node], &histogram)? {
                    frontier.push(node, plan);
                    histograms.insert(node, histogram);
                }
            }
            let Some((node, plan)) = frontier.next(arity) else { break };
            let Some(histogram) = histograms.remove(&node) else { break };
            let growable = self.make_children(rows, &mut nodes, node, plan, &histogram);
            if !growable.is_empty() {
                let (children, of_children) =
                    self.child_histograms(rows, &nodes, node, histogram)?;
                let children = children.into_iter().zip(of_children);
                open.extend(children.filter(|(child, _)| growable.contains(child)));
            }
        }
        Ok(nodes)
    }

    /// Grows the whole tree where every node draws its features: histograms of those alone are made, and
    /// nothing is kept for the children.
    fn grow_drawing(&self, rows: &mut [u32], root: GrownNode) -> Result<Vec<GrownNode>> {
        let mut nodes = vec![root];
        let mut stack = vec![0];
        let mut branches = Vec::new();
        while let Some(node) = stack.pop() {
            let range = nodes[node].range.clone();
            if self.bins.tuning().sorts_small_nodes && range.len() <= MAX_RANKED_ROWS {
                branches.push(OpenBranch { node, histogram: None });
                continue;
            }
            let found = self.search().best_drawn_split(&rows[range.clone()], &nodes[node])?;
            let Some((choice, histogram)) = found else { continue };
            let plan = self.rules.plan(&nodes[node], choice, &rows[range], Some(self.bins));
            let Some(plan) = plan else { continue };
            stack.extend(self.make_children(rows, &mut nodes, node, plan, &histogram));
        }
        self.grow_branches(rows, &mut nodes, branches)?;
        Ok(nodes)
    }

    /// Grows a branch on the ranks of its own rows.
    fn grow_on_ranks(&self, rows: &mut [u32], root: GrownNode) -> Result<Vec<GrownNode>> {
        let training = self.rules.search.training;
        let original_rows = rows.to_vec();
        let chosen = training.choose(&original_rows);
        let training = training.reduced_to(&chosen);
        let rules = self.rules.within(&training);
        let alone = self.exec.alone();
        let columns = RankedColumns::new(&training, &alone)?;
        let mut own_rows = training.rows().to_vec();
        let on_ranks = OnRanks { rules: &rules, columns: &columns, exec: &alone };
        let nodes = on_ranks.grow_all(&mut own_rows, root)?;
        for (row, own_row) in rows.iter_mut().zip(own_rows) {
            *row = original_rows[own_row as usize];
        }
        Ok(nodes)
    }

    /// The best split of a node, ready to be made.
    fn plan(
        &self,
        rows: &[u32],
        node: &GrownNode,
        histogram: &NodeHistogram<T>,
    ) -> Result<Option<Plan>> {
        let GrownNode { range, tally, .. } = node;
        let node_rows = &rows[range.clone()];
        let choice = self.search().best_split(BinnedNode { rows: node_rows, tally, histogram })?;
        Ok(choice.and_then(|choice| self.rules.plan(node, choice, node_rows, Some(self.bins))))
    }

    /// Makes a planned split, and returns the children that may be split.
    fn make_children(
        &self,
        rows: &mut [u32],
        nodes: &mut Vec<GrownNode>,
        node: usize,
        plan: Plan,
        histogram: &NodeHistogram<T>,
    ) -> Vec<usize> {
        let Self { rules, bins, exec, .. } = *self;
        let range = nodes[node].range.clone();
        let test = plan.test.clone();
        let column = rules.search.training.column(test.feature().0);
        let sides_of_rows = bins.sides_of_rows(column, &test, rules.three_child);
        let node_rows = &mut rows[range.clone()];
        let sides = arrange_with(exec, node_rows, sides_of_rows);
        let tally = |side: Range<usize>| rules.search.training.tally(&node_rows[side]);
        let open = rules.make_children(nodes, node, plan, sides, tally);
        if !rules.three_child {
            let whole = BinnedNode { rows: &rows[range], tally: &nodes[node].tally, histogram };
            let children = [nodes.len() - 2, nodes.len() - 1].map(|child| &nodes[child].tally);
            let summary = self.search().summary(whole, &test, children);
            if let Some(split) = &mut nodes[node].split {
                split.summary = summary;
            }
        }
        open
    }

    /// The children of a node, leaves included, with their histograms: the largest one's is the node's
    /// without the others'.
    fn child_histograms(
        &self,
        rows: &[u32],
        nodes: &[GrownNode],
        node: usize,
        histogram: NodeHistogram<T>,
    ) -> Result<(Vec<usize>, Vec<NodeHistogram<T>>)> {
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
        root: GrownNode,
        bins: &BinnedColumns,
        histogram: NodeHistogram<T>,
    ) -> Result<Vec<GrownNode>> {
        let histogram = self.search().coarser(histogram, rows.len());
        let training = self.rules.search.training;
        let original_rows = rows.to_vec();
        let chosen = training.choose(&original_rows);
        let training = training.reduced_to(&chosen);
        let rules = self.rules.within(&training);
        let alone = self.exec.alone();
        let branch = Branch { rules: &rules, bins, exec: &alone, cells: self.cells };
        let mut own_rows = training.rows().to_vec();
        let nodes = branch.grow(&mut own_rows, root, histogram, 0)?;
        for (row, own_row) in rows.iter_mut().zip(own_rows) {
            *row = original_rows[own_row as usize];
        }
        Ok(nodes)
    }

    /// Grows branches in parallel and grafts them onto the tree.
    fn grow_branches(
        &self,
        rows: &mut [u32],
        nodes: &mut Vec<GrownNode>,
        mut branches: Vec<OpenBranch<T>>,
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
        let grown: Vec<Result<(usize, Vec<GrownNode>)>> = self.exec.map(jobs, |job| {
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

/// Replaces the node `root` by its grown subtree.
pub(in crate::grow) fn graft(nodes: &mut Vec<GrownNode>, root: usize, subtree: Vec<GrownNode>) {
    // The subtree's root takes the node's place; the others are appended.
    let offset = nodes.len() - 1;
    let mut subtree = subtree.into_iter().map(|mut node| {
        if let Some(split) = &mut node.split {
            split.left += offset;
            split.right += offset;
            split.middle = split.middle.map(|middle| middle + offset);
        }
        node
    });
    if let Some(node) = subtree.next() {
        nodes[root] = node;
    }
    nodes.extend(subtree);
}
