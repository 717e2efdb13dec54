//! Groups: rows that stay together, such as the visits of a patient.
//!
//! **Folds.** Groups are dealt the largest first, of equal sizes those of fewest strata, which are hardest to
//! balance: each to the fold where it leaves the folds most alike. With `c` units of stratum k in fold f,
//! `n` units in all of fold f, and totals `T` of the stratum and `N` of everything, that is the fold that keeps
//!
//! ```text
//! sum over f and k of c(f, k)^2 / T(k)  +  sum over f of n(f)^2 / N
//! ```
//!
//! least: the chi-squared statistic of strata by folds, and that of their sizes. The choice is never worse than
//! the mean over all folds, so the statistic is never above its expectation for groups that are dealt at
//! random. If every group is a row, this is dealing in turn.
//!
//! **Hold-out sets** are random samples of groups, stratified by the stratum that most of a group is of. They
//! calibrate promises about new groups, so every group, however large, must have the same chance.
//!
//! **Bags** draw groups with replacement.

use super::{Resampler, Shuffle};
use crate::dataset::{RowSubset, mix};
use std::cmp::Reverse;

/// With groups, real targets are cut into this many strata: only strata that many groups share can be
/// balanced.
const STRATA_OF_VALUES: u64 = 10;

impl Resampler<'_> {
    /// The groups that some rows belong to, in an order of their own, as their rows have it: by what they
    /// hold. Rows with the same content count together, so k copies are a row of weight k.
    pub(super) fn groups_of(&self, groups: &[u32], rows: &[u32]) -> Vec<Vec<u32>> {
        let mut by_number = rows.to_vec();
        by_number.sort_by_key(|&row| groups[row as usize]);
        let of_group = by_number.chunk_by(|&a, &b| groups[a as usize] == groups[b as usize]);
        let mut members: Vec<Vec<u32>> = of_group.map(|rows| self.in_order(rows)).collect();
        members.sort_by_cached_key(|rows| {
            let equal = rows.chunk_by(|&a, &b| self.content(a) == self.content(b));
            let weight = |rows: &[u32]| rows.iter().map(|&row| self.weight(row)).sum::<f64>();
            equal.map(|rows| (self.content(rows[0]), weight(rows).to_bits())).collect::<Vec<_>>()
        });
        members
    }

    /// The same, shuffled within the strata that most of each is of.
    pub(super) fn shuffled_groups(
        &self,
        groups: &[u32],
        rows: &RowSubset,
        strata: &[u32],
        shuffle: Shuffle,
    ) -> Vec<Vec<u32>> {
        let places = self.places(shuffle);
        let mut members = self.groups_of(groups, &rows.rows);
        members.sort_by_cached_key(|members| {
            let mut of_rows: Vec<u64> = members.iter().map(|&row| places[row as usize]).collect();
            of_rows.dedup();
            let place = of_rows.into_iter().reduce(|place, next| mix(place ^ next));
            (main_stratum(&by_stratum(members, strata, |row| rows.units(row))), place)
        });
        members
    }

    /// The fold of every row.
    pub(super) fn folds_of_groups(
        &self,
        groups: &[u32],
        rows: &RowSubset,
        count: u32,
        shuffle: Shuffle,
        units: impl Fn(u32) -> u64,
    ) -> Vec<u32> {
        let block = rows.n_units().div_ceil(STRATA_OF_VALUES).max(count.into());
        let strata = self.strata(rows, block);
        let mut members = self.shuffled_groups(groups, rows, &strata, shuffle);
        members.sort_by_cached_key(|rows| {
            let of_strata = by_stratum(rows, &strata, &units);
            let size: u64 = of_strata.iter().map(|&(_, units)| units).sum();
            let squares: u128 = of_strata.iter().map(|&(_, units)| u128::from(units).pow(2)).sum();
            (Reverse(size), Reverse(squares))
        });
        let n_strata = strata.iter().max().map_or(0, |&last| last as usize + 1);
        let mut totals = Contents::new(n_strata);
        members.iter().for_each(|rows| totals.add(&by_stratum(rows, &strata, &units)));
        let mut dealt = vec![Contents::new(n_strata); count as usize];
        let mut folds = vec![0; self.n_rows()];
        for rows in members {
            let group = by_stratum(&rows, &strata, &units);
            let likeness = dealt.iter().map(|fold| fold.likeness(&group, &totals));
            let least = likeness.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
            let fold = least.map_or(0, |(fold, _)| fold);
            dealt[fold].add(&group);
            rows.into_iter().for_each(|row| folds[row as usize] = fold as u32);
        }
        folds
    }
}

/// The units in a fold.
#[derive(Clone)]
struct Contents {
    by_stratum: Vec<f64>,
    size: f64,
}

impl Contents {
    fn new(n_strata: usize) -> Self {
        Self { by_stratum: vec![0.0; n_strata], size: 0.0 }
    }

    fn add(&mut self, group: &[(u32, u64)]) {
        for &(stratum, units) in group {
            self.by_stratum[stratum as usize] += units as f64;
            self.size += units as f64;
        }
    }

    /// Half of what a group adds to the statistic in this fold, but for what it adds in every fold.
    fn likeness(&self, group: &[(u32, u64)], totals: &Self) -> f64 {
        let of_stratum = |&(stratum, units): &(u32, u64)| {
            let at = stratum as usize;
            let shares = self.by_stratum[at] / totals.by_stratum[at] + self.size / totals.size;
            shares * units as f64
        };
        group.iter().filter(|&&(_, units)| units > 0).map(of_stratum).sum()
    }
}

/// The units of some rows in every stratum that they are of, ascending.
fn by_stratum(rows: &[u32], strata: &[u32], units: impl Fn(u32) -> u64) -> Vec<(u32, u64)> {
    let mut found: Vec<(u32, u64)> =
        rows.iter().map(|&row| (strata[row as usize], units(row))).collect();
    found.sort_unstable_by_key(|&(stratum, _)| stratum);
    found.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    found
}

/// The stratum with most units, the lowest on ties.
fn main_stratum(group: &[(u32, u64)]) -> u32 {
    group.iter().max_by_key(|&&(stratum, units)| (units, Reverse(stratum))).map_or(0, |most| most.0)
}
