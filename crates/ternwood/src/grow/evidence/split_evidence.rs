//! The winning column of a node as estimators see it, sorted only on demand.
//!
//! Estimators see only the rows of the node whose value is present; the gains they read keep missing values on their
//! side.

use super::rows_by_bin::RowsByBin;
use crate::dataset::{Column, as_trained};
use crate::exec::Exec;
use crate::grow::classes::{ClassTraining, Classes, Tally};
use crate::grow::search::binned::BinnedColumns;
use crate::grow::search::{NodeToSplit, SideLimits, SplitChoice, sort_by_value};
use crate::grow::stream::{Purpose, Stream};
use crate::grow::summary::Summary;
use crate::recipe::{CheckedParams, Criterion};
use crate::tree::{CategoryCut, Missing, Side, Test, Zone};
use std::borrow::Cow;
use std::cell::OnceCell;

/// A node's split, and the winning feature's values with classes and weights.
///
/// Everything is computed on demand: most estimators do not need the sorted column.
pub(crate) struct SplitEvidence<'a> {
    pub(super) training: &'a ClassTraining<'a>,
    pub(super) rules: EvidenceRules,
    pub(super) node: NodeToSplit<'a, Classes>,
    present: OnceCell<PresentRows<'a>>,
    choice: SplitChoice,
    column: Column<'a>,
    summary: OnceCell<Summary<f64>>,
    sorted_rows: OnceCell<Vec<SortedRow>>,
    entries: OnceCell<Vec<Entry>>,
    bins: Option<&'a BinnedColumns>,
    by_bin: OnceCell<Option<RowsByBin<'a>>>,
    exec: Option<&'a Exec>,
}

/// A row of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SortedRow {
    pub(crate) value: f64,
    pub(crate) class: u32,
    row: u32,
}

impl SortedRow {
    /// True if value and class are the same.
    pub(crate) fn is_same_entry(&self, other: &Self) -> bool {
        self.value == other.value && self.class == other.class
    }
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

impl EvidenceRules {
    /// The rules of a tree grown from `training` with `params`.
    pub(crate) fn new(training: &ClassTraining<'_>, params: &CheckedParams) -> Self {
        Self::of_whole(&training.tally(training.rows()), training, params)
    }

    /// The same, from the tally of the whole training set, of which `training` may be a part.
    pub(crate) fn of_whole(
        whole: &Tally,
        training: &ClassTraining<'_>,
        params: &CheckedParams,
    ) -> Self {
        let training_weight: f64 = training.weighted(&whole.counts).iter().sum();
        let limits = SideLimits::new(params, whole.n_rows(), training_weight);
        Self { criterion: params.criterion, limits, seed: params.seed, training_weight }
    }
}

impl<'a> SplitEvidence<'a> {
    /// The evidence for the split `choice` of `node`.
    pub(crate) fn new(
        training: &'a ClassTraining<'a>,
        rules: EvidenceRules,
        node: NodeToSplit<'a, Classes>,
        choice: SplitChoice,
    ) -> Self {
        let column = training.column(choice.feature());
        Self {
            training,
            rules,
            node,
            present: OnceCell::new(),
            choice,
            column,
            summary: OnceCell::new(),
            sorted_rows: OnceCell::new(),
            entries: OnceCell::new(),
            bins: None,
            by_bin: OnceCell::new(),
            exec: None,
        }
    }

    /// The evidence for rows that are elsewhere, `missing` of which have no value: what is known of the
    /// others, and their bins.
    pub(crate) fn elsewhere(mut self, missing: &Tally, known: RowsByBin<'a>) -> Self {
        let node = self.node.tally;
        let present = PresentRows::elsewhere(self.training, node, missing, &self.choice.test);
        self.present = OnceCell::from(present);
        self.by_bin = OnceCell::from(Some(known));
        self
    }

    /// The rows whose value is present: O(n) if some may be missing.
    pub(super) fn present(&self) -> &PresentRows<'a> {
        self.present.get_or_init(|| {
            PresentRows::new(self.training, self.column, self.node, &self.choice.test)
        })
    }

    fn rows(&self) -> &[u32] {
        &self.present().rows
    }

    /// Uses the summary that growing kept, if any, instead of computing one.
    pub(crate) fn with_summary(mut self, summary: Option<&Summary<f64>>) -> Self {
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
            Some(RowsByBin::new(self.training, bins, self.feature(), self.rows()))
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

    /// The rows by value and class, ascending. The first call sorts: O(n log n).
    pub(crate) fn sorted_rows(&self) -> &[SortedRow] {
        self.sorted_rows.get_or_init(|| sorted_rows(self.training, self.column, self.rows()))
    }

    /// Distinct pairs of value and class, ascending. The first call may sort.
    pub(crate) fn entries(&self) -> &[Entry] {
        self.entries.get_or_init(|| {
            let same = self.sorted_rows().chunk_by(SortedRow::is_same_entry);
            let entry = |same: &[SortedRow]| Entry {
                value: same[0].value,
                class: same[0].class,
                rows: same.len() as u32,
                count: same.iter().map(|row| self.training.weight_of(row.row)).sum(),
            };
            same.map(entry).collect()
        })
    }

    /// The statistics of one pass over the rows: O(n).
    pub(crate) fn summary(&self) -> &Summary<f64> {
        self.summary.get_or_init(|| {
            let mut summary = Summary::of_classes(self.n_classes());
            let test = self.test();
            let Some(by_bin) = self.rows_by_bin() else {
                for &row in self.rows() {
                    let value = self.column.at(row as usize);
                    let (class, weight) =
                        (self.training.class_of(row), self.training.weight_of(row));
                    summary.add(value, class, weight, test);
                }
                return summary;
            };
            // Lower bins are left of the threshold: their class counts are enough.
            let at = by_bin.bin_of(self.threshold());
            for bin in by_bin.bins_next_to(self.threshold()) {
                let weight = if bin == at { 1.0 } else { 0.0 };
                let entries = by_bin.values(bin).into_iter().flatten();
                entries.for_each(|entry| summary.add(entry.value, entry.class, weight, test));
            }
            for bin in (0..by_bin.n_bins()).filter(|&bin| bin != at) {
                let Summary { left_sums, right_sums, .. } = &mut summary;
                let side = if bin < at { left_sums } else { right_sums };
                for (sum, count) in side.iter_mut().zip(by_bin.counts(bin)) {
                    *sum += count;
                }
            }
            summary
        })
    }

    /// The number of rows of each class.
    pub(crate) fn class_rows(&self) -> impl Iterator<Item = (u32, usize)> {
        (0..).zip(self.present().tally.rows.iter().map(|&rows| rows as usize))
    }

    /// The values of the rows of each class, in no particular order.
    pub(crate) fn values_by_class(&self) -> Vec<Vec<f64>> {
        let mut values: Vec<Vec<f64>> = self
            .present()
            .tally
            .rows
            .iter()
            .map(|&rows| Vec::with_capacity(rows as usize))
            .collect();
        for &row in self.rows() {
            values[self.training.class_of(row) as usize].push(self.column.at(row as usize));
        }
        values
    }

    /// Calls `f` with value, class and weight (in units of [`weight_unit`](Self::weight_unit)) of
    /// every row, in no particular order.
    pub(crate) fn weighed_rows(&self) -> impl Iterator<Item = (f64, usize, u64)> {
        self.rows().iter().map(|&row| {
            let class = self.training.class_of(row) as usize;
            (self.column.at(row as usize), class, self.training.weight_in_units(row))
        })
    }

    /// The unit of the weights of [`weighed_rows`](Self::weighed_rows).
    pub(crate) fn weight_unit(&self) -> f64 {
        self.training.weight_unit()
    }

    /// Class counts times class weights.
    pub(crate) fn weighted(&self, counts: &[f64]) -> Vec<f64> {
        self.training.weighted(counts)
    }

    /// The class weights.
    pub(crate) fn class_factors(&self) -> &[f64] {
        self.training.class_factors()
    }

    /// The weight of each class left and right of the threshold.
    pub(crate) fn side_weights(&self) -> [Vec<f64>; 2] {
        let Summary { left_sums, right_sums, .. } = self.summary();
        [left_sums, right_sums].map(|counts| self.training.weighted(counts))
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.training.n_classes()
    }

    /// The test, without a zone.
    pub(crate) fn test(&self) -> &Test {
        &self.choice.test
    }

    pub(crate) fn feature(&self) -> u32 {
        self.choice.feature()
    }

    /// The threshold; only asked if the test has one.
    pub(crate) fn threshold(&self) -> f64 {
        self.test().zone().map_or(f64::NAN, Zone::threshold)
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

    /// The weight of a row, class weight included.
    #[inline]
    pub(crate) fn row_weight(&self, row: &SortedRow) -> f64 {
        self.training.weight_of(row.row) * self.training.class_factors()[row.class as usize]
    }

    /// `share * (max - min)`, finite even where the range overflows.
    pub(crate) fn share_of_range(&self, share: f64) -> f64 {
        let (min, max) = self.summary().extremes;
        let range = max - min;
        if range.is_finite() { share * range } else { share * max - share * min }
    }

    /// The random stream of one resample of this node.
    pub(crate) fn stream(&self, resample: u32) -> Stream {
        self.node.key.stream(self.rules.seed, Purpose::Resample(resample))
    }

    /// The number of rows that are within the test's zone or unknown at it. `test` may differ from
    /// the split's own test only in the zone.
    pub(crate) fn rows_within(&self, test: &Test) -> u32 {
        if let Some(cut) = test.categories() {
            return self.rows_of_unsure_categories(test, cut);
        }
        let unknown = match test.missing() {
            Missing::Unknown => self.node.tally.n_rows() - self.gain_rows(),
            Missing::Left | Missing::Right => 0,
        };
        unknown as u32 + self.numbers_within(test)
    }

    fn rows_of_unsure_categories(&self, test: &Test, cut: &CategoryCut) -> u32 {
        let is_unsure = |x: f64| test.side(x) == Side::Within;
        let n_placed: u32 = cut.places().iter().map(|place| place.rows).sum();
        if n_placed as usize == self.node.rows.len() {
            let unsure = cut.places().iter().filter(|place| is_unsure(place.category.into()));
            return unsure.map(|place| place.rows).sum();
        }
        // Some values are missing, or too rare.
        let values = self.node.rows.iter().map(|&row| as_trained(self.column.at(row as usize)));
        values.filter(|&x| is_unsure(x)).count() as u32
    }

    fn numbers_within(&self, test: &Test) -> u32 {
        if !test.has_zone() {
            return 0;
        }
        // A missing value is never within the edges.
        let (Some(edges), rows) = (test.edges(true), self.node.rows) else { return 0 };
        // If an estimator grouped the rows by bin, most values need not be read.
        if let Some(Some(by_bin)) = self.by_bin.get()
            && let Some(within) = by_bin.within(edges)
        {
            return within as u32;
        }
        match self.bins {
            Some(bins) => bins.rows_within(self.feature(), self.column, edges, rows),
            None => rows.iter().filter(|&&row| edges.contain(self.column.at(row as usize))).count()
                as u32,
        }
    }

    /// The rows whose value is present.
    pub(crate) fn into_rows(self) -> Cow<'a, [u32]> {
        self.present();
        self.present.into_inner().map_or(Cow::Borrowed(self.node.rows), |present| present.rows)
    }

    /// The rows and weights below and above the test's zone.
    pub(crate) fn outside(&self, test: &Test) -> Outside {
        let mut rows = [0; 2];
        let mut counts = [vec![0.0; self.n_classes()], vec![0.0; self.n_classes()]];
        for &row in self.node.rows {
            let side = match test.training_side(self.column.at(row as usize), true) {
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

/// The rows sorted by value and class.
fn sorted_rows(training: &ClassTraining<'_>, column: Column<'_>, rows: &[u32]) -> Vec<SortedRow> {
    // Adding 0 turns -0.0 into 0.0: they are the same value.
    let value = |row: u32| column.at(row as usize) + 0.0;
    let sorted_row =
        |&row: &u32| SortedRow { value: value(row), class: training.class_of(row), row };
    let mut sorted: Vec<SortedRow> = rows.iter().map(sorted_row).collect();
    let by_value_and_class =
        |a: &SortedRow, b: &SortedRow| a.value.total_cmp(&b.value).then(a.class.cmp(&b.class));
    sort_by_value(&mut sorted, |row| row.value, by_value_and_class);
    sorted
}

/// The rows of a node whose value is present, and their classes.
pub(super) struct PresentRows<'a> {
    pub(super) rows: Cow<'a, [u32]>,
    pub(super) tally: Cow<'a, Tally>,
    /// The other rows, if any.
    pub(super) aside: Option<Aside>,
}

/// What gains are measured on, if some values are missing.
pub(super) struct Aside {
    /// Rows and class counts left of every threshold: missing values that go left.
    pub(super) left_rows: usize,
    pub(super) left: Vec<f64>,
    /// Rows and class counts that gains are measured on: all of the node, unless missing values
    /// are unknown.
    pub(super) rows: usize,
    pub(super) counts: Vec<f64>,
    /// The share of the node's weight in these.
    pub(super) share: f64,
}

impl<'a> PresentRows<'a> {
    pub(super) fn new(
        training: &ClassTraining<'_>,
        column: Column<'_>,
        node: NodeToSplit<'a, Classes>,
        test: &Test,
    ) -> Self {
        let is_missing = |row: &u32| column.at(*row as usize).is_nan();
        if !(training.has_missing(test.feature().0) && node.rows.iter().any(is_missing)) {
            let (rows, tally) = (Cow::Borrowed(node.rows), Cow::Borrowed(node.tally));
            return Self { rows, tally, aside: None };
        }
        let (missing, present): (Vec<u32>, Vec<u32>) =
            node.rows.iter().copied().partition(is_missing);
        let missing = training.tally(&missing);
        Self { rows: Cow::Owned(present), ..Self::elsewhere(training, node.tally, &missing, test) }
    }

    /// The same of rows that are elsewhere, of which some have no value.
    pub(super) fn elsewhere(
        training: &ClassTraining<'_>,
        node: &'a Tally,
        missing: &Tally,
        test: &Test,
    ) -> Self {
        let aside = || Aside::new(training, node, missing, test.missing());
        Self {
            rows: Cow::Borrowed(&[]),
            tally: Cow::Owned(node.without(missing)),
            aside: (missing.n_rows() > 0).then(aside),
        }
    }
}

impl Aside {
    /// For rows of a node of which some have no value.
    fn new(training: &ClassTraining<'_>, node: &Tally, missing: &Tally, side: Missing) -> Self {
        let weight = |counts: &[f64]| training.weighted(counts).iter().sum::<f64>();
        let nothing = || vec![0.0; node.counts.len()];
        let (left_rows, left) = match side {
            Missing::Left => (missing.n_rows(), missing.counts.clone()),
            Missing::Right | Missing::Unknown => (0, nothing()),
        };
        if side != Missing::Unknown {
            let (rows, counts) = (node.n_rows(), node.counts.clone());
            return Self { left_rows, left, rows, counts, share: 1.0 };
        }
        let present = node.without(missing);
        let share = weight(&present.counts) / weight(&node.counts);
        Self { left_rows, left, rows: present.n_rows(), counts: present.counts, share }
    }
}
