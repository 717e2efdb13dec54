//! The binned search: edges first, then the live bins.

use super::super::candidate::{Candidate, Contender, Contest, Leader, Place, better};
use super::super::categories::{self, NodeCategories};
use super::super::cell::Cell;
use super::super::purity::Purity;
use super::super::{SearchRules, SplitChoice};
use super::codes::BinnedColumns;
use super::histogram::{NodeHistogram, bins_next_to};
use super::survey::{LiveBin, Survey};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::evidence::summary::Summary;
use crate::grow::grown::GrownNode;
use crate::grow::training::Tally;
use crate::tree::{Missing, Test};
use std::borrow::Cow;
use std::marker::PhantomData;

/// Finds the best splits of large nodes.
pub(in crate::grow) struct BinnedSearch<'a, T> {
    pub(crate) rules: SearchRules<'a>,
    pub(crate) bins: &'a BinnedColumns,
    pub(crate) exec: &'a Exec,
    /// What histograms add up.
    pub(in crate::grow) cells: PhantomData<T>,
}

/// A node to split.
#[derive(Clone, Copy)]
pub(in crate::grow) struct BinnedNode<'a, T> {
    /// Empty if the rows are elsewhere: then nothing may look inside bins.
    pub(crate) rows: &'a [u32],
    pub(crate) tally: &'a Tally,
    pub(in crate::grow) histogram: &'a NodeHistogram<T>,
}

/// The value, class and weight of a row in a live bin, or of all rows with that value and class.
#[derive(Debug, Clone, Copy)]
pub(in crate::grow) struct LiveRow<T> {
    pub(in crate::grow) value: f64,
    pub(in crate::grow) class: u32,
    pub(in crate::grow) cell: T,
}

impl<T: Cell> BinnedSearch<'_, T> {
    /// The best legal split; one without gain only where the rules allow it.
    pub(in crate::grow) fn best_split(
        &self,
        node: BinnedNode<'_, T>,
    ) -> Result<Option<SplitChoice>> {
        self.best_split_among(&self.rules.all_features(), node)
    }

    /// The best legal split of the features that the node draws. Like scikit-learn, searches beyond
    /// `max_features` until a split is found.
    pub(in crate::grow) fn best_drawn_split(
        &self,
        rows: &[u32],
        node: &GrownNode,
    ) -> Result<Option<(SplitChoice, NodeHistogram<T>)>> {
        let mut drawn = self.rules.drawn_features(node.key);
        let mut features: Vec<Contender> = drawn.by_ref().take(self.rules.max_features).collect();
        while !features.is_empty() {
            let histogram = self.histogram_of(rows, &features)?;
            let node = BinnedNode { rows, tally: &node.tally, histogram: &histogram };
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
        node: BinnedNode<'_, T>,
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

    fn contest<'n>(&'n self, node: BinnedNode<'n, T>) -> Contest<'n> {
        let SearchRules { training, criterion, limits, zero_gain_splits, .. } = self.rules;
        Contest {
            purity: Purity::new(criterion, training.class_factors()),
            limits,
            counts: &node.tally.counts,
            n_rows: node.tally.n_rows(),
            zero_gain_splits,
            share: 1.0,
            chance: 0.0,
        }
    }

    /// The best edge of some features, and the bins that may hold better splits.
    pub(super) fn survey_node(&self, features: &[Contender], node: BinnedNode<'_, T>) -> Survey {
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
    pub(super) fn look_inside<'r>(
        &self,
        survey: &mut Survey,
        node: BinnedNode<'_, T>,
        at_hand: impl Fn(&LiveBin) -> bool,
        rows_of: impl Fn(u32, &[usize]) -> Cow<'r, [LiveRow<T>]> + Sync,
    ) -> Result<()>
    where
        T: 'r,
    {
        let contest = self.contest(node);
        let (looked_at, rest): (Vec<LiveBin>, Vec<LiveBin>) =
            std::mem::take(&mut survey.live).into_iter().partition(at_hand);
        let by_entrant = looked_at.chunk_by(|a, b| a.entrant == b.entrant).collect();
        let inside: Vec<Result<_>> = self.exec.map(by_entrant, |live: &[LiveBin]| {
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
        live: &[LiveBin],
        rows: &[LiveRow<T>],
        mut leader: Leader<'_>,
    ) -> (Option<Candidate>, f64) {
        let entrant = live[0].entrant;
        leader.set_entrant(entrant);
        let bin_of =
            |row: &LiveRow<T>| usize::from(self.bins.code_of(entrant.feature.feature, row.value));
        let mut rest = rows;
        for LiveBin { bin, left, left_rows, .. } in live {
            let (mut left, mut left_rows) = (left.clone(), *left_rows);
            // Bins are ranges of values, so the rows of each bin are contiguous.
            rest = &rest[rest.partition_point(|row| bin_of(row) < *bin)..];
            let in_bin;
            (in_bin, rest) = rest.split_at(rest.partition_point(|row| bin_of(row) == *bin));
            for pair in in_bin.windows(2) {
                left[pair[0].class as usize] += pair[0].cell.weight();
                left_rows += pair[0].cell.rows() as usize;
                if pair[0].value < pair[1].value {
                    let place = Place::Between([pair[0].value, pair[1].value]);
                    leader.offer(&left, left_rows, place);
                }
            }
        }
        leader.finish()
    }

    /// The node's rows in some bins of a feature, sorted by value.
    pub(in crate::grow) fn sorted_rows_in(
        &self,
        feature: u32,
        bins: &[usize],
        node: BinnedNode<'_, T>,
    ) -> Vec<LiveRow<T>> {
        let mut rows: Vec<LiveRow<T>> = self.rows_in(feature, bins, node).collect();
        rows.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
        rows
    }

    /// The node's rows in some bins of a feature.
    pub(in crate::grow) fn rows_in(
        &self,
        feature: u32,
        bins: &[usize],
        node: BinnedNode<'_, T>,
    ) -> impl Iterator<Item = LiveRow<T>> {
        let training = self.rules.training;
        let column = training.column(feature);
        let mut is_wanted = vec![false; self.bins.n_bins(feature)];
        bins.iter().for_each(|&bin| is_wanted[bin] = true);
        let counts = bins.iter().map(|&bin| node.histogram.bin(feature, bin, training.n_classes()));
        let n_wanted: u32 = counts.flatten().map(|cell| cell.rows()).sum();
        let weights = T::weights(training);
        let rows = rows_with(self.bins.codes(feature), node.rows, n_wanted as usize, |code| {
            is_wanted[usize::from(code)]
        });
        rows.into_iter().map(move |row| LiveRow {
            value: column.at(row as usize),
            class: training.class_of(row),
            cell: T::of_row(weights, row),
        })
    }

    /// The summary of a node for zone estimators; `None` if its test has no threshold. `left`
    /// and `right` tally the two sides of its split.
    pub(in crate::grow) fn summary(
        &self,
        node: BinnedNode<'_, T>,
        test: &Test,
        [left, right]: [&Tally; 2],
    ) -> Option<Summary> {
        let (feature, threshold) = (test.feature().0, test.zone()?.threshold());
        let n_classes = left.rows.len();
        let at = self.bins.code_of(feature, threshold);
        let [present, missing] = self.counts(feature, node);
        let bins = bins_next_to(present, n_classes, at.into());
        let mut summary = Summary::empty(n_classes);
        for LiveRow { value, class, .. } in self.rows_in(feature, &bins, node) {
            summary.add((value, class), 0.0, test);
        }
        summary.left_counts.clone_from(&left.counts);
        summary.right_counts.clone_from(&right.counts);
        let with_missing = match test.missing() {
            Missing::Left => &mut summary.left_counts,
            Missing::Right | Missing::Unknown => &mut summary.right_counts,
        };
        let counts = with_missing.iter_mut().zip(missing);
        counts.for_each(|(count, &missing)| *count -= missing.weight());
        Some(summary)
    }

    /// The class counts of a feature's present values, bin by bin, and of missing values.
    pub(super) fn counts<'n>(&self, feature: u32, node: BinnedNode<'n, T>) -> [&'n [T]; 2] {
        let n_bins = self.bins.n_present_bins(feature);
        node.histogram.split_at(feature, n_bins, node.tally.rows.len())
    }

    /// The class counts of the categories of a feature.
    pub(super) fn categories(&self, feature: u32, node: BinnedNode<'_, T>) -> NodeCategories {
        let [present, missing] = self.counts(feature, node);
        NodeCategories::from_counts(present, missing, node.tally.rows.len())
    }

    /// The split of a candidate. `edge` gives the largest value in the first of two bins of a feature, and
    /// the smallest in the second.
    pub(super) fn choice(
        &self,
        best: &Candidate,
        node: BinnedNode<'_, T>,
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
            Place::Between(values) => values,
            Place::AfterBin(bin) => edge(feature, self.bins_around_edge(feature, bin, node)),
            _ => unreachable!("sorted columns and ranks have places of their own"),
        };
        SplitChoice::between(feature, between, missing, gain)
    }

    /// A bin, and the next non-empty one.
    pub(super) fn bins_around_edge(
        &self,
        feature: u32,
        bin: u16,
        node: BinnedNode<'_, T>,
    ) -> [u16; 2] {
        let counts = self.counts(feature, node)[0].chunks_exact(node.tally.rows.len());
        let filled = |(_, counts): &(u16, &[T])| counts.iter().any(|cell| cell.rows() > 0);
        let next = (0..).zip(counts).skip(usize::from(bin) + 1).find(filled);
        [bin, next.map_or(bin, |next| next.0)]
    }

    /// The largest value of a bin, and the smallest of another.
    pub(in crate::grow) fn values_around_edge(
        &self,
        feature: u32,
        [bin, next]: [u16; 2],
        node: BinnedNode<'_, T>,
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
