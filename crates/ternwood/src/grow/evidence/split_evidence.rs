//! The winning column of a node as estimators see it, sorted only on demand.

use super::rows_by_bin::RowsByBin;
use super::summary::Summary;
use crate::dataset::Column;
use crate::exec::Exec;
use crate::grow::search::binned::BinnedColumns;
use crate::grow::search::scorer::SplitScorer;
use crate::grow::search::{NodeToSplit, Purity, SideLimits, SplitChoice, midpoint, sort_by_value};
use crate::grow::stream::{Purpose, Stream};
use crate::grow::training::Training;
use crate::recipe::{CheckedParams, Criterion};
use crate::tree::{Side, Test};
use std::cell::OnceCell;

/// A node's split, and the winning feature's values with classes and weights.
///
/// Everything is computed on demand: most estimators do not need the sorted column.
pub(crate) struct SplitEvidence<'a> {
    training: &'a Training<'a>,
    rules: EvidenceRules,
    node: NodeToSplit<'a>,
    choice: SplitChoice,
    column: Column<'a>,
    summary: OnceCell<Summary>,
    entries: OnceCell<Vec<Entry>>,
    bins: Option<&'a BinnedColumns>,
    by_bin: OnceCell<Option<RowsByBin<'a>>>,
    exec: Option<&'a Exec>,
}

/// All rows of a node with the same value and class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    pub(crate) value: f64,
    pub(crate) class: u32,
    /// The number of rows.
    pub(crate) rows: u32,
    /// The sum of their sample weights.
    pub(crate) count: f64,
}

/// The growing parameters that estimators depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvidenceRules {
    pub(crate) criterion: Criterion,
    pub(crate) limits: SideLimits,
    pub(crate) seed: u64,
    /// The weight of the whole training set.
    pub(crate) training_weight: f64,
}

/// A candidate threshold and its gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The threshold.
    pub threshold: f64,
    /// The impurity decrease of a split there.
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
    /// The evidence for the split `choice` of `node`.
    pub(crate) fn new(
        training: &'a Training<'a>,
        rules: EvidenceRules,
        node: NodeToSplit<'a>,
        choice: SplitChoice,
    ) -> Self {
        let column = training.column(choice.feature);
        Self {
            training,
            rules,
            node,
            choice,
            column,
            summary: OnceCell::new(),
            entries: OnceCell::new(),
            bins: None,
            by_bin: OnceCell::new(),
            exec: None,
        }
    }

    /// Uses the summary that growing kept, if any, instead of computing one.
    pub(crate) fn with_summary(mut self, summary: Option<&Summary>) -> Self {
        if let Some(summary) = summary {
            self.summary = OnceCell::from(summary.clone());
        }
        self
    }

    /// Uses bins where they help, if given. All rows must have weight 1.
    pub(crate) fn with_bins(mut self, bins: Option<&'a BinnedColumns>) -> Self {
        self.bins = bins;
        self
    }

    /// The rows grouped by bin, if there are bins and enough rows.
    pub(crate) fn rows_by_bin(&self) -> Option<&RowsByBin<'a>> {
        let rows_by_bin = || {
            let bins =
                self.bins.filter(|bins| self.node.rows.len() >= bins.tuning().min_zone_rows)?;
            Some(RowsByBin::new(self.training, bins, self.choice.feature, self.node.rows))
        };
        self.by_bin.get_or_init(rows_by_bin).as_ref()
    }

    /// Lets slow estimators stop early once cancelled. Check `exec` again before using the
    /// half-width: it may be wrong.
    pub(crate) fn cancelled_by(mut self, exec: &'a Exec) -> Self {
        self.exec = Some(exec);
        self
    }

    /// True once cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.exec.is_some_and(Exec::is_cancelled)
    }

    /// Distinct pairs of value and class, ascending. The first call sorts: O(n log n).
    pub(crate) fn entries(&self) -> &[Entry] {
        self.entries.get_or_init(|| sorted_entries(self.training, self.column, self.node.rows))
    }

    /// The statistics of one pass over the rows: O(n).
    pub(crate) fn summary(&self) -> &Summary {
        self.summary.get_or_init(|| {
            let mut summary = Summary::empty(self.n_classes());
            let test = self.choice.test();
            let Some(by_bin) = self.rows_by_bin() else {
                for &row in self.node.rows {
                    let value = self.column.at(row as usize);
                    let (class, weight) =
                        (self.training.class_of(row), self.training.weight_of(row));
                    summary.add((value, class), weight, &test);
                }
                return summary;
            };
            // Lower bins are left of the threshold: their class counts are enough.
            let at = by_bin.bin_of(self.threshold());
            for bin in by_bin.bins_next_to(self.threshold()) {
                let weight = if bin == at { 1.0 } else { 0.0 };
                by_bin.values(bin).for_each(|value| summary.add(value, weight, &test));
            }
            for bin in 0..at {
                for (left, &count) in summary.left_counts.iter_mut().zip(by_bin.counts(bin)) {
                    *left += f64::from(count);
                }
            }
            summary
        })
    }

    /// The number of rows of each class.
    pub(crate) fn class_rows(&self) -> impl Iterator<Item = (u32, usize)> {
        (0..).zip(self.node.tally.rows.iter().map(|&rows| rows as usize))
    }

    /// The values of the rows of each class, in no particular order.
    pub(crate) fn values_by_class(&self) -> Vec<Vec<f64>> {
        let mut values: Vec<Vec<f64>> =
            self.node.tally.rows.iter().map(|&rows| Vec::with_capacity(rows as usize)).collect();
        for &row in self.node.rows {
            values[self.training.class_of(row) as usize].push(self.column.at(row as usize));
        }
        values
    }

    /// Calls `f` with value, class and weight (in units of [`weight_unit`](Self::weight_unit)) of
    /// every row, in no particular order.
    pub(crate) fn for_each_row(&self, mut f: impl FnMut(f64, usize, u64)) {
        for &row in self.node.rows {
            let class = self.training.class_of(row) as usize;
            f(self.column.at(row as usize), class, self.training.weight_in_units(row));
        }
    }

    /// The unit of the weights in [`for_each_row`](Self::for_each_row).
    pub(crate) fn weight_unit(&self) -> f64 {
        self.training.weight_unit()
    }

    /// The class weights.
    pub(crate) fn class_factors(&self) -> &[f64] {
        self.training.class_factors()
    }

    /// The weight of each class left and right of the threshold.
    pub(crate) fn side_weights(&self) -> [Vec<f64>; 2] {
        let left = &self.summary().left_counts;
        let right: Vec<f64> =
            self.node.tally.counts.iter().zip(left).map(|(all, left)| all - left).collect();
        [self.training.weighted(left), self.training.weighted(&right)]
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.training.n_classes()
    }

    pub(crate) fn feature(&self) -> u32 {
        self.choice.feature
    }

    pub(crate) fn threshold(&self) -> f64 {
        self.choice.threshold()
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
        entry.count * self.training.class_factors()[entry.class as usize]
    }

    /// `share * (max - min)`, finite even where the range overflows.
    pub(crate) fn share_of_range(&self, share: f64) -> f64 {
        let (min, max) = self.summary().extremes;
        let range = max - min;
        if range.is_finite() { share * range } else { share * max - share * min }
    }

    /// All legal candidate thresholds with their gains, ascending.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        self.candidates_with_gain(f64::NEG_INFINITY)
    }

    /// The legal candidate thresholds with a gain of at least `gain`, ascending.
    ///
    /// Purity, which is cheap, rules out most candidates; only the others are scored.
    pub(crate) fn candidates_with_gain(&self, gain: f64) -> Vec<Candidate> {
        let mut scorer = self.scorer(self.criterion());
        let purity = Purity::new(self.criterion(), self.training.class_factors());
        let counts = &self.node.tally.counts;
        let min_purity = purity.of_gain(gain, counts) - purity.tolerance(counts);
        let mut candidates = Vec::new();
        self.for_each_cut(|cut| {
            if purity.of(cut.left, counts) < min_purity {
                return;
            }
            let score = scorer.score(cut.left);
            if score.gain >= gain
                && self.rules.limits.allow(cut.rows, [score.left_weight, score.right_weight])
            {
                candidates.push(Candidate { threshold: cut.threshold(), gain: score.gain });
            }
        });
        candidates
    }

    /// The lowest and the highest legal candidate threshold with a gain of at least `gain`.
    pub(crate) fn outermost_with_gain(&self, gain: f64) -> Option<(f64, f64)> {
        let Some(by_bin) = self.rows_by_bin() else {
            let candidates = self.candidates_with_gain(gain);
            return Some((candidates.first()?.threshold, candidates.last()?.threshold));
        };
        let purity = Purity::new(self.criterion(), self.training.class_factors());
        let counts = &self.node.tally.counts;
        let min_purity = purity.of_gain(gain, counts) - purity.tolerance(counts);
        let bins = by_bin.bins_with_purity(purity, counts, min_purity);
        let mut scorer = self.scorer(self.criterion());
        let mut in_bin = |(bin, left): &(usize, Vec<f64>)| {
            let mut left_rows = by_bin.n_rows(0..*bin);
            let mut left = left.clone();
            let mut thresholds = Vec::new();
            for pair in by_bin.sorted_with_next(*bin).windows(2) {
                left[pair[0].1 as usize] += 1.0;
                left_rows += 1;
                if pair[0].0 == pair[1].0 {
                    continue;
                }
                let score = scorer.score(&left);
                let rows = [left_rows, self.node.rows.len() - left_rows];
                if score.gain >= gain
                    && self.rules.limits.allow(rows, [score.left_weight, score.right_weight])
                {
                    thresholds.push(midpoint(pair[0].0, pair[1].0));
                }
            }
            thresholds
        };
        let low = bins.iter().find_map(|bin| in_bin(bin).first().copied())?;
        let high = bins.iter().rev().find_map(|bin| in_bin(bin).last().copied())?;
        Some((low, high))
    }

    /// Calls `f` with every cut between two distinct values, ascending.
    fn for_each_cut(&self, mut f: impl FnMut(Cut<'_>)) {
        let entries = self.entries();
        let n_rows: usize = self.node.rows.len();
        let mut left = vec![0.0; self.n_classes()];
        let mut left_rows = 0;
        for pair in entries.windows(2) {
            left[pair[0].class as usize] += pair[0].count;
            left_rows += pair[0].rows as usize;
            if pair[0].value < pair[1].value {
                let (rows, between) =
                    ([left_rows, n_rows - left_rows], [pair[0].value, pair[1].value]);
                f(Cut { left: &left, rows, between });
            }
        }
    }

    /// A scorer for splits of this node.
    pub(crate) fn scorer(&self, criterion: Criterion) -> SplitScorer<'_> {
        SplitScorer::new(criterion, self.training.class_factors(), &self.node.tally.counts)
    }

    /// The random stream of one resample of this node.
    pub(crate) fn stream(&self, resample: u32) -> Stream {
        self.node.key.stream(self.rules.seed, Purpose::Resample(resample))
    }

    /// The number of rows within the test's zone.
    pub(crate) fn rows_within(&self, test: &Test) -> u32 {
        if !test.has_zone() {
            return 0;
        }
        let (edges, rows) = (test.edges(true), self.node.rows);
        // If an estimator grouped the rows by bin, most values need not be read.
        if let Some(Some(by_bin)) = self.by_bin.get() {
            return by_bin.within(edges) as u32;
        }
        match self.bins {
            Some(bins) => bins.rows_within(self.choice.feature, self.column, edges, rows),
            None => rows
                .iter()
                .filter(|&&row| edges.side(self.column.at(row as usize)) == Side::Within)
                .count() as u32,
        }
    }

    /// The rows and weights below and above the test's zone.
    pub(crate) fn outside(&self, test: &Test) -> Outside {
        let mut rows = [0; 2];
        let mut counts = [vec![0.0; self.n_classes()], vec![0.0; self.n_classes()]];
        for &row in self.node.rows {
            let side = match test.side(self.column.at(row as usize)) {
                Side::Below => 0,
                Side::Within => continue,
                Side::Above => 1,
            };
            rows[side] += 1;
            counts[side][self.training.class_of(row) as usize] += self.training.weight_of(row);
        }
        let weights = counts.map(|counts| self.training.weighted(&counts).iter().sum());
        Outside { rows, weights }
    }
}

/// The rows and weights below and above a zone.
pub(crate) struct Outside {
    pub(crate) rows: [usize; 2],
    pub(crate) weights: [f64; 2],
}

/// A cut between two distinct values of the column.
struct Cut<'a> {
    left: &'a [f64],
    rows: [usize; 2],
    between: [f64; 2],
}

impl Cut<'_> {
    fn threshold(&self) -> f64 {
        midpoint(self.between[0], self.between[1])
    }
}

/// The rows sorted by value and class, with equal ones merged.
fn sorted_entries(training: &Training<'_>, column: Column<'_>, rows: &[u32]) -> Vec<Entry> {
    let mut sorted: Vec<(f64, u32, u32)> = rows
        .iter()
        // Adding 0 turns -0.0 into 0.0: they are the same value.
        .map(|&row| (column.at(row as usize) + 0.0, training.class_of(row), row))
        .collect();
    sort_by_value(&mut sorted, |a| a.0, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut entries: Vec<Entry> = Vec::with_capacity(sorted.len());
    for (value, class, row) in sorted {
        let count = training.weight_of(row);
        match entries.last_mut() {
            Some(last) if last.value == value && last.class == class => {
                last.rows += 1;
                last.count += count;
            }
            _ => entries.push(Entry { value, class, rows: 1, count }),
        }
    }
    entries
}
