//! Many rows: count them in bins, score the edges, and sort only the rows of bins that may hold the best
//! split.

use super::super::candidate::{Contender, Contest, Entrant, Leader, Place};
use super::columns::{MOST_BINS, RankedColumn, shift_for};
use super::search::{Asked, RankPlace, key};
use crate::grow::target::{Cell, Left, Measure, Target};
use crate::tree::Missing;

/// Up to this many rows, sorting is faster.
pub(crate) const MOST_SORTED: usize = 256;

/// Rows per bin, at least, if there are as many ranks.
const ROWS_PER_BIN: usize = 8;

/// A bin that could hold the best split, as far as known when it was passed.
pub(super) struct PromisingBin<T: Target, L: Left<T>> {
    entrant: Entrant,
    bin: u32,
    edges: [L::Edge; 2],
    /// The sums left of the bin, and inside.
    left: L::Sums,
    inside: L::Sums,
}

impl<T: Target, L: Left<T>> PromisingBin<T, L> {
    fn n_rows(&self) -> usize {
        let [before, after] = self.edges.map(L::edge_rows);
        after - before
    }
}

impl<C: Cell> Asked<'_, '_, C> {
    /// True if rows are to be counted, not sorted: they are many, or their ranks few.
    pub(super) fn counts_rows_of(&self, feature: u32) -> bool {
        let n_rows = self.node.items.len();
        n_rows > MOST_SORTED || self.search.ranked.of(feature).n_ranks as usize <= n_rows / 4
    }

    /// The number of low bits of a rank that do not tell its bin.
    fn shift(&self, feature: u32) -> u32 {
        let column = self.search.ranked.of(feature);
        let n_bins = (self.node.items.len() / ROWS_PER_BIN).clamp(16, MOST_BINS as usize) as u32;
        shift_for(column.n_ranks, n_bins).max(column.code_shift)
    }

    /// Scores the splits at edges, and finds the bins that may hold better ones.
    pub(super) fn survey<L: Left<C::Target>>(
        &mut self,
        contender: Contender,
        leader: &mut Leader<'_, C::Target, RankPlace>,
        promising: &mut Vec<PromisingBin<C::Target, L>>,
    ) {
        let feature = contender.feature;
        let (n_ranks, shift) = (self.search.ranked.of(feature).n_ranks, self.shift(feature));
        let width = self.contest.sums.len();
        let n_bins = (n_ranks.saturating_sub(1) >> shift) as usize + 1;
        self.count(feature, shift, n_ranks, n_bins);
        let (bins, missing) = self.scratch.histogram.split_at(n_bins * width);
        let missing_rows: u32 = missing.iter().map(|cell| cell.n_rows()).sum();
        let mut pass = |entrant: Entrant, always_left: &[C]| {
            leader.set_entrant(entrant);
            let mut left = L::first(self.contest.measure, self.contest.sums);
            left.add(always_left);
            let mut floor = leader.floor();
            for (bin, in_bin) in (0..).zip(bins.chunks_exact(width)) {
                let before = left.edge();
                let n_rows = left.add(in_bin);
                if n_rows == 0 {
                    continue;
                }
                let left_rows = L::edge_rows(left.edge());
                if left.may_reach(floor) && left_rows < self.contest.n_rows {
                    let last = (bin << shift) | ((1 << shift) - 1);
                    let last = last.min(n_ranks.saturating_sub(1));
                    let place = Place::Number(RankPlace::After(last));
                    leader.offer(left.sums().as_ref(), left_rows, place);
                    floor = leader.floor();
                }
                // The floor may still rise, so promising bins are tested again at the end.
                let edges = [before, left.edge()];
                if shift > 0 && n_rows > 1 && left.may_reach_inside(edges, in_bin, C::sum, floor) {
                    let mut inside = left.sums().clone();
                    let mut before = left.sums().clone();
                    let sums = inside.as_mut().iter_mut().zip(before.as_mut()).zip(in_bin);
                    for ((inside, before), cell) in sums {
                        *inside = cell.sum();
                        *before -= cell.sum();
                    }
                    promising.push(PromisingBin { entrant, bin, edges, left: before, inside });
                }
            }
            // What this feature alone rules out need not be kept.
            let floor = leader.floor();
            let is_live = |bin: &PromisingBin<C::Target, L>| {
                bin.entrant != entrant
                    || left.may_reach_inside(bin.edges, bin.inside.as_ref(), |sum| sum, floor)
            };
            promising.retain(is_live);
        };
        if missing_rows == 0 {
            pass(Entrant::complete(contender), &[]);
            return;
        }
        let missing_rows = missing_rows as usize;
        for side in [Missing::Left, Missing::Right] {
            let entrant = Entrant { feature: contender, axis: 0, missing: side, missing_rows };
            pass(entrant, if side == Missing::Left { missing } else { &[] });
        }
    }

    /// Counts the node's rows in every bin, and of missing values after all bins.
    fn count(&mut self, feature: u32, shift: u32, n_ranks: u32, n_bins: usize) {
        let width = self.contest.sums.len();
        let scratch = &mut *self.scratch;
        scratch.histogram.clear();
        scratch.histogram.resize((n_bins + 1) * width, C::default());
        let ranked = self.search.ranked;
        let histogram = &mut scratch.histogram;
        if self.search.rules.training.has_missing(feature) {
            let ranks = ranked.ranks(feature);
            for item in self.node.items {
                let rank = ranks.of(item);
                let bin = if rank == n_ranks { n_bins } else { (rank >> shift) as usize };
                C::count(histogram, bin, width, item.target);
            }
            return;
        }
        let (code, shift) = (ranked.code(feature), shift - ranked.of(feature).code_shift);
        for item in self.node.items {
            let bin = usize::from(code(item) >> shift);
            C::count(histogram, bin, width, item.target);
        }
    }

    /// Searches inside the bins that may hold the best split.
    pub(super) fn search_bins<L: Left<C::Target>>(
        &mut self,
        promising: &[PromisingBin<C::Target, L>],
        leader: &mut Leader<'_, C::Target, RankPlace>,
    ) {
        for bins in promising.chunk_by(|a, b| a.entrant == b.entrant) {
            let floor = leader.floor();
            let entrant = bins[0].entrant;
            let feature = entrant.feature.feature;
            let (shift, ranks) = (self.shift(feature), self.search.ranked.ranks(feature));
            let RankedColumn { code_shift, n_ranks, .. } = self.search.ranked.of(feature);
            let code = self.search.ranked.code(feature);
            // The floor has risen since: few bins are left.
            let Contest { measure, sums, .. } = self.contest;
            let is_live = |bin: &&PromisingBin<C::Target, L>| {
                measure.bound(bin.left.as_ref(), bin.inside.as_ref(), sums) >= floor
            };
            let live: Vec<&PromisingBin<C::Target, L>> = bins.iter().filter(is_live).collect();
            if live.is_empty() {
                continue;
            }
            let mut is_live = vec![false; (n_ranks >> shift) as usize + 1];
            live.iter().for_each(|bin| is_live[bin.bin as usize] = true);
            let n_live: usize = live.iter().map(|bin| bin.n_rows()).sum();
            let keys = &mut self.scratch.keys;
            keys.clear();
            let shift = shift - code_shift;
            for (position, item) in self.node.items.iter().enumerate() {
                // Few rows are in live bins.
                if is_live[usize::from(code(item) >> shift)] {
                    keys.push(key(ranks.of(item), position));
                }
            }
            keys.sort_unstable();
            // Missing values may share the last bin; they come last.
            keys.truncate(n_live);
            leader.set_entrant(entrant);
            let mut start = 0;
            for bin in live {
                let before = L::resumed(measure, sums, bin.edges[0], bin.left.clone());
                self.scan(start..start + bin.n_rows(), before, leader);
                start += bin.n_rows();
            }
        }
    }
}
