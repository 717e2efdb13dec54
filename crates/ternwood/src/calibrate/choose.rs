//! Choosing scale and depth: inner cross-validation of the whole recipe.

use super::fit_rows::Part;
use super::leaf_em::Mixture;
use super::nursery::Nursery;
use crate::error::Result;
use crate::learn::{CandidateLoss, CheckedParams, Choice};
use crate::predict::Walker;
use crate::tree::Tree;
use crate::workers::Workers;

/// The factors that `zone_scale = auto` chooses from. With 0 the tree is plain CART.
pub const SCALES: [f64; 7] = [0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2];

/// The depths that `max_depth = auto` chooses from.
pub const DEPTHS: [u32; 5] = [2, 4, 6, 8, 10];

/// How many inner folds there are.
pub const FOLDS: u32 = 5;

/// How often rows are dealt out to inner folds anew; losses are added up.
pub const REPEATS: u32 = 3;

/// Probabilities of the true class count as no less than this.
const CLIP: f64 = 1e-6;

/// What could be chosen: every depth with every scale.
struct Candidates {
    depths: Vec<Option<u32>>,
    scales: Vec<f64>,
}

/// A part of the rows, with the trees grown from it: one per depth, and per scale where zones
/// shape the tree.
struct InnerFold {
    part: Part,
    trees: Vec<Tree>,
}

/// Measures every candidate by inner cross-validation on `rows`.
///
/// Cost: 15 trees of the largest depth (more where one tree cannot be cut to size), and each
/// with every depth and scale its leaves and the loss of a fifth of the rows.
pub(super) fn choose(
    nursery: &Nursery<'_>,
    params: &CheckedParams,
    rows: &[u32],
) -> Result<Choice> {
    let auto = nursery.auto;
    let candidates = Candidates {
        depths: if auto.max_depth {
            DEPTHS.iter().copied().map(Some).collect()
        } else {
            vec![params.max_depth]
        },
        scales: if auto.zone_scale { SCALES.to_vec() } else { vec![params.zone.scale] },
    };
    let mut parts = Vec::new();
    // One row has no other to be tested on: all candidates are the same leaf.
    if rows.len() > 1 {
        for repeat in 0..REPEATS {
            parts.extend(nursery.fit.parts(rows, FOLDS, params.seed, repeat.into())?);
        }
    }
    let alone = Workers::single();
    let (workers, nursery) = (nursery.workers, nursery.on(&alone));
    let folds = workers.map(parts, |part| {
        let trees = candidates.trees(&nursery, params, &part.training)?;
        Ok(InnerFold { part, trees })
    });
    let folds: Vec<InnerFold> = folds.into_iter().collect::<Result<_>>()?;
    let jobs: Vec<(usize, usize)> = (0..candidates.depths.len())
        .flat_map(|depth| (0..folds.len()).map(move |fold| (depth, fold)))
        .collect();
    let losses =
        workers.map(jobs, |(depth, fold)| candidates.losses(&nursery, depth, &folds[fold]));
    let losses: Vec<Vec<f64>> = losses.into_iter().collect::<Result<_>>()?;
    let weight: f64 = rows.iter().map(|&row| nursery.fit.weight_of(row)).sum();
    let mean = |sum: f64| sum / (weight * f64::from(REPEATS));
    let mut measured = Vec::new();
    for (depth, &max_depth) in candidates.depths.iter().enumerate() {
        let of_depth = &losses[depth * folds.len()..][..folds.len()];
        for (index, &zone_scale) in candidates.scales.iter().enumerate() {
            let log_loss = mean(of_depth.iter().map(|losses| losses[index]).sum());
            measured.push(CandidateLoss { max_depth, zone_scale, log_loss });
        }
    }
    let folds = FOLDS.min(rows.len() as u32);
    Ok(Choice { auto, folds, repeats: REPEATS, candidates: measured })
}

impl Candidates {
    /// Trees grown from `rows`: with zones of scale 1, one per depth; or where zones shape the
    /// tree, one per candidate.
    fn trees(
        &self,
        nursery: &Nursery<'_>,
        params: &CheckedParams,
        rows: &[u32],
    ) -> Result<Vec<Tree>> {
        let scales: &[f64] =
            if nursery.routing.needs_three_children() { &self.scales } else { &[1.0] };
        let mut by_scale = Vec::new();
        for &scale in scales {
            let mut params = params.clone().into_params();
            params.zone.scale = scale;
            let mut trees = Vec::new();
            if self.depths.len() > 1 && can_be_cut(&params) {
                params.max_depth = self.depths[self.depths.len() - 1];
                let deepest = nursery.zoned(&params.check()?, rows)?;
                let cut = |depth: &Option<u32>| match depth {
                    Some(depth) => deepest.cut_at_depth(*depth),
                    None => deepest.clone(),
                };
                trees.extend(self.depths.iter().map(cut));
            } else {
                for &max_depth in &self.depths {
                    params.max_depth = max_depth;
                    trees.push(nursery.zoned(&params.clone().check()?, rows)?);
                }
            }
            by_scale.push(trees);
        }
        // By depth, then by scale, like the candidates.
        let by_depth =
            |depth: usize| by_scale.iter().map(move |trees: &Vec<Tree>| trees[depth].clone());
        Ok((0..self.depths.len()).flat_map(by_depth).collect())
    }

    /// The losses of all scales at one depth, on the rows that the trees were not grown from.
    fn losses(&self, nursery: &Nursery<'_>, depth: usize, fold: &InnerFold) -> Result<Vec<f64>> {
        let per_depth = fold.trees.len() / self.depths.len();
        let trees = &fold.trees[depth * per_depth..][..per_depth];
        let mut arranged: Option<[Mixture<'_>; 2]> = None;
        let loss = |(index, &scale): (usize, &f64)| {
            nursery.cancel.check()?;
            // Where zones shape the tree there is one for every scale, and rows are arranged anew.
            let own = trees.get(index).filter(|_| nursery.routing.needs_three_children());
            let tree = match own {
                Some(tree) => tree.clone(),
                None => trees[0].clone().with_scaled_zones(scale),
            };
            if own.is_some() {
                arranged = None;
            }
            let [training, test] = arranged.get_or_insert_with(|| {
                [&fold.part.training, &fold.part.test].map(|rows| nursery.mixture(&tree, rows))
            });
            let distributions = nursery.distributions(&tree, training)?;
            Ok(test.loss(Walker::new(&tree, nursery.routing)?, &distributions, CLIP))
        };
        self.scales.iter().enumerate().map(loss).collect()
    }
}

/// Whether a tree of less depth is the top of a deeper one.
fn can_be_cut(params: &crate::learn::TreeParams) -> bool {
    params.max_leaf_nodes.is_none()
        && params.ccp_alpha == 0.0
        && !params.zone.kind.needs_predictions()
}
