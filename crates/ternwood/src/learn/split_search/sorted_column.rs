//! One feature of the rows of a block, in order of its values.

use super::binned::BinTable;
use super::bucket_sort::{bucket_starts, sort_by_value};
use crate::learn::node_rows::arrange;
use crate::tree::Side;
use std::ops::Range;

/// A row of a block, and the rank of its value among the block's distinct values.
pub(crate) trait RankedRow: Copy + Default + Send + Sync {
    fn new(rank: u32, row: u32) -> Self;
    fn rank(self) -> u32;
    fn row(self) -> usize;
}

/// For blocks of at most [`MOST_NARROW_ROWS`]: half the size, so twice as many fit a cache.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Narrow(u32);

pub(crate) const MOST_NARROW_ROWS: usize = 1 << 16;

impl RankedRow for Narrow {
    fn new(rank: u32, row: u32) -> Self {
        debug_assert!(rank >> 16 == 0 && row >> 16 == 0);
        Self(rank << 16 | row)
    }

    #[inline]
    fn rank(self) -> u32 {
        self.0 >> 16
    }

    #[inline]
    fn row(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}

/// For blocks of any size.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wide {
    rank: u32,
    row: u32,
}

impl RankedRow for Wide {
    fn new(rank: u32, row: u32) -> Self {
        Self { rank, row }
    }

    #[inline]
    fn rank(self) -> u32 {
        self.rank
    }

    #[inline]
    fn row(self) -> usize {
        self.row as usize
    }
}

/// The rows of a block by the values of one feature.
pub(super) struct SortedColumn<R> {
    pub(super) places: Vec<R>,
    waiting: Vec<R>,
}

impl<R: RankedRow> SortedColumn<R> {
    /// Sorts the rows of a block by their values; with the help of bins, where there are some.
    pub(super) fn new(values: &[f64], bins: Option<&BinTable>) -> Self {
        let Some(bins) = bins else {
            let mut pairs: Vec<(f64, u32)> = values.iter().copied().zip(0..).collect();
            sort_by_value(&mut pairs, |pair| pair.0, |a, b| a.0.total_cmp(&b.0));
            return Self::ranked(&pairs);
        };
        let codes = bins.codes(values);
        let starts = bucket_starts(codes.iter().copied());
        let mut next = starts.clone();
        let mut pairs = vec![(0.0, 0); values.len()];
        for (i, (&value, &code)) in (0..).zip(values.iter().zip(&codes)) {
            let place = &mut next[usize::from(code)];
            pairs[*place as usize] = (value, i);
            *place += 1;
        }
        for bucket in starts.windows(2) {
            sort_few(&mut pairs[bucket[0] as usize..bucket[1] as usize]);
        }
        Self::ranked(&pairs)
    }

    fn ranked(sorted: &[(f64, u32)]) -> Self {
        let (mut rank, mut previous) = (0, sorted.first().map_or(0.0, |pair| pair.0));
        let ranked = sorted.iter().map(|&(value, row)| {
            rank += u32::from(previous < value);
            previous = value;
            R::new(rank, row)
        });
        Self { places: ranked.collect(), waiting: Vec::new() }
    }

    /// Puts left rows first, then middle rows, then right rows; each in order.
    pub(super) fn partition(&mut self, range: &Range<usize>, sides: &[Side]) {
        let Self { places, waiting } = self;
        arrange(&mut places[range.clone()], waiting, |place| sides[place.row()]);
    }
}

/// Sorts what is in one bin: most often a handful, or all equal.
fn sort_few(pairs: &mut [(f64, u32)]) {
    if pairs.len() > 16 {
        if pairs.iter().all(|pair| pair.0 == pairs[0].0) {
            return;
        }
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        return;
    }
    for i in 1..pairs.len() {
        let pair = pairs[i];
        let mut at = i;
        while at > 0 && pairs[at - 1].0 > pair.0 {
            pairs[at] = pairs[at - 1];
            at -= 1;
        }
        pairs[at] = pair;
    }
}
