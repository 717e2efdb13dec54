//! One bag: trees boosted on some rows until other rows are predicted no better.

use super::bins::Bins;
use super::dense::{BLOCK, DenseTree, Workspace};
use super::gradients::Gradients;
use super::growth::{Grower, Limits};
use super::leaf_values::{BlockGradients, LeafProblem};
use super::loss::Loss;
use super::table::Table;
use crate::dataset::{ExactSum, mix};
use crate::error::Result;
use crate::exec::Exec;
use crate::tree::Tree;

/// How a bag is boosted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rounds {
    pub(crate) limits: Limits,
    pub(crate) learning_rate: f64,
    pub(crate) most: usize,
    /// Stops after this many rounds without a gain on the held-out rows.
    pub(crate) patience: usize,
    /// The share of rows drawn in each round.
    pub(crate) row_share: f64,
    /// The share of features drawn for each tree.
    pub(crate) feature_share: f64,
    pub(crate) seed: u64,
}

/// What all bags of a fit share.
pub(super) struct Shared<'a> {
    pub(super) table: &'a Table,
    pub(super) bins: &'a Bins,
    /// Columns padded to whole blocks.
    pub(super) blocks: &'a [Vec<[f64; BLOCK]>],
    pub(super) classes: &'a [u32],
    pub(super) loss: Loss,
}

/// The rows of a bag: what each weighs in training, and held out.
pub(super) struct BagRows {
    pub(super) training: Vec<f64>,
    pub(super) held_out: Vec<f64>,
}

/// A bag that was boosted.
#[derive(Debug)]
pub(crate) struct Bag {
    /// Scores before the first tree.
    pub(crate) start: Vec<f64>,
    /// Leaf values include the learning rate.
    pub(crate) trees: Vec<Tree>,
    /// The mean loss of the held-out rows after every round.
    pub(crate) losses: Vec<f64>,
    /// The scores of the held-out rows and which they are.
    pub(crate) held_out: Vec<(u32, Vec<f64>)>,
}

impl Bag {
    /// The least mean loss of the held-out rows.
    pub(crate) fn loss(&self) -> f64 {
        self.losses.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

const BLOCKS_PER_TASK: usize = 128;

impl Shared<'_> {
    pub(super) fn boost(&self, rows: &BagRows, rounds: &Rounds, exec: &Exec) -> Result<Bag> {
        let Self { table, bins, loss, .. } = *self;
        let n_outputs = loss.n_outputs();
        let n_blocks = table.n_rows().div_ceil(BLOCK);
        let total: f64 = rows.training.iter().sum();
        let start = loss.start(&self.class_weights(&rows.training));
        let mut scores: Vec<[f64; BLOCK]> =
            (0..n_blocks).flat_map(|_| start.iter().map(|&start| [start; BLOCK])).collect();
        let mut gradients = Gradients::new(table.n_rows(), n_outputs, total, loss.largest());
        let mut by_block: Vec<BlockGradients> = vec![[[0.0; BLOCK]; 2]; n_blocks * n_outputs];
        let held_out: Vec<u32> =
            (0..table.n_rows() as u32).filter(|&row| rows.held_out[row as usize] > 0.0).collect();
        let training: Vec<u32> =
            (0..table.n_rows() as u32).filter(|&row| rows.training[row as usize] > 0.0).collect();
        let whole = training.iter().all(|&row| rows.training[row as usize].fract() == 0.0);
        let largest = rows.training.iter().copied().fold(0.0, f64::max);
        let units = |row: u32| {
            let weight = rows.training[row as usize];
            if whole { weight as u64 } else { (weight / largest * f64::from(1 << 20)) as u64 }
        };
        let (mut trees, mut losses) = (Vec::new(), Vec::new());
        let (mut best, mut best_scores) = (f64::INFINITY, Vec::new());
        let mut best_round = 0;
        let mut drawn = Vec::with_capacity(training.len());
        let all_features: Vec<usize> = (0..table.n_features()).collect();
        for round in 0..rounds.most {
            exec.check()?;
            let draw = mix(rounds.seed ^ mix(round as u64 + 1));
            let most = (rounds.row_share.min(1.0) * u64::MAX as f64) as u64;
            let is_drawn = |row: u32| mix(table.keys[row as usize] ^ draw) <= most;
            drawn.clear();
            drawn.extend(training.iter().copied().filter(|&row| is_drawn(row)));
            self.find_gradients(&drawn, &rows.training, &scores, &mut gradients, &mut by_block);
            let features = draw_features(&all_features, rounds.feature_share, draw);
            let grower = Grower {
                bins,
                gradients: &gradients,
                limits: rounds.limits,
                features: &features,
                units: &units,
                exec,
            };
            let grown = grower.grow(&mut drawn)?;
            let mut dense = DenseTree::new(&grown.tree);
            let factor = rounds.learning_rate * loss.step();
            let mut values = if rounds.limits.zone_scale > 0.0 || rounds.limits.category_error > 0.0 {
                let problem = LeafProblem {
                    tree: &dense,
                    values: &|feature, block| &self.blocks[feature][block],
                    gradients: &by_block,
                    n_outputs,
                    lambda: rounds.limits.lambda,
                    totals: loss.largest().map(|largest| largest * total),
                };
                problem.solve(exec)?
            } else {
                let newton = |&cell| {
                    let [g, h] = gradients.values(cell);
                    g / (h + rounds.limits.lambda)
                };
                grown.leaves.iter().flatten().map(newton).collect()
            };
            values.iter_mut().for_each(|value| *value *= factor);
            dense.set_leaf_values(&values);
            trees.push(grown.tree.with_leaf_values(&values));
            self.add_answers(&dense, &mut scores, exec);
            if held_out.is_empty() {
                continue;
            }
            let loss = self.held_out_loss(&held_out, &rows.held_out, &scores);
            losses.push(loss);
            if loss < best {
                (best, best_round) = (loss, round);
                best_scores.clear();
                best_scores.extend(held_out.iter().flat_map(|&row| scores_of(&scores, n_outputs, row)));
            } else if round >= best_round + rounds.patience {
                break;
            }
        }
        if !held_out.is_empty() {
            trees.truncate(best_round + 1);
        }
        let of_rows = best_scores.chunks(n_outputs).map(<[f64]>::to_vec);
        let held_out = held_out.into_iter().zip(of_rows).collect();
        Ok(Bag { start, trees, losses, held_out })
    }

    fn class_weights(&self, weights: &[f64]) -> Vec<f64> {
        let n = if let Loss::Softmax(n) = self.loss { n } else { 2 };
        let mut of_classes = vec![0.0; n];
        for (&class, &weight) in self.classes.iter().zip(weights) {
            of_classes[class as usize] += weight;
        }
        of_classes
    }

    /// The gradients of the rows drawn; all others have none.
    fn find_gradients(
        &self,
        drawn: &[u32],
        weights: &[f64],
        scores: &[[f64; BLOCK]],
        gradients: &mut Gradients,
        by_block: &mut [BlockGradients],
    ) {
        let n_outputs = self.loss.n_outputs();
        by_block.fill([[0.0; BLOCK]; 2]);
        let mut own = vec![0.0; n_outputs];
        for &row in drawn {
            let (block, at) = (row as usize / BLOCK, row as usize % BLOCK);
            for (k, own) in own.iter_mut().enumerate() {
                *own = scores[block * n_outputs + k][at];
            }
            self.loss.gradients(self.classes[row as usize], &own, |k, g, h| {
                let cell = gradients.cell(g, h, weights[row as usize]);
                gradients.set(row as usize, k, cell);
                let [g, h] = gradients.values(cell);
                by_block[block * n_outputs + k][0][at] = g;
                by_block[block * n_outputs + k][1][at] = h;
            });
        }
    }

    fn add_answers(&self, tree: &DenseTree, scores: &mut [[f64; BLOCK]], exec: &Exec) {
        let n_outputs = self.loss.n_outputs();
        let chunks: Vec<_> = scores.chunks_mut(BLOCKS_PER_TASK * n_outputs).enumerate().collect();
        exec.map_with(chunks, Workspace::default, |work, (chunk, scores)| {
            for (index, sums) in scores.chunks_mut(n_outputs).enumerate() {
                let block = chunk * BLOCKS_PER_TASK + index;
                tree.add_answers(|feature| &self.blocks[feature][block], work, sums);
            }
        });
    }

    fn held_out_loss(&self, rows: &[u32], weights: &[f64], scores: &[[f64; BLOCK]]) -> f64 {
        // Losses are divided so that the sum takes them.
        const LARGEST: f64 = 64.0;
        let n_outputs = self.loss.n_outputs();
        let (mut sum, mut total) = (ExactSum::default(), 0.0);
        let mut own = vec![0.0; n_outputs];
        for &row in rows {
            let weight = weights[row as usize];
            let (block, at) = (row as usize / BLOCK, row as usize % BLOCK);
            for (k, own) in own.iter_mut().enumerate() {
                *own = scores[block * n_outputs + k][at];
            }
            let loss = (self.loss.of_row(self.classes[row as usize], &own) / LARGEST).min(3.9);
            if weight.fract() == 0.0 {
                sum.add(loss, weight as u64);
            } else {
                sum.add((loss * weight).min(3.9), 1);
            }
            total += weight;
        }
        sum.value() * LARGEST / total
    }
}

fn scores_of(scores: &[[f64; BLOCK]], n_outputs: usize, row: u32) -> impl Iterator<Item = f64> {
    let (block, at) = (row as usize / BLOCK, row as usize % BLOCK);
    (0..n_outputs).map(move |k| scores[block * n_outputs + k][at])
}

/// Some features in their order.
fn draw_features(all: &[usize], share: f64, draw: u64) -> Vec<usize> {
    if share >= 1.0 {
        return all.to_vec();
    }
    let wanted = ((share * all.len() as f64).round() as usize).clamp(1, all.len());
    let mut keyed: Vec<(u64, usize)> =
        all.iter().map(|&feature| (mix(draw ^ mix(!(feature as u64))), feature)).collect();
    keyed.sort_unstable();
    keyed.truncate(wanted);
    let mut drawn: Vec<usize> = keyed.into_iter().map(|(_, feature)| feature).collect();
    drawn.sort_unstable();
    drawn
}
