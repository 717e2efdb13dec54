//! What a forest says of its training rows, by the trees that have not seen them; and how many training rows are within
//! each zone of a tree whose scale has been chosen.

use super::bags_of;
use crate::blend::LeastShare;
use crate::dataset::{
    Bag, Bags, ClassName, DatasetView, Matrix, OutOfBagRows, as_trained, check_length, mix,
};
use crate::ensemble::{ColumnBlock, Ensemble, Sharpening, SoftTree, Votes, Walk, rows_per_block};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use crate::fit::progress::Watch;
use crate::grow::Grower;
use crate::model::Model;
use crate::recipe::{Routing, ZoneParams};
use crate::tree::Tree;
use crate::verdict::{CalibrationRows, CalibrationSource};

/// The forest's class probabilities of training rows, from the trees that have not seen them.
///
/// They serve as calibration rows without anything being held out. Each row is answered by about a third of
/// the trees, so the whole forest is a little better than they say: promises from them are approximate.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfBag {
    n_training_rows: usize,
    n_classes: usize,
    rows: Vec<u32>,
    distributions: Vec<f64>,
}

impl OutOfBag {
    /// The rows, ascending: all that some tree has not seen, or a sample of them.
    #[must_use]
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Their class probabilities, row by row.
    #[must_use]
    pub fn distributions(&self) -> &[f64] {
        &self.distributions
    }

    /// Calibration rows, given the true class ids of all rows of the data.
    ///
    /// # Errors
    /// No row that is out of bag, or labels of another number of rows.
    pub fn calibration_rows(
        &self,
        labels: &[u32],
        classes: &[ClassName],
    ) -> Result<CalibrationRows> {
        check_length("the list of labels", labels.len(), self.n_training_rows, "one per row")?;
        check_length("the list of classes", classes.len(), self.n_classes, "the forest's")?;
        let truth: Vec<u32> = self.rows.iter().map(|&row| labels[row as usize]).collect();
        CalibrationRows::new(&self.distributions, &truth, classes, CalibrationSource::OutOfBag)
    }
}

/// The out-of-bag predictions of a fitted forest, given the rows it was trained on: of all of them that some tree
/// has not seen. The bags are drawn again.
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
    let forest = model.ensemble();
    let bags = drawn_again(model, &training, exec)?;
    let least_share = LeastShare::new(model.recipe().least_share);
    UnseenRows::new(forest.trees(), &bags, &training, (usize::MAX, least_share), exec)?.predict(
        forest,
        crisp,
        exec,
        &|| (),
    )
}

/// For every tree of a fitted forest, how often each row of its training set was drawn.
///
/// # Errors
/// As [`out_of_bag`].
pub fn bags<'a>(model: &Model, training: impl Into<DatasetView<'a>>) -> Result<Vec<Vec<u32>>> {
    let bags = drawn_again(model, &training.into(), &Exec::default())?;
    Ok((0..).zip(model.trees()).map(|(tree, _)| bags.draw(tree).times().to_vec()).collect())
}

/// The bags of a fitted forest, given its training rows in any order.
fn drawn_again(model: &Model, training: &DatasetView<'_>, exec: &Exec) -> Result<Bags> {
    model.check_shape(training)?;
    let recipe = model.recipe().clone().check()?;
    let params =
        recipe.ensemble.forest().filter(|params| params.bootstrap).ok_or(ErrorKind::NoOutOfBag)?;
    let grower = Grower::new(training, &recipe.params)?;
    Ok(bags_of(training, grower.rows(), params, recipe.params.seed, exec))
}

/// A tree, laid out for walking, and the rows it has not seen.
pub(super) struct BaggedTree<'t> {
    pub(super) tree: &'t Tree,
    pub(super) soft: SoftTree,
    pub(super) unseen: OutOfBagRows,
}

fn bagged<'t>(trees: &'t [Tree], bags: &Bags, exec: &Exec) -> Vec<BaggedTree<'t>> {
    exec.map((0..).zip(trees).collect(), |(number, tree): (u32, &'t Tree)| BaggedTree {
        tree,
        soft: SoftTree::new(tree),
        unseen: bags.out_of_bag(number),
    })
}

/// Training rows, and the trees that have not seen them.
pub(super) struct UnseenRows<'t> {
    pub(super) trees: Vec<BaggedTree<'t>>,
    /// In the order of [`Bags::rows`]; each is unseen by some tree.
    pub(super) rows: Vec<u32>,
    /// Their values, row by row.
    values: Vec<f64>,
    n_training_rows: usize,
    n_features: usize,
    n_classes: usize,
    pub(super) least_share: LeastShare,
}

/// The sums of the distributions of a block of rows, and how many trees each is the sum of.
pub(super) struct BlockSums {
    sums: Vec<f64>,
    n_trees: Vec<u32>,
}

impl<'t> UnseenRows<'t> {
    /// At most `most` of the rows that some tree has not seen, by a hash of their number.
    pub(super) fn new(
        trees: &'t [Tree],
        bags: &Bags,
        data: &DatasetView<'_>,
        (most, least_share): (usize, LeastShare),
        exec: &Exec,
    ) -> Result<Self> {
        let n_classes = trees[0].n_outputs();
        let trees = bagged(trees, bags, exec);
        let is_unseen = |row: &u32| trees.iter().any(|tree| tree.unseen.contain(*row as usize));
        let numbered = (0_u64..).zip(bags.rows().iter().copied());
        let mut rows: Vec<(u64, u32)> = numbered.filter(|(_, row)| is_unseen(row)).collect();
        if rows.len() > most {
            rows.select_nth_unstable_by_key(most, |&(number, _)| mix(mix(number)));
            rows.truncate(most);
            rows.sort_unstable();
        }
        let rows: Vec<u32> = rows.into_iter().map(|(_, row)| row).collect();
        let matrix = data.matrix();
        exec.check()?;
        Ok(Self {
            values: rows.iter().flat_map(|&row| matrix.trained_row(row as usize)).collect(),
            rows,
            trees,
            n_training_rows: data.n_rows(),
            n_features: matrix.n_features(),
            n_classes,
            least_share,
        })
    }

    /// How often [`sums`](Self::sums) calls `done`.
    pub(super) fn n_walks(&self, exec: &Exec) -> usize {
        self.trees.len() * self.rows.len().div_ceil(self.rows_per_block(exec))
    }

    fn rows_per_block(&self, exec: &Exec) -> usize {
        let trees = self.trees.iter().map(|tree| &tree.soft);
        rows_per_block(self.rows.len(), trees, self.least_share, exec)
    }

    /// What the trees that have not seen a row say of it, block by block: `walk` tells how. Calls `done`
    /// whenever a block has walked a tree.
    pub(super) fn sums<'w>(
        &self,
        walk: impl Fn(usize, &'t Tree) -> Walk<'w> + Sync,
        exec: &Exec,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<BlockSums>>
    where
        't: 'w,
    {
        let Self { trees, rows, values, n_features, n_classes, .. } = self;
        let size = self.rows_per_block(exec);
        let starts: Vec<usize> = (0..rows.len()).step_by(size).collect();
        let sums = exec.map(starts, |start| {
            exec.check()?;
            let here = start..(start + size).min(rows.len());
            let values = &values[here.start * n_features..here.end * n_features];
            let mut buffer = Vec::new();
            let columns = Matrix::row_major(values, *n_features)?
                .block(0..here.len(), &mut buffer)
                .by_column();
            let block = ColumnBlock::new(&columns, here.len());
            let mut votes = Votes::new(here.len(), *n_classes);
            let mut n_trees = vec![0; here.len()];
            for (number, BaggedTree { tree, soft, unseen }) in trees.iter().enumerate() {
                let is_wanted = |row: usize| unseen.contain(rows[here.start + row] as usize);
                votes.add_tree(soft, walk(number, tree), block, is_wanted);
                for (row, n_trees) in n_trees.iter_mut().enumerate() {
                    *n_trees += u32::from(is_wanted(row));
                }
                done();
            }
            Ok(BlockSums { sums: votes.sums, n_trees })
        });
        sums.into_iter().collect()
    }

    /// The forest's answers, by the trees that have not seen the rows.
    pub(super) fn predict(
        &self,
        forest: &Ensemble,
        crisp: bool,
        exec: &Exec,
        done: &(dyn Fn() + Sync),
    ) -> Result<OutOfBag> {
        let walk = |_, tree| Walk::of(tree, crisp, self.least_share);
        let blocks = self.sums(walk, exec, done)?;
        let means = blocks.into_iter().flat_map(BlockSums::into_means).collect();
        Ok(self.answers(means, forest.sharpening()))
    }

    /// The answers that follow from the mean distribution of every row.
    pub(super) fn answers(&self, mut means: Vec<f64>, sharpening: Option<Sharpening>) -> OutOfBag {
        let (n_training_rows, n_classes) = (self.n_training_rows, self.n_classes);
        if let Some(sharpening) = sharpening {
            means.chunks_exact_mut(n_classes).for_each(|mean| sharpening.apply(mean));
        }
        let mut answers: Vec<(u32, &[f64])> =
            self.rows.iter().copied().zip(means.chunks_exact(n_classes)).collect();
        answers.sort_unstable_by_key(|&(row, _)| row);
        let rows = answers.iter().map(|&(row, _)| row).collect();
        let distributions = answers.iter().flat_map(|&(_, mean)| mean).copied().collect();
        OutOfBag { n_training_rows, n_classes, rows, distributions }
    }
}

impl BlockSums {
    /// The mean distribution of every row.
    pub(super) fn into_means(mut self) -> Vec<f64> {
        let n_classes = self.sums.len() / self.n_trees.len();
        for (sums, &n_trees) in self.sums.chunks_exact_mut(n_classes).zip(&self.n_trees) {
            sums.iter_mut().for_each(|sum| *sum /= f64::from(n_trees));
        }
        self.sums
    }
}

/// Rows per block.
const BLOCK: usize = 4096;

/// The most trees that share the columns of a block.
const MOST_TREES: usize = 8;

/// Trees that were grown with zones of scale 1, with those of `zone`.
pub(super) fn scaled(
    mut trees: Vec<Tree>,
    data: &DatasetView<'_>,
    bags: &Bags,
    zone: &ZoneParams,
    exec: &Exec,
    watch: Watch<'_>,
) -> Result<Vec<Tree>> {
    let error = zone.category_error();
    // So many at once that every thread has something to do.
    let at_once = (trees.len() / (2 * exec.threads())).clamp(1, MOST_TREES);
    let mut groups = Vec::new();
    for first in (0..trees.len()).step_by(at_once).rev() {
        groups.push((first as u32, trees.split_off(first)));
    }
    groups.reverse();
    let scaled = exec.map(groups, |(first, trees): (u32, Vec<Tree>)| {
        let trees: Vec<Tree> =
            trees.into_iter().map(|tree| tree.with_scaled_zones(zone.scale, error)).collect();
        let within = rows_within(&trees, first, data, bags, exec)?;
        watch.advance(trees.len());
        let trees = trees.into_iter().zip(within);
        Ok(trees.map(|(tree, within)| tree.with_rows_within(&within)).collect::<Vec<Tree>>())
    });
    Ok(scaled.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// For every node of some trees, the number of rows of the tree's bag that reach it and are within its zone, or
/// unknown.
fn rows_within(
    trees: &[Tree],
    first: u32,
    data: &DatasetView<'_>,
    bags: &Bags,
    exec: &Exec,
) -> Result<Vec<Vec<u32>>> {
    let matrix = data.matrix();
    let trees: Vec<(&Tree, SoftTree, Bag)> =
        (first..).zip(trees).map(|(n, tree)| (tree, SoftTree::new(tree), bags.draw(n))).collect();
    let mut within: Vec<Vec<u32>> =
        trees.iter().map(|(tree, ..)| vec![0; tree.n_nodes()]).collect();
    let mut values = Vec::new();
    for start in (0..data.n_rows()).step_by(BLOCK) {
        exec.check()?;
        let rows = start..(start + BLOCK).min(data.n_rows());
        values.clear();
        for feature in 0..matrix.n_features() as u32 {
            values.extend(matrix.column(feature).of(rows.clone()).map(as_trained));
        }
        let block = ColumnBlock::new(&values, rows.len());
        for ((tree, soft, bag), within) in trees.iter().zip(&mut within) {
            let is_in_bag = |row| bag.contains((start + row) as u32);
            soft.count_within(tree, block, is_in_bag, within);
        }
    }
    Ok(within)
}
