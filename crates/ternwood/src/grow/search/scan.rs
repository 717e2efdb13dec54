//! The obviously correct search: sort the node's rows by each feature, score every candidate. For
//! complete numbers only.

use super::{NodeToSplit, SearchRules, SplitChoice};
use crate::grow::search::scorer::SplitScorer;
use crate::tree::Missing;

/// The best legal split with positive gain, by exhaustive search.
pub(in crate::grow) fn best_split_by_scan(
    rules: SearchRules<'_>,
    node: NodeToSplit<'_>,
) -> Option<SplitChoice> {
    let SearchRules { training, criterion, limits, .. } = rules;
    let mut scorer = SplitScorer::new(criterion, training.class_factors(), &node.tally.counts);
    let mut best: Option<SplitChoice> = None;
    for feature in 0..training.n_features() as u32 {
        let column = training.column(feature);
        let mut sorted: Vec<(f64, u32)> =
            node.rows.iter().map(|&row| (column.at(row as usize), row)).collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut left = vec![0.0; training.n_classes()];
        for (i, pair) in sorted.windows(2).enumerate() {
            let [(value, row), (next, _)] = [pair[0], pair[1]];
            left[training.class_of(row) as usize] += training.weight_of(row);
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
