//! The planned splits of a tree, and which comes next.

use super::rules::Plan;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

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
