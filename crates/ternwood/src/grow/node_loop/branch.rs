//! Growing large nodes on bins, and handing over branches: to other threads, and to blocks.

use super::block::{Block, shifted};
use super::node_rows::arrange_with;
use super::rules::GrowRules;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::grown::{GrownNode, GrownSplit};
use crate::grow::search::binned::{BinnedColumns, BinnedNode, BinnedSearch, NodeHistogram};
use std::ops::Range;

/// A branch of the tree that is grown on bins while that is quicker than sorting.
#[derive(Clone, Copy)]
pub(in crate::grow) struct Branch<'a> {
    pub(in crate::grow) rules: &'a GrowRules<'a>,
    pub(in crate::grow) bins: &'a BinnedColumns,
    pub(in crate::grow) exec: &'a Exec,
}

/// A node that waits for its split; with its histogram, if it is to be found on bins.
struct Waiting {
    node: usize,
    histogram: Option<NodeHistogram>,
}

/// A branch that one thread grows.
struct Job<'r> {
    node: usize,
    root: GrownNode,
    rows: &'r mut [u32],
    on_bins: Option<(BinnedColumns, NodeHistogram)>,
}

/// Threads share the columns of a node while nodes are large. Then each takes branches of its
/// own: so many to a thread, if all were equal.
const BRANCHES_PER_THREAD: usize = 8;

/// What things cost, in nanoseconds per value, about: sorting a block, and reading its columns
/// level by level.
const TO_SORT: f64 = 10.0;
const TO_SCAN_SORTED: f64 = 2.0;

/// In nanoseconds per bin and class: measuring the edge of a bin, and looking whether the best
/// split may be inside. With few rows to a bin it often may.
const TO_MEASURE_EDGE: f64 = 3.0;
const TO_LOOK_INSIDE: f64 = 3.0;

impl Branch<'_> {
    /// Grows the whole tree.
    pub(in crate::grow) fn grow_all(
        &self,
        rows: &mut [u32],
        root: GrownNode,
    ) -> Result<Vec<GrownNode>> {
        if self.rules.must_be_leaf(&root) {
            return Ok(vec![root]);
        }
        let histogram = self.search().histogram(rows)?;
        // One thread alone gains too: the rows of a branch are copied to lie close together.
        let hand_over = rows.len() / (BRANCHES_PER_THREAD * self.exec.threads().max(2));
        self.grow(rows, root, histogram, hand_over)
    }

    fn search(&self) -> BinnedSearch<'_> {
        let Self { rules, bins, exec } = *self;
        BinnedSearch { rules: rules.search, bins, exec }
    }

    /// Whether it is quicker to sort the rows of a node and to grow it to the end, than to go on
    /// with bins.
    fn is_for_a_block(&self, node: &GrownNode) -> bool {
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
        let by_row = TO_SORT / levels + TO_SCAN_SORTED;
        let by_class = TO_MEASURE_EDGE * self.bins.mean_bins()
            + TO_LOOK_INSIDE * self.bins.mean_bins_to_look_into();
        rows * by_row < by_class * node.tally.rows.len() as f64
    }

    /// Grows the branch below `root`, which stands at all of `rows`. Nodes of at most
    /// `hand_over` rows become branches that are grown by one thread each.
    fn grow(
        &self,
        rows: &mut [u32],
        root: GrownNode,
        histogram: NodeHistogram,
        hand_over: usize,
    ) -> Result<Vec<GrownNode>> {
        let Self { rules, bins, exec } = *self;
        let search = self.search();
        let mut nodes = vec![root];
        let mut waiting = vec![(0, histogram)];
        let mut branches = Vec::new();
        while let Some((node, histogram)) = waiting.pop() {
            let GrownNode { range, tally, .. } = &nodes[node];
            let node_rows = &rows[range.clone()];
            let choice =
                search.best_split(BinnedNode { rows: node_rows, tally, histogram: &histogram })?;
            let plan = |choice| rules.plan(&nodes[node], choice, node_rows, Some(bins));
            let Some(plan) = choice.and_then(plan) else { continue };
            let choice = plan.choice;
            let column = rules.search.training.column(choice.feature);
            let sides_of_rows = bins.sides_of_rows(choice.feature, column, rules.edges(&plan));
            let node_rows = &mut rows[range.clone()];
            let sides = arrange_with(exec, node_rows, sides_of_rows);
            let tally = |side: Range<usize>| rules.search.training.tally(&node_rows[side]);
            let open = rules.make_children(&mut nodes, node, plan, sides, tally);
            if !rules.three_child {
                let GrownNode { range, tally, .. } = &nodes[node];
                let whole = BinnedNode { rows: &rows[range.clone()], tally, histogram: &histogram };
                let left = &nodes[nodes.len() - 2].tally;
                let summary = search.summary(whole, choice, left);
                if let Some(split) = &mut nodes[node].split {
                    split.summary = Some(summary);
                }
            }
            let (for_blocks, on_bins): (Vec<usize>, Vec<usize>) =
                open.into_iter().partition(|&child| self.is_for_a_block(&nodes[child]));
            branches.extend(for_blocks.into_iter().map(|node| Waiting { node, histogram: None }));
            if on_bins.is_empty() {
                continue;
            }
            // Other children and leaves help with the histogram of the largest.
            let family: Vec<usize> =
                nodes[node].split.iter().flat_map(GrownSplit::children).collect();
            let parts: Vec<&[u32]> =
                family.iter().map(|&child| &rows[nodes[child].range.clone()]).collect();
            let histograms = search.child_histograms(histogram, &parts)?;
            for (child, histogram) in family.into_iter().zip(histograms) {
                if !on_bins.contains(&child) {
                    continue;
                }
                if nodes[child].range.len() > hand_over {
                    waiting.push((child, histogram));
                } else {
                    branches.push(Waiting { node: child, histogram: Some(histogram) });
                }
            }
        }
        self.grow_branches(rows, &mut nodes, branches)?;
        Ok(nodes)
    }

    /// Grows a branch on copies of its codes, which lie close together.
    fn grow_apart(
        &self,
        rows: &mut [u32],
        root: GrownNode,
        bins: &BinnedColumns,
        histogram: NodeHistogram,
    ) -> Result<Vec<GrownNode>> {
        let histogram = self.search().coarser(histogram, rows.len());
        let training = self.rules.search.training;
        let before = rows.to_vec();
        let chosen = training.choose(&before);
        let training = training.reduced_to(&chosen);
        let rules = self.rules.within(&training);
        let alone = self.exec.alone();
        let branch = Branch { rules: &rules, bins, exec: &alone };
        let mut own_rows = training.rows().to_vec();
        let nodes = branch.grow(&mut own_rows, root, histogram, 0)?;
        for (row, own_row) in rows.iter_mut().zip(own_rows) {
            *row = before[own_row as usize];
        }
        Ok(nodes)
    }

    /// Grows branches, many at a time, and grafts them.
    fn grow_branches(
        &self,
        rows: &mut [u32],
        nodes: &mut Vec<GrownNode>,
        mut branches: Vec<Waiting>,
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
            let Waiting { node, histogram } = branch;
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
                Some((codes, histogram)) => self.grow_apart(rows, root, &codes, histogram)?,
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

/// Puts a grown subtree in the place of its root.
fn graft(nodes: &mut Vec<GrownNode>, root: usize, subtree: Vec<GrownNode>) {
    // The root of the subtree is the node itself; the others come at the end.
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
