//! The rows of a block sorted by one feature.

use super::binned::BinTable;
use super::bucket_sort::{bucket_starts, scatter, sort_by_value};
use crate::grow::node_rows::{arrange, arrange_one_side};
use crate::tree::Side;
use std::ops::Range;

/// A row of a block, the rank of its value among the block's distinct values, and a
/// [flag](super::sorted::SortedTarget::flag) of its target.
pub(crate) trait RankedRow: Copy + Default + Send + Sync {
    fn new(rank: u32, row: u32, flag: bool) -> Self;
    fn rank(self) -> u32;
    fn row(self) -> usize;
    fn flag(self) -> bool;
}

/// For blocks of at most [`MAX_NARROW_ROWS`] rows: a third of the size of [`Wide`], so more fit
/// a cache.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Narrow(u32);

pub(crate) const MAX_NARROW_ROWS: usize = 1 << 15;

impl RankedRow for Narrow {
    fn new(rank: u32, row: u32, flag: bool) -> Self {
        debug_assert!(rank >> 15 == 0 && row >> 15 == 0);
        Self(rank << 16 | u32::from(flag) << 15 | row)
    }

    #[inline]
    fn rank(self) -> u32 {
        self.0 >> 16
    }

    #[inline]
    fn row(self) -> usize {
        (self.0 & 0x7fff) as usize
    }

    #[inline]
    fn flag(self) -> bool {
        self.0 & 0x8000 != 0
    }
}

/// For blocks of any size.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wide {
    rank: u32,
    row: u32,
    flag: bool,
}

impl RankedRow for Wide {
    fn new(rank: u32, row: u32, flag: bool) -> Self {
        Self { rank, row, flag }
    }

    #[inline]
    fn rank(self) -> u32 {
        self.rank
    }

    #[inline]
    fn row(self) -> usize {
        self.row as usize
    }

    #[inline]
    fn flag(self) -> bool {
        self.flag
    }
}

/// The rows of a block sorted by one feature.
pub(super) struct SortedColumn<R> {
    /// Rows with missing values come last.
    pub(super) ranked_rows: Vec<R>,
    /// The rank of missing values, above all others.
    missing_rank: u32,
    scratch: Vec<R>,
}

impl<R: RankedRow> SortedColumn<R> {
    /// Sorts the rows of a block by their values, with the help of bins if given. If some values
    /// may be missing, they are set apart first.
    pub(super) fn new(
        values: &[f64],
        flag: impl Fn(u32) -> bool,
        bins: Option<&BinTable>,
        may_be_missing: bool,
    ) -> Self {
        if !may_be_missing || values.iter().all(|value| !value.is_nan()) {
            return Self::of_present(values, flag, bins);
        }
        let is_missing = |row: &u32| values[*row as usize].is_nan();
        let (missing, present): (Vec<u32>, Vec<u32>) =
            (0..values.len() as u32).partition(is_missing);
        let present_values: Vec<f64> = present.iter().map(|&row| values[row as usize]).collect();
        let of_present = |row: u32| flag(present[row as usize]);
        let mut column = Self::of_present(&present_values, of_present, bins);
        let rank = column.missing_rank;
        for ranked in &mut column.ranked_rows {
            *ranked = R::new(ranked.rank(), present[ranked.row()], ranked.flag());
        }
        let missing = missing.into_iter();
        column.ranked_rows.extend(missing.map(|row| R::new(rank, row, flag(row))));
        column
    }

    /// The number of rows at `range` whose value is present; they come first.
    pub(super) fn n_present(&self, range: &Range<usize>) -> usize {
        let ranked_rows = &self.ranked_rows[range.clone()];
        match ranked_rows.last() {
            Some(last) if last.rank() == self.missing_rank => {
                ranked_rows.partition_point(|row| row.rank() < self.missing_rank)
            }
            _ => ranked_rows.len(),
        }
    }

    fn of_present(values: &[f64], flag: impl Fn(u32) -> bool, bins: Option<&BinTable>) -> Self {
        let Some(bins) = bins else {
            let mut pairs: Vec<(f64, u32)> = values.iter().copied().zip(0..).collect();
            sort_by_value(&mut pairs, |pair| pair.0, |a, b| a.0.total_cmp(&b.0));
            return Self::ranked(&pairs, flag);
        };
        let pairs: Vec<(f64, u32)> = values.iter().copied().zip(0..).collect();
        let pairs = sorted_by_bin(&pairs, bins);
        Self::ranked(&pairs, flag)
    }

    fn ranked(sorted: &[(f64, u32)], flag: impl Fn(u32) -> bool) -> Self {
        let (mut rank, mut previous) = (0, sorted.first().map_or(0.0, |pair| pair.0));
        let ranked = sorted.iter().map(|&(value, row)| {
            rank += u32::from(previous < value);
            previous = value;
            R::new(rank, row, flag(row))
        });
        let ranked_rows = ranked.collect();
        Self { ranked_rows, missing_rank: rank + 1, scratch: Vec::new() }
    }

    /// A stable partition: left rows first, then middle, then right. With `only`, places just the
    /// rows of that side; the rest holds arbitrary rows.
    pub(super) fn partition(&mut self, range: &Range<usize>, sides: &[Side], only: Option<Side>) {
        let Self { ranked_rows, scratch, .. } = self;
        let (ranked_rows, side) = (&mut ranked_rows[range.clone()], |row: R| sides[row.row()]);
        match only {
            Some(only) => arrange_one_side(ranked_rows, only, side),
            None => {
                arrange(ranked_rows, scratch, side);
            }
        }
    }
}

/// Pairs of values and rows, sorted with the help of bins.
pub(super) fn sorted_by_bin(pairs: &[(f64, u32)], bins: &BinTable) -> Vec<(f64, u32)> {
    let values: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
    let codes = bins.codes(&values);
    let starts = bucket_starts(codes.iter().copied());
    let coded: Vec<((f64, u32), u16)> = pairs.iter().copied().zip(codes).collect();
    let mut pairs: Vec<(f64, u32)> =
        scatter(&coded, |(_, code)| code, &starts).into_iter().map(|(pair, _)| pair).collect();
    for bucket in starts.windows(2).filter(|bucket| bucket[1] - bucket[0] > MAX_INSERTION) {
        let bucket = &mut pairs[bucket[0] as usize..bucket[1] as usize];
        bucket.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    }
    sort_nearly_sorted(&mut pairs);
    pairs
}

/// Above this many pairs in a bin, insertion sort is slow.
const MAX_INSERTION: u32 = 16;

/// Insertion sort of pairs that are all close to their place. Runs across bins, as their ends
/// would be hard to predict.
fn sort_nearly_sorted(pairs: &mut [(f64, u32)]) {
    for i in 1..pairs.len() {
        let pair = pairs[i];
        let mut at = i;
        while at > 0 && pairs[at - 1].0 > pair.0 {
            pairs[at] = pairs[at - 1];
            at -= 1;
        }
        if at < i {
            pairs[at] = pair;
        }
    }
}
