//! The best split of a node, from the ranks of its rows.

use super::super::candidate::{Candidate, Contender, Contest, Leader, Place, better};
use super::super::categories::{self, MISSING, NodeCategories};
use super::super::cell::Cell;
use super::super::left_of::PerClass;
use super::super::purity::Purity;
use super::super::{SearchRules, SplitChoice};
use super::columns::RankedRows;
use super::many_rows::PromisingBin;
use crate::grow::grown::GrownNode;
use crate::tree::Test;

/// Finds the best splits of nodes.
#[derive(Clone, Copy)]
pub(in crate::grow) struct RankedSearch<'a> {
    pub(in crate::grow) rules: SearchRules<'a>,
    pub(in crate::grow) ranked: RankedRows<'a>,
}

/// A row with its class and weight: kept together, they need not be looked up at every node.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::grow) struct Item<T: Cell> {
    pub(in crate::grow) row: u32,
    /// Where its codes are.
    pub(in crate::grow) place: u32,
    pub(in crate::grow) class: u32,
    pub(in crate::grow) weight: T::OfRow,
}

impl<T: Cell> Item<T> {
    #[inline(always)]
    pub(in crate::grow) fn cell(&self) -> T {
        T::of(self.weight)
    }
}

/// A node to split.
#[derive(Clone, Copy)]
pub(in crate::grow) struct RankedNode<'a, T: Cell> {
    pub(in crate::grow) items: &'a [Item<T>],
    pub(in crate::grow) node: &'a GrownNode,
}

/// The best split of a node.
#[derive(Debug, Clone)]
pub(in crate::grow) struct RankedChoice {
    pub(in crate::grow) choice: SplitChoice,
    /// The lowest rank right of the threshold, if there is one.
    pub(in crate::grow) first_right: Option<u32>,
}

impl From<SplitChoice> for RankedChoice {
    fn from(choice: SplitChoice) -> Self {
        Self { choice, first_right: None }
    }
}

/// Memory reused from node to node.
#[derive(Debug, Default)]
pub(in crate::grow) struct Scratch<T> {
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
        node: RankedNode<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Option<RankedChoice> {
        match self.rules.training.n_classes() {
            2 => self.best_split_of::<T, [f64; 2]>(node, scratch),
            3 => self.best_split_of::<T, [f64; 3]>(node, scratch),
            _ => self.best_split_of::<T, Vec<f64>>(node, scratch),
        }
    }

    fn best_split_of<T: Cell, C: PerClass>(
        &self,
        node: RankedNode<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Option<RankedChoice> {
        let SearchRules { training, criterion, limits, max_features, zero_gain_splits, .. } =
            self.rules;
        let contest = Contest {
            purity: Purity::new(criterion, training.class_factors()),
            limits,
            counts: &node.node.tally.counts,
            n_rows: node.items.len(),
            zero_gain_splits,
            share: 1.0,
            chance: 0.0,
        };
        let mut asked = Asked { search: self, node, contest, scratch };
        let best = if self.rules.has_fixed_features() {
            asked.best_among::<C>(&self.rules.all_features())
        } else {
            // Like scikit-learn, search beyond `max_features` until a split is found.
            let mut drawn = self.rules.drawn_features(node.node.key);
            let first: Vec<Contender> = drawn.by_ref().take(max_features).collect();
            let best = asked.best_among::<C>(&first);
            best.or_else(|| drawn.find_map(|feature| asked.best_among::<C>(&[feature])))
        };
        best.map(|best| asked.choice(&best))
    }
}

/// A node whose best split is asked for.
pub(super) struct Asked<'a, 's, T: Cell> {
    pub(super) search: &'a RankedSearch<'a>,
    pub(super) node: RankedNode<'a, T>,
    pub(super) contest: Contest<'a>,
    pub(super) scratch: &'s mut Scratch<T>,
}

impl<T: Cell> Asked<'_, '_, T> {
    fn best_among<C: PerClass>(&mut self, features: &[Contender]) -> Option<Candidate> {
        let mut leader = Leader::new(self.contest);
        let mut promising: Vec<PromisingBin<C>> = Vec::new();
        let mut apart = None;
        for &contender in features {
            if self.search.rules.exec.is_cancelled() {
                break;
            }
            let feature = contender.feature;
            let column = self.search.ranked.of(feature);
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
        let column = self.search.ranked.of(feature);
        let ranks = self.search.ranked.ranks(feature);
        let row = |item: &Item<T>| {
            let rank = ranks.of(item);
            let code = if rank == column.n_ranks { MISSING } else { rank };
            (code, item.class, item.cell().weight())
        };
        let rows = self.node.items.iter().map(row);
        NodeCategories::from_rows(rows, column.n_ranks as usize, self.contest.counts.len())
    }

    fn choice(&self, best: &Candidate) -> RankedChoice {
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
            Place::Ranks(ranks) => ranks,
            Place::AfterRank(last) => self.search.ranked.around(feature, last, self.node.items),
            _ => unreachable!("ranks have their own places"),
        };
        let between = ranks.map(|rank| values[rank as usize]);
        let choice = SplitChoice::between(feature, between, missing, gain);
        RankedChoice { choice, first_right: Some(ranks[1]) }
    }
}
