//! One pass over the histograms of a node: the best edge, and the bins that may hold better splits.

use super::super::candidate::{Candidate, Contender, Contest, Entrant, Leader, Place, better};
use super::super::categories;
use super::super::cell::Cell;
use super::super::left_of::{Edge, LeftOf, PerClass};
use super::search::{BinnedNode, BinnedSearch};
use crate::tree::Missing;

/// The result of a pass over the histograms of some features.
#[derive(Debug, Clone)]
pub(super) struct Survey {
    pub(super) best: Option<Candidate>,
    /// The best of any legal split at an edge.
    pub(super) best_purity: f64,
    /// Ordered by feature and side of missing values.
    pub(super) live: Vec<LiveBin>,
}

impl Survey {
    /// Drops the bins that can no longer hold the best split.
    pub(super) fn drop_dead_bins(&mut self, contest: Contest<'_>) {
        let floor = Leader::new(contest).with_best_purity(self.best_purity).floor();
        self.live.retain(|bin| bin.bound >= floor);
    }
}

/// A bin that may hold the best split.
#[derive(Debug, Clone)]
pub(super) struct LiveBin {
    pub(super) entrant: Entrant,
    pub(super) bin: usize,
    pub(super) n_rows: usize,
    /// Class counts left of the bin, and the number of rows: with missing values, if they go left.
    pub(super) left: Vec<f64>,
    pub(super) left_rows: usize,
    /// An upper bound of the purity of every split inside.
    pub(super) bound: f64,
}

impl<T: Cell> BinnedSearch<'_, T> {
    /// Scores the splits at edges, and finds the bins that may hold better ones.
    pub(super) fn survey(
        &self,
        features: impl Iterator<Item = Contender>,
        contest: Contest<'_>,
        node: BinnedNode<'_, T>,
    ) -> Survey {
        match contest.counts.len() {
            2 => Surveyor::<[f64; 2], T>::new(self, contest, node).survey(features),
            3 => Surveyor::<[f64; 3], T>::new(self, contest, node).survey(features),
            _ => Surveyor::<Vec<f64>, T>::new(self, contest, node).survey(features),
        }
    }
}

/// Goes from feature to feature. The best split so far rules out most later ones.
struct Surveyor<'a, C, T> {
    search: &'a BinnedSearch<'a, T>,
    contest: Contest<'a>,
    node: BinnedNode<'a, T>,
    leader: Leader<'a>,
    promising: Vec<PromisingBin<C>>,
    live: Vec<LiveBin>,
}

/// A bin that could hold the best split, as far as known when it was passed.
struct PromisingBin<C> {
    bin: usize,
    edges: [Edge; 2],
    /// Class counts at the upper edge.
    counts: C,
}

impl<'a, C: PerClass, T: Cell> Surveyor<'a, C, T> {
    fn new(search: &'a BinnedSearch<'a, T>, contest: Contest<'a>, node: BinnedNode<'a, T>) -> Self {
        let leader = Leader::new(contest);
        Self { search, contest, node, leader, promising: Vec::new(), live: Vec::new() }
    }

    fn survey(mut self, features: impl Iterator<Item = Contender>) -> Survey {
        let mut best_apart = None;
        for contender in features {
            if self.search.exec.is_cancelled() {
                break;
            }
            let feature = contender.feature;
            if self.search.rules.training.n_categories(feature).is_some() {
                let categories = self.search.categories(feature, self.node);
                let (rules, leader) = (&self.search.rules, &mut self.leader);
                let apart = categories::search(categories, contender, rules, self.contest, leader);
                best_apart = better(best_apart, apart);
                continue;
            }
            let [_, missing] = self.search.counts(feature, self.node);
            let missing_rows = missing.iter().map(|cell| cell.rows()).sum::<u32>() as usize;
            if missing_rows == 0 {
                self.pass(Entrant::complete(contender), &[]);
                continue;
            }
            for side in [Missing::Left, Missing::Right] {
                let entrant = Entrant { feature: contender, axis: 0, missing: side, missing_rows };
                self.pass(entrant, if side == Missing::Left { missing } else { &[] });
            }
        }
        let (best, best_purity) = self.leader.finish();
        Survey { best: better(best_apart, best), best_purity, live: self.live }
    }

    /// One pass over the bins of a feature, with `always_left` left of all of them.
    fn pass(&mut self, entrant: Entrant, always_left: &[T]) {
        self.leader.set_entrant(entrant);
        let passed = self.score_edges(entrant.feature.feature, always_left);
        self.keep_live_bins(entrant, &passed);
    }

    fn score_edges(&mut self, feature: u32, always_left: &[T]) -> LeftOf<C> {
        let Self { search, contest, node, leader, promising, .. } = self;
        let one_value_per_bin = search.bins.has_one_value_per_bin(feature);
        let mut left = LeftOf::<C>::first_bin(*contest);
        left.add(always_left);
        let mut floor = leader.floor();
        let [counts, _] = search.counts(feature, *node);
        let bins = counts.chunks_exact(left.counts.as_ref().len());
        for (bin, in_bin) in bins.enumerate() {
            let before = left.edge;
            let n_rows = left.add(in_bin);
            if n_rows == 0 {
                continue;
            }
            let counts = left.counts.as_ref();
            if left.may_reach(floor) && left.edge.rows < contest.n_rows {
                let purity = contest.purity.of(counts, contest.counts);
                if purity >= floor {
                    leader.enter(purity, counts, left.edge.rows, Place::AfterBin(bin as u16));
                    floor = leader.floor();
                }
            }
            // The floor may still rise, so promising bins are tested again at the end.
            let edges = [before, left.edge];
            if !one_value_per_bin && n_rows > 1 && left.may_reach_inside(edges, in_bin, floor) {
                promising.push(PromisingBin { bin, edges, counts: C::from_slice(counts) });
            }
        }
        left
    }

    fn keep_live_bins(&mut self, entrant: Entrant, passed: &LeftOf<C>) {
        let feature = entrant.feature.feature;
        let Self { search, contest, node, leader, .. } = self;
        let floor = leader.floor();
        let n_classes = contest.counts.len();
        for PromisingBin { bin, edges, counts } in self.promising.drain(..) {
            let in_bin = node.histogram.bin(feature, bin, n_classes);
            if search.bins.is_single_valued(feature, bin)
                || !passed.may_reach_inside(edges, in_bin, floor)
            {
                continue;
            }
            let in_bin: Vec<f64> = in_bin.iter().map(|cell| cell.weight()).collect();
            let left: Vec<f64> =
                counts.as_ref().iter().zip(&in_bin).map(|(after, in_bin)| after - in_bin).collect();
            let bound = contest.purity.bound(&left, &in_bin, contest.counts);
            if bound >= floor {
                let [before, after] = edges.map(|edge| edge.rows);
                let (n_rows, left_rows) = (after - before, before);
                self.live.push(LiveBin { entrant, bin, n_rows, left, left_rows, bound });
            }
        }
    }
}
