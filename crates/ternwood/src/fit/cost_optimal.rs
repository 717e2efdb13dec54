//! Cost-optimal half-widths: flag rows as long as a flag costs less than the errors it avoids.
//!
//! A wrong prediction costs 1, a flag costs `cost_ratio`. At distance `d` from the threshold the
//! crisp prediction is wrong with probability `p_e(d)`. Flagging pays where that is above
//! `cost_ratio`, so
//!
//! ```text
//! delta = sup { d : p_e(d) > cost_ratio }
//! ```
//!
//! `p_e` is a non-increasing isotonic fit of out-of-fold errors against the distance, one for each
//! node. Nodes with fewer than 30 rows use the fit pooled over all nodes. To make them comparable,
//! distances are measured in standard deviations of the feature at the node.

use super::by_recipe::FitRows;
use super::by_recipe::RecipeFitter;
use crate::dataset::{RowSubset, Shuffle};
use crate::error::Result;
use crate::grow::{GrownTree, SplitRows};
use crate::predict::Walker;
use crate::recipe::{Auto, CheckedParams, Leaves, Routing, ZoneKind};
use crate::stats::isotonic::{Level, Observation, non_increasing};

/// The fewest rows for a node to have its own fit. A row of integer weight k is k rows.
const ENOUGH_ROWS: u64 = 30;

/// The number of folds for out-of-fold errors.
const FOLDS: u32 = 5;

/// For every row, the weight that is misclassified by crisp trees of the same parameters grown
/// without the row: 0 or all of it, unless the row lies in several folds. Indexed by row of the
/// data, before class weights; 0 for rows not in `rows`.
pub(super) fn out_of_fold_errors(
    fitter: &RecipeFitter<'_>,
    params: &CheckedParams,
    rows: &RowSubset,
) -> Result<Vec<f64>> {
    let mut errors = vec![0.0; fitter.fit.data.n_rows()];
    if rows.n_units() < 2 {
        return Ok(errors);
    }
    let crisp = params.clone().into_params().with_zone(ZoneKind::None).check()?;
    let alone = fitter.exec.alone();
    let (exec, fitter) = (fitter.exec, fitter.on(&alone));
    // Without zones, EM gives the smoothed counts.
    let leaves = if fitter.leaves == Leaves::Em { Leaves::Smoothed } else { fitter.leaves };
    let (routing, auto) = (Routing::Crisp, Auto::default());
    let fitter = RecipeFitter { routing, leaves, auto, ..fitter };
    let shuffle = Shuffle { seed: params.seed, number: Shuffle::ERRORS };
    let folds = fitter.fit.resampler.unit_folds(rows, FOLDS, shuffle)?;
    let wrong: Vec<Result<Vec<(u32, f64)>>> = exec.map((0..folds.count()).collect(), |fold| {
        let fold_rows = folds.rows_of(fold);
        let tree = fitter.fit(&crisp, &fold_rows.training)?.tree;
        let walker = Walker::new(&tree, Routing::Crisp)?;
        let matrix = fitter.fit.data.matrix();
        let is_wrong = |&row: &u32| {
            let leaf = walker.leaf(&matrix.trained_row(row as usize));
            tree.majority_class(leaf) as usize != fitter.fit.class_of(row)
        };
        let wrong = fold_rows.test.rows.iter().copied().filter(is_wrong);
        Ok(wrong.map(|row| (row, fold_rows.test.weight(row))).collect())
    });
    for outcome in wrong {
        for (row, weight) in outcome? {
            errors[row as usize] += weight;
        }
    }
    Ok(errors)
}

/// The half-width of every node before scaling, in preorder; 0 for leaves.
pub(super) fn half_widths(
    grown: &GrownTree<'_>,
    errors: &[f64],
    fit: &FitRows<'_>,
    rows: &RowSubset,
    cost_ratio: f64,
) -> Vec<f64> {
    let splits = grown.splits();
    let observed = |split: &SplitRows<'_>| -> Vec<Observation> {
        let observe = |&row: &u32| Observation {
            at: split.distance(row),
            sum: fit.class_weighted(row, errors[row as usize]),
            weight: fit.weight(rows, row),
        };
        split.rows.iter().map(observe).collect()
    };
    let everything = splits.iter().flatten().flat_map(observed).collect();
    let pooled = reach(&non_increasing(everything), cost_ratio);
    let half_width = |split: &SplitRows<'_>| {
        let own = split.rows.iter().map(|&row| rows.units(row)).sum::<u64>() >= ENOUGH_ROWS;
        let reach = if own { reach(&non_increasing(observed(split)), cost_ratio) } else { pooled };
        (reach * split.deviation).min(f64::MAX)
    };
    splits.iter().map(|split| split.as_ref().map_or(0.0, half_width)).collect()
}

/// How far out the curve is above `level`: halfway between the last point above it and the next.
fn reach(curve: &[Level], level: f64) -> f64 {
    /// If the whole curve is above, keeps the outermost row inside despite rounding.
    const MARGIN: f64 = 1.0 + 1e-12;
    let above = curve.partition_point(|part| part.value() > level);
    match (above.checked_sub(1).map(|last| curve[last].to), curve.get(above)) {
        (None, _) => 0.0,
        (Some(last), Some(next)) => (last + next.from) / 2.0,
        (Some(last), None) => last * MARGIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reach_of_a_curve_by_hand() {
        // Errors 1 0 1 1 0 0 at 1..=6: levels 1 at 1, 2/3 at 2..=4, 0 at 5 and 6.
        let observe =
            |(index, sum): (usize, f64)| Observation { at: index as f64 + 1.0, sum, weight: 1.0 };
        let errors = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0];
        let curve = non_increasing(errors.into_iter().enumerate().map(observe).collect());
        assert_eq!(reach(&curve, 0.5), 4.5);
        assert_eq!(reach(&curve, 0.7), 1.5);
        assert_eq!(reach(&curve[..2], 0.5), 4.0 * (1.0 + 1e-12));
        assert_eq!(reach(&curve[2..], 0.1), 0.0);
        assert_eq!(reach(&[], 0.1), 0.0);
    }
}
