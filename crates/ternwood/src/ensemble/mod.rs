//! Trees and how they answer together.
//!
//! An [`Ensemble`] is trees and how their answers are [combined](Combine). A single tree answers alone. A forest answers with
//! the mean of the trees' blended distributions, sharpened by an exponent (`sharpen.rs`). By zones, a row of a forest is
//! decided iff more than half of *all* trees are decided, and for the forest's class: a majority in Kleene's logic, to which an
//! undecided tree adds nothing. `fit/forest/` grows forests.

mod answers;
mod disagreement;
mod flow;
mod sharpen;
mod soft_tree;

pub(crate) use answers::{Asked, Votes, rows_per_block};
pub use disagreement::Disagreement;
pub(crate) use disagreement::Doubts;
pub use sharpen::Sharpening;
pub(crate) use sharpen::{Smoothed, sharpened_log, smoothed_logs};
pub(crate) use soft_tree::{CategoryTests, ColumnBlock, SoftTree, Walk};

use crate::dataset::check_length;
use crate::error::{ErrorKind, Result, parameter};
use crate::recipe::{EnsembleParams, Exponent, ForestParams};
use crate::tree::Tree;
use std::sync::OnceLock;

/// Trees over the same features and outputs, and how their answers become one.
#[derive(Debug, Clone)]
pub struct Ensemble {
    trees: Vec<Tree>,
    combine: Combine,
    /// The same trees laid out for walking, made when first needed.
    soft: OnceLock<Vec<SoftTree>>,
}

/// How the answers of trees become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Combine {
    /// There is one tree, whose answer it is.
    One,
    /// The mean of all trees, sharpened or as it is.
    Mean(Option<Sharpening>),
}

impl Combine {
    /// As a recipe says.
    ///
    /// # Errors
    /// An exponent that is still to be chosen.
    pub fn of(params: EnsembleParams) -> Result<Self> {
        let EnsembleParams::Forest(ForestParams { exponent, smoothing, .. }) = params else {
            return Ok(Self::One);
        };
        match exponent {
            Exponent::Off => Ok(Self::Mean(None)),
            Exponent::Given(exponent) => Ok(Self::Mean(Some(Sharpening { exponent, smoothing }))),
            Exponent::Auto => {
                Err(parameter("exponent", "auto", "off or a number once it is fitted"))
            }
        }
    }
}

impl From<Tree> for Ensemble {
    fn from(tree: Tree) -> Self {
        Self { trees: vec![tree], combine: Combine::One, soft: OnceLock::new() }
    }
}

impl Ensemble {
    /// Trees whose answers are combined. Many have two children per split.
    ///
    /// # Errors
    /// No tree, or several where there is to be one; many of the three-child shape, or over different numbers of features
    /// or outputs.
    pub fn new(trees: Vec<Tree>, combine: Combine) -> Result<Self> {
        let Some(first) = trees.first() else { return Err(ErrorKind::NoTrees.into()) };
        if combine == Combine::One {
            check_length("the list of trees", trees.len(), 1, "a single tree")?;
            return Ok(Self { trees, combine, soft: OnceLock::new() });
        }
        for tree in &trees {
            let features = (tree.n_features(), first.n_features());
            check_length("the list of features", features.0, features.1, "the first tree's")?;
            let outputs = (tree.n_outputs(), first.n_outputs());
            check_length("the list of outputs", outputs.0, outputs.1, "the first tree's")?;
            if tree.is_three_child() {
                return Err(ErrorKind::Routing {
                    what: "a forest",
                    routing: "hard_middle",
                    remedy: "its trees have two children per split",
                }
                .into());
            }
        }
        Ok(Self { trees, combine, soft: OnceLock::new() })
    }

    /// The trees.
    #[must_use]
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// How their answers become one.
    #[must_use]
    pub fn combine(&self) -> Combine {
        self.combine
    }

    /// The tree that answers alone; `None` if trees answer together, be it only one.
    #[must_use]
    pub fn single(&self) -> Option<&Tree> {
        self.trees.first().filter(|_| self.is_single())
    }

    /// True if a tree answers alone.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.combine == Combine::One
    }

    /// How the mean of the trees' distributions is sharpened, if it is.
    #[must_use]
    pub fn sharpening(&self) -> Option<Sharpening> {
        match self.combine {
            Combine::One => None,
            Combine::Mean(sharpening) => sharpening,
        }
    }

    /// The number of features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.trees[0].n_features()
    }

    /// How many values a row is answered with: of a classifier one per class.
    #[must_use]
    pub fn n_outputs(&self) -> usize {
        self.trees[0].n_outputs()
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
        if let Some(tree) = self.single() {
            return tree.importances();
        }
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

impl PartialEq for Ensemble {
    fn eq(&self, other: &Self) -> bool {
        self.trees == other.trees && self.combine == other.combine
    }
}
