//! How far the trees of a forest disagree about rows, and the tests that leave them undecided about one row.

use super::answers::{Asked, Votes};
use super::soft_tree::ColumnBlock;
use super::{Ensemble, SoftTree};
use crate::dataset::Matrix;
use crate::error::Result;
use crate::exec::Exec;
use crate::predict::{Walker, check_columns, for_each_block};
use crate::tree::{Test, Tree, most_probable};

/// What the single trees say of many rows, by their zones, whatever the forest's verdict policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Disagreement {
    /// Row by row, for every class the share of all trees that are decided for it.
    pub votes: Vec<f64>,
    /// For every row, the share of all trees that are undecided.
    pub undecided: Vec<f64>,
    /// For every row, the standard deviation over the trees of the probability that they give to the class
    /// most probable for the forest.
    pub spread: Vec<f64>,
}

impl Ensemble {
    /// How far the trees disagree about every row.
    ///
    /// # Errors
    /// A wrong number of columns, or a value that is infinite.
    pub(crate) fn disagreement(
        &self,
        rows: Matrix<'_>,
        asked: Asked,
        exec: &Exec,
    ) -> Result<Disagreement> {
        check_columns(rows, self.n_features())?;
        let (n_rows, n_classes) = (rows.n_rows(), self.n_outputs());
        let block_size = self.rows_per_block(n_rows, asked.least_share, exec);
        let mut found = Disagreement {
            votes: vec![0.0; n_rows * n_classes],
            undecided: vec![0.0; n_rows],
            spread: vec![0.0; n_rows],
        };
        let targets = found
            .votes
            .chunks_mut(block_size * n_classes)
            .zip(found.undecided.chunks_mut(block_size))
            .zip(found.spread.chunks_mut(block_size))
            .collect();
        let trees: Vec<(&SoftTree, &Tree)> = self.soft_trees().iter().zip(self.trees()).collect();
        for_each_block(rows, block_size, exec, targets, |block, target| {
            exec.check()?;
            block.check(asked.missing_allowed)?;
            let columns = block.by_column();
            let block = ColumnBlock::new(&columns, block.n_rows());
            let size = block.n_rows() * n_classes;
            let (mut sums, mut squares) = (vec![0.0; size], vec![0.0; size]);
            let ((votes, undecided), spread) = target;
            for (soft, tree) in &trees {
                let mut own = Votes::new(block.n_rows(), n_classes);
                own.add_tree(soft, asked.walk(tree), block, |_| true);
                sums.iter_mut().zip(&own.sums).for_each(|(sum, p)| *sum += p);
                squares.iter_mut().zip(&own.sums).for_each(|(sum, p)| *sum += p * p);
                votes.iter_mut().zip(&own.decided).for_each(|(vote, &n)| *vote += f64::from(n));
            }
            let n_trees = trees.len() as f64;
            let of_rows = sums.chunks_exact(n_classes).zip(squares.chunks_exact(n_classes));
            let of_rows = of_rows.zip(votes.chunks_exact_mut(n_classes));
            let targets = undecided.iter_mut().zip(spread);
            for (((sums, squares), votes), (undecided, spread)) in of_rows.zip(targets) {
                let class = most_probable(sums) as usize;
                let (mean, square) = (sums[class] / n_trees, squares[class] / n_trees);
                *spread = (square - mean * mean).max(0.0).sqrt();
                // Counted before dividing: whole numbers are exact.
                *undecided = (n_trees - votes.iter().sum::<f64>()) / n_trees;
                votes.iter_mut().for_each(|vote| *vote /= n_trees);
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// What the trees say of one row.
pub(crate) struct Doubts<'f> {
    /// How many trees are decided, for each class.
    pub(crate) decided: Vec<usize>,
    /// The tests that could not place the row, tree by tree; none for a decided tree.
    pub(crate) tests: Vec<Vec<&'f Test>>,
}

impl<'f> Doubts<'f> {
    /// Follows a row through trees, as prediction does.
    pub(crate) fn new(
        walkers: impl Iterator<Item = Walker<'f>>,
        row: &[f64],
        n_classes: usize,
    ) -> Self {
        let mut decided = vec![0; n_classes];
        let of_tree = |walker: Walker<'f>| {
            let explanation = walker.explain(row);
            if explanation.verdict.is_decided() {
                decided[most_probable(&explanation.distribution) as usize] += 1;
            }
            let splits =
                explanation.reasons().filter_map(|it| walker.tree().node(it.node).as_split());
            splits.map(|split| &split.test).collect()
        };
        let tests = walkers.map(of_tree).collect();
        Self { decided, tests }
    }
}
