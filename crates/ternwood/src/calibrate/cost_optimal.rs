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

use super::fit_rows::FitRows;
use super::isotonic::{Level, Observation, non_increasing};
use super::nursery::Nursery;
use crate::error::Result;
use crate::learn::{Auto, CheckedParams, GrownTree, Leaves, SplitRows, ZoneKind};
use crate::predict::{Routing, Walker};
use crate::workers::Workers;

/// Nodes with fewer rows have no fit of their own.
const ENOUGH_ROWS: usize = 30;

/// How many folds the honest errors come from.
const FOLDS: u32 = 5;

/// Tells this dealing of rows to folds from the others.
const DEAL: u64 = 2 << 32;

/// Whether crisp trees of the same parameters, grown without a row, are wrong about it; by row
/// of the data. Rows not in `rows` are not wrong.
pub(super) fn out_of_fold_errors(
    nursery: &Nursery<'_>,
    params: &CheckedParams,
    rows: &[u32],
) -> Result<Vec<bool>> {
    let mut wrong = vec![false; nursery.fit.data.n_rows()];
    if rows.len() < 2 {
        return Ok(wrong);
    }
    let crisp = params.clone().into_params().with_zone(ZoneKind::None).check()?;
    let alone = Workers::single();
    let (workers, nursery) = (nursery.workers, nursery.on(&alone));
    // With the leaves of the recipe as far as they need no zones.
    let leaves = if nursery.leaves == Leaves::Em { Leaves::Smoothed } else { nursery.leaves };
    let (routing, auto) = (Routing::Crisp, Auto::default());
    let nursery = Nursery { routing, leaves, auto, ..nursery };
    let parts = nursery.fit.parts(rows, FOLDS, params.seed, DEAL)?;
    let answers: Vec<Result<Vec<(u32, bool)>>> = workers.map(parts, |part| {
        let tree = nursery.fit(&crisp, &part.training)?.tree;
        let walker = Walker::new(&tree, Routing::Crisp)?;
        let matrix = nursery.fit.data.rows();
        let wrong = |&row: &u32| {
            let leaf = walker.leaf(&matrix.row(row as usize));
            tree.majority_class(leaf) as usize != nursery.fit.class_of(row)
        };
        Ok(part.test.iter().map(|row| (*row, wrong(row))).collect())
    });
    for outcome in answers {
        for (row, is_wrong) in outcome? {
            wrong[row as usize] = is_wrong;
        }
    }
    Ok(wrong)
}

/// The half-width of every node, in preorder, 0 for leaves; before the scale.
pub(super) fn half_widths(
    grown: &GrownTree<'_>,
    wrong: &[bool],
    fit: &FitRows<'_>,
    cost_ratio: f64,
) -> Vec<f64> {
    let splits = grown.splits();
    let observed = |split: &SplitRows<'_>| -> Vec<Observation> {
        let observe = |&row: &u32| Observation {
            at: split.distance(row),
            value: if wrong[row as usize] { 1.0 } else { 0.0 },
            weight: fit.weight_of(row),
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
