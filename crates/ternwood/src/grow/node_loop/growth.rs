//! The loop that grows a tree: search the open nodes, make the split that comes first, open its children.

use super::rules::{GrowRules, Plan};
use crate::error::Result;
use crate::grow::node_rows::Sides;
use crate::grow::nodes::GrownNode;
use crate::grow::search::SplitChoice;
use crate::grow::search::binned::BinnedColumns;
use crate::grow::summary::Summary;
use crate::grow::target::Target;
use crate::tree::Test;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

type TallyOf<S> = <<S as NodeSearch>::Target as Target>::Tally;
type SummaryOf<S> = Summary<<<S as NodeSearch>::Target as Target>::Sum>;

/// Rows in some form in which the splits of nodes can be searched and made.
pub(crate) trait NodeSearch {
    type Target: Target;
    /// What is kept about a node from when it is made until it is split.
    type Kept;

    /// The best legal split of a node.
    fn best_split(
        &mut self,
        node: &GrownNode<Self::Target>,
        kept: &mut Self::Kept,
    ) -> Result<Option<SplitChoice>>;

    /// The rows of a node.
    fn rows_of(&self, node: &GrownNode<Self::Target>) -> Cow<'_, [u32]>;

    /// Bins with which zones can be estimated, if there are any.
    fn bins(&self) -> Option<&BinnedColumns> {
        None
    }

    /// Orders the rows of a node by the side of a test on which they are.
    fn divide(&mut self, node: &GrownNode<Self::Target>, test: &Test, kept: &Self::Kept) -> Sides;

    /// The tally of a range of all rows.
    fn tally(&self, rows: Range<usize>) -> TallyOf<Self>;

    /// What the zone estimators need to know about a node with two children, if that is at hand.
    fn summary(
        &mut self,
        nodes: &[GrownNode<Self::Target>],
        node: usize,
        kept: &Self::Kept,
    ) -> Result<Option<SummaryOf<Self>>>;

    /// What is kept about the `open` children of a node that was split. Those that are left out are not split
    /// by this search.
    fn children(
        &mut self,
        nodes: &[GrownNode<Self::Target>],
        node: usize,
        kept: Self::Kept,
        open: Vec<usize>,
    ) -> Result<Vec<(usize, Self::Kept)>>;
}

/// Grows the tree of `root`. The root comes first, and children come after their parents.
///
/// # Errors
/// Those of the search, or cancelled.
pub(crate) fn grow<S: NodeSearch>(
    rules: &GrowRules<'_, S::Target>,
    search: &mut S,
    root: GrownNode<S::Target>,
    kept: S::Kept,
) -> Result<Vec<GrownNode<S::Target>>> {
    let three_child = rules.three_child();
    let arity = if three_child { 3 } else { 2 };
    let mut nodes = vec![root];
    let mut frontier = Frontier::new(rules.params.max_leaf_nodes);
    let mut open = vec![(0, kept)];
    loop {
        for (node, mut kept) in open.drain(..) {
            rules.exec.check()?;
            let Some(choice) = search.best_split(&nodes[node], &mut kept)? else { continue };
            // Only zones need the rows, and only three-child trees need zones while growing.
            let rows = match three_child {
                true => search.rows_of(&nodes[node]),
                false => Cow::Borrowed(&[][..]),
            };
            if let Some(plan) = rules.plan(&nodes[node], choice, &rows, search.bins()) {
                frontier.push(node, plan, kept);
            }
        }
        let Some((node, plan, kept)) = frontier.next(arity) else { break };
        let start = nodes[node].range.start;
        let sides = search.divide(&nodes[node], &plan.test, &kept);
        let tally = |side: Range<usize>| search.tally(shifted(side, start));
        let growable = rules.make_children(&mut nodes, node, plan, sides, tally);
        if !three_child {
            let summary = search.summary(&nodes, node, &kept)?;
            if let Some(split) = &mut nodes[node].split {
                split.summary = summary;
            }
        }
        if !growable.is_empty() {
            open = search.children(&nodes, node, kept, growable)?;
        }
    }
    Ok(nodes)
}

/// The range moved up by `by`.
pub(super) fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// The splits still to be made.
///
/// Without a leaf limit the order does not affect the tree; last in, first out keeps the list
/// short. With a limit, the split with the largest impurity decrease goes first.
pub(super) enum Frontier<K> {
    Stack(Vec<Planned<K>>),
    BestFirst { heap: BinaryHeap<Planned<K>>, leaves: u32, max_leaves: u32 },
}

/// A node with its plan and what is kept about it, ordered by impurity decrease.
pub(super) struct Planned<K> {
    node: usize,
    plan: Plan,
    kept: K,
}

impl<K> Frontier<K> {
    pub(super) fn new(max_leaves: Option<u32>) -> Self {
        match max_leaves {
            None => Self::Stack(Vec::new()),
            Some(max_leaves) => Self::BestFirst { heap: BinaryHeap::new(), leaves: 1, max_leaves },
        }
    }

    pub(super) fn push(&mut self, node: usize, plan: Plan, kept: K) {
        let planned = Planned { node, plan, kept };
        match self {
            Self::Stack(stack) => stack.push(planned),
            Self::BestFirst { heap, .. } => heap.push(planned),
        }
    }

    /// The next split, with `arity` children; `None` when growing is done.
    pub(super) fn next(&mut self, arity: u32) -> Option<(usize, Plan, K)> {
        let Planned { node, plan, kept } = match self {
            Self::Stack(stack) => stack.pop(),
            Self::BestFirst { heap, leaves, max_leaves } => {
                if *leaves + arity - 1 > *max_leaves {
                    return None;
                }
                let planned = heap.pop()?;
                *leaves += arity - 1;
                Some(planned)
            }
        }?;
        Some((node, plan, kept))
    }
}

impl<K> Ord for Planned<K> {
    /// The greatest has the largest impurity decrease; on ties it is the oldest node.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_decrease = self.plan.improvement.total_cmp(&other.plan.improvement);
        by_decrease.then(other.node.cmp(&self.node))
    }
}

impl<K> PartialOrd for Planned<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> PartialEq for Planned<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<K> Eq for Planned<K> {}
