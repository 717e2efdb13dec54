//! The values of all leaves of a tree with zones at once.
//!
//! A row within a zone counts in several leaves, so their values depend on each other: they minimise the second-order
//! approximation of the loss, `(S' H S + lambda I) v = S' g`, with the shares `S` of rows in leaves. Products are
//! rounded to multiples of a power of two before they are added, so that sums are exact and depend neither on threads
//! nor on the order of rows.

use super::dense::{BLOCK, DenseTree, Workspace};
use crate::error::Result;
use crate::exec::Exec;

/// Blocks of rows per task.
const BLOCKS_PER_TASK: usize = 64;

/// Gradients and Hessians of a block, output by output; 0 for rows that were not drawn.
pub(super) type BlockGradients = [[f64; BLOCK]; 2];

/// Adds numbers exactly: those that were rounded to multiples of `unit`.
#[derive(Clone, Copy)]
struct Rounding(f64);

impl Rounding {
    /// For sums up to `total`.
    fn new(total: f64) -> Self {
        // The largest power of two that leaves the sum 52 bits, times 1.5 * 2^52: adding it drops the bits below.
        let unit = 2f64.powi(total.log2().ceil() as i32 - 51);
        Self(1.5 * 2f64.powi(52) * unit)
    }

    #[inline(always)]
    fn round(self, x: f64) -> f64 {
        (x + self.0) - self.0
    }
}

/// The least-squares problem of one output.
struct Normal {
    /// The lower triangle, row by row.
    matrix: Vec<f64>,
    right: Vec<f64>,
}

/// What the leaves of one tree are fitted to.
pub(super) struct LeafProblem<'a> {
    pub(super) tree: &'a DenseTree,
    /// `values(feature, block)`.
    pub(super) values: &'a (dyn Fn(usize, usize) -> &'a [f64; BLOCK] + Sync),
    /// Output by output for each block.
    pub(super) gradients: &'a [BlockGradients],
    pub(super) n_outputs: usize,
    pub(super) lambda: f64,
    /// Upper bounds of the sums of absolute gradients and of Hessians.
    pub(super) totals: [f64; 2],
}

impl LeafProblem<'_> {
    /// The values of all leaves in preorder, output by output of each leaf.
    pub(super) fn solve(&self, exec: &Exec) -> Result<Vec<f64>> {
        let n_leaves = self.tree.n_leaves();
        let n_blocks = self.gradients.len() / self.n_outputs;
        let tasks = (0..n_blocks).step_by(BLOCKS_PER_TASK);
        let tasks: Vec<_> =
            tasks.map(|first| first..n_blocks.min(first + BLOCKS_PER_TASK)).collect();
        let new = || -> Vec<Normal> {
            let normal = || Normal {
                matrix: vec![0.0; n_leaves * (n_leaves + 1) / 2],
                right: vec![0.0; n_leaves],
            };
            (0..self.n_outputs).map(|_| normal()).collect()
        };
        let [g_rounding, h_rounding] = self.totals.map(Rounding::new);
        let parts = exec.map_with(tasks, Workspace::default, |work, blocks| {
            let mut normals = new();
            for block in blocks {
                self.tree.find_leaf_shares(|feature| (self.values)(feature, block), work);
                let gradients = &self.gradients[block * self.n_outputs..][..self.n_outputs];
                for (normal, gradients) in normals.iter_mut().zip(gradients) {
                    normal.add(&work.leaf_shares, gradients, g_rounding, h_rounding);
                }
            }
            normals
        });
        exec.check()?;
        let mut sums = new();
        for part in parts {
            for (sum, part) in sums.iter_mut().zip(part) {
                sum.matrix.iter_mut().zip(part.matrix).for_each(|(sum, x)| *sum += x);
                sum.right.iter_mut().zip(part.right).for_each(|(sum, x)| *sum += x);
            }
        }
        let mut values = vec![0.0; n_leaves * self.n_outputs];
        for (output, normal) in sums.into_iter().enumerate() {
            let solution = normal.solve(self.lambda);
            let own = values[output..].iter_mut().step_by(self.n_outputs);
            own.zip(solution).for_each(|(value, x)| *value = x);
        }
        Ok(values)
    }
}

impl Normal {
    #[inline]
    fn add(
        &mut self,
        shares: &[[f64; BLOCK]],
        [g, h]: &BlockGradients,
        g_rounding: Rounding,
        h_rounding: Rounding,
    ) {
        let mut at = 0;
        for (leaf, own) in shares.iter().enumerate() {
            let mut weighted = [0.0; BLOCK];
            let mut right = [0.0; 4];
            for row in 0..BLOCK {
                weighted[row] = own[row] * h[row];
                right[row % 4] += g_rounding.round(own[row] * g[row]);
            }
            self.right[leaf] += right.iter().sum::<f64>();
            for other in &shares[..=leaf] {
                let mut sums = [0.0; 4];
                for row in 0..BLOCK {
                    sums[row % 4] += h_rounding.round(weighted[row] * other[row]);
                }
                self.matrix[at] += sums.iter().sum::<f64>();
                at += 1;
            }
        }
    }

    /// By Cholesky's decomposition.
    fn solve(mut self, lambda: f64) -> Vec<f64> {
        let n = self.right.len();
        let at = |row: usize, column: usize| row * (row + 1) / 2 + column;
        let matrix = &mut self.matrix;
        // Where lambda is 0 and a leaf has no weight, its value is 0.
        let least = f64::MIN_POSITIVE.sqrt();
        for i in 0..n {
            for j in 0..=i {
                let mut sum = matrix[at(i, j)];
                if i == j {
                    sum += lambda;
                }
                for k in 0..j {
                    sum -= matrix[at(i, k)] * matrix[at(j, k)];
                }
                matrix[at(i, j)] =
                    if i == j { sum.max(least).sqrt() } else { sum / matrix[at(j, j)] };
            }
        }
        let mut x = self.right;
        for i in 0..n {
            for k in 0..i {
                x[i] -= matrix[at(i, k)] * x[k];
            }
            x[i] /= matrix[at(i, i)];
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                x[i] -= matrix[at(k, i)] * x[k];
            }
            x[i] /= matrix[at(i, i)];
        }
        x
    }
}
