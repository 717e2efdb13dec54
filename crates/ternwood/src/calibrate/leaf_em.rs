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
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::predict::{Gates, Walker};
use crate::tree::Tree;
use crate::workers::Workers;

/// How many steps are made: enough that more change nothing that can be seen.
pub(super) const STEPS: usize = 10;

/// Rows are worked on in blocks of this size, whatever the number of threads: sums are made
/// block by block.
const BLOCK: usize = 4096;

/// Gates of so many pairs of row and leaf are kept (12 bytes each); others are found again in
/// every step.
const KEPT_PAIRS: usize = 8 << 20;

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

/// Rows as a mixture of leaves.
pub(super) struct Mixture<'a> {
    fit: &'a FitRows<'a>,
    walker: Walker<'a>,
    workers: &'a Workers,
    cancel: &'a CancelToken,
    blocks: Vec<Block<'a>>,
}

struct Block<'a> {
    rows: &'a [u32],
    gates: Option<Gates>,
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

/// The probability that a row's leaves give to a class.
#[inline]
fn blended(leaves: &[u32], shares: &[f64], of_class: &[f64]) -> f64 {
    leaves.iter().zip(shares).map(|(&leaf, share)| share * of_class[leaf as usize]).sum()
}

impl<'a> Mixture<'a> {
    pub(super) fn new(
        fit: &'a FitRows<'a>,
        rows: &'a [u32],
        walker: Walker<'a>,
        (workers, cancel): (&'a Workers, &'a CancelToken),
    ) -> Self {
        let blocks = rows.chunks(BLOCK).map(|rows| Block { rows, gates: None }).collect();
        Self { fit, walker, workers, cancel, blocks }
    }

    /// The distributions of all leaves, in preorder, after [`STEPS`] steps from `start`.
    ///
    /// # Errors
    /// Only if cancelled.
    pub(super) fn climb(mut self, start: &[f64]) -> Result<Vec<f64>> {
        self.keep_gates();
        let mut answers = Answers::new(start, self.fit.prior.len());
        for _ in 0..STEPS {
            self.cancel.check()?;
            answers = self.step(&answers);
        }
        Ok(answers.by_leaf())
    }

    /// The sum of `w * -ln p` over all rows, `p` the probability of the true class but at
    /// least `clip`.
    pub(super) fn loss(&self, by_leaf: &[f64], clip: f64) -> f64 {
        let answers = Answers::new(by_leaf, self.fit.prior.len());
        let losses = self.workers.map(self.blocks.iter().collect(), |block| {
            let mut loss = 0.0;
            self.for_each_row(block, |row, leaves, shares| {
                let p = blended(leaves, shares, answers.of_class(self.fit.class_of(row)));
                loss -= self.fit.weight_of(row) * p.clamp(clip, 1.0).ln();
            });
            loss
        });
        losses.iter().sum()
    }

    /// Finds the gates of the first blocks, as many as may be kept.
    fn keep_gates(&mut self) {
        let mut kept = 0;
        let matrix = self.fit.data.rows();
        for blocks in self.blocks.chunks_mut(self.workers.threads()) {
            let walker = self.walker;
            let gates = self.workers.map(blocks.iter().map(|block| block.rows).collect(), |rows| {
                walker.gates(matrix, rows)
            });
            for (block, gates) in blocks.iter_mut().zip(gates) {
                kept += gates.n_pairs();
                block.gates = (kept <= KEPT_PAIRS).then_some(gates);
            }
            if kept > KEPT_PAIRS {
                return;
            }
        }
    }

    fn for_each_row(&self, block: &Block<'_>, mut f: impl FnMut(u32, &[u32], &[f64])) {
        let found;
        let gates = match &block.gates {
            Some(gates) => gates,
            None => {
                found = self.walker.gates(self.fit.data.rows(), block.rows);
                &found
            }
        };
        for (&row, (leaves, shares)) in block.rows.iter().zip(gates.iter()) {
            f(row, leaves, shares);
        }
    }

    fn step(&self, answers: &Answers) -> Answers {
        let n_leaves = answers.n_leaves;
        let pulls = self.workers.map(self.blocks.iter().collect(), |block| {
            let mut pull = vec![0.0; answers.by_class.len()];
            self.for_each_row(block, |row, leaves, shares| {
                let class = self.fit.class_of(row);
                let weight = self.fit.weight_of(row);
                let times = weight / blended(leaves, shares, answers.of_class(class));
                let pull = &mut pull[class * n_leaves..][..n_leaves];
                for (&leaf, share) in leaves.iter().zip(shares) {
                    pull[leaf as usize] += times * share;
                }
            });
            pull
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
