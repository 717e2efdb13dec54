//! The forest's answers for many rows: blocks of rows times trees.

use super::Ensemble;
use super::flow::{Parts, Targets};
use super::soft_tree::{ColumnBlock, SoftTree, Walk};
use crate::blend::LeastShare;
use crate::dataset::Matrix;
use crate::error::Result;
use crate::exec::Exec;
use crate::predict::{PredictionSlots, Verdict, check_columns, for_each_block};
use crate::tree::{Tree, most_probable};

/// How a forest is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// True if zones are ignored.
    pub(crate) crisp: bool,
    pub(crate) least_share: LeastShare,
    /// False if a missing value is an error.
    pub(crate) missing_allowed: bool,
}

/// The most parts of the rows of a block.
const MOST_PARTS: usize = 1 << 16;

/// Rows per block: so many that several reach each leaf of a deep tree together, but so few that their
/// values and parts stay in a cache and every thread gets a block.
pub(crate) fn rows_per_block<'t>(
    n_rows: usize,
    trees: impl Iterator<Item = &'t SoftTree>,
    least_share: LeastShare,
    exec: &Exec,
) -> usize {
    let n_leaves = trees.map(SoftTree::n_leaves).max().unwrap_or(1);
    let most = MOST_PARTS / least_share.most_parts(n_leaves);
    n_rows.div_ceil(exec.threads()).clamp(256, 16384).min(most.max(1))
}

/// What the trees say of a block of rows: sums of their distributions, and how many are decided for
/// each class.
#[derive(Debug, Clone)]
pub(crate) struct Votes {
    n_classes: usize,
    pub(crate) sums: Vec<f64>,
    pub(crate) decided: Vec<u32>,
    parts: Parts,
}

impl Votes {
    pub(crate) fn new(n_rows: usize, n_classes: usize) -> Self {
        let size = n_rows * n_classes;
        Self { n_classes, sums: vec![0.0; size], decided: vec![0; size], parts: Parts::default() }
    }

    /// Nothing has been said yet.
    fn clear(&mut self) {
        self.sums.fill(0.0);
        self.decided.fill(0);
    }

    /// Adds a tree's answers for the rows of a block that are wanted.
    pub(crate) fn add_tree(
        &mut self,
        soft: &SoftTree,
        walk: Walk<'_>,
        block: ColumnBlock<'_>,
        is_wanted: impl Fn(usize) -> bool,
    ) {
        let Self { n_classes, sums, decided, parts } = self;
        let mut targets = Targets { n_classes: *n_classes, sums, decided };
        soft.add(walk, block, is_wanted, parts, &mut targets);
    }
}

impl Asked {
    pub(super) fn walk(self, tree: &Tree) -> Walk<'_> {
        Walk::of(tree, self.crisp, self.least_share)
    }
}

impl Ensemble {
    pub(super) fn rows_per_block(
        &self,
        n_rows: usize,
        least_share: LeastShare,
        exec: &Exec,
    ) -> usize {
        rows_per_block(n_rows, self.soft_trees().iter(), least_share, exec)
    }

    /// Writes class, distribution and verdict of every row into the caller's memory.
    ///
    /// # Errors
    /// A wrong number of columns, a value that is infinite, or memory of the wrong size. After an error the
    /// contents of the memory are unspecified.
    pub(crate) fn predict_into<L, V>(
        &self,
        rows: Matrix<'_>,
        slots: &mut PredictionSlots<'_, L, V>,
        asked: Asked,
        exec: &Exec,
    ) -> Result<()>
    where
        L: Copy + Send + Sync,
        V: From<Verdict> + Send,
    {
        check_columns(rows, self.n_features())?;
        let n_classes = self.n_outputs();
        slots.check(rows.n_rows(), n_classes)?;
        let labels = slots.labels;
        let size = self.rows_per_block(rows.n_rows(), asked.least_share, exec);
        let targets = slots
            .classes
            .chunks_mut(size)
            .zip(slots.distributions.chunks_mut(size * n_classes))
            .zip(slots.verdicts.chunks_mut(size))
            .collect();
        let trees: Vec<(&SoftTree, &Tree)> = self.soft_trees().iter().zip(self.trees()).collect();
        for_each_block(rows, size, exec, targets, |block, target| {
            exec.check()?;
            block.check(asked.missing_allowed)?;
            let columns = block.by_column();
            let block = ColumnBlock::new(&columns, block.n_rows());
            let mut votes = Votes::new(block.n_rows(), n_classes);
            for (soft, tree) in &trees {
                votes.add_tree(soft, asked.walk(tree), block, |_| true);
            }
            let ((classes, distributions), verdicts) = target;
            distributions.copy_from_slice(&votes.sums);
            let targets = classes.iter_mut().zip(distributions.chunks_exact_mut(n_classes));
            let decided = votes.decided.chunks_exact(n_classes).zip(verdicts);
            for ((label, distribution), (decided, verdict)) in targets.zip(decided) {
                let (class, of_zones) = self.answer(distribution, decided);
                *label = labels[class as usize];
                *verdict = of_zones.into();
            }
            Ok(())
        })
    }

    /// Class and verdict of a checked row, by zones; its distribution is written into `distribution`.
    pub(crate) fn predict_row(
        &self,
        row: &[f64],
        asked: Asked,
        votes: &mut Option<Votes>,
        distribution: &mut [f64],
    ) -> (u32, Verdict) {
        let n_classes = self.n_outputs();
        let votes = match votes {
            Some(votes) if votes.n_classes == n_classes => votes,
            other => other.insert(Votes::new(1, n_classes)),
        };
        votes.clear();
        // One row has the same values in the same places row by row and column by column.
        let block = ColumnBlock::new(row, 1);
        for (soft, tree) in self.soft_trees().iter().zip(self.trees()) {
            votes.add_tree(soft, asked.walk(tree), block, |_| true);
        }
        distribution.copy_from_slice(&votes.sums);
        self.answer(distribution, &votes.decided)
    }

    /// Class and verdict of a row, by zones: `distribution` is the sum over the trees, and becomes the answer; `decided`
    /// has the number of trees that are decided for each class.
    fn answer(&self, distribution: &mut [f64], decided: &[u32]) -> (u32, Verdict) {
        let n_trees = self.trees().len();
        distribution.iter_mut().for_each(|sum| *sum /= n_trees as f64);
        let class = most_probable(distribution);
        if let Some(sharpening) = self.sharpening() {
            sharpening.apply(distribution);
        }
        (class, Verdict::decided_if(2 * decided[class as usize] as usize > n_trees))
    }
}
