//! One rule: what leads to a leaf, and what the leaf says.

use super::condition::{Condition, Truth};
use crate::model::SingleTree;
use crate::tree::NodeId;

/// The path to a leaf as a conjunction of conditions, one per feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    leaf: NodeId,
    class: u32,
    probability: f64,
    rows: u32,
    conditions: Vec<Condition>,
    can_be_true: bool,
}

impl Rule {
    pub(super) fn new(
        model: SingleTree<'_>,
        parent: Option<NodeId>,
        leaf: NodeId,
        conditions: Vec<Condition>,
    ) -> Self {
        let tree = model.tree();
        let class = tree.majority_class(leaf);
        let features = model.schema().features();
        let can_be_true = |it: &Condition| it.can_be_true(&features[it.feature().index()].kind);
        let stands_in = parent.is_some_and(|parent| tree.stands_in(parent, leaf));
        Self {
            leaf,
            class,
            probability: tree.values(leaf)[class as usize],
            rows: if stands_in { 0 } else { tree.rows(leaf) },
            can_be_true: conditions.iter().all(can_be_true),
            conditions,
        }
    }

    /// The leaf.
    #[must_use]
    pub fn leaf(&self) -> NodeId {
        self.leaf
    }

    /// The leaf's most probable class.
    #[must_use]
    pub fn class(&self) -> u32 {
        self.class
    }

    /// The probability of that class.
    #[must_use]
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// The number of training rows that reached the leaf; 0 where none did, and it predicts like its
    /// parent.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// What it asks of each feature, in the order of the path. None for a tree of one leaf.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// False if no row makes it true: the zones along its path leave no room.
    #[must_use]
    pub fn can_be_true(&self) -> bool {
        self.can_be_true
    }

    /// The truth of the rule for a row: the conjunction of its conditions.
    ///
    /// # Panics
    /// If the row has fewer values than the model has features.
    #[must_use]
    pub fn truth(&self, row: &[f64]) -> Truth {
        let truths = self.conditions.iter().map(|it| it.truth(row[it.feature().index()]));
        truths.fold(Truth::True, Truth::and)
    }
}
