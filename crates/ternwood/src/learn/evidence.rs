//! What a zone estimator gets to see: the winning column of a node, in order.

use super::criterion::{Criterion, SplitScorer};
use super::params::CheckedParams;
use super::split_search::{NodeToSplit, SideLimits, SplitChoice, midpoint};
use super::stream::{NodeKey, Purpose, Stream};
use super::training::{Tally, Training};
use crate::tree::{Side, Zone};

/// The winning feature's values at a node, sorted, with classes and weights; and the split.
pub(crate) struct SplitEvidence<'a> {
    entries: Vec<Entry>,
    tally: &'a Tally,
    class_factors: &'a [f64],
    rules: EvidenceRules,
    choice: SplitChoice,
    key: NodeKey,
}

/// All rows of a node that share value and class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    pub(crate) value: f64,
    pub(crate) class: u32,
    /// How many rows.
    pub(crate) rows: u32,
    /// The sum of their sample weights.
    pub(crate) count: f64,
}

/// What the tree was grown with, as far as estimators depend on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvidenceRules {
    pub(crate) criterion: Criterion,
    pub(crate) limits: SideLimits,
    pub(crate) seed: u64,
    /// The weight of the whole training set.
    pub(crate) training_weight: f64,
}

/// A threshold that could have been chosen, and its gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Where it would cut.
    pub threshold: f64,
    /// The impurity it would remove.
    pub gain: f64,
}

impl EvidenceRules {
    /// The rules of a tree grown from `training` with `params`.
    pub(crate) fn new(training: &Training<'_>, params: &CheckedParams) -> Self {
        let tally = training.tally(training.rows());
        let training_weight: f64 = training.weighted(&tally.counts).iter().sum();
        Self {
            criterion: params.criterion,
            limits: SideLimits {
                rows: params.min_samples_leaf.of(training.rows().len()).max(1),
                weight: params.min_weight_fraction_leaf * training_weight,
            },
            seed: params.seed,
            training_weight,
        }
    }
}

impl<'a> SplitEvidence<'a> {
    /// Gathers and sorts the winning column of a node.
    pub(crate) fn gather(
        training: &'a Training<'_>,
        rules: EvidenceRules,
        node: NodeToSplit<'a>,
        choice: SplitChoice,
    ) -> Self {
        let column = training.column(choice.feature);
        let mut entries: Vec<Entry> = node
            .rows
            .iter()
            .map(|&row| Entry {
                // Adding 0 turns -0.0 into 0.0, which is the same value.
                value: column[row as usize] + 0.0,
                class: training.class_of(row),
                rows: 1,
                count: training.weight_of(row),
            })
            .collect();
        entries.sort_unstable_by(|a, b| a.value.total_cmp(&b.value).then(a.class.cmp(&b.class)));
        entries.dedup_by(|next, kept| {
            let same = next.value == kept.value && next.class == kept.class;
            if same {
                kept.rows += next.rows;
                kept.count += next.count;
            }
            same
        });
        Self {
            entries,
            tally: node.tally,
            class_factors: training.class_factors(),
            rules,
            choice,
            key: node.key,
        }
    }

    /// Distinct pairs of value and class, ascending.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.class_factors.len()
    }

    pub(crate) fn feature(&self) -> u32 {
        self.choice.feature
    }

    pub(crate) fn threshold(&self) -> f64 {
        self.choice.threshold
    }

    pub(crate) fn gain(&self) -> f64 {
        self.choice.gain
    }

    pub(crate) fn criterion(&self) -> Criterion {
        self.rules.criterion
    }

    /// The weight of the whole training set.
    pub(crate) fn training_weight(&self) -> f64 {
        self.rules.training_weight
    }

    /// The weight of an entry, class weight included.
    #[inline]
    pub(crate) fn weight(&self, entry: &Entry) -> f64 {
        entry.count * self.class_factors[entry.class as usize]
    }

    /// The smallest and the largest value.
    pub(crate) fn extremes(&self) -> (f64, f64) {
        (self.entries[0].value, self.entries[self.entries.len() - 1].value)
    }

    /// `share * (max - min)`, finite even where the range overflows.
    pub(crate) fn share_of_range(&self, share: f64) -> f64 {
        let (min, max) = self.extremes();
        let range = max - min;
        if range.is_finite() { share * range } else { share * max - share * min }
    }

    /// The entries below the threshold, and those above it.
    pub(crate) fn sides(&self) -> (&[Entry], &[Entry]) {
        let cut = self.entries.partition_point(|entry| entry.value <= self.threshold());
        self.entries.split_at(cut)
    }

    /// The weight of each class among `entries`.
    pub(crate) fn class_weights(&self, entries: &[Entry]) -> Vec<f64> {
        let mut counts = vec![0.0; self.n_classes()];
        for entry in entries {
            counts[entry.class as usize] += entry.count;
        }
        counts.iter().zip(self.class_factors).map(|(count, factor)| count * factor).collect()
    }

    /// All legal candidate thresholds with the gain `criterion` gives them, ascending.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let mut scorer = self.scorer(self.criterion());
        let n_rows: usize = self.tally.rows.iter().map(|&rows| rows as usize).sum();
        let mut left = vec![0.0; self.n_classes()];
        let mut left_rows = 0;
        let mut candidates = Vec::new();
        for pair in self.entries.windows(2) {
            left[pair[0].class as usize] += pair[0].count;
            left_rows += pair[0].rows as usize;
            if pair[0].value == pair[1].value {
                continue;
            }
            let score = scorer.score(&left);
            let weights = [score.left_weight, score.right_weight];
            if self.rules.limits.allow([left_rows, n_rows - left_rows], weights) {
                let threshold = midpoint(pair[0].value, pair[1].value);
                candidates.push(Candidate { threshold, gain: score.gain });
            }
        }
        candidates
    }

    /// A scorer for splits of this node.
    pub(crate) fn scorer(&self, criterion: Criterion) -> SplitScorer<'_> {
        SplitScorer::new(criterion, self.class_factors, &self.tally.counts)
    }

    /// The class counts left of the threshold, before class weights.
    pub(crate) fn left_counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.n_classes()];
        for entry in self.sides().0 {
            counts[entry.class as usize] += entry.count;
        }
        counts
    }

    /// The random stream of one resample of this node.
    pub(crate) fn stream(&self, resample: u32) -> Stream {
        self.key.stream(self.rules.seed, Purpose::Resample(resample))
    }

    /// How many rows lie within the zone.
    pub(crate) fn rows_within(&self, zone: Zone) -> u32 {
        let within = self.entries.iter().filter(|entry| zone.side(entry.value) == Side::Within);
        within.map(|entry| entry.rows).sum()
    }

    /// The rows and the weight below the zone, and above it.
    pub(crate) fn outside(&self, zone: Zone) -> ([usize; 2], [f64; 2]) {
        let start = self.entries.partition_point(|entry| zone.side(entry.value) == Side::Below);
        let end = self.entries.partition_point(|entry| zone.side(entry.value) != Side::Above);
        let sides = [&self.entries[..start], &self.entries[end..]];
        let rows = sides.map(|side| side.iter().map(|entry| entry.rows as usize).sum());
        (rows, sides.map(|side| self.class_weights(side).iter().sum()))
    }
}
