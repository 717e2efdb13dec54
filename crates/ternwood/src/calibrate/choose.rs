//! Choosing scale and depth: inner cross-validation of the whole recipe.

use super::fit_rows::Part;
use super::nursery::Nursery;
use crate::error::Result;
use crate::learn::{CandidateLoss, CheckedParams, Choice, TreeParams};
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
struct Candidates<'a> {
    params: &'a CheckedParams,
    depths: Vec<Option<u32>>,
    scales: Vec<f64>,
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
    let depths = DEPTHS.iter().copied().map(Some);
    let candidates = Candidates {
        params,
        depths: if auto.max_depth { depths.collect() } else { vec![params.max_depth] },
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
    let losses = workers.map(parts, |part| candidates.losses(&nursery, &part));
    let losses: Vec<Vec<f64>> = losses.into_iter().collect::<Result<_>>()?;
    let weight: f64 = rows.iter().map(|&row| nursery.fit.weight_of(row)).sum();
    let pairs = candidates
        .depths
        .iter()
        .flat_map(|depth| candidates.scales.iter().map(move |scale| (*depth, *scale)));
    let measured = pairs.enumerate().map(|(index, (max_depth, zone_scale))| {
        let sum: f64 = losses.iter().map(|of_part| of_part[index]).sum();
        CandidateLoss { max_depth, zone_scale, log_loss: sum / (weight * f64::from(REPEATS)) }
    });
    let folds = FOLDS.min(rows.len() as u32);
    Ok(Choice { auto, folds, repeats: REPEATS, candidates: measured.collect() })
}

impl Candidates<'_> {
    /// The losses of all candidates on the rows that their trees were not grown from.
    fn losses(&self, nursery: &Nursery<'_>, part: &Part) -> Result<Vec<f64>> {
        let n_scales = self.scales.len();
        let mut losses = vec![0.0; self.depths.len() * n_scales];
        let (mut training, mut test) = (nursery.no_rows(), nursery.no_rows());
        // Where zones shape the tree there is one for every scale; else all scales share one.
        let shaped = nursery.routing.needs_three_children();
        let rounds: Vec<(f64, std::ops::Range<usize>)> = if shaped {
            self.scales.iter().enumerate().map(|(at, &scale)| (scale, at..at + 1)).collect()
        } else {
            vec![(1.0, 0..n_scales)]
        };
        for (grown_with, scales) in rounds {
            let trees = self.trees(nursery, grown_with, &part.training)?;
            // The deepest first: it needs the most memory, the others use it again.
            for (depth, tree) in trees.into_iter().enumerate().rev() {
                let walker = Walker::new(&tree, nursery.routing)?;
                training.arrange(&part.training, walker);
                test.arrange(&part.test, walker);
                for at in scales.clone() {
                    nursery.cancel.check()?;
                    let scale = if shaped { 1.0 } else { self.scales[at] };
                    let scaled = tree.clone().with_scaled_zones(scale);
                    let walker = Walker::new(&scaled, nursery.routing)?;
                    let answers = nursery.distributions(&scaled, &mut training)?;
                    losses[depth * n_scales + at] = test.loss(walker, &answers, CLIP);
                }
            }
        }
        Ok(losses)
    }

    /// Trees grown from `rows`, one per depth, with zones of this scale.
    fn trees(&self, nursery: &Nursery<'_>, scale: f64, rows: &[u32]) -> Result<Vec<Tree>> {
        let mut params = self.params.clone().into_params();
        params.zone.scale = scale;
        if self.depths.len() > 1 && can_be_cut(&params) {
            let deepest = DEPTHS[DEPTHS.len() - 1];
            params.max_depth = Some(deepest);
            let tree = nursery.zoned(&params.check()?, rows)?;
            let cut = |depth: &Option<u32>| tree.cut_at_depth(depth.unwrap_or(deepest));
            return Ok(self.depths.iter().map(cut).collect());
        }
        let grow = |&max_depth: &Option<u32>| {
            nursery.zoned(&TreeParams { max_depth, ..params.clone() }.check()?, rows)
        };
        self.depths.iter().map(grow).collect()
    }
}

/// Whether a tree of less depth is the top of a deeper one.
fn can_be_cut(params: &TreeParams) -> bool {
    params.max_leaf_nodes.is_none()
        && params.ccp_alpha == 0.0
        && !params.zone.kind.needs_predictions()
}
