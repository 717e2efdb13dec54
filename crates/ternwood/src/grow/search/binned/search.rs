//! The binned search: edges first, then the live bins.

use super::super::candidate::{Candidate, Contest, Leader, Place, better};
use super::super::purity::Purity;
use super::super::{SearchRules, SplitChoice};
use super::codes::BinnedColumns;
use super::histogram::{NodeHistogram, bins_next_to};
use super::survey::LiveBin;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::evidence::summary::Summary;
use crate::grow::training::Tally;

/// Finds the best splits of large nodes whose rows all have weight 1.
pub(crate) struct BinnedSearch<'a> {
    pub(crate) rules: SearchRules<'a>,
    pub(crate) bins: &'a BinnedColumns,
    pub(crate) exec: &'a Exec,
}

/// A node to split.
#[derive(Clone, Copy)]
pub(crate) struct BinnedNode<'a> {
    pub(crate) rows: &'a [u32],
    pub(crate) tally: &'a Tally,
    pub(crate) histogram: &'a NodeHistogram,
}

/// The value and class of a row in a live bin.
#[derive(Debug, Clone, Copy)]
struct LiveRow {
    value: f64,
    class: u32,
}

impl BinnedSearch<'_> {
    pub(super) fn features(&self) -> Vec<u32> {
        (0..self.rules.training.n_features() as u32).collect()
    }

    /// The best legal split with positive gain.
    pub(crate) fn best_split(&self, node: BinnedNode<'_>) -> Result<Option<SplitChoice>> {
        let SearchRules { training, criterion, limits, .. } = self.rules;
        let contest = Contest {
            purity: Purity::new(criterion, training.class_factors()),
            limits,
            counts: &node.tally.counts,
            n_rows: node.rows.len(),
        };
        let (mut best, mut best_purity, mut live) = (None, f64::NEG_INFINITY, Vec::new());
        // Features are dealt out to threads; each keeps its leader from one to the next.
        let (n_features, threads) = (training.n_features() as u32, self.exec.threads() as u32);
        let shares =
            (0..threads.min(n_features)).map(|first| (first..n_features).step_by(threads as usize));
        let surveys = self.exec.map(shares.collect(), |share| self.survey(share, contest, node));
        for of_thread in surveys {
            best = better(best, of_thread.best);
            best_purity = best_purity.max(of_thread.best_purity);
            live.extend(of_thread.live);
        }
        let leader = || Leader::new(contest).with_best_purity(best_purity);
        let floor = leader().floor();
        live.retain(|bin: &LiveBin| bin.bound >= floor);
        let by_feature: Vec<&[LiveBin]> = live.chunk_by(|a, b| a.feature == b.feature).collect();
        let inside: Vec<Result<Option<Candidate>>> = self.exec.map(by_feature, |live| {
            self.exec.check()?;
            Ok(self.search_live_bins(live, node, contest, leader()))
        });
        for candidate in inside {
            best = better(best, candidate?);
        }
        Ok(best.map(|best| self.choice(&best, node)))
    }

    /// The best split inside the live bins of one feature.
    fn search_live_bins(
        &self,
        live: &[LiveBin],
        node: BinnedNode<'_>,
        contest: Contest<'_>,
        mut leader: Leader<'_>,
    ) -> Option<Candidate> {
        let feature = live.first()?.feature;
        leader.set_feature(feature);
        let rows = self.rows_of(feature, live, node);
        let mut rest = rows.as_slice();
        for LiveBin { n_rows, left, left_rows, .. } in live {
            let (mut left, mut left_rows) = (left.clone(), *left_rows);
            let bin;
            (bin, rest) = rest.split_at(*n_rows);
            for pair in bin.windows(2) {
                left[pair[0].class as usize] += 1.0;
                left_rows += 1;
                if pair[0].value < pair[1].value {
                    let purity = contest.purity.of(&left, contest.counts);
                    if purity >= leader.floor() {
                        let place = Place::Between([pair[0].value, pair[1].value]);
                        leader.enter(purity, &left, left_rows, place);
                    }
                }
            }
        }
        leader.finish().0
    }

    /// The node's rows in live bins, sorted by value.
    fn rows_of(&self, feature: u32, live: &[LiveBin], node: BinnedNode<'_>) -> Vec<LiveRow> {
        let bins: Vec<usize> = live.iter().map(|live| live.bin).collect();
        let mut rows: Vec<LiveRow> = self.rows_in(feature, &bins, node).collect();
        // Bins are ranges of values, so the rows of each bin are contiguous.
        rows.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
        rows
    }

    /// The node's rows in some bins of a feature.
    fn rows_in(
        &self,
        feature: u32,
        bins: &[usize],
        node: BinnedNode<'_>,
    ) -> impl Iterator<Item = LiveRow> {
        let training = self.rules.training;
        let column = training.column(feature);
        let mut is_wanted = vec![false; self.bins.n_bins(feature)];
        bins.iter().for_each(|&bin| is_wanted[bin] = true);
        let counts = bins.iter().map(|&bin| node.histogram.bin(feature, bin, training.n_classes()));
        let n_wanted: u32 = counts.flatten().sum();
        let rows = rows_with(self.bins.codes(feature), node.rows, n_wanted as usize, |code| {
            is_wanted[usize::from(code)]
        });
        rows.into_iter().map(move |row| LiveRow {
            value: column.at(row as usize),
            class: training.class_of(row),
        })
    }

    /// The summary of a node for zone estimators. `left` tallies the left side of its split.
    pub(crate) fn summary(
        &self,
        node: BinnedNode<'_>,
        choice: SplitChoice,
        left: &Tally,
    ) -> Summary {
        let (feature, threshold) = (choice.feature, choice.threshold());
        let n_classes = left.rows.len();
        let at = self.bins.code_of(feature, threshold);
        let bins = bins_next_to(node.histogram.counts_of(feature), n_classes, at.into());
        let (mut summary, test) = (Summary::empty(n_classes), choice.test());
        for LiveRow { value, class, .. } in self.rows_in(feature, &bins, node) {
            summary.add((value, class), 0.0, &test);
        }
        summary.left_counts.clone_from(&left.counts);
        summary
    }

    fn choice(&self, best: &Candidate, node: BinnedNode<'_>) -> SplitChoice {
        let between = match best.place {
            Place::Between(values) => values,
            Place::AfterBin(bin) => self.values_around_edge(best.feature, bin, node),
            Place::AfterLeftRows => unreachable!("only sorted columns have this place"),
        };
        SplitChoice { feature: best.feature, between, gain: best.gain }
    }

    /// The largest value of a bin, and the smallest of the next non-empty one.
    fn values_around_edge(&self, feature: u32, bin: u16, node: BinnedNode<'_>) -> [f64; 2] {
        let counts = node.histogram.bins_of(feature, node.tally.rows.len());
        let filled = |(_, counts): &(u16, &[u32])| counts.iter().any(|&count| count > 0);
        let next =
            (0..).zip(counts).skip(usize::from(bin) + 1).find(filled).map_or(bin, |next| next.0);
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
