//! Which split of a block is made next.

use super::rules::Plan;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Splits that are planned but not made.
///
/// Without a limit on leaves the order does not matter to the result, and the last planned is
/// made first: few plans wait. With a limit the most useful split anywhere goes first.
pub(super) enum Frontier {
    Stack(Vec<(usize, Plan)>),
    BestFirst { heap: BinaryHeap<Ranked>, leaves: u32, max_leaves: u32 },
}

/// A plan for a node, ordered by usefulness.
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

    /// The split to make now, with `arity` children; `None` when growing is over.
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
    /// The greatest removes the most impurity; on ties the node that was made first.
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
