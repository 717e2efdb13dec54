//! Few rows: sort them, and score every cut between two distinct ranks.

use super::super::candidate::{Contender, Entrant, Leader, Place};
use super::super::cell::Cell;
use super::super::left_of::{LeftOf, PerClass};
use super::search::{Asked, key, position_of, rank_of};
use crate::tree::Missing;

impl<T: Cell> Asked<'_, '_, T> {
    /// Enters all candidates of a feature of numbers.
    pub(super) fn scan_all<C: PerClass>(&mut self, contender: Contender, leader: &mut Leader<'_>) {
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
        let mut left = LeftOf::<C>::first_bin(self.contest);
        if missing_rows == 0 {
            leader.set_entrant(Entrant::complete(contender));
            self.scan(0..n_present, left, leader);
            return;
        }
        for missing in [Missing::Right, Missing::Left] {
            leader.set_entrant(Entrant { feature: contender, axis: 0, missing, missing_rows });
            if missing == Missing::Left {
                left = LeftOf::<C>::first_bin(self.contest);
                for &key in &self.scratch.keys[n_present..] {
                    let item = self.node.items[position_of(key)];
                    left.add_row(item.class as usize, item.cell().weight());
                }
                self.scan(0..n_present, left, leader);
                return;
            }
            // All present rows left is a candidate too.
            self.scan(0..n_present + 1, left, leader);
            left = LeftOf::<C>::first_bin(self.contest);
        }
    }

    /// Scores the cuts between distinct ranks of sorted keys.
    pub(super) fn scan<C: PerClass>(
        &self,
        keys: std::ops::Range<usize>,
        mut left: LeftOf<C>,
        leader: &mut Leader<'_>,
    ) {
        let scratch = &*self.scratch;
        let mut floor = leader.floor();
        for pair in scratch.keys[keys].windows(2) {
            let item = self.node.items[position_of(pair[0])];
            left.add_row(item.class as usize, item.cell().weight());
            let ranks = [rank_of(pair[0]), rank_of(pair[1])];
            if (ranks[0] != ranks[1]) & left.may_reach(floor) {
                leader.offer(left.counts.as_ref(), left.edge.rows, Place::Ranks(ranks));
                floor = leader.floor();
            }
        }
    }
}
