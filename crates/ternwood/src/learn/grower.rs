//! Growing a tree: many rows by branch and bound on bins, then block by block on sorted columns.

use super::block::{Block, GrowRules, shifted};
use super::grown::{GrownNode, GrownSplit, GrownTree};
use super::node_rows::arrange;
use super::params::CheckedParams;
use super::split_search::NodeToSplit;
use super::split_search::binned::{
    BinnedColumns, BinnedNode, BinnedSearch, MAX_BINS, NodeHistogram,
};
use super::stream::NodeKey;
use super::training::Training;
use crate::cancel::CancelToken;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::tree::Tree;
use crate::workers::Workers;
use std::ops::Range;

/// Grows trees from one data set.
///
/// ```
/// use ternwood::{Columns, Dataset, Grower, Labels, TreeParams, ZoneKind};
///
/// let columns = Columns::from_columns((0..8).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values([0, 0, 0, 1, 0, 1, 1, 1]))?;
/// let params = TreeParams { max_depth: Some(1), ..TreeParams::default() }.check()?;
///
/// // Grow once, then look at it through several kinds of zone.
/// let grown = Grower::new(&data, &params)?.grow_two_child()?;
/// let margin = grown.with_zones(&ZoneKind::Margin.into())?;
/// let plateau = grown.with_zones(&ZoneKind::quality_plateau().into())?;
/// assert_eq!(margin.n_nodes(), plateau.n_nodes());
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug)]
pub struct Grower<'a> {
    training: Training<'a>,
    params: &'a CheckedParams,
    search: Search,
    workers: Workers,
    cancel: CancelToken,
}

/// How best splits are found. The tree is the same either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Branch and bound on bins while nodes are large, then sorted columns.
    #[default]
    Fast,
    /// Sorted columns from the start: simpler, and slower on many rows. What `Fast` is checked
    /// against.
    Sorted,
}

/// Nodes with fewer rows are grown on sorted columns, which then fit a cache.
const SMALL: usize = 4096;

/// So many counts per feature are no burden, however few the rows are.
const MANY_COUNTS: usize = 1 << 14;

impl<'a> Grower<'a> {
    /// Makes `data` ready for growing with `params`.
    ///
    /// # Errors
    /// Parameters that do not fit the data: class weights or specified half-widths of the wrong
    /// length, or weights that leave no row.
    pub fn new(data: &'a Dataset, params: &'a CheckedParams) -> Result<Self> {
        params.zone.check_features(data.n_features())?;
        let training = Training::new(data, params)?;
        let (workers, cancel) = (Workers::single(), CancelToken::new());
        Ok(Self { training, params, search: Search::default(), workers, cancel })
    }

    /// Spreads the work over `workers`. The tree does not depend on them.
    #[must_use]
    pub fn workers(mut self, workers: &Workers) -> Self {
        self.workers = workers.clone();
        self
    }

    /// Stops growing soon after `token` is cancelled.
    #[must_use]
    pub fn cancel_with(mut self, token: &CancelToken) -> Self {
        self.cancel = token.clone();
        self
    }

    /// Finds splits in another way. The tree does not depend on it.
    #[must_use]
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Grows a plain CART tree. Zones play no part in its growth: ask the result for them.
    ///
    /// # Errors
    /// Only if cancelled.
    pub fn grow_two_child(self) -> Result<GrownTree<'a>> {
        self.grow(false)
    }

    /// Grows a tree in which the rows within a zone train a middle subtree of their own.
    ///
    /// # Errors
    /// Only if cancelled.
    pub fn grow_three_child(self) -> Result<Tree> {
        Ok(self.grow(true)?.tree())
    }

    fn grow(self, three_child: bool) -> Result<GrownTree<'a>> {
        let Self { training, params, search, workers, cancel } = self;
        let mut rows = training.rows().to_vec();
        let rules = GrowRules::new(&training, params, three_child, &cancel);
        let rule_set = rules.evidence;
        let nodes = if search == Search::Fast && rules.suits_bins() {
            let bins = BinnedColumns::new(&training, &workers, &cancel)?;
            grow_from_the_top(&rules, &mut rows, &bins, (&workers, &cancel))?
        } else {
            let tally = training.tally(&rows);
            let root = rules.node(0..rows.len(), tally, 0, NodeKey::root());
            Block { rules: &rules, bins: None, workers: &workers, cancel: &cancel }
                .grow(&mut rows, root)?
        };
        // Cancelled during the last split, its zone may be of no use.
        cancel.check()?;
        Ok(GrownTree { nodes, rows, training, params, rules: rule_set, workers, cancel })
    }
}

impl GrowRules<'_> {
    /// Whether the binned search can serve: it counts rows, looks at all features, and has a
    /// count per bin and class, which must not outgrow the data.
    fn suits_bins(&self) -> bool {
        let training = self.search.training;
        training.rows().len() > SMALL
            && MAX_BINS * training.n_classes() <= MANY_COUNTS.max(training.rows().len() / 2)
            && !training.has_weights()
            && self.search.max_features == training.n_features()
            && self.params.max_leaf_nodes.is_none()
    }
}

/// A node that waits for its split, with its histogram.
struct Waiting {
    node: usize,
    histogram: NodeHistogram,
}

/// Grows large nodes one after the other, and a block for each node that becomes small.
fn grow_from_the_top(
    rules: &GrowRules<'_>,
    rows: &mut [u32],
    bins: &BinnedColumns,
    (workers, cancel): (&Workers, &CancelToken),
) -> Result<Vec<GrownNode>> {
    let search = BinnedSearch { rules: rules.search, bins, workers, cancel };
    let tally = rules.search.training.tally(rows);
    let mut nodes = vec![rules.node(0..rows.len(), tally, 0, NodeKey::root())];
    let mut small = Vec::new();
    let (mut waiting, mut moved) = (Vec::new(), Vec::new());
    if !rules.must_be_leaf(&nodes[0]) {
        waiting.push(Waiting { node: 0, histogram: search.histogram(rows)? });
    }
    while let Some(Waiting { node, histogram }) = waiting.pop() {
        let GrownNode { range, tally, key, .. } = &nodes[node];
        let node_rows = &rows[range.clone()];
        let to_split = BinnedNode { rows: node_rows, tally, histogram: &histogram };
        let choice = search.best_split(to_split)?;
        let to_split = NodeToSplit { rows: node_rows, tally, key: *key };
        let Some(plan) = choice.and_then(|choice| rules.plan(&nodes[node], to_split, choice))
        else {
            continue;
        };
        let column = rules.search.training.column(plan.choice.feature);
        let node_rows = &mut rows[range.clone()];
        let side = |row: u32| rules.side(&plan, column[row as usize]);
        let sides = arrange(node_rows, &mut moved, side);
        let tally = |side: Range<usize>| rules.search.training.tally(&node_rows[side]);
        let open = rules.make(&mut nodes, node, &plan, (sides, tally));
        let (large, now_small): (Vec<usize>, Vec<usize>) =
            open.into_iter().partition(|&child| nodes[child].range.len() > SMALL);
        small.extend(now_small);
        if large.is_empty() {
            continue;
        }
        // Small children and leaves help with the histogram of the largest.
        let family: Vec<usize> = nodes[node].split.iter().flat_map(GrownSplit::children).collect();
        let parts: Vec<&[u32]> =
            family.iter().map(|&child| &rows[nodes[child].range.clone()]).collect();
        let histograms = search.child_histograms(histogram, &parts)?;
        for (child, histogram) in family.into_iter().zip(histograms) {
            if large.contains(&child) {
                waiting.push(Waiting { node: child, histogram });
            }
        }
    }
    grow_blocks(rules, rows, &mut nodes, small, (bins, workers, cancel))?;
    Ok(nodes)
}

/// Grows the subtrees of small nodes, many at a time.
fn grow_blocks(
    rules: &GrowRules<'_>,
    rows: &mut [u32],
    nodes: &mut Vec<GrownNode>,
    mut small: Vec<usize>,
    (bins, workers, cancel): (&BinnedColumns, &Workers, &CancelToken),
) -> Result<()> {
    small.sort_by_key(|&node| nodes[node].range.start);
    let mut jobs = Vec::with_capacity(small.len());
    let (mut rest, mut at) = (rows, 0);
    for node in small {
        let range = nodes[node].range.clone();
        let (_, after) = std::mem::take(&mut rest).split_at_mut(range.start - at);
        let (block, after) = after.split_at_mut(range.len());
        (rest, at) = (after, range.end);
        jobs.push((node, nodes[node].clone(), block));
    }
    let alone = Workers::single();
    let grown: Vec<Result<(usize, Vec<GrownNode>)>> =
        workers.map(jobs, |(node, mut root, rows)| {
            cancel.check()?;
            let start = std::mem::replace(&mut root.range, 0..rows.len()).start;
            let block = Block { rules, bins: Some(bins), workers: &alone, cancel };
            let mut subtree = block.grow(rows, root)?;
            for node in &mut subtree {
                node.range = shifted(node.range.clone(), start);
            }
            Ok((node, subtree))
        });
    for outcome in grown {
        let (node, subtree) = outcome?;
        graft(nodes, node, subtree);
    }
    Ok(())
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
