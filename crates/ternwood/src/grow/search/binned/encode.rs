//! Turns values into the codes of their bins.

use super::slots::BinTable;
use crate::exec::Exec;
use crate::grow::training::Features;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How present values become bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum BinKind {
    /// Ranges of numbers.
    Ranges(BinTable),
    /// One bin per category.
    Categories(usize),
}

/// The number of values per column that bins are chosen from.
pub(super) const SAMPLE: usize = 1 << 14;

/// Rows per tile. A tile is encoded column by column: in either memory order of the matrix its
/// values come from the cache, and each table is read often before the next.
const ROWS_PER_TILE: usize = 512;

impl BinKind {
    /// For a feature with categories, or with values like those of a sample.
    pub(crate) fn of(
        n_categories: Option<usize>,
        sample: impl FnOnce() -> Vec<f64>,
        max_bins: usize,
    ) -> Self {
        if let Some(n_categories) = n_categories {
            return Self::Categories(n_categories);
        }
        let mut sample = sample();
        sample.retain(|value| !value.is_nan());
        // Any bins are correct.
        sample.extend(sample.is_empty().then_some(0.0));
        Self::Ranges(BinTable::new(&sample, max_bins))
    }

    /// The number of bins of present values.
    pub(crate) fn n_bins(&self) -> usize {
        match self {
            Self::Ranges(table) => table.n_bins(),
            Self::Categories(n_categories) => *n_categories,
        }
    }

    /// True if they are for a feature with so many categories, or with numbers.
    pub(crate) fn suits(&self, n_categories: Option<usize>) -> bool {
        match self {
            Self::Ranges(_) => n_categories.is_none(),
            Self::Categories(n) => n_categories == Some(*n),
        }
    }

    /// For each bin, whether it is meant for one value: true until a second is found.
    fn single_valued(&self) -> Vec<bool> {
        match self {
            Self::Ranges(table) => vec![table.has_few_values(); table.n_bins()],
            Self::Categories(n_categories) => vec![true; *n_categories],
        }
    }

    /// True if each bin is meant for one value.
    pub(super) fn has_few_values(&self) -> bool {
        match self {
            BinKind::Ranges(table) => table.has_few_values(),
            BinKind::Categories(_) => true,
        }
    }
}

/// The bins of every column; ranges come from a sample.
pub(super) fn bin_kinds(features: &Features<'_>, max_bins: usize, exec: &Exec) -> Vec<BinKind> {
    let sampled_rows = sampled_rows(features.n_rows());
    exec.map((0..features.n_features() as u32).collect(), |feature| {
        let column = features.column(feature);
        let sample = || sampled_rows.iter().map(|&row| column.at(row)).collect();
        BinKind::of(features.n_categories(feature), sample, max_bins)
    })
}

/// Which bins have a single value, if there are no rows.
pub(super) fn no_rows(kinds: &[BinKind]) -> Vec<Vec<bool>> {
    kinds.iter().map(BinKind::single_valued).collect()
}

/// Writes the codes of some rows, and returns which bins of each column have a single value.
pub(super) fn encode(
    features: &Features<'_>,
    kinds: &[BinKind],
    rows: Range<usize>,
    mut targets: Vec<&mut [u16]>,
) -> Vec<Vec<bool>> {
    let mut single_valued = no_rows(kinds);
    let start = rows.start;
    for rows in tiles(rows) {
        let here = rows.start - start..rows.end - start;
        for (feature, kind) in kinds.iter().enumerate() {
            let has_missing = features.has_missing(feature as u32);
            let values = features.column(feature as u32).of(rows.clone());
            let codes = &mut targets[feature][here.clone()];
            let single_valued = &mut single_valued[feature];
            match kind {
                BinKind::Ranges(table) if has_missing => {
                    table.encode_with_missing(values, codes, single_valued);
                }
                BinKind::Ranges(table) => table.encode_checked(values, codes, single_valued),
                BinKind::Categories(n_categories) => {
                    for (code, value) in codes.iter_mut().zip(values) {
                        *code = if value.is_nan() { *n_categories as u16 } else { value as u16 };
                    }
                }
            }
        }
    }
    single_valued
}

/// About [`SAMPLE`] rows, or all; evenly spread, but out of step with periodic data.
pub(super) fn sampled_rows(n_rows: usize) -> Vec<usize> {
    let every = n_rows.div_ceil(SAMPLE).max(1);
    let starts = (0..n_rows).step_by(every).enumerate();
    let row = |(i, start): (usize, usize)| {
        // Multiples of the golden ratio spread evenly, and never repeat.
        let offset = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (start + offset as usize % every).min(n_rows - 1)
    };
    starts.map(row).collect()
}

fn tiles(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(ROWS_PER_TILE).map(move |start| start..(start + ROWS_PER_TILE).min(end))
}
