//! What a forest says of its training rows, by the trees that have not seen them.

use super::bags::{Bags, OutOfBagRows};
use crate::dataset::{ClassName, DatasetView, check_length};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use crate::forest::{Forest, SoftTree, Votes, Walk};
use crate::grow::Grower;
use crate::model::Model;
use crate::predict::for_each_block;
use crate::recipe::Routing;
use crate::tree::Tree;
use crate::verdict::{CalibrationRows, CalibrationSource};

/// Rows per block.
const BLOCK: usize = 256;

/// The forest's class probabilities of every training row, from the trees that have not seen it.
///
/// They serve as calibration rows without anything being held out. Each row is answered by about a third of
/// the trees, so the whole forest is a little better than they say: promises from them are approximate.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfBag {
    n_classes: usize,
    /// NaN for rows that every tree has seen, and for rows of no weight.
    distributions: Vec<f64>,
}

impl OutOfBag {
    /// The class probabilities of all rows of the data, row by row; NaN for rows that every tree has seen.
    #[must_use]
    pub fn distributions(&self) -> &[f64] {
        &self.distributions
    }

    /// The rows that some tree has not seen, ascending.
    #[must_use]
    pub fn rows(&self) -> Vec<usize> {
        let of_rows = self.distributions.chunks_exact(self.n_classes).enumerate();
        of_rows.filter(|(_, row)| !row[0].is_nan()).map(|(row, _)| row).collect()
    }

    /// Calibration rows, given the true class ids of all rows.
    ///
    /// # Errors
    /// Labels of another number of rows, or no row that is out of bag.
    pub fn calibration_rows(
        &self,
        truth: &[u32],
        classes: &[ClassName],
    ) -> Result<CalibrationRows> {
        let n_rows = self.distributions.len() / self.n_classes;
        check_length("the list of labels", truth.len(), n_rows, "one per row")?;
        let rows = self.rows();
        let truth: Vec<u32> = rows.iter().map(|&row| truth[row]).collect();
        let of_row = |&row: &usize| &self.distributions[row * self.n_classes..][..self.n_classes];
        let distributions: Vec<f64> = rows.iter().flat_map(of_row).copied().collect();
        CalibrationRows::new(&distributions, &truth, classes, CalibrationSource::OutOfBag)
    }
}

/// The out-of-bag predictions of a fitted forest, given the rows it was trained on. The bags are drawn again.
///
/// # Errors
/// A model that is no forest, or was fitted without bootstrap; a different number of classes or features; or
/// cancellation.
pub fn out_of_bag<'a>(
    model: &Model,
    training: impl Into<DatasetView<'a>>,
    exec: &Exec,
) -> Result<OutOfBag> {
    let training = training.into();
    let crisp = model.routing() == Routing::Crisp;
    let forest = model.forest().ok_or(ErrorKind::NoOutOfBag)?;
    with_bags(model, &training, |bags| predict_out_of_bag(forest, &training, bags, crisp, exec))
}

/// For every tree of a fitted forest, how often each row of its training set was drawn.
///
/// # Errors
/// As [`out_of_bag`].
pub fn bags<'a>(model: &Model, training: impl Into<DatasetView<'a>>) -> Result<Vec<Vec<u32>>> {
    with_bags(model, &training.into(), |bags| {
        Ok((0..).zip(model.trees()).map(|(tree, _)| bags.draw(tree).times().to_vec()).collect())
    })
}

/// Draws the bags of a fitted forest again.
fn with_bags<T>(
    model: &Model,
    training: &DatasetView<'_>,
    work: impl FnOnce(&Bags<'_>) -> Result<T>,
) -> Result<T> {
    model.check_shape(training)?;
    let recipe = model.recipe().clone().check()?;
    let params = recipe.forest.filter(|params| params.bootstrap).ok_or(ErrorKind::NoOutOfBag)?;
    let rows = Grower::new(training, &recipe.params)?.rows().to_vec();
    work(&Bags::new(&rows, training.n_rows(), params, recipe.params.seed))
}

/// A tree, laid out for walking, and the rows it has not seen.
pub(super) struct BaggedTree<'t> {
    pub(super) tree: &'t Tree,
    pub(super) soft: SoftTree,
    pub(super) unseen: OutOfBagRows,
}

pub(super) fn bagged<'t>(trees: &'t [Tree], bags: &Bags<'_>, exec: &Exec) -> Vec<BaggedTree<'t>> {
    exec.map((0..).zip(trees).collect(), |(number, tree): (u32, &'t Tree)| BaggedTree {
        tree,
        soft: SoftTree::new(tree),
        unseen: bags.out_of_bag(number),
    })
}

pub(super) fn predict_out_of_bag(
    forest: &Forest,
    data: &DatasetView<'_>,
    bags: &Bags<'_>,
    crisp: bool,
    exec: &Exec,
) -> Result<OutOfBag> {
    let n_classes = forest.n_classes();
    let trees = bagged(forest.trees(), bags, exec);
    let mut distributions = vec![f64::NAN; data.n_rows() * n_classes];
    let targets = distributions.chunks_mut(BLOCK * n_classes).enumerate().collect();
    for_each_block(data.matrix(), BLOCK, exec, targets, |block, (number, target): (usize, &mut [f64])| {
        exec.check()?;
        let first = number * BLOCK;
        let mut votes = Votes::new(block.n_rows(), n_classes);
        let mut asked = vec![0; block.n_rows()];
        for BaggedTree { tree, soft, unseen } in &trees {
            let is_wanted = |row: usize| unseen.contain(first + row);
            votes.add_tree(soft, Walk::of(tree, crisp), block, is_wanted);
            for (row, asked) in asked.iter_mut().enumerate() {
                *asked += usize::from(is_wanted(row));
            }
        }
        let sums = votes.sums.chunks_exact_mut(n_classes);
        for ((target, sums), &asked) in target.chunks_exact_mut(n_classes).zip(sums).zip(&asked) {
            if asked > 0 {
                forest.answer(sums, asked);
                target.copy_from_slice(sums);
            }
        }
        Ok(())
    })?;
    Ok(OutOfBag { n_classes, distributions })
}
