//! The binned search: edges first, then the live bins. [`Tuning`] says when to use bins, and how many.

use super::super::candidate::{Candidate, Contender, Contest, Leader, Place, better};
use super::super::categories::NodeCategories;
use super::super::{SearchRules, SplitChoice, categories};
use super::codes::BinnedColumns;
use super::histogram::{LiveBin, Survey};
use super::histogram::{NodeHistogram, bins_next_to};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::stream::NodeKey;
use crate::grow::summary::Summary;
use crate::grow::target::{Cell, Measure, Tally, Target};
use crate::grow::training::Training;
use crate::tree::{Missing, Test};
use std::borrow::Cow;
use std::marker::PhantomData;

/// Finds the best splits of large nodes.
pub(crate) struct BinnedSearch<'a, C: Cell> {
    pub(crate) rules: SearchRules<'a, C::Target>,
    pub(crate) bins: &'a BinnedColumns,
    pub(crate) exec: &'a Exec,
    /// What histograms add up.
    pub(crate) cells: PhantomData<C>,
}

/// A node to split.
pub(crate) struct BinnedNode<'a, C: Cell> {
    /// Empty if the rows are elsewhere: then nothing may look inside bins.
    pub(crate) rows: &'a [u32],
    pub(crate) tally: &'a TallyOf<C>,
    pub(crate) histogram: &'a NodeHistogram<C>,
}

impl<C: Cell> Clone for BinnedNode<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Cell> Copy for BinnedNode<'_, C> {}

type TallyOf<C> = <<C as Cell>::Target as Target>::Tally;

/// The place of a threshold among bins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BinPlace {
    /// Between two values in a bin.
    Inside([f64; 2]),
    /// Between a bin and the next non-empty one.
    After(u16),
}

/// The value and the target of a row in a live bin, or of several rows with the same value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiveRow<T: Target> {
    pub(crate) value: f64,
    pub(crate) rows: u32,
    pub(crate) target: T::Row,
}

impl<C: Cell> BinnedSearch<'_, C> {
    /// The best legal split; one without gain only where the rules allow it.
    pub(crate) fn best_split(&self, node: BinnedNode<'_, C>) -> Result<Option<SplitChoice>> {
        self.best_split_among(&self.rules.all_features(), node)
    }

    /// The best legal split of the features that the node draws. Like scikit-learn, searches beyond
    /// `max_features` until a split is found.
    pub(crate) fn best_drawn_split(
        &self,
        rows: &[u32],
        tally: &TallyOf<C>,
        key: NodeKey,
    ) -> Result<Option<(SplitChoice, NodeHistogram<C>)>> {
        let mut drawn = self.rules.drawn_features(key);
        let mut features: Vec<Contender> = drawn.by_ref().take(self.rules.max_features).collect();
        while !features.is_empty() {
            let histogram = self.histogram_of(rows, &features)?;
            let node = BinnedNode { rows, tally, histogram: &histogram };
            if let Some(choice) = self.best_split_among(&features, node)? {
                return Ok(Some((choice, histogram)));
            }
            features = drawn.next().into_iter().collect();
        }
        Ok(None)
    }

    fn best_split_among(
        &self,
        features: &[Contender],
        node: BinnedNode<'_, C>,
    ) -> Result<Option<SplitChoice>> {
        let mut survey = self.survey_node(features, node);
        self.exec.check()?;
        self.look_inside(
            &mut survey,
            node,
            |_| true,
            |feature, bins| self.sorted_rows_in(feature, bins, node).into(),
        )?;
        let edge = |feature, bins| self.values_around_edge(feature, bins, node);
        Ok(survey.best.map(|best| self.choice(&best, node, edge)))
    }

    fn contest<'n>(&'n self, node: BinnedNode<'n, C>) -> Contest<'n, C::Target> {
        Contest::new(&self.rules, node.tally)
    }

    /// The best edge of some features, and the bins that may hold better splits.
    pub(crate) fn survey_node(
        &self,
        features: &[Contender],
        node: BinnedNode<'_, C>,
    ) -> Survey<C::Target> {
        let contest = self.contest(node);
        // Features are dealt out to threads; each keeps its leader from one to the next.
        let threads = self.exec.threads().min(features.len());
        let share = |first: usize| features[first..].iter().copied().step_by(threads);
        let shares = (0..threads).map(share).collect();
        let mut all = Survey { best: None, best_purity: f64::NEG_INFINITY, live: Vec::new() };
        for of_thread in self.exec.map(shares, |share| self.survey(share, contest, node)) {
            all.best = better(all.best, of_thread.best);
            all.best_purity = all.best_purity.max(of_thread.best_purity);
            all.live.extend(of_thread.live);
        }
        all.drop_dead_bins(contest);
        all
    }

    /// Searches inside those live bins that are `at_hand`. `rows_of` gives the rows in some bins of a
    /// feature, sorted by value; others may be among them.
    pub(crate) fn look_inside<'r>(
        &self,
        survey: &mut Survey<C::Target>,
        node: BinnedNode<'_, C>,
        at_hand: impl Fn(&LiveBin<C::Target>) -> bool,
        rows_of: impl Fn(u32, &[usize]) -> Cow<'r, [LiveRow<C::Target>]> + Sync,
    ) -> Result<()>
    where
        C: 'r,
    {
        let contest = self.contest(node);
        let (looked_at, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut survey.live).into_iter().partition(at_hand);
        let by_entrant = looked_at.chunk_by(|a, b| a.entrant == b.entrant).collect();
        let inside: Vec<Result<_>> = self.exec.map(by_entrant, |live: &[LiveBin<C::Target>]| {
            self.exec.check()?;
            let bins: Vec<usize> = live.iter().map(|live| live.bin).collect();
            let rows = rows_of(live[0].entrant.feature.feature, &bins);
            let leader = Leader::new(contest).with_best_purity(survey.best_purity);
            Ok(self.search_live_bins(live, &rows, leader))
        });
        for found in inside {
            let (candidate, purity) = found?;
            survey.best = better(survey.best.take(), candidate);
            survey.best_purity = survey.best_purity.max(purity);
        }
        survey.live = rest;
        survey.drop_dead_bins(contest);
        Ok(())
    }

    /// The best split inside the live bins of one pass over a feature, and the best purity.
    fn search_live_bins(
        &self,
        live: &[LiveBin<C::Target>],
        rows: &[LiveRow<C::Target>],
        mut leader: Leader<'_, C::Target, BinPlace>,
    ) -> (Option<Candidate<BinPlace>>, f64) {
        let entrant = live[0].entrant;
        leader.set_entrant(entrant);
        let measure = self.rules.training.measure();
        let bin_of = |row: &LiveRow<C::Target>| {
            usize::from(self.bins.code_of(entrant.feature.feature, row.value))
        };
        let mut rest = rows;
        for LiveBin { bin, left, left_rows, .. } in live {
            let (mut left, mut left_rows) = (left.clone(), *left_rows);
            // Bins are ranges of values, so the rows of each bin are contiguous.
            rest = &rest[rest.partition_point(|row| bin_of(row) < *bin)..];
            let in_bin;
            (in_bin, rest) = rest.split_at(rest.partition_point(|row| bin_of(row) == *bin));
            for pair in in_bin.windows(2) {
                measure.add(&mut left, pair[0].target);
                left_rows += pair[0].rows as usize;
                if pair[0].value < pair[1].value {
                    let place = Place::Number(BinPlace::Inside([pair[0].value, pair[1].value]));
                    leader.offer(&left, left_rows, place);
                }
            }
        }
        leader.finish()
    }

    /// The node's rows in some bins of a feature, sorted by value.
    pub(crate) fn sorted_rows_in(
        &self,
        feature: u32,
        bins: &[usize],
        node: BinnedNode<'_, C>,
    ) -> Vec<LiveRow<C::Target>> {
        let column = self.rules.training.column(feature);
        let targets = self.rules.training.counted::<C>();
        let row_ids = self.row_ids_in(feature, bins, node).into_iter();
        // Sorted in the form of fewest bytes.
        let mut rows: Vec<(f64, C::OfRow)> =
            row_ids.map(|row| (column.at(row as usize), C::of_row(targets, row))).collect();
        rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let live_row = |(value, target)| LiveRow { value, rows: 1, target: C::row(target) };
        rows.into_iter().map(live_row).collect()
    }

    fn row_ids_in(&self, feature: u32, bins: &[usize], node: BinnedNode<'_, C>) -> Vec<u32> {
        let mut is_wanted = vec![false; self.bins.n_bins(feature)];
        bins.iter().for_each(|&bin| is_wanted[bin] = true);
        let width = self.rules.training.width();
        let cells = bins.iter().flat_map(|&bin| node.histogram.bin(feature, bin, width));
        let n_wanted: u32 = cells.map(|cell| cell.n_rows()).sum();
        rows_with(self.bins.codes(feature), node.rows, n_wanted as usize, |code| {
            is_wanted[usize::from(code)]
        })
    }

    /// The summary of a node for zone estimators; `None` if its test has no threshold. `left`
    /// and `right` tally the two sides of its split.
    pub(crate) fn summary(
        &self,
        node: BinnedNode<'_, C>,
        test: &Test,
        [left, right]: [&TallyOf<C>; 2],
    ) -> Option<Summary<<C::Target as Target>::Sum>> {
        let (feature, threshold) = (test.feature().0, test.zone()?.threshold());
        let training = self.rules.training;
        let (width, n_groups) = (training.width(), left.group_rows().len());
        let at = self.bins.code_of(feature, threshold);
        let [present, missing] = self.cells(feature, node);
        let bins = bins_next_to(present, width, n_groups, at.into());
        let mut summary = Summary::empty(n_groups, &[]);
        let column = training.column(feature);
        for row in self.row_ids_in(feature, &bins, node) {
            let group = C::Target::group(training.target(), row);
            summary.see(column.at(row as usize), group, test);
        }
        summary.left_sums = left.sums().to_vec();
        summary.right_sums = right.sums().to_vec();
        let with_missing = match test.missing() {
            Missing::Left => &mut summary.left_sums,
            Missing::Right | Missing::Unknown => &mut summary.right_sums,
        };
        let sums = with_missing.iter_mut().zip(missing);
        sums.for_each(|(sum, missing)| *sum -= missing.sum());
        Some(summary)
    }

    /// The cells of a feature's present values, bin by bin, and of missing values.
    pub(crate) fn cells<'n>(&self, feature: u32, node: BinnedNode<'n, C>) -> [&'n [C]; 2] {
        let n_bins = self.bins.n_present_bins(feature);
        node.histogram.split_at(feature, n_bins, self.rules.training.width())
    }

    /// The sums of the categories of a feature.
    pub(super) fn categories(
        &self,
        feature: u32,
        node: BinnedNode<'_, C>,
    ) -> NodeCategories<C::Target> {
        let [present, missing] = self.cells(feature, node);
        NodeCategories::from_cells(present, missing, self.rules.training.width())
    }

    /// The split of a candidate. `edge` gives the largest value in the first of two bins of a feature, and
    /// the smallest in the second.
    pub(crate) fn choice(
        &self,
        best: &Candidate<BinPlace>,
        node: BinnedNode<'_, C>,
        edge: impl FnOnce(u32, [u16; 2]) -> [f64; 2],
    ) -> SplitChoice {
        let Candidate { feature, gain, rank, missing, place, .. } = *best;
        let between = match place {
            _ if rank.separates_missing => {
                return SplitChoice { test: Test::is_present(feature), gain };
            }
            Place::OnAxis(between) => {
                let categories = self.categories(feature, node);
                let test = categories::test(categories, best, between, &self.rules);
                return SplitChoice { test, gain };
            }
            Place::Number(BinPlace::Inside(values)) => values,
            Place::Number(BinPlace::After(bin)) => {
                edge(feature, self.bins_around_edge(feature, bin, node))
            }
        };
        SplitChoice::between(feature, between, missing, gain)
    }

    /// A bin, and the next non-empty one.
    pub(crate) fn bins_around_edge(
        &self,
        feature: u32,
        bin: u16,
        node: BinnedNode<'_, C>,
    ) -> [u16; 2] {
        let [cells, _] = self.cells(feature, node);
        let bins = cells.chunks_exact(self.rules.training.width());
        let filled = |(_, cells): &(u16, &[C])| cells.iter().any(|cell| cell.n_rows() > 0);
        let next = (0..).zip(bins).skip(usize::from(bin) + 1).find(filled);
        [bin, next.map_or(bin, |next| next.0)]
    }

    /// The largest value of a bin, and the smallest of another.
    pub(crate) fn values_around_edge(
        &self,
        feature: u32,
        [bin, next]: [u16; 2],
        node: BinnedNode<'_, C>,
    ) -> [f64; 2] {
        [
            self.values_in(feature, bin, node.rows).fold(f64::NEG_INFINITY, f64::max),
            self.values_in(feature, next, node.rows).fold(f64::INFINITY, f64::min),
        ]
    }

    /// The values of the rows in a bin; just one if the bin has a single value.
    fn values_in(&self, feature: u32, bin: u16, rows: &[u32]) -> impl Iterator<Item = f64> {
        let column = self.rules.training.column(feature);
        let codes = self.bins.codes(feature);
        let limit = if self.bins.is_single_valued(feature, bin.into()) { 1 } else { rows.len() };
        let in_bin = rows.iter().filter(move |&&row| codes[row as usize] == bin);
        in_bin.take(limit).map(move |&row| column.at(row as usize))
    }
}

/// The `n_wanted` rows whose code is wanted.
fn rows_with(
    codes: &[u16],
    rows: &[u32],
    n_wanted: usize,
    is_wanted: impl Fn(u16) -> bool,
) -> Vec<u32> {
    // Every row is written, but only wanted ones advance: no branch to mispredict.
    let mut wanted = vec![0; n_wanted + 1];
    let mut found = 0;
    for &row in rows {
        wanted[found] = row;
        found += usize::from(is_wanted(codes[row as usize]));
    }
    wanted.truncate(found);
    wanted
}

/// When to use bins, and how many. The tree does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tuning {
    /// The maximum number of bins per column. More bins mean fewer rows to read one by one, but
    /// then the histogram of a column no longer fits the nearest cache.
    pub(super) max_bins: usize,
    /// Training sets with more rows are binned. Smaller ones fit a cache: sorting is faster.
    max_unbinned_rows: usize,
    /// Zones of nodes with at least this many rows are estimated with the help of bins.
    pub(crate) min_zone_rows: usize,
    /// True if small nodes are grown on sorted columns.
    pub(crate) sorts_small_nodes: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            max_bins: 1024,
            max_unbinned_rows: 4096,
            min_zone_rows: 1 << 13,
            sorts_small_nodes: true,
        }
    }
}

impl Tuning {
    /// Bins for every node, however small.
    pub(crate) fn always(max_bins: usize) -> Self {
        Self { max_bins, max_unbinned_rows: 0, min_zone_rows: 0, sorts_small_nodes: false }
    }

    /// True if bins pay off for a tree of at most so many leaves.
    pub(crate) fn suits_leaves<T: Target>(
        &self,
        max_leaves: u32,
        training: &Training<'_, T>,
    ) -> bool {
        /// The fewest rows per leaf for which counting in bins is faster than sorting.
        const FEWEST_ROWS: usize = 1 << 10;
        /// The most histograms that are kept.
        const MOST_LEAVES: u32 = 256;
        let rows_per_leaf = training.rows().len() / max_leaves as usize;
        !self.sorts_small_nodes || (max_leaves <= MOST_LEAVES && rows_per_leaf >= FEWEST_ROWS)
    }

    /// True if bins pay off for this training set.
    pub(crate) fn suits<T: Target>(&self, training: &Training<'_, T>) -> bool {
        /// Counts per feature that are cheap, however few the rows.
        const CHEAP_COUNTS: usize = 1 << 14;
        let (n_rows, width) = (training.rows().len(), training.width());
        let most_bins = self.max_bins.max(training.most_categories());
        n_rows > self.max_unbinned_rows
            && most_bins * width <= CHEAP_COUNTS.max(n_rows / 2)
            && most_bins < usize::from(u16::MAX)
    }
}
