//! The best split of a node, from the ranks of its rows.

use super::super::candidate::{Candidate, Contender, Contest, Leader, Place, better};
use super::super::categories::{self, MISSING, NodeCategories};
use super::super::cell::Cell;
use super::super::left_of::PerClass;
use super::super::purity::Purity;
use super::super::{SearchRules, SplitChoice};
use super::columns::RankedColumns;
use super::many_rows::PromisingBin;
use crate::grow::grown::GrownNode;
use crate::tree::Test;

/// Finds the best splits of nodes.
#[derive(Clone, Copy)]
pub(in crate::grow) struct RankedSearch<'a> {
    pub(in crate::grow) rules: SearchRules<'a>,
    pub(in crate::grow) columns: &'a RankedColumns,
}

/// The ranks, classes and weights of rows, by row number.
#[derive(Clone, Copy)]
pub(in crate::grow) struct RankView<'a, T> {
    /// By feature.
    pub(in crate::grow) ranks: &'a [&'a [u32]],
    pub(in crate::grow) classes: &'a [u32],
    pub(in crate::grow) cells: &'a [T],
}

/// A node to split.
#[derive(Clone, Copy)]
pub(in crate::grow) struct RankedNode<'a> {
    pub(in crate::grow) rows: &'a [u32],
    pub(in crate::grow) node: &'a GrownNode,
}

/// Memory reused from node to node.
#[derive(Debug, Default)]
pub(in crate::grow) struct Scratch<T> {
    /// The classes and weights of the node's rows.
    pub(super) classes: Vec<u32>,
    pub(super) cells: Vec<T>,
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

impl RankedSearch<'_> {
    /// The best legal split; one without gain only where the rules allow it.
    pub(in crate::grow) fn best_split<T: Cell>(
        &self,
        view: RankView<'_, T>,
        node: RankedNode<'_>,
        scratch: &mut Scratch<T>,
    ) -> Option<SplitChoice> {
        match self.rules.training.n_classes() {
            2 => self.best_split_of::<T, [f64; 2]>(view, node, scratch),
            3 => self.best_split_of::<T, [f64; 3]>(view, node, scratch),
            _ => self.best_split_of::<T, Vec<f64>>(view, node, scratch),
        }
    }

    fn best_split_of<T: Cell, C: PerClass>(
        &self,
        view: RankView<'_, T>,
        node: RankedNode<'_>,
        scratch: &mut Scratch<T>,
    ) -> Option<SplitChoice> {
        let SearchRules { training, criterion, limits, max_features, zero_gain_splits, .. } =
            self.rules;
        let contest = Contest {
            purity: Purity::new(criterion, training.class_factors()),
            limits,
            counts: &node.node.tally.counts,
            n_rows: node.rows.len(),
            zero_gain_splits,
            share: 1.0,
        };
        scratch.classes.clear();
        scratch.classes.extend(node.rows.iter().map(|&row| view.classes[row as usize]));
        scratch.cells.clear();
        scratch.cells.extend(node.rows.iter().map(|&row| view.cells[row as usize]));
        let mut asked = Asked { search: self, view, node, contest, scratch };
        let best = if self.rules.has_fixed_features() {
            asked.best_among::<C>(&self.rules.all_features())
        } else {
            // Like scikit-learn, search beyond `max_features` until a split is found.
            let order = self.rules.shuffled_features(node.node.key);
            let (first, rest) = order.split_at(max_features);
            let best = asked.best_among::<C>(first);
            best.or_else(|| rest.iter().find_map(|&feature| asked.best_among::<C>(&[feature])))
        };
        best.map(|best| asked.choice(&best))
    }
}

/// A node whose best split is asked for.
pub(super) struct Asked<'a, 's, T> {
    pub(super) search: &'a RankedSearch<'a>,
    pub(super) view: RankView<'a, T>,
    pub(super) node: RankedNode<'a>,
    pub(super) contest: Contest<'a>,
    pub(super) scratch: &'s mut Scratch<T>,
}

impl<T: Cell> Asked<'_, '_, T> {
    fn best_among<C: PerClass>(&mut self, features: &[Contender]) -> Option<Candidate> {
        let mut leader = Leader::new(self.contest);
        let mut promising: Vec<PromisingBin<C>> = Vec::new();
        let mut apart = None;
        for &contender in features {
            let feature = contender.feature;
            let column = self.search.columns.of(feature);
            if column.is_categorical {
                let categories = self.categories(feature);
                let rules = &self.search.rules;
                let best =
                    categories::search(categories, contender, rules, self.contest, &mut leader);
                apart = better(apart, best);
            } else if self.counts_rows_of(feature) {
                self.survey(contender, &mut leader, &mut promising);
            } else {
                self.scan_all::<C>(contender, &mut leader);
            }
        }
        self.search_bins(&promising, &mut leader);
        better(apart, leader.finish().0)
    }

    /// The class counts of the categories of a feature.
    fn categories(&self, feature: u32) -> NodeCategories {
        let Self { search, view, node, scratch, .. } = self;
        let n_codes = search.columns.of(feature).n_ranks;
        let ranks = view.ranks[feature as usize];
        let row = |(position, &row): (usize, &u32)| {
            let rank = ranks[row as usize];
            let code = if rank == n_codes { MISSING } else { rank };
            (code, scratch.classes[position], scratch.cells[position].weight())
        };
        let rows = node.rows.iter().enumerate().map(row);
        NodeCategories::from_rows(rows, n_codes as usize, self.contest.counts.len())
    }

    fn choice(&self, best: &Candidate) -> SplitChoice {
        let Candidate { feature, gain, rank, missing, place, .. } = *best;
        let values = &self.search.columns.of(feature).values;
        let ranks = match place {
            _ if rank.separates_missing => {
                return SplitChoice { test: Test::is_present(feature), gain };
            }
            Place::OnAxis(between) => {
                let categories = self.categories(feature);
                let test = categories::test(categories, best, between, &self.search.rules);
                return SplitChoice { test, gain };
            }
            Place::Ranks(ranks) => ranks,
            Place::AfterRank(last) => self.ranks_around(feature, last),
            _ => unreachable!("ranks have their own places"),
        };
        SplitChoice::between(feature, ranks.map(|rank| values[rank as usize]), missing, gain)
    }

    /// The largest rank at the node that is at most `last`, and the smallest above it.
    fn ranks_around(&self, feature: u32, last: u32) -> [u32; 2] {
        let ranks = self.view.ranks[feature as usize];
        let (mut below, mut above) = (0, u32::MAX);
        for &row in self.node.rows {
            let rank = ranks[row as usize];
            below = if rank <= last { below.max(rank) } else { below };
            above = if rank > last { above.min(rank) } else { above };
        }
        [below, above]
    }
}
