//! A model that is a single tree: what can be read, drawn and explained node by node.

use super::Model;
use crate::predict::Walker;
use crate::tree::Tree;
use std::ops::Deref;

/// A model that is a single tree, not a forest. Everything a [`Model`] can do, it can do too.
#[derive(Debug, Clone, Copy)]
pub struct SingleTree<'m> {
    pub(super) model: &'m Model,
    pub(super) tree: &'m Tree,
}

impl<'m> SingleTree<'m> {
    /// The tree.
    #[must_use]
    pub fn tree(self) -> &'m Tree {
        self.tree
    }

    /// The model.
    #[must_use]
    pub fn model(self) -> &'m Model {
        self.model
    }

    /// A walker for this tree and routing: predicts single rows without overhead. Its verdicts
    /// are those of the zones, whatever the model's policy.
    #[must_use]
    pub fn walker(self) -> Walker<'m> {
        let walker = Walker::new(self.tree, self.routing());
        let walker = walker.expect("shape and routing were checked on creation");
        if self.missing_allowed() { walker } else { walker.refusing_missing() }
    }
}

impl Deref for SingleTree<'_> {
    type Target = Model;
    fn deref(&self) -> &Model {
        self.model
    }
}
