//! Turns values into the codes of their bins.

use super::slots::BinTable;
use crate::exec::Exec;
use crate::grow::training::Training;
use std::ops::Range;

/// How present values become bins.
#[derive(Debug)]
pub(super) enum BinKind {
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
    /// True if each bin is meant for one value.
    pub(super) fn has_few_values(&self) -> bool {
        match self {
            BinKind::Ranges(table) => table.has_few_values(),
            BinKind::Categories(_) => true,
        }
    }
}

/// The bins of every column; ranges come from a sample.
pub(super) fn bin_kinds(training: &Training<'_>, max_bins: usize, exec: &Exec) -> Vec<BinKind> {
    let sampled_rows = sampled_rows(training.n_rows());
    let features: Vec<u32> = (0..training.n_features() as u32).collect();
    exec.map(features, |feature| {
        if let Some(n_categories) = training.n_categories(feature) {
            return BinKind::Categories(n_categories);
        }
        let column = training.column(feature);
        let mut sample: Vec<f64> = sampled_rows.iter().map(|&row| column.at(row)).collect();
        if training.has_missing(feature) {
            sample.retain(|value| !value.is_nan());
            // Any bins are correct.
            sample.extend(sample.is_empty().then_some(0.0));
        }
        BinKind::Ranges(BinTable::new(&sample, max_bins))
    })
}

/// Writes the codes of some rows, and returns which bins of each column have a single value.
pub(super) fn encode(
    training: &Training<'_>,
    kinds: &[BinKind],
    rows: Range<usize>,
    mut targets: Vec<&mut [u16]>,
) -> Vec<Vec<bool>> {
    let one_value = |kind: &BinKind| match kind {
        BinKind::Ranges(table) => vec![table.has_few_values(); table.n_bins()],
        BinKind::Categories(n_categories) => vec![true; *n_categories],
    };
    let mut single_valued: Vec<Vec<bool>> = kinds.iter().map(one_value).collect();
    let start = rows.start;
    for rows in tiles(rows) {
        let here = rows.start - start..rows.end - start;
        for (feature, kind) in kinds.iter().enumerate() {
            let has_missing = training.has_missing(feature as u32);
            let values = training.column(feature as u32).of(rows.clone());
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
