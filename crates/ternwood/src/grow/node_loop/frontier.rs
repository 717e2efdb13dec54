//! The planned splits of a block, and which comes next.

use super::rules::Plan;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The splits still to be made.
///
/// Without a leaf limit the order does not affect the tree; last in, first out keeps the list
/// short. With a limit, the split with the largest impurity decrease goes first.
pub(super) enum Frontier {
    Stack(Vec<(usize, Plan)>),
    BestFirst { heap: BinaryHeap<Ranked>, leaves: u32, max_leaves: u32 },
}

/// A node and its plan, ordered by impurity decrease.
pub(super) struct Ranked(usize, Plan);

impl Frontier {
    pub(super) fn new(max_leaves: Option<u32>) -> Self {
        match max_leaves {
            None => Self::Stack(Vec::new()),
            Some(max_leaves) => Self::BestFirst { heap: BinaryHeap::new(), leaves: 1, max_leaves },
        }
    }

    pub(super) fn push(&mut self, node: usize, plan: Plan) {
        match self {
            Self::Stack(stack) => stack.push((node, plan)),
            Self::BestFirst { heap, .. } => heap.push(Ranked(node, plan)),
        }
    }

    /// The next split, with `arity` children; `None` when growing is done.
    pub(super) fn next(&mut self, arity: u32) -> Option<(usize, Plan)> {
        match self {
            Self::Stack(stack) => stack.pop(),
            Self::BestFirst { heap, leaves, max_leaves } => {
                if *leaves + arity - 1 > *max_leaves {
                    return None;
                }
                let Ranked(node, plan) = heap.pop()?;
                *leaves += arity - 1;
                Some((node, plan))
            }
        }
    }
}

impl Ord for Ranked {
    /// The greatest has the largest impurity decrease; on ties it is the oldest node.
    fn cmp(&self, other: &Self) -> Ordering {
        self.1.improvement.total_cmp(&other.1.improvement).then(other.0.cmp(&self.0))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}
