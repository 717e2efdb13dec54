//! Few rows: sort them, and score every cut between two distinct ranks.

use super::super::candidate::{Candidate, Contender, Entrant, Leader, Place};
use super::search::{Asked, RankPlace, key, position_of, rank_of};
use crate::grow::target::{Cell, Left, Measure};
use crate::recipe::MissingValues;
use crate::tree::Missing;

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
