//! A model that is a single tree: what can be read, drawn and explained node by node.

use super::Model;
use crate::dataset::Matrix;
use crate::error::Result;
use crate::exec::Exec;
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
        let walker = walker.with_least_share(self.recipe.least_share);
        if self.missing_allowed() { walker } else { walker.refusing_missing() }
    }

    /// Calls `f` with every row and its part of `out`, which has equally many entries for each.
    pub(crate) fn for_each_row<T: Send>(
        self,
        rows: Matrix<'_>,
        exec: &Exec,
        out: &mut [T],
        f: impl Fn(&[f64], &mut [T]) + Send + Sync,
    ) -> Result<()> {
        let done = self.walker().for_each_row(rows, exec, out, f);
        done.map_err(|error| self.model.name_column(error))
    }
}

impl Deref for SingleTree<'_> {
    type Target = Model;
    fn deref(&self) -> &Model {
        self.model
    }
}
