//! Many trees that answer together.
//!
//! A [`Forest`] is trees and how their mean is sharpened. Its answer is the mean of the trees' blended distributions,
//! sharpened by an exponent (`sharpen.rs`). By zones, a row is decided iff more than half of *all* trees
//! are decided, and for the forest's class: a majority in Kleene's logic, to which an undecided tree adds
//! nothing. `fit/forest/` grows forests.

mod answers;
mod disagreement;
mod doubts;
mod sharpen;
mod soft_tree;

pub(crate) use answers::{Asked, Votes, rows_per_block};
pub use disagreement::Disagreement;
pub(crate) use doubts::Doubts;
pub use sharpen::Sharpening;
pub(crate) use sharpen::{Smoothed, sharpened_log, smoothed_logs};
pub(crate) use soft_tree::{CategoryTests, ColumnBlock, SoftTree, Walk};

use crate::dataset::check_length;
use crate::error::{ErrorKind, Result};
use crate::tree::Tree;
use std::sync::OnceLock;

/// Trees over the same features and classes, and how their common answer is sharpened.
#[derive(Debug, Clone)]
pub struct Forest {
    trees: Vec<Tree>,
    sharpening: Option<Sharpening>,
    /// The same trees laid out for walking, made when first needed.
    soft: OnceLock<Vec<SoftTree>>,
}

impl Forest {
    /// A forest of two-child trees. Without `sharpening` its answer is the mean of the trees' answers.
    ///
    /// # Errors
    /// No tree, a tree of the three-child shape, or trees over different numbers of features or classes.
    pub fn new(trees: Vec<Tree>, sharpening: Option<Sharpening>) -> Result<Self> {
        let Some(first) = trees.first() else { return Err(ErrorKind::NoTrees.into()) };
        for tree in &trees {
            let features = (tree.n_features(), first.n_features());
            check_length("the list of features", features.0, features.1, "the first tree's")?;
            let classes = (tree.n_classes(), first.n_classes());
            check_length("the list of classes", classes.0, classes.1, "the first tree's")?;
            if tree.is_three_child() {
                return Err(ErrorKind::Routing {
                    what: "a forest",
                    routing: "hard_middle",
                    remedy: "its trees have two children per split",
                }
                .into());
            }
        }
        Ok(Self { trees, sharpening, soft: OnceLock::new() })
    }

    /// The trees.
    #[must_use]
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// How the mean of the trees' distributions is sharpened, if it is.
    #[must_use]
    pub fn sharpening(&self) -> Option<Sharpening> {
        self.sharpening
    }

    /// The exponent with which the mean of the trees' distributions is sharpened.
    #[must_use]
    pub fn exponent(&self) -> Option<f64> {
        Some(self.sharpening?.exponent)
    }

    /// The number of features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.trees[0].n_features()
    }

    /// The number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.trees[0].n_classes()
    }

    /// The number of nodes of all trees.
    #[must_use]
    pub fn n_nodes(&self) -> usize {
        self.trees.iter().map(Tree::n_nodes).sum()
    }

    /// The mean over the trees of each feature's share of the impurity decrease; they add up to 1, unless
    /// no tree has a split.
    #[must_use]
    pub fn importances(&self) -> Vec<f64> {
        let mut means = vec![0.0; self.n_features()];
        let of_trees = self.trees.iter().filter(|tree| tree.n_nodes() > 1).map(Tree::importances);
        for importances in of_trees {
            means.iter_mut().zip(importances).for_each(|(mean, share)| *mean += share);
        }
        let total: f64 = means.iter().sum();
        if total > 0.0 {
            means.iter_mut().for_each(|mean| *mean /= total);
        }
        means
    }

    fn soft_trees(&self) -> &[SoftTree] {
        self.soft.get_or_init(|| self.trees.iter().map(SoftTree::new).collect())
    }
}

impl PartialEq for Forest {
    fn eq(&self, other: &Self) -> bool {
        self.trees == other.trees && self.sharpening == other.sharpening
    }
}
