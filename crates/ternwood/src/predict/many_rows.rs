//! Walks many rows, block by block, on several threads.

use super::flat_tree::{Descent, FlatTree};
use super::predictions::Verdict;
use super::predictions::{PredictionSlots, Predictions};
use super::walk::{Scratch, Walker};
use crate::dataset::{Matrix, RowBlock};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use crate::tree::{NodeId, most_probable};
use std::ops::Range;

/// Rows per block.
const BLOCK: usize = 1024;

/// Jobs per thread: several, so that no thread waits long for another. A job has many blocks,
/// because two threads wait for each other when they first write to the same memory page.
const JOBS_PER_THREAD: usize = 8;

/// The fewest rows for which several threads pay off.
const WORTH_SHARING: usize = 8 * BLOCK;

/// The paths of many rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPaths {
    /// The nodes of all paths, row by row.
    pub nodes: Vec<NodeId>,
    /// Where each row's nodes start, and the end of the last row's.
    pub starts: Vec<usize>,
}

impl Walker<'_> {
    /// Class, distribution and verdict of every row.
    ///
    /// # Errors
    /// A wrong number of columns, or a value that is infinite.
    pub fn predict(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Predictions> {
        let n_classes = self.tree().n_outputs();
        let labels: Vec<u32> = (0..n_classes as u32).collect();
        let mut predictions = Predictions::blank(rows.n_rows(), n_classes);
        self.predict_into(rows, &mut predictions.slots(&labels), exec)?;
        Ok(predictions)
    }

    /// Like [`predict`](Self::predict), but writes into the caller's memory.
    ///
    /// # Errors
    /// As [`predict`](Self::predict), and memory of the wrong size. After an error the contents of
    /// the memory are unspecified.
    pub fn predict_into<L, V>(
        &self,
        rows: Matrix<'_>,
        slots: &mut PredictionSlots<'_, L, V>,
        exec: &Exec,
    ) -> Result<()>
    where
        L: Copy + Send + Sync,
        V: From<Verdict> + Send,
    {
        self.predict_by(FlatTree::new(*self).as_ref(), rows, slots, exec)
    }

    /// Like [`predict_into`](Self::predict_into), where the flat form of the tree, if it has one, is at hand.
    pub(crate) fn predict_by<L, V>(
        &self,
        flat: Option<&FlatTree>,
        rows: Matrix<'_>,
        slots: &mut PredictionSlots<'_, L, V>,
        exec: &Exec,
    ) -> Result<()>
    where
        L: Copy + Send + Sync,
        V: From<Verdict> + Send,
    {
        let n_classes = self.tree().n_outputs();
        slots.check(rows.n_rows(), n_classes)?;
        let labels = slots.labels;
        let targets = slots
            .classes
            .chunks_mut(BLOCK)
            .zip(slots.distributions.chunks_mut(BLOCK * n_classes))
            .zip(slots.verdicts.chunks_mut(BLOCK))
            .collect();
        let leaf_classes = flat.map_or(&[][..], FlatTree::classes);
        self.for_each_block(rows, exec, targets, |block, target| {
            let ((classes, distributions), verdicts) = target;
            let ends = match flat {
                Some(flat) => flat.ends(block)?,
                None => {
                    block.check(self.missing_allowed())?;
                    vec![Descent::unknown(); block.n_rows()]
                }
            };
            let mut scratch = Scratch::default();
            let distributions = distributions.chunks_exact_mut(n_classes);
            let targets = classes.iter_mut().zip(distributions).zip(verdicts);
            for ((row, end), ((class, distribution), verdict)) in
                block.rows().zip(ends).zip(targets)
            {
                if end.undecided {
                    *verdict = self.distribution(row, &mut scratch, distribution).into();
                    *class = labels[most_probable(distribution) as usize];
                } else {
                    // Copied one by one: for so few numbers a call to `memcpy` costs more.
                    let shares = self.tree().values(end.leaf());
                    distribution.iter_mut().zip(shares).for_each(|(p, &share)| *p = share);
                    *class = labels[leaf_classes[end.leaf().index()] as usize];
                    *verdict = Verdict::Decided.into();
                }
            }
            Ok(())
        })
    }

    /// The [zone distance](Walker::zone_distance) of every row.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); and not defined for `hard_middle` routing.
    pub fn zone_distances(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Vec<f64>> {
        self.check_zone_distance()?;
        let mut distances = vec![0.0; rows.n_rows()];
        self.for_each_row(rows, exec, &mut distances, |row, distance| {
            distance[0] = self.zone_distance_unchecked(row);
        })?;
        Ok(distances)
    }

    /// The [leaf](Walker::leaf) of every row.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn leaves(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Vec<NodeId>> {
        let mut leaves = vec![NodeId::ROOT; rows.n_rows()];
        self.for_each_row(rows, exec, &mut leaves, |row, leaf| leaf[0] = self.leaf(row))?;
        Ok(leaves)
    }

    /// The [paths](Walker::path) of all rows.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn paths(&self, rows: Matrix<'_>) -> Result<RowPaths> {
        let mut paths = RowPaths { nodes: Vec::new(), starts: vec![0] };
        self.check_columns(rows)?;
        let mut buffer = Vec::new();
        for range in blocks(rows.n_rows(), BLOCK) {
            let block = rows.block(range, &mut buffer);
            block.check(self.missing_allowed())?;
            for row in block.rows() {
                paths.nodes.extend(self.path(row));
                paths.starts.push(paths.nodes.len());
            }
        }
        Ok(paths)
    }

    /// Calls `f` with every row and its part of `out`, which has equally many entries for each.
    pub(crate) fn for_each_row<T: Send>(
        &self,
        rows: Matrix<'_>,
        exec: &Exec,
        out: &mut [T],
        f: impl Fn(&[f64], &mut [T]) + Send + Sync,
    ) -> Result<()> {
        let per_row = (out.len() / rows.n_rows().max(1)).max(1);
        let targets = out.chunks_mut(BLOCK * per_row).collect();
        self.for_each_block(rows, exec, targets, |block, out| {
            block.check(self.missing_allowed())?;
            block.rows().zip(out.chunks_mut(per_row)).for_each(|(row, out)| f(row, out));
            Ok(())
        })
    }

    fn for_each_block<T, F>(
        &self,
        rows: Matrix<'_>,
        exec: &Exec,
        targets: Vec<T>,
        f: F,
    ) -> Result<()>
    where
        T: Send,
        F: Fn(RowBlock<'_>, T) -> Result<()> + Send + Sync,
    {
        self.check_columns(rows)?;
        let alone = exec.alone();
        let exec = if rows.n_rows() < WORTH_SHARING { &alone } else { exec };
        for_each_block(rows, BLOCK, exec, targets, f)
    }

    fn check_columns(&self, rows: Matrix<'_>) -> Result<()> {
        check_columns(rows, self.tree().n_features())
    }
}

/// Refuses rows with another number of columns than the features of a tree.
pub(crate) fn check_columns(rows: Matrix<'_>, expected: usize) -> Result<()> {
    if rows.n_features() == expected {
        return Ok(());
    }
    Err(ErrorKind::ColumnCount { expected, found: rows.n_features() }.into())
}

/// Calls `f` with every block of `size` rows and its target. The first error by row is returned,
/// whichever thread failed first.
pub(crate) fn for_each_block<T, F>(
    rows: Matrix<'_>,
    size: usize,
    exec: &Exec,
    targets: Vec<T>,
    f: F,
) -> Result<()>
where
    T: Send,
    F: Fn(RowBlock<'_>, T) -> Result<()> + Send + Sync,
{
    let n_jobs = exec.threads() * JOBS_PER_THREAD;
    let mut jobs: Vec<Vec<(Range<usize>, T)>> = Vec::with_capacity(n_jobs);
    let blocks_per_job = targets.len().div_ceil(n_jobs).max(1);
    for (i, job) in blocks(rows.n_rows(), size).zip(targets).enumerate() {
        match jobs.last_mut() {
            Some(last) if i % blocks_per_job > 0 => last.push(job),
            _ => jobs.push(vec![job]),
        }
    }
    let outcomes: Vec<Result<()>> = exec.map(jobs, |job| {
        let mut buffer = Vec::new();
        job.into_iter().try_for_each(|(range, target)| f(rows.block(range, &mut buffer), target))
    });
    outcomes.into_iter().collect()
}

fn blocks(n_rows: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n_rows).step_by(size).map(move |start| start..(start + size).min(n_rows))
}
