//! The search anybody can check: sort the node's rows by each feature, score every candidate.

use super::{NodeToSplit, SideLimits, SplitChoice, SplitSearch, midpoint};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::learn::criterion::{Criterion, SplitScorer};
use crate::learn::stream::Purpose;
use crate::learn::training::Training;
use crate::workers::Workers;

/// Exhaustive search, O(d n log n) per node of n rows and d features.
pub(crate) struct ScanSearch<'a> {
    pub(crate) training: &'a Training<'a>,
    pub(crate) criterion: Criterion,
    pub(crate) limits: SideLimits,
    pub(crate) max_features: usize,
    pub(crate) seed: u64,
    pub(crate) workers: &'a Workers,
    pub(crate) cancel: &'a CancelToken,
}

/// Below so many values, handing features to other threads costs more than it saves.
const WORTH_SHARING: usize = 1 << 14;

impl SplitSearch for ScanSearch<'_> {
    fn best_split(&self, node: NodeToSplit<'_>) -> Result<Option<SplitChoice>> {
        let n_features = self.training.n_features();
        if self.max_features == n_features {
            return self.best_among((0..n_features as u32).collect(), node);
        }
        // Like scikit-learn, look on beyond `max_features` until there is some split.
        let order = self.shuffled_features(node);
        let (first, rest) = order.split_at(self.max_features);
        let mut best = self.best_among(first.to_vec(), node)?;
        for &feature in rest {
            if best.is_some() {
                break;
            }
            best = self.best_among(vec![feature], node)?;
        }
        Ok(best)
    }
}

impl ScanSearch<'_> {
    fn best_among(
        &self,
        mut features: Vec<u32>,
        node: NodeToSplit<'_>,
    ) -> Result<Option<SplitChoice>> {
        features.sort_unstable();
        let alone = Workers::single();
        let share = node.rows.len() * features.len() >= WORTH_SHARING;
        let workers = if share { self.workers } else { &alone };
        let choices: Vec<Result<Option<SplitChoice>>> = workers.map(features, |feature| {
            self.cancel.check()?;
            Ok(self.best_of_feature(feature, node))
        });
        let mut best: Option<SplitChoice> = None;
        for choice in choices {
            if let Some(choice) = choice?
                && best.is_none_or(|best| choice.gain > best.gain)
            {
                best = Some(choice);
            }
        }
        Ok(best)
    }

    fn best_of_feature(&self, feature: u32, node: NodeToSplit<'_>) -> Option<SplitChoice> {
        let column = self.training.column(feature);
        let mut sorted: Vec<(f64, u32)> =
            node.rows.iter().map(|&row| (column[row as usize], row)).collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));

        let mut scorer =
            SplitScorer::new(self.criterion, self.training.class_factors(), &node.tally.counts);
        let mut left = vec![0.0; self.training.n_classes()];
        let mut best: Option<SplitChoice> = None;
        for (i, pair) in sorted.windows(2).enumerate() {
            let [(value, row), (next, _)] = [pair[0], pair[1]];
            left[self.training.class_of(row) as usize] += self.training.weight_of(row);
            if value == next {
                continue;
            }
            let score = scorer.score(&left);
            let rows = [i + 1, sorted.len() - i - 1];
            if score.gain > best.map_or(0.0, |best| best.gain)
                && self.limits.allow(rows, [score.left_weight, score.right_weight])
            {
                let threshold = midpoint(value, next);
                best = Some(SplitChoice { feature, threshold, gain: score.gain });
            }
        }
        best
    }

    fn shuffled_features(&self, node: NodeToSplit<'_>) -> Vec<u32> {
        let mut stream = node.key.stream(self.seed, Purpose::FeatureSubset);
        let mut order: Vec<u32> = (0..self.training.n_features() as u32).collect();
        for i in 0..order.len() {
            let j = i + stream.below((order.len() - i) as u32) as usize;
            order.swap(i, j);
        }
        order
    }
}
