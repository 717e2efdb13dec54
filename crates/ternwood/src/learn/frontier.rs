//! Which splits are made next.

use super::grower::Plan;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Splits that are planned but not made.
///
/// Without a limit on leaves the order does not matter to the result, so all that is planned
/// is made at once, in parallel. With a limit the most useful split anywhere goes first.
pub(super) enum Frontier {
    Wave(Vec<Plan>),
    BestFirst { heap: BinaryHeap<Ranked>, leaves: u32, max_leaves: u32 },
}

pub(super) struct Ranked(Plan);

impl Frontier {
    pub(super) fn new(max_leaves: Option<u32>) -> Self {
        match max_leaves {
            None => Self::Wave(Vec::new()),
            Some(max_leaves) => Self::BestFirst { heap: BinaryHeap::new(), leaves: 1, max_leaves },
        }
    }

    pub(super) fn push(&mut self, plans: Vec<Plan>) {
        match self {
            Self::Wave(wave) => wave.extend(plans),
            Self::BestFirst { heap, .. } => heap.extend(plans.into_iter().map(Ranked)),
        }
    }

    /// The splits to make now, each with `arity` children; `None` when growing is over.
    pub(super) fn next(&mut self, arity: u32) -> Option<Vec<Plan>> {
        match self {
            Self::Wave(wave) if wave.is_empty() => None,
            Self::Wave(wave) => Some(std::mem::take(wave)),
            Self::BestFirst { heap, leaves, max_leaves } => {
                if *leaves + arity - 1 > *max_leaves {
                    return None;
                }
                let Ranked(plan) = heap.pop()?;
                *leaves += arity - 1;
                Some(vec![plan])
            }
        }
    }
}

impl Ord for Ranked {
    /// The greatest removes the most impurity; on ties the node that was made first.
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (&self.0, &other.0);
        a.improvement.total_cmp(&b.improvement).then(b.node.cmp(&a.node))
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
