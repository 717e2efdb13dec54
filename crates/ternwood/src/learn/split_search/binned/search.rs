//! Edges first, then the bins that could do better.

use super::super::candidate::{Candidate, Contest, Leader, Place, better};
use super::super::purity::Purity;
use super::super::{SearchRules, SplitChoice, midpoint};
use super::codes::BinnedColumns;
use super::histogram::NodeHistogram;
use super::left_of::LeftOf;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::learn::training::Tally;
use crate::workers::Workers;

/// Finds the best splits of large nodes whose rows all count 1.
pub(crate) struct BinnedSearch<'a> {
    pub(crate) rules: SearchRules<'a>,
    pub(crate) bins: &'a BinnedColumns,
    pub(crate) workers: &'a Workers,
    pub(crate) cancel: &'a CancelToken,
}

/// A node whose best split is wanted.
#[derive(Clone, Copy)]
pub(crate) struct BinnedNode<'a> {
    pub(crate) rows: &'a [u32],
    pub(crate) tally: &'a Tally,
    pub(crate) histogram: &'a NodeHistogram,
}

/// A bin that may hold the best split.
struct LiveBin {
    bin: usize,
    n_rows: usize,
    /// Class counts left of the bin, and how many rows that is.
    left: Vec<f64>,
    left_rows: usize,
}

/// A row in a live bin; with its class, which is at hand as long as rows are in order.
#[derive(Debug, Clone, Copy)]
struct LiveRow {
    value: f64,
    row: u32,
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
        let edges =
            self.workers.map(self.features(), |feature| measure_edges(feature, contest, node));
        let best_purity = edges.iter().map(|edge| edge.1).fold(f64::NEG_INFINITY, f64::max);
        let inside: Vec<Result<Option<Candidate>>> = self.workers.map(self.features(), |feature| {
            self.cancel.check()?;
            Ok(self.look_inside(feature, contest, node, best_purity))
        });
        let mut best = edges.into_iter().map(|edge| edge.0).fold(None, better);
        for candidate in inside {
            best = better(best, candidate?);
        }
        Ok(best.map(|best| self.choice(&best, node)))
    }

    /// Looks inside the bins whose bound is not below the best split at an edge.
    fn look_inside(
        &self,
        feature: u32,
        contest: Contest<'_>,
        node: BinnedNode<'_>,
        best_purity: f64,
    ) -> Option<Candidate> {
        let mut leader = Leader::new(contest).starting_at(best_purity);
        leader.turn_to(feature);
        let live = self.live_bins(feature, contest, node, leader.floor());
        let rows = self.rows_of(feature, &live, node);
        let mut rest = rows.as_slice();
        for LiveBin { n_rows, mut left, mut left_rows, .. } in live {
            let bin;
            (bin, rest) = rest.split_at(n_rows);
            for pair in bin.windows(2) {
                left[pair[0].class as usize] += 1.0;
                left_rows += 1;
                if pair[0].value < pair[1].value {
                    let purity = contest.purity.of(&left, contest.counts);
                    if purity >= leader.floor() {
                        let place = Place::Between(pair[0].row, pair[1].row);
                        leader.enter(purity, &left, left_rows, place);
                    }
                }
            }
        }
        leader.finish().0
    }

    fn live_bins(
        &self,
        feature: u32,
        contest: Contest<'_>,
        node: BinnedNode<'_>,
        floor: f64,
    ) -> Vec<LiveBin> {
        let mut live = Vec::new();
        if self.bins.has_one_value_per_bin(feature) {
            return live;
        }
        let mut left = LeftOf::first_bin(contest);
        let (mut left_before, mut extra) = (left.counts.clone(), left.counts.clone());
        for (bin, counts) in node.histogram.bins_of(feature, left.counts.len()).enumerate() {
            let before = left.edge;
            let n_rows = left.add(counts);
            if n_rows < 2
                || !left.may_reach_since(before, floor)
                || self.bins.is_single_valued(feature, bin)
            {
                continue;
            }
            for (class, &count) in counts.iter().enumerate() {
                extra[class] = f64::from(count);
                left_before[class] = left.counts[class] - extra[class];
            }
            if contest.purity.bound(&left_before, &extra, contest.counts) >= floor {
                let left = left_before.clone();
                live.push(LiveBin { bin, n_rows, left, left_rows: before.rows });
            }
        }
        live
    }

    /// The node's rows in live bins with their values, ascending.
    fn rows_of(&self, feature: u32, live: &[LiveBin], node: BinnedNode<'_>) -> Vec<LiveRow> {
        if live.is_empty() {
            return Vec::new();
        }
        let codes = self.bins.codes(feature);
        let training = self.rules.training;
        let column = training.column(feature);
        let mut is_live = vec![false; self.bins.n_bins(feature)];
        live.iter().for_each(|bin| is_live[bin.bin] = true);
        let n_wanted = live.iter().map(|bin| bin.n_rows).sum();
        let wanted = rows_with(codes, node.rows, n_wanted, |code| is_live[usize::from(code)]);
        let live_row = |row: u32| LiveRow {
            value: column.at(row as usize),
            row,
            class: training.class_of(row),
        };
        let mut rows: Vec<LiveRow> = wanted.into_iter().map(live_row).collect();
        // Bins are ranges of values, so this puts the live bins one after the other.
        rows.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
        rows
    }

    fn choice(&self, best: &Candidate, node: BinnedNode<'_>) -> SplitChoice {
        let threshold = match best.place {
            Place::Between(a, b) => {
                let column = self.rules.training.column(best.feature);
                midpoint(column.at(a as usize), column.at(b as usize))
            }
            Place::AfterBin(bin) => self.threshold_after(best.feature, bin, node.rows),
        };
        SplitChoice { feature: best.feature, threshold, gain: best.gain }
    }

    /// The midpoint between the largest value up to a bin and the smallest beyond it.
    fn threshold_after(&self, feature: u32, bin: u16, rows: &[u32]) -> f64 {
        let column = self.rules.training.column(feature);
        let codes = self.bins.codes(feature);
        let (mut below, mut above) = (f64::NEG_INFINITY, f64::INFINITY);
        for &row in rows {
            let value = column.at(row as usize);
            if codes[row as usize] <= bin {
                below = below.max(value);
            } else {
                above = above.min(value);
            }
        }
        midpoint(below, above)
    }
}

/// Measures the splits between bins: the best one, and the best purity of any legal one.
fn measure_edges(
    feature: u32,
    contest: Contest<'_>,
    node: BinnedNode<'_>,
) -> (Option<Candidate>, f64) {
    let mut leader = Leader::new(contest);
    leader.turn_to(feature);
    let mut left = LeftOf::first_bin(contest);
    let mut floor = leader.floor();
    for (bin, counts) in node.histogram.bins_of(feature, left.counts.len()).enumerate() {
        let in_bin = left.add(counts);
        if in_bin == 0 || left.edge.rows == contest.n_rows || !left.may_reach(floor) {
            continue;
        }
        let purity = contest.purity.of(&left.counts, contest.counts);
        if purity >= floor {
            leader.enter(purity, &left.counts, left.edge.rows, Place::AfterBin(bin as u16));
            floor = leader.floor();
        }
    }
    leader.finish()
}

/// The rows, of which there are `n_wanted`, whose code is wanted.
fn rows_with(
    codes: &[u16],
    rows: &[u32],
    n_wanted: usize,
    is_wanted: impl Fn(u16) -> bool,
) -> Vec<u32> {
    // Every row is written, and counts if it is wanted: no branch to mispredict.
    let mut wanted = vec![0; n_wanted + 1];
    let mut found = 0;
    for &row in rows {
        wanted[found] = row;
        found += usize::from(is_wanted(codes[row as usize]));
    }
    wanted.truncate(found);
    wanted
}
