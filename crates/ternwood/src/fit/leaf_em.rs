//! What leaves answer: smoothed counts, and the likeliest distributions for blended rows.
//!
//! With zones a tree is a mixture: row i is answered by leaf l with the share `g_il`, which the
//! zones fix. Counting each row in one leaf is then not the likeliest answer. Expectation and
//! maximisation (Dempster, Laird, Rubin 1977) climb to it:
//!
//! ```text
//! start   P_l = (counts_l + prior) / (n_l + 1)
//! E       r_il = g_il P_l[y_i] / sum_m g_im P_m[y_i]
//! M       P_l = (sum_i w_i r_il onehot(y_i) + prior) / (sum_i w_i r_il + 1)
//! ```
//!
//! Every step raises, or at least keeps, the log-likelihood penalised by one row of the prior
//! in each leaf: `sum_i w_i ln sum_l g_il P_l[y_i] + sum_l sum_k prior_k ln P_l[k]`.
//!
//! Cost: each of the ten steps looks twice at every pair of a row and a leaf it reaches.

use super::fit_rows::FitRows;
use crate::dataset::Matrix;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::RowSubset;
use crate::predict::{LANES, Lanes, LeafShares, ShareWalker, Walker};
use crate::tree::{Node, NodeId, Tree};

/// How many steps are made: enough that more change nothing that can be seen.
pub(super) const STEPS: usize = 10;

/// So many bunches of rows make one sum, whatever the number of threads.
const BUNCHES_PER_TASK: usize = 256;

/// LeafShares of so many bunches and leaves are kept (132 bytes each); others are found again in
/// every step.
const KEPT_GATES: usize = 1 << 20;

/// `(counts + prior) / (n + 1)` of every leaf, in preorder.
pub(super) fn smoothed(tree: &Tree, prior: &[f64]) -> Vec<f64> {
    let mut distributions = Vec::new();
    for leaf in tree.leaf_ids() {
        let n = tree.weight(leaf);
        let counts = tree.class_weights(leaf).iter().zip(prior);
        distributions.extend(counts.map(|(count, prior)| (count + prior) / (n + 1.0)));
    }
    distributions
}

/// Rows as a mixture of the leaves of a tree, whatever the width of its zones.
///
/// Rows of a class that end in neighbouring leaves stand together in bunches, and are looked at
/// together: they reach much the same leaves.
pub(super) struct Mixture<'a> {
    fit: &'a FitRows<'a>,
    exec: &'a Exec,
    tasks: Vec<Task>,
    kept_gates: usize,
}

/// Bunches that one thread works on, one after the other.
struct Task {
    bunches: Vec<Bunch>,
    gates: LeafShares,
}

/// A few rows of one class.
struct Bunch {
    class: usize,
    n_rows: usize,
    /// The rows' weights; 0 for lanes without a row.
    weights: Lanes,
    /// What the tree looks at of them.
    values: Vec<Lanes>,
}

/// Leaf distributions, all leaves of a class together: that is how rows look at them.
struct Answers {
    by_class: Vec<f64>,
    n_leaves: usize,
}

impl Answers {
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

/// The probability that the leaves of a bunch's rows give to their class.
#[inline]
fn blended<'g>(gates: impl Iterator<Item = (usize, &'g Lanes)>, of_class: &[f64]) -> Lanes {
    let mut blended = [0.0; LANES];
    for (leaf, shares) in gates {
        let p = of_class[leaf];
        blended.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share * p);
    }
    blended
}

/// The sum of products, four partial sums at a time.
#[inline]
fn dot(a: &Lanes, b: &Lanes) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

impl<'a> Mixture<'a> {
    /// A mixture without rows.
    pub(super) fn new(fit: &'a FitRows<'a>, exec: &'a Exec) -> Self {
        Self { fit, exec, tasks: Vec::new(), kept_gates: KEPT_GATES }
    }

    /// Arranges rows for a tree; its zones do not matter yet. Memory of gates is used again.
    pub(super) fn arrange(&mut self, rows: &RowSubset, walker: Walker<'_>) {
        let memory = self.tasks.drain(..).map(|task| task.gates);
        let mut memory = memory.collect::<Vec<_>>().into_iter();
        let mut bunches = bunches(self.fit, rows, walker).into_iter().peekable();
        while bunches.peek().is_some() {
            let bunches = bunches.by_ref().take(BUNCHES_PER_TASK).collect();
            self.tasks.push(Task { bunches, gates: memory.next().unwrap_or_default() });
        }
    }

    /// The distributions of all leaves of the walker's tree, in preorder, after so many steps from
    /// `start`.
    ///
    /// # Errors
    /// Only if cancelled.
    pub(super) fn climb(
        &mut self,
        walker: Walker<'_>,
        start: &[f64],
        steps: usize,
    ) -> Result<Vec<f64>> {
        let walker = ShareWalker::new(walker);
        self.keep_gates(&walker);
        let mut answers = Answers::new(start, self.fit.prior.len());
        for _ in 0..steps {
            self.exec.check()?;
            answers = self.step(&walker, &answers);
        }
        Ok(answers.by_leaf())
    }

    /// The sum of `w * -ln p` over all rows, `p` the probability of the true class but at
    /// least `clip`.
    pub(super) fn loss(&mut self, walker: Walker<'_>, by_leaf: &[f64], clip: f64) -> f64 {
        let answers = Answers::new(by_leaf, self.fit.prior.len());
        self.forget_gates();
        let losses =
            self.fold(&ShareWalker::new(walker), 0.0, |loss: &mut f64, bunch, (at, gates)| {
                let p = blended(gates.bunch(at), answers.of_class(bunch.class));
                for (p, weight) in p.iter().zip(&bunch.weights).take(bunch.n_rows) {
                    *loss -= weight * p.clamp(clip, 1.0).ln();
                }
            });
        losses.iter().sum()
    }

    fn forget_gates(&mut self) {
        self.tasks.iter_mut().for_each(|task| task.gates.clear());
    }

    /// Finds the gates of the first tasks, as many as may be kept.
    fn keep_gates(&mut self, walker: &ShareWalker<'_>) {
        self.forget_gates();
        let mut kept = 0;
        for tasks in self.tasks.chunks_mut(self.exec.threads()) {
            self.exec.for_each(tasks.iter_mut().collect(), |task| {
                for bunch in &task.bunches {
                    walker.walk(bunch.n_rows, &bunch.values, &mut task.gates);
                }
            });
            kept += tasks.iter().map(|task| task.gates.len()).sum::<usize>();
            if kept > self.kept_gates {
                return;
            }
        }
    }

    /// Folds the bunches of each task into one value that starts as `start`; `f` gets a bunch,
    /// and its place in the gates.
    fn fold<T: Clone + Send + Sync>(
        &self,
        walker: &ShareWalker<'_>,
        start: T,
        f: impl Fn(&mut T, &Bunch, (usize, &LeafShares)) + Send + Sync,
    ) -> Vec<T> {
        self.exec.map(self.tasks.iter().collect(), |task| {
            let mut value = start.clone();
            if task.gates.len() > 0 {
                for (index, bunch) in task.bunches.iter().enumerate() {
                    f(&mut value, bunch, (index, &task.gates));
                }
                return value;
            }
            let mut gates = LeafShares::default();
            for bunch in &task.bunches {
                gates.clear();
                walker.walk(bunch.n_rows, &bunch.values, &mut gates);
                f(&mut value, bunch, (0, &gates));
            }
            value
        })
    }

    fn step(&self, walker: &ShareWalker<'_>, answers: &Answers) -> Answers {
        let n_leaves = answers.n_leaves;
        let nothing = vec![0.0; answers.by_class.len()];
        let pulls = self.fold(walker, nothing, |pull: &mut Vec<f64>, bunch, (at, gates)| {
            let p = blended(gates.bunch(at), answers.of_class(bunch.class));
            let mut times = [0.0; LANES];
            for ((times, p), weight) in
                times.iter_mut().zip(&p).zip(&bunch.weights).take(bunch.n_rows)
            {
                *times = weight / p;
            }
            let pull = &mut pull[bunch.class * n_leaves..][..n_leaves];
            for (leaf, shares) in gates.bunch(at) {
                pull[leaf] += dot(&times, shares);
            }
        });
        // How much of each class every leaf answers for: `P_l[k] * sum of w g / blended`.
        let mut answered = vec![0.0; answers.by_class.len()];
        for pull in pulls {
            answered.iter_mut().zip(pull).for_each(|(sum, more)| *sum += more);
        }
        answered.iter_mut().zip(&answers.by_class).for_each(|(pull, p)| *pull *= p);
        let mut weights = vec![1.0; n_leaves];
        for of_class in answered.chunks_exact(n_leaves) {
            weights.iter_mut().zip(of_class).for_each(|(weight, more)| *weight += more);
        }
        for (of_class, prior) in answered.chunks_exact_mut(n_leaves).zip(&self.fit.prior) {
            for (answered, weight) in of_class.iter_mut().zip(&weights) {
                *answered = (*answered + prior) / weight;
            }
        }
        Answers { by_class: answered, n_leaves }
    }
}

#[cfg(test)]
impl Mixture<'_> {
    /// The same with memory for so many gates.
    pub(super) fn keeping(mut self, gates: usize) -> Self {
        self.kept_gates = gates;
        self
    }

    pub(super) fn keeps_all_gates(&self) -> bool {
        self.tasks.iter().all(|task| task.gates.len() > 0)
    }
}

/// Rows by class, then by the leaf they end in, a few at a time.
fn bunches(fit: &FitRows<'_>, subset: &RowSubset, walker: Walker<'_>) -> Vec<Bunch> {
    let matrix = fit.data.matrix();
    let place = |&row: &u32| (fit.class_of(row), leaf_of(walker.tree(), matrix, row), row);
    let mut order: Vec<(usize, NodeId, u32)> = subset.rows.iter().map(place).collect();
    order.sort_unstable();
    let walker = ShareWalker::new(walker);
    let bunch = |bunch: &[(usize, NodeId, u32)]| {
        let rows: Vec<u32> = bunch.iter().map(|&(_, _, row)| row).collect();
        let mut weights = [0.0; LANES];
        weights.iter_mut().zip(&rows).for_each(|(weight, &row)| *weight = fit.weight(subset, row));
        let values = walker.values(matrix, &rows);
        Bunch { class: bunch[0].0, n_rows: rows.len(), weights, values }
    };
    let of_class = order.chunk_by(|a, b| a.0 == b.0);
    of_class.flat_map(|rows| rows.chunks(LANES).map(bunch)).collect()
}

/// The leaf at the end of the crisp path.
fn leaf_of(tree: &Tree, matrix: Matrix<'_>, row: u32) -> NodeId {
    let mut node = NodeId::ROOT;
    while let Node::Split(split) = tree.node(node) {
        node = split.crisp_child(matrix.column(split.test.feature().0).at(row as usize));
    }
    node
}
