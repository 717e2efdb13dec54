//! The best split of a node, from the ranks of its rows.
//!
//! Few rows are sorted, and every cut between two distinct ranks is scored. Many rows are counted in bins first; the
//! edges of bins are scored, and only the rows of bins that may hold the best split are sorted.

use super::super::candidate::{Candidate, Contender, Contest, Entrant, Leader, Place, better};
use super::super::categories::{MISSING, NodeCategories};
use super::super::{SearchRules, SplitChoice, categories};
use super::columns::{MOST_BINS, RankedColumn, RankedRows, shift_for};
use crate::grow::stream::NodeKey;
use crate::grow::target::{Cell, Left, Measure, Target, WithLeft};
use crate::recipe::MissingValues;
use crate::tree::{Missing, Test};

/// Finds the best splits of nodes.
#[derive(Clone, Copy)]
pub(crate) struct RankedSearch<'a, T: Target> {
    pub(crate) rules: SearchRules<'a, T>,
    pub(crate) ranked: RankedRows<'a>,
}

/// A row with its target: kept together, they need not be looked up at every node.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Item<C: Cell> {
    pub(crate) row: u32,
    /// Where its codes are.
    pub(crate) place: u32,
    pub(crate) target: C::OfRow,
}

impl<C: Cell> Item<C> {
    #[inline(always)]
    pub(crate) fn target(&self) -> <C::Target as Target>::Row {
        C::row(self.target)
    }
}

/// A node to split.
pub(crate) struct RankedNode<'a, C: Cell> {
    pub(crate) items: &'a [Item<C>],
    pub(crate) tally: &'a <C::Target as Target>::Tally,
    pub(crate) key: NodeKey,
}

impl<C: Cell> Clone for RankedNode<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Cell> Copy for RankedNode<'_, C> {}

/// The place of a threshold among ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RankPlace {
    /// Between two neighbouring ranks.
    Between([u32; 2]),
    /// Between all ranks up to this one, and the others.
    After(u32),
}

/// The best split of a node.
#[derive(Debug, Clone)]
pub(crate) struct RankedChoice {
    pub(crate) choice: SplitChoice,
    /// The lowest rank right of the threshold, if there is one.
    pub(crate) first_right: Option<u32>,
}

impl From<SplitChoice> for RankedChoice {
    fn from(choice: SplitChoice) -> Self {
        Self { choice, first_right: None }
    }
}

/// Memory reused from node to node.
#[derive(Debug, Default)]
pub(crate) struct Scratch<T> {
    /// Ranks with positions among the node's rows.
    pub(super) keys: Vec<u64>,
    pub(super) histogram: Vec<T>,
}

/// The order of the ranks of a key, and the position of its row among those of the node.
#[inline(always)]
pub(super) fn key(rank: u32, position: usize) -> u64 {
    u64::from(rank) << 32 | position as u64
}

#[inline(always)]
pub(super) fn rank_of(key: u64) -> u32 {
    (key >> 32) as u32
}

#[inline(always)]
pub(super) fn position_of(key: u64) -> usize {
    (key & 0xffff_ffff) as usize
}

impl<T: Target> RankedSearch<'_, T> {
    /// The best legal split; one without gain only where the rules allow it.
    pub(crate) fn best_split<C: Cell<Target = T>>(
        &self,
        node: RankedNode<'_, C>,
        scratch: &mut Scratch<C>,
    ) -> Option<RankedChoice> {
        let contest = Contest::new(&self.rules, node.tally);
        T::with_left(contest.measure, Asked { search: self, node, contest, scratch })
    }
}

/// A node whose best split is asked for.
pub(super) struct Asked<'a, 's, C: Cell> {
    pub(super) search: &'a RankedSearch<'a, C::Target>,
    pub(super) node: RankedNode<'a, C>,
    pub(super) contest: Contest<'a, C::Target>,
    pub(super) scratch: &'s mut Scratch<C>,
}

impl<C: Cell> WithLeft<C::Target> for Asked<'_, '_, C> {
    type Output = Option<RankedChoice>;

    fn call<L: Left<C::Target>>(mut self) -> Option<RankedChoice> {
        let search = self.search;
        let rules = &search.rules;
        let best = if rules.has_fixed_features() {
            self.best_among::<L>(&rules.all_features())
        } else {
            // Like scikit-learn, search beyond `max_features` until a split is found.
            let mut drawn = rules.drawn_features(self.node.key);
            let first: Vec<Contender> = drawn.by_ref().take(rules.max_features).collect();
            let best = self.best_among::<L>(&first);
            best.or_else(|| drawn.find_map(|feature| self.best_among::<L>(&[feature])))
        };
        best.map(|best| self.choice(&best))
    }
}

impl<C: Cell> Asked<'_, '_, C> {
    fn best_among<L: Left<C::Target>>(
        &mut self,
        features: &[Contender],
    ) -> Option<Candidate<RankPlace>> {
        let mut leader = Leader::new(self.contest);
        let mut promising: Vec<PromisingBin<C::Target, L>> = Vec::new();
        let mut apart = None;
        let search = self.search;
        let rules = &search.rules;
        for &contender in features {
            if rules.exec.is_cancelled() {
                break;
            }
            let feature = contender.feature;
            let column = self.search.ranked.of(feature);
            // Where missing values are unknown, each feature is measured on rows of its own.
            let is_measured_apart =
                rules.missing == MissingValues::Unknown && rules.training.has_missing(feature);
            if column.is_categorical {
                let categories = self.categories(feature);
                let best =
                    categories::search(categories, contender, rules, self.contest, &mut leader);
                apart = better(apart, best);
            } else if self.counts_rows_of(feature) && !is_measured_apart {
                self.survey(contender, &mut leader, &mut promising);
            } else {
                apart = better(apart, self.scan_all::<L>(contender, &mut leader));
            }
        }
        self.search_bins(&promising, &mut leader);
        better(apart, leader.finish().0)
    }

    /// The sums of the categories of a feature.
    fn categories(&self, feature: u32) -> NodeCategories<C::Target> {
        let column = self.search.ranked.of(feature);
        let ranks = self.search.ranked.ranks(feature);
        let row = |item: &Item<C>| {
            let rank = ranks.of(item);
            let code = if rank == column.n_ranks { MISSING } else { rank };
            (code, item.target())
        };
        let rows = self.node.items.iter().map(row);
        NodeCategories::from_rows(rows, column.n_ranks as usize, self.contest.measure)
    }

    fn choice(&self, best: &Candidate<RankPlace>) -> RankedChoice {
        let Candidate { feature, gain, rank, missing, place, .. } = *best;
        let values = &self.search.ranked.of(feature).values;
        let ranks = match place {
            _ if rank.separates_missing => {
                return SplitChoice { test: Test::is_present(feature), gain }.into();
            }
            Place::OnAxis(between) => {
                let categories = self.categories(feature);
                let test = categories::test(categories, best, between, &self.search.rules);
                return SplitChoice { test, gain }.into();
            }
            Place::Number(RankPlace::Between(ranks)) => ranks,
            Place::Number(RankPlace::After(last)) => {
                self.search.ranked.around(feature, last, self.node.items)
            }
        };
        let between = ranks.map(|rank| values[rank as usize]);
        let choice = SplitChoice::between(feature, between, missing, gain);
        RankedChoice { choice, first_right: Some(ranks[1]) }
    }
}

impl<C: Cell> Asked<'_, '_, C> {
    /// Enters all candidates of a feature of numbers. Returns the best of them instead if missing values are
    /// unknown, so that its gain is measured on fewer rows.
    pub(super) fn scan_all<L: Left<C::Target>>(
        &mut self,
        contender: Contender,
        leader: &mut Leader<'_, C::Target, RankPlace>,
    ) -> Option<Candidate<RankPlace>> {
        let feature = contender.feature;
        let ranks = self.search.ranked.ranks(feature);
        let scratch = &mut *self.scratch;
        scratch.keys.clear();
        let keys = self.node.items.iter().enumerate();
        scratch.keys.extend(keys.map(|(position, item)| key(ranks.of(item), position)));
        scratch.keys.sort_unstable();
        let n_ranks = self.search.ranked.of(feature).n_ranks;
        let n_present = match scratch.keys.last() {
            Some(&last) if rank_of(last) == n_ranks => {
                scratch.keys.partition_point(|&key| rank_of(key) < n_ranks)
            }
            _ => scratch.keys.len(),
        };
        let missing_rows = scratch.keys.len() - n_present;
        if missing_rows == 0 {
            leader.set_entrant(Entrant::complete(contender));
            self.scan(0..n_present, self.nothing::<L>(), leader);
            return None;
        }
        if self.search.rules.missing == MissingValues::Unknown {
            let measure = self.contest.measure;
            let mut sums = vec![Default::default(); measure.width()];
            for &key in &scratch.keys[..n_present] {
                measure.add(&mut sums, self.node.items[position_of(key)].target());
            }
            return self.contest.of_part(&sums, n_present, |part, leader| {
                leader.set_entrant(Entrant::complete(contender));
                self.scan(0..n_present, L::first(part.measure, part.sums), leader);
            });
        }
        for missing in [Missing::Right, Missing::Left] {
            leader.set_entrant(Entrant { feature: contender, axis: 0, missing, missing_rows });
            let mut left = self.nothing::<L>();
            if missing == Missing::Left {
                for &key in &self.scratch.keys[n_present..] {
                    left.add_row(self.node.items[position_of(key)].target());
                }
                self.scan(0..n_present, left, leader);
            } else {
                // All present rows left is a candidate too.
                self.scan(0..n_present + 1, left, leader);
            }
        }
        None
    }

    fn nothing<L: Left<C::Target>>(&self) -> L {
        L::first(self.contest.measure, self.contest.sums)
    }

    /// Scores the cuts between distinct ranks of sorted keys.
    pub(super) fn scan<L: Left<C::Target>>(
        &self,
        keys: std::ops::Range<usize>,
        mut left: L,
        leader: &mut Leader<'_, C::Target, RankPlace>,
    ) {
        let scratch = &*self.scratch;
        let mut floor = leader.floor();
        for pair in scratch.keys[keys].windows(2) {
            left.add_row(self.node.items[position_of(pair[0])].target());
            let ranks = [rank_of(pair[0]), rank_of(pair[1])];
            if (ranks[0] != ranks[1]) & left.may_reach(floor) {
                let place = Place::Number(RankPlace::Between(ranks));
                leader.offer(left.sums().as_ref(), L::edge_rows(left.edge()), place);
                floor = leader.floor();
            }
        }
    }
}

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
