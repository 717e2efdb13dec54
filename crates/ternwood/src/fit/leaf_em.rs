//! Leaf distributions: smoothed counts, and maximum likelihood for blended rows.
//!
//! With zones a tree is a mixture model: leaf l predicts row i with share `g_il`, which the zones
//! fix. Counting each row in a single leaf then does not maximise the likelihood.
//! Expectation-maximisation (Dempster, Laird, Rubin 1977) climbs towards the maximum:
//!
//! ```text
//! start   P_l = (counts_l + prior) / (n_l + 1)
//! E       r_il = g_il P_l[y_i] / sum_m g_im P_m[y_i]
//! M       P_l = (sum_i w_i r_il onehot(y_i) + prior) / (sum_i w_i r_il + 1)
//! ```
//!
//! No step lowers the log-likelihood, penalised by one row of the prior in each leaf:
//! `sum_i w_i ln sum_l g_il P_l[y_i] + sum_l sum_k prior_k ln P_l[k]`.
//!
//! Cost: each of the ten steps makes two passes over all pairs of a row and a leaf it reaches.

use super::by_recipe::FitRows;
use crate::dataset::{Matrix, RowSubset, as_trained};
use crate::error::Result;
use crate::exec::Exec;
use crate::predict::{LANES, Lanes, LeafShares, ShareWalker, Walker};
use crate::tree::{Node, NodeId, Tree};

/// The number of EM steps: more make no visible difference.
pub(super) const STEPS: usize = 10;

/// The number of EM steps on all rows where those of a sample came first.
pub(super) const LAST_STEPS: usize = 5;

/// Batches per task. Fixed, so that sums do not depend on the number of threads.
const BATCHES_PER_TASK: usize = 256;

/// Rows whose leaves one task finds.
const ROWS_PER_TASK: usize = 1 << 14;

/// The limit on cached leaf shares, in pairs of a batch and a leaf (132 bytes each). The rest are
/// recomputed in every step.
const MAX_CACHED: usize = 1 << 20;

/// `(counts + prior) / (n + 1)` of every leaf, in preorder.
pub(crate) fn smoothed(tree: &Tree, prior: &[f64]) -> Vec<f64> {
    let mut distributions = Vec::new();
    for leaf in tree.leaf_ids() {
        let n = tree.weight(leaf);
        let counts = tree.class_weights(leaf).iter().zip(prior);
        distributions.extend(counts.map(|(count, prior)| (count + prior) / (n + 1.0)));
    }
    distributions
}

/// Rows as a mixture of the leaves of a tree, for any width of its zones.
///
/// Rows of one class that end in neighbouring leaves share a batch, because they reach much the
/// same leaves.
pub(super) struct Mixture<'a> {
    fit: &'a FitRows<'a>,
    exec: &'a Exec,
    tasks: Vec<Task>,
    max_cached: usize,
    /// EM follows no share of a row below this.
    cutoff: f64,
}

/// Batches that one thread processes in order.
struct Task {
    batches: Vec<Batch>,
    leaf_shares: LeafShares,
}

/// At most [`LANES`] rows of one class.
struct Batch {
    class: usize,
    n_rows: usize,
    /// Row weights; 0 for lanes without a row.
    weights: Lanes,
    /// Values of the features that the tree tests.
    values: Vec<Lanes>,
}

/// Leaf distributions, stored class by class: a batch reads all leaves of its class.
struct LeafDistributions {
    by_class: Vec<f64>,
    n_leaves: usize,
}

impl LeafDistributions {
    fn new(by_leaf: &[f64], n_classes: usize) -> Self {
        let n_leaves = by_leaf.len() / n_classes;
        let of_class = |class| by_leaf.iter().skip(class).step_by(n_classes);
        Self { by_class: (0..n_classes).flat_map(of_class).copied().collect(), n_leaves }
    }

    fn by_leaf(&self) -> Vec<f64> {
        let of_leaf = |leaf| self.by_class.iter().skip(leaf).step_by(self.n_leaves);
        (0..self.n_leaves).flat_map(of_leaf).copied().collect()
    }

    fn of_class(&self, class: usize) -> &[f64] {
        &self.by_class[class * self.n_leaves..][..self.n_leaves]
    }
}

/// The blended probability of the true class, for each row of a batch.
#[inline]
fn blended<'s>(leaf_shares: impl Iterator<Item = (usize, &'s Lanes)>, of_class: &[f64]) -> Lanes {
    let mut blended = [0.0; LANES];
    for (leaf, shares) in leaf_shares {
        let p = of_class[leaf];
        blended.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share * p);
    }
    blended
}

/// The dot product, in four partial sums that the compiler can vectorise.
#[inline]
fn dot(a: &Lanes, b: &Lanes) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

impl<'a> Mixture<'a> {
    /// An empty mixture. EM follows no share of a row below `cutoff`.
    pub(super) fn new(fit: &'a FitRows<'a>, cutoff: f64, exec: &'a Exec) -> Self {
        Self { fit, exec, tasks: Vec::new(), max_cached: MAX_CACHED, cutoff }
    }

    /// Groups rows into batches for a tree; its zones do not matter yet. Reuses memory.
    pub(super) fn arrange(&mut self, rows: &RowSubset, walker: Walker<'_>) {
        let memory = self.tasks.drain(..).map(|task| task.leaf_shares);
        let mut memory = memory.collect::<Vec<_>>().into_iter();
        let in_batches = in_batches(self.fit, rows, walker, self.exec);
        let walker = ShareWalker::new(walker);
        let tasks = in_batches
            .chunks(BATCHES_PER_TASK)
            .map(|of_task| (of_task, memory.next().unwrap_or_default()));
        self.tasks = self.exec.map(tasks.collect(), |(of_task, leaf_shares)| {
            let batch = |members: &Vec<u32>| Batch::new(self.fit, rows, &walker, members);
            Task { batches: of_task.iter().map(batch).collect(), leaf_shares }
        });
    }

    /// The leaf distributions of the walker's tree, in preorder, after this number of EM steps
    /// from `start`.
    ///
    /// # Errors
    /// Only if cancelled.
    pub(super) fn run_em(
        &mut self,
        walker: Walker<'_>,
        start: &[f64],
        steps: usize,
    ) -> Result<Vec<f64>> {
        let walker = ShareWalker::new(walker).ignoring_shares_below(self.cutoff);
        self.cache_leaf_shares(&walker);
        let mut distributions = LeafDistributions::new(start, self.fit.prior.len());
        for _ in 0..steps {
            self.exec.check()?;
            distributions = self.step(&walker, &distributions);
        }
        Ok(distributions.by_leaf())
    }

    /// The log-loss summed over all rows: `w * -ln p`, with `p` the probability of the true class,
    /// at least `clip`.
    pub(super) fn loss(&mut self, walker: Walker<'_>, by_leaf: &[f64], clip: f64) -> f64 {
        let distributions = LeafDistributions::new(by_leaf, self.fit.prior.len());
        self.clear_cache();
        let losses = self.fold(
            &ShareWalker::new(walker),
            0.0,
            |loss: &mut f64, batch, (at, leaf_shares)| {
                let p = blended(leaf_shares.batch(at), distributions.of_class(batch.class));
                for (p, weight) in p.iter().zip(&batch.weights).take(batch.n_rows) {
                    *loss -= weight * p.clamp(clip, 1.0).ln();
                }
            },
        );
        losses.iter().sum()
    }

    fn clear_cache(&mut self) {
        self.tasks.iter_mut().for_each(|task| task.leaf_shares.clear());
    }

    /// Caches the leaf shares of the first tasks, up to the limit.
    fn cache_leaf_shares(&mut self, walker: &ShareWalker<'_>) {
        self.clear_cache();
        let mut cached = 0;
        for tasks in self.tasks.chunks_mut(self.exec.threads()) {
            self.exec.map(tasks.iter_mut().collect(), |task| {
                for batch in &task.batches {
                    walker.walk(batch.n_rows, &batch.values, &mut task.leaf_shares);
                }
            });
            cached += tasks.iter().map(|task| task.leaf_shares.len()).sum::<usize>();
            if cached > self.max_cached {
                return;
            }
        }
    }

    /// Folds the batches of each task into one value, beginning with `start`. `f` gets a batch,
    /// and its index in the leaf shares.
    fn fold<T: Clone + Send + Sync>(
        &self,
        walker: &ShareWalker<'_>,
        start: T,
        f: impl Fn(&mut T, &Batch, (usize, &LeafShares)) + Send + Sync,
    ) -> Vec<T> {
        self.exec.map(self.tasks.iter().collect(), |task| {
            let mut value = start.clone();
            if task.leaf_shares.len() > 0 {
                for (index, batch) in task.batches.iter().enumerate() {
                    f(&mut value, batch, (index, &task.leaf_shares));
                }
                return value;
            }
            let mut leaf_shares = LeafShares::default();
            for batch in &task.batches {
                leaf_shares.clear();
                walker.walk(batch.n_rows, &batch.values, &mut leaf_shares);
                f(&mut value, batch, (0, &leaf_shares));
            }
            value
        })
    }

    fn step(
        &self,
        walker: &ShareWalker<'_>,
        distributions: &LeafDistributions,
    ) -> LeafDistributions {
        let n_leaves = distributions.n_leaves;
        let zeros = vec![0.0; distributions.by_class.len()];
        let task_sums =
            self.fold(walker, zeros, |sums: &mut Vec<f64>, batch, (at, leaf_shares)| {
                let p = blended(leaf_shares.batch(at), distributions.of_class(batch.class));
                let mut ratios = [0.0; LANES];
                for ((ratio, p), weight) in
                    ratios.iter_mut().zip(&p).zip(&batch.weights).take(batch.n_rows)
                {
                    *ratio = weight / p;
                }
                let sums = &mut sums[batch.class * n_leaves..][..n_leaves];
                for (leaf, shares) in leaf_shares.batch(at) {
                    sums[leaf] += dot(&ratios, shares);
                }
            });
        // The expected weight of each class in each leaf: `P_l[k] * sum of w g / blended`.
        let mut expected = vec![0.0; distributions.by_class.len()];
        for sums in task_sums {
            expected.iter_mut().zip(sums).for_each(|(sum, more)| *sum += more);
        }
        expected.iter_mut().zip(&distributions.by_class).for_each(|(sum, p)| *sum *= p);
        let mut leaf_weights = vec![1.0; n_leaves];
        for of_class in expected.chunks_exact(n_leaves) {
            leaf_weights.iter_mut().zip(of_class).for_each(|(weight, more)| *weight += more);
        }
        for (of_class, prior) in expected.chunks_exact_mut(n_leaves).zip(&self.fit.prior) {
            for (expected, weight) in of_class.iter_mut().zip(&leaf_weights) {
                *expected = (*expected + prior) / weight;
            }
        }
        LeafDistributions { by_class: expected, n_leaves }
    }
}

#[cfg(test)]
impl Mixture<'_> {
    /// The same with another limit on cached leaf shares.
    pub(super) fn with_max_cached(mut self, pairs: usize) -> Self {
        self.max_cached = pairs;
        self
    }

    pub(super) fn caches_all(&self) -> bool {
        self.tasks.iter().all(|task| task.leaf_shares.len() > 0)
    }
}

/// Rows of one class that end in neighbouring leaves, batch by batch.
fn in_batches(
    fit: &FitRows<'_>,
    subset: &RowSubset,
    walker: Walker<'_>,
    exec: &Exec,
) -> Vec<Vec<u32>> {
    let matrix = fit.data.matrix();
    // Sums of real numbers depend on the order, so it must not be that of the table.
    let place =
        |&row: &u32| (fit.class_of(row), leaf_of(walker.tree(), matrix, row), fit.number(row), row);
    let places = exec.map(subset.rows.chunks(ROWS_PER_TASK).collect(), |rows: &[u32]| {
        rows.iter().map(place).collect::<Vec<_>>()
    });
    let mut order: Vec<(usize, NodeId, u32, u32)> = places.into_iter().flatten().collect();
    order.sort_unstable();
    let rows =
        |members: &[(usize, NodeId, u32, u32)]| members.iter().map(|&(.., row)| row).collect();
    let of_class = order.chunk_by(|a, b| a.0 == b.0);
    of_class.flat_map(|of_class| of_class.chunks(LANES).map(rows)).collect()
}

impl Batch {
    fn new(fit: &FitRows<'_>, subset: &RowSubset, walker: &ShareWalker<'_>, rows: &[u32]) -> Self {
        let mut weights = [0.0; LANES];
        weights.iter_mut().zip(rows).for_each(|(weight, &row)| *weight = fit.weight(subset, row));
        let values = walker.values(fit.data.matrix(), rows);
        Self { class: fit.class_of(rows[0]), n_rows: rows.len(), weights, values }
    }
}

/// The leaf at the end of the crisp path.
fn leaf_of(tree: &Tree, matrix: Matrix<'_>, row: u32) -> NodeId {
    let mut node = NodeId::ROOT;
    while let Node::Split(split) = tree.node(node) {
        let value = matrix.column(split.test.feature().0).at(row as usize);
        node = split.crisp_child(as_trained(value));
    }
    node
}
