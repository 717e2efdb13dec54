//! The obviously correct search: sort the node's rows by each feature, score every candidate. For
//! complete numbers only.

use super::{NodeToSplit, SearchRules, SplitChoice};
use crate::grow::target::{Measure, Scorer, Tally, Target};
use crate::tree::Missing;

/// The best legal split with positive gain, by exhaustive search.
pub(crate) fn best_split_by_scan<T: Target>(
    rules: SearchRules<'_, T>,
    node: NodeToSplit<'_, T>,
) -> Option<SplitChoice> {
    let SearchRules { training, limits, .. } = rules;
    let mut scorer = training.measure().scorer(node.tally.sums());
    let mut best: Option<SplitChoice> = None;
    for feature in 0..training.n_features() as u32 {
        let column = training.column(feature);
        let mut sorted: Vec<(f64, u32)> =
            node.rows.iter().map(|&row| (column.at(row as usize), row)).collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut left = vec![T::Sum::default(); training.width()];
        for (i, pair) in sorted.windows(2).enumerate() {
            let [(value, row), (next, _)] = [pair[0], pair[1]];
            let target = T::row(training.target(), training.weights(), row);
            training.measure().add(&mut left, target);
            if value == next {
                continue;
            }
            let score = scorer.score(&left);
            let rows = [i + 1, sorted.len() - i - 1];
            if score.gain > best.as_ref().map_or(0.0, |best| best.gain)
                && limits.allow(rows, [score.left_weight, score.right_weight])
            {
                let missing = Missing::Unknown;
                best = Some(SplitChoice::between(feature, [value, next], missing, score.gain));
            }
        }
    }
    best
}
