//! Half-widths that pay: flag as far as errors are likelier than a flag is dear.
//!
//! A wrong answer costs 1, a flag costs `cost_ratio` of it. At distance `d` from the threshold the
//! tree's crisp answer is wrong with probability `p_e(d)`; flagging pays where that is more than
//! `cost_ratio`, so
//!
//! ```text
//! delta = sup { d : p_e(d) > cost_ratio }
//! ```
//!
//! `p_e` is a non-increasing isotonic fit, node by node, of honest errors (of trees that had not
//! seen the row) against the distance. Nodes of fewer than 30 rows borrow the fit of all nodes
//! together; for that, distances are measured in standard deviations of the feature at the node.

use super::by_recipe::RecipeFitter;
use super::deal::{Deal, Shuffle, n_units};
use super::fit_rows::FitRows;
use super::isotonic::{Level, Observation, non_increasing};
use crate::error::Result;
use crate::grow::{GrownTree, RowSubset, SplitRows};
use crate::predict::Walker;
use crate::recipe::{Auto, CheckedParams, Leaves, Routing, ZoneKind};

/// Nodes with fewer rows have no fit of their own.
const ENOUGH_ROWS: usize = 30;

/// How many folds the honest errors come from.
const FOLDS: u32 = 5;

/// Tells this dealing of rows to folds from the others.
const DEAL: u64 = 2 << 32;

/// How often crisp trees of the same parameters, grown without a row, are wrong about it: 0 or 1,
/// unless the row lies in several folds; by row of the data. Rows not in `rows` are not wrong.
pub(super) fn out_of_fold_errors(
    fitter: &RecipeFitter<'_>,
    params: &CheckedParams,
    rows: &RowSubset,
) -> Result<Vec<f64>> {
    let mut errors = vec![0.0; fitter.fit.data.n_rows()];
    if n_units(fitter.fit, rows) < 2 {
        return Ok(errors);
    }
    let crisp = params.clone().into_params().with_zone(ZoneKind::None).check()?;
    let alone = fitter.exec.alone();
    let (exec, fitter) = (fitter.exec, fitter.on(&alone));
    // With the leaves of the recipe as far as they need no zones.
    let leaves = if fitter.leaves == Leaves::Em { Leaves::Smoothed } else { fitter.leaves };
    let (routing, auto) = (Routing::Crisp, Auto::default());
    let fitter = RecipeFitter { routing, leaves, auto, ..fitter };
    let deal = Deal::new(fitter.fit, rows, FOLDS, Shuffle { seed: params.seed, number: DEAL })?;
    let wrong: Vec<Result<Vec<(u32, f64)>>> = exec.map((0..deal.folds()).collect(), |fold| {
        let part = deal.part(fold);
        let tree = fitter.fit(&crisp, &part.training)?.tree;
        let walker = Walker::new(&tree, Routing::Crisp)?;
        let matrix = fitter.fit.data.matrix();
        let is_wrong = |&row: &u32| {
            let leaf = walker.leaf(&matrix.row(row as usize));
            tree.majority_class(leaf) as usize != fitter.fit.class_of(row)
        };
        let wrong = part.test.rows.iter().copied().filter(is_wrong);
        Ok(wrong.map(|row| (row, fitter.fit.sample_weight(&part.test, row))).collect())
    });
    for outcome in wrong {
        for (row, weight) in outcome? {
            errors[row as usize] += weight / fitter.fit.sample_weight(rows, row);
        }
    }
    Ok(errors)
}

/// The half-width of every node, in preorder, 0 for leaves; before the scale.
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
            value: errors[row as usize],
            weight: fit.weight(rows, row),
        };
        split.rows.iter().map(observe).collect()
    };
    let everything = splits.iter().flatten().flat_map(observed).collect();
    let pooled = reach(&non_increasing(everything), cost_ratio);
    let half_width = |split: &SplitRows<'_>| {
        let own = split.rows.len() >= ENOUGH_ROWS;
        let reach = if own { reach(&non_increasing(observed(split)), cost_ratio) } else { pooled };
        (reach * split.deviation).min(f64::MAX)
    };
    splits.iter().map(|split| split.as_ref().map_or(0.0, half_width)).collect()
}

/// How far the curve is above `level`: halfway between the last place above it and the next.
fn reach(curve: &[Level], level: f64) -> f64 {
    /// Where all is above, the outermost row is within, whatever rounding does.
    const HAIR: f64 = 1.0 + 1e-12;
    let above = curve.partition_point(|part| part.value > level);
    match (above.checked_sub(1).map(|last| curve[last].to), curve.get(above)) {
        (None, _) => 0.0,
        (Some(last), Some(next)) => (last + next.from) / 2.0,
        (Some(last), None) => last * HAIR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reach_of_a_curve_by_hand() {
        // Errors 1 0 1 1 0 0 at 1..=6: levels 1 at 1, 2/3 at 2..=4, 0 at 5 and 6.
        let observe = |(index, value): (usize, f64)| Observation {
            at: index as f64 + 1.0,
            value,
            weight: 1.0,
        };
        let errors = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0];
        let curve = non_increasing(errors.into_iter().enumerate().map(observe).collect());
        assert_eq!(reach(&curve, 0.5), 4.5);
        assert_eq!(reach(&curve, 0.7), 1.5);
        assert_eq!(reach(&curve[..2], 0.5), 4.0 * (1.0 + 1e-12));
        assert_eq!(reach(&curve[2..], 0.1), 0.0);
        assert_eq!(reach(&[], 0.1), 0.0);
    }
}
