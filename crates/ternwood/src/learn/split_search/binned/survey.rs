//! One look at the histograms of a node: the best edge of a bin, and the bins that may hold better.

use super::super::candidate::{Candidate, Contest, Leader, Place};
use super::left_of::{Edge, LeftOf, PerClass};
use super::search::{BinnedNode, BinnedSearch};

/// What a look at the histograms of some features told.
pub(super) struct Survey {
    pub(super) best: Option<Candidate>,
    /// Of any legal split at the edge of a bin.
    pub(super) best_purity: f64,
    /// By feature.
    pub(super) live: Vec<LiveBin>,
}

/// A bin that may hold the best split.
pub(super) struct LiveBin {
    pub(super) feature: u32,
    pub(super) bin: usize,
    pub(super) n_rows: usize,
    /// Class counts left of the bin, and how many rows that is.
    pub(super) left: Vec<f64>,
    pub(super) left_rows: usize,
    /// No split inside has a larger purity.
    pub(super) bound: f64,
}

/// Bins of one feature that looked promising when they were passed.
#[derive(Default)]
struct Promising {
    /// Each with its lower and its upper edge.
    bins: Vec<(usize, [Edge; 2])>,
    /// The class counts at the upper edges, one bin's after the other's.
    counts: Vec<f64>,
}

impl BinnedSearch<'_> {
    /// Features dealt out to threads, each of which keeps its leader from feature to feature.
    pub(super) fn shares(&self) -> Vec<impl Iterator<Item = u32> + use<>> {
        let (n_features, threads) = (self.rules.training.n_features(), self.workers.threads());
        (0..threads.min(n_features))
            .map(|first| (first as u32..n_features as u32).step_by(threads))
            .collect()
    }

    /// Measures the splits between bins, and finds the bins that may hold better ones.
    pub(super) fn survey(
        &self,
        features: impl Iterator<Item = u32>,
        contest: Contest<'_>,
        node: BinnedNode<'_>,
    ) -> Survey {
        match contest.counts.len() {
            2 => self.survey_with::<[f64; 2]>(features, contest, node),
            3 => self.survey_with::<[f64; 3]>(features, contest, node),
            _ => self.survey_with::<Vec<f64>>(features, contest, node),
        }
    }

    fn survey_with<C: PerClass>(
        &self,
        features: impl Iterator<Item = u32>,
        contest: Contest<'_>,
        node: BinnedNode<'_>,
    ) -> Survey {
        let mut leader = Leader::new(contest);
        let mut promising = Promising::default();
        let mut live = Vec::new();
        for feature in features {
            leader.turn_to(feature);
            let mut left = LeftOf::<C>::first_bin(contest);
            self.pass_bins(feature, node, &mut left, (contest, &mut leader, &mut promising));
            self.check_promises(
                feature,
                node,
                &left, (contest, leader.floor(), &mut promising, &mut live));
        }
        let (best, best_purity) = leader.finish();
        Survey { best, best_purity, live }
    }

    fn pass_bins<C: PerClass>(
        &self,
        feature: u32,
        node: BinnedNode<'_>,
        left: &mut LeftOf<C>,
        (contest, leader, promising): (Contest<'_>, &mut Leader<'_>, &mut Promising),
    ) {
        let one_value_per_bin = self.bins.has_one_value_per_bin(feature);
        let mut floor = leader.floor();
        let bins = node.histogram.counts_of(feature).chunks_exact(left.counts.as_ref().len());
        for (bin, counts) in bins.enumerate() {
            let before = left.edge;
            let n_rows = left.add(counts);
            if n_rows == 0 {
                continue;
            }
            if left.may_reach(floor) && left.edge.rows < contest.n_rows {
                let purity = contest.purity.of(left.counts.as_ref(), contest.counts);
                if purity >= floor {
                    let place = Place::AfterBin(bin as u16);
                    leader.enter(purity, left.counts.as_ref(), left.edge.rows, place);
                    floor = leader.floor();
                }
            }
            // The floor may rise: whether the bin keeps its promise is asked at the end.
            if !one_value_per_bin
                && n_rows > 1
                && left.may_reach_inside([before, left.edge], counts, floor)
            {
                promising.bins.push((bin, [before, left.edge]));
                promising.counts.extend_from_slice(left.counts.as_ref());
            }
        }
    }

    fn check_promises<C: PerClass>(
        &self,
        feature: u32,
        node: BinnedNode<'_>,
        left_of: &LeftOf<C>,
        (contest, floor, promising, live): (Contest<'_>, f64, &mut Promising, &mut Vec<LiveBin>),
    ) {
        let n_classes = contest.counts.len();
        let mut left = vec![0.0; n_classes];
        let mut extra = vec![0.0; n_classes];
        let bins = promising.bins.drain(..).zip(promising.counts.chunks_exact(n_classes));
        for ((bin, edges), counts) in bins {
            let in_bin = node.histogram.bin(feature, bin, n_classes);
            if !left_of.may_reach_inside(edges, in_bin, floor)
                || self.bins.is_single_valued(feature, bin)
            {
                continue;
            }
            for (class, &count) in in_bin.iter().enumerate() {
                extra[class] = f64::from(count);
                left[class] = counts[class] - extra[class];
            }
            let bound = contest.purity.bound(&left, &extra, contest.counts);
            if bound >= floor {
                let ([before, after], left) = (edges.map(|edge| edge.rows), left.clone());
                let (n_rows, left_rows) = (after - before, before);
                live.push(LiveBin { feature, bin, n_rows, left, left_rows, bound });
            }
        }
        promising.counts.clear();
    }
}
