//! Boosted trees with zones.
//!
//! Every round grows a small tree on the gradients of the loss, and fits the values of its leaves jointly: zones make
//! the steps of the tree slopes. Bags are boosted on all folds but one, and stop on that one.

mod bag;
mod bins;
pub(crate) mod dense;
mod gradients;
mod growth;
mod leaf_values;
mod loss;
mod table;

use crate::dataset::{DatasetView, Matrix, Resampler, RowSubset, Shuffle, as_trained};
use crate::error::Result;
use crate::exec::Exec;
use bag::{Bag, BagRows, Rounds, Shared};
use bins::Bins;
use dense::{BLOCK, DenseTree, Workspace};
use growth::Limits;
use loss::Loss;
use table::Table;

/// How to boost.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostParams {
    /// At most this many rounds.
    pub max_iter: usize,
    pub learning_rate: f64,
    pub max_leaf_nodes: Option<usize>,
    pub max_depth: Option<u32>,
    pub min_samples_leaf: u32,
    pub l2_regularization: f64,
    pub row_share: f64,
    pub feature_share: f64,
    pub patience: usize,
    /// The scales to choose from.
    pub zone_scales: Vec<f64>,
    pub category_error: Option<f64>,
    pub bags: Option<usize>,
    pub seed: u64,
}

impl Default for BoostParams {
    fn default() -> Self {
        Self {
            max_iter: 1000,
            learning_rate: 0.1,
            max_leaf_nodes: None,
            max_depth: None,
            min_samples_leaf: 5,
            l2_regularization: 1.0,
            row_share: 0.8,
            feature_share: 1.0,
            patience: 50,
            zone_scales: vec![0.0, 0.6, 2.0],
            category_error: None,
            bags: None,
            seed: 0,
        }
    }
}

/// Bags of boosted trees.
pub struct Boosted {
    bags: Vec<Bag>,
    loss: Loss,
    pub zone_scale: f64,
    n_classes: usize,
    /// The mean loss of two folds for every scale.
    pub choices: Vec<(f64, f64)>,
}

impl Boosted {
    /// # Errors
    /// Cancellation.
    pub fn fit(data: &DatasetView<'_>, params: &BoostParams, exec: &Exec) -> Result<Self> {
        let resampler = Resampler::new(data.clone()).hashed(exec);
        let table = Table::new(data, &resampler, exec);
        let bins = Bins::new(&table, exec);
        let blocks: Vec<Vec<[f64; BLOCK]>> = table.columns.iter().map(|column| blocked(column)).collect();
        let classes: Vec<u32> = table.origins.iter().map(|&row| data.labels()[row as usize]).collect();
        let loss = Loss::of_classes(data.n_classes());
        let shared = Shared { table: &table, bins: &bins, blocks: &blocks, classes: &classes, loss };
        let n_rows = table.n_rows();
        let n_bags = params.bags.unwrap_or(match n_rows {
            0..=5_000 => 8,
            5_001..=50_000 => 5,
            _ => 1,
        });
        // One bag holds out a tenth.
        let n_folds = if n_bags == 1 { 10 } else { n_bags };
        let all = RowSubset::new(
            table.origins.iter().copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect(),
            std::sync::Arc::new(crate::dataset::RowWeights::new(data.weights())),
        );
        let folds = resampler.unit_folds(
            &all,
            n_folds as u32,
            Shuffle { seed: params.seed, number: Shuffle::CROSS_FIT },
        )?;
        let rows_of = |fold: usize| {
            let rows = folds.rows_of(fold as u32);
            let weights = |subset: &RowSubset| {
                let mut weights = vec![0.0; data.n_rows()];
                subset.rows.iter().for_each(|&row| weights[row as usize] = subset.weight(row));
                table.origins.iter().map(|&row| weights[row as usize]).collect::<Vec<f64>>()
            };
            BagRows { training: weights(&rows.training), held_out: weights(&rows.test) }
        };
        let rounds = |scale: f64, bag: usize| {
            let is_small = n_rows <= 4_000 || scale >= 2.0;
            Rounds {
                limits: Limits {
                    max_leaves: params.max_leaf_nodes.unwrap_or(if is_small { 16 } else { 31 }),
                    max_depth: params.max_depth.unwrap_or(if is_small { 5 } else { 8 }),
                    min_rows: params.min_samples_leaf,
                    min_hessian: 1e-3,
                    lambda: params.l2_regularization,
                    zone_scale: scale,
                    category_error: params.category_error.unwrap_or(scale),
                },
                learning_rate: params.learning_rate,
                most: params.max_iter,
                patience: params.patience,
                row_share: params.row_share,
                feature_share: params.feature_share,
                seed: crate::dataset::mix(params.seed ^ crate::dataset::mix(bag as u64)),
            }
        };
        let n_bags = n_bags.min(folds.count() as usize).max(1);
        let n_choosing = n_bags.min(2);
        let jobs: Vec<(usize, usize)> = (0..params.zone_scales.len())
            .flat_map(|scale| (0..n_choosing).map(move |bag| (scale, bag)))
            .collect();
        let boost = |scale: f64, bag: usize, exec: &Exec| {
            shared.boost(&rows_of(bag), &rounds(scale, bag), exec)
        };
        let run = |jobs: Vec<(usize, usize)>| -> Result<Vec<Bag>> {
            if jobs.len() >= exec.threads() {
                let alone = exec.alone();
                exec.map(jobs, |(scale, bag)| boost(params.zone_scales[scale], bag, &alone))
                    .into_iter()
                    .collect()
            } else {
                jobs.into_iter()
                    .map(|(scale, bag)| boost(params.zone_scales[scale], bag, exec))
                    .collect()
            }
        };
        let mut chosen = 0;
        let mut choices = Vec::new();
        let mut tried = run(jobs)?;
        for (index, &scale) in params.zone_scales.iter().enumerate() {
            let of_scale = &tried[index * n_choosing..][..n_choosing];
            let mean = of_scale.iter().map(Bag::loss).sum::<f64>() / n_choosing as f64;
            choices.push((scale, mean));
            if mean < choices[chosen].1 {
                chosen = index;
            }
        }
        let mut bags: Vec<Bag> = tried.drain(chosen * n_choosing..(chosen + 1) * n_choosing).collect();
        bags.extend(run((n_choosing..n_bags).map(|bag| (chosen, bag)).collect())?);
        let zone_scale = params.zone_scales[chosen];
        Ok(Self { bags, loss, zone_scale, n_classes: data.n_classes(), choices })
    }

    /// The number of trees of every bag.
    pub fn n_trees(&self) -> Vec<usize> {
        self.bags.iter().map(|bag| bag.trees.len()).collect()
    }

    /// Probabilities, row by row.
    pub fn predict(&self, rows: Matrix<'_>, exec: &Exec) -> Vec<f64> {
        let n_outputs = self.loss.n_outputs();
        let n_blocks = rows.n_rows().div_ceil(BLOCK);
        let trees: Vec<Vec<DenseTree>> =
            self.bags.iter().map(|bag| bag.trees.iter().map(DenseTree::new).collect()).collect();
        let columns: Vec<Vec<[f64; BLOCK]>> = (0..rows.n_features() as u32)
            .map(|feature| {
                let column = rows.column(feature);
                let values: Vec<f64> = (0..rows.n_rows()).map(|row| as_trained(column.at(row))).collect();
                blocked(&values)
            })
            .collect();
        let parts = exec.map_with((0..n_blocks).collect(), Workspace::default, |work, block| {
            let mut mean = vec![[0.0; BLOCK]; n_outputs];
            for (bag, trees) in self.bags.iter().zip(&trees) {
                let mut sums: Vec<[f64; BLOCK]> = bag.start.iter().map(|&start| [start; BLOCK]).collect();
                for tree in trees {
                    tree.add_answers(|feature| &columns[feature][block], work, &mut sums);
                }
                for (mean, sums) in mean.iter_mut().zip(&sums) {
                    mean.iter_mut().zip(sums).for_each(|(mean, sum)| *mean += sum);
                }
            }
            let n = BLOCK.min(rows.n_rows() - block * BLOCK);
            let mut out = vec![0.0; n * self.n_classes];
            for (row, out) in out.chunks_mut(self.n_classes).enumerate() {
                let scores: Vec<f64> = mean.iter().map(|sums| sums[row] / self.bags.len() as f64).collect();
                self.loss.probabilities(&scores, out);
            }
            out
        });
        parts.concat()
    }
}

/// A column in blocks; the last is filled up with zeros.
fn blocked(values: &[f64]) -> Vec<[f64; BLOCK]> {
    let block = |chunk: &[f64]| {
        let mut block = [0.0; BLOCK];
        block[..chunk.len()].copy_from_slice(chunk);
        block
    };
    values.chunks(BLOCK).map(block).collect()
}
