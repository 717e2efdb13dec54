//! The best split of a node, from the ranks of its rows.

use super::super::candidate::{Candidate, Contender, Contest, Leader, Place, better};
use super::super::categories::{self, MISSING, NodeCategories};
use super::super::{SearchRules, SplitChoice};
use super::columns::RankedRows;
use super::many_rows::PromisingBin;
use crate::grow::stream::NodeKey;
use crate::grow::target::{Cell, Left, Target, WithLeft};
use crate::recipe::MissingValues;
use crate::tree::Test;

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
