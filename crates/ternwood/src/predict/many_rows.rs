//! Walking many rows: block by block, on several threads.

use super::flat::{FlatTree, WayEnd};
use super::prediction::{PredictionSlots, Predictions};
use super::walk::{Scratch, Walker};
use crate::dataset::{RowBlock, Rows};
use crate::error::{ErrorKind, Result};
use crate::logic::Verdict;
use crate::tree::{NodeId, most_probable};
use crate::workers::Workers;
use std::ops::Range;

/// So many rows are walked before their answers are written.
const BLOCK: usize = 1024;

/// Threads are handed so many jobs each, lest one waits for the other. A job is many blocks: two
/// threads that write to the same page of memory for the first time wait for each other.
const JOBS_PER_THREAD: usize = 8;

/// With fewer rows than this, starting threads costs more than it saves.
const WORTH_SHARING: usize = 8 * BLOCK;

impl Walker<'_> {
    /// Class, distribution and verdict of every row.
    ///
    /// # Errors
    /// A wrong number of columns, or a value that is NaN or infinite.
    pub fn predict(&self, rows: Rows<'_>, workers: &Workers) -> Result<Predictions> {
        let n_classes = self.tree().n_classes();
        let labels: Vec<u32> = (0..n_classes as u32).collect();
        let mut predictions = Predictions::blank(rows.n_rows(), n_classes);
        self.predict_into(rows, workers, &mut predictions.slots(&labels))?;
        Ok(predictions)
    }

    /// Like [`predict`](Self::predict), into memory of the caller.
    ///
    /// # Errors
    /// As [`predict`](Self::predict), and memory of the wrong size. What the memory holds after
    /// an error is of no use.
    pub fn predict_into<L, V>(
        &self,
        rows: Rows<'_>,
        workers: &Workers,
        slots: &mut PredictionSlots<'_, L, V>,
    ) -> Result<()>
    where
        L: Copy + Send + Sync,
        V: From<Verdict> + Send,
    {
        let n_classes = self.tree().n_classes();
        slots.check(rows.n_rows(), n_classes)?;
        let labels = slots.labels;
        let targets = slots
            .classes
            .chunks_mut(BLOCK)
            .zip(slots.distributions.chunks_mut(BLOCK * n_classes))
            .zip(slots.verdicts.chunks_mut(BLOCK))
            .collect();
        let flat = FlatTree::new(*self);
        let leaf_labels: Vec<L> =
            self.tree().ids().map(|id| labels[self.tree().majority_class(id) as usize]).collect();
        self.for_each_block(rows, workers, targets, |block, target| {
            let ((classes, distributions), verdicts) = target;
            let ends = match &flat {
                Some(flat) => flat.ends(block)?,
                None => {
                    block.check_finite()?;
                    vec![WayEnd::unknown(); block.n_rows()]
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
                    // One by one: they are few, and a call to copy them would cost more.
                    let shares = self.tree().distribution(end.leaf());
                    distribution.iter_mut().zip(shares).for_each(|(p, &share)| *p = share);
                    *class = leaf_labels[end.leaf().index()];
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
    pub fn zone_distances(&self, rows: Rows<'_>, workers: &Workers) -> Result<Vec<f64>> {
        self.check_zone_distance()?;
        let mut distances = vec![0.0; rows.n_rows()];
        let targets = distances.chunks_mut(BLOCK).collect();
        self.for_each_block(rows, workers, targets, |block, distances| {
            block.check_finite()?;
            for (row, distance) in block.rows().zip(distances) {
                *distance = self.zone_distance_unchecked(row);
            }
            Ok(())
        })?;
        Ok(distances)
    }

    /// The [leaf](Walker::leaf) of every row.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn leaves(&self, rows: Rows<'_>, workers: &Workers) -> Result<Vec<NodeId>> {
        let mut leaves = vec![NodeId::ROOT; rows.n_rows()];
        let targets = leaves.chunks_mut(BLOCK).collect();
        self.for_each_block(rows, workers, targets, |block, leaves| {
            block.check_finite()?;
            for (row, leaf) in block.rows().zip(leaves) {
                *leaf = self.leaf(row);
            }
            Ok(())
        })?;
        Ok(leaves)
    }

    /// The [paths](Walker::path) of all rows: all node ids one after the other, and where each
    /// row's begin (one more than there are rows).
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn paths(&self, rows: Rows<'_>) -> Result<(Vec<NodeId>, Vec<usize>)> {
        let (mut nodes, mut starts) = (Vec::new(), vec![0]);
        self.check_columns(rows)?;
        let mut buffer = Vec::new();
        for range in blocks(rows.n_rows()) {
            let block = rows.block(range, &mut buffer);
            block.check_finite()?;
            for row in block.rows() {
                nodes.extend(self.path(row));
                starts.push(nodes.len());
            }
        }
        Ok((nodes, starts))
    }

    /// Calls `f` with every block, and the target that belongs to it.
    fn for_each_block<T, F>(
        &self,
        rows: Rows<'_>,
        workers: &Workers,
        targets: Vec<T>,
        f: F,
    ) -> Result<()>
    where
        T: Send,
        F: Fn(RowBlock<'_>, T) -> Result<()> + Send + Sync,
    {
        self.check_columns(rows)?;
        let alone = Workers::single();
        let workers = if rows.n_rows() < WORTH_SHARING { &alone } else { workers };
        let n_jobs = workers.threads() * JOBS_PER_THREAD;
        let mut jobs: Vec<Vec<(Range<usize>, T)>> = Vec::with_capacity(n_jobs);
        let blocks_per_job = targets.len().div_ceil(n_jobs).max(1);
        for (i, job) in blocks(rows.n_rows()).zip(targets).enumerate() {
            match jobs.last_mut() {
                Some(last) if i % blocks_per_job > 0 => last.push(job),
                _ => jobs.push(vec![job]),
            }
        }
        let outcomes: Vec<Result<()>> = workers.map(jobs, |job| {
            let mut buffer = Vec::new();
            job.into_iter()
                .try_for_each(|(range, target)| f(rows.block(range, &mut buffer), target))
        });
        // The first error by row, whichever thread met one first.
        outcomes.into_iter().collect()
    }

    fn check_columns(&self, rows: Rows<'_>) -> Result<()> {
        let expected = self.tree().n_features();
        if rows.n_features() == expected {
            return Ok(());
        }
        Err(ErrorKind::ColumnCount { expected, found: rows.n_features() }.into())
    }
}

fn blocks(n_rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n_rows).step_by(BLOCK).map(move |start| start..(start + BLOCK).min(n_rows))
}
