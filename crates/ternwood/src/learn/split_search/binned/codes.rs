//! The bin of every value of every column.

use super::slots::BinTable;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::learn::training::Training;
use crate::workers::Workers;

/// All columns as codes.
#[derive(Debug)]
pub(crate) struct BinnedColumns {
    columns: Vec<BinnedColumn>,
}

#[derive(Debug)]
struct BinnedColumn {
    codes: Vec<u16>,
    n_bins: usize,
    /// Bins that hold one distinct value only: there is no split inside them.
    single_valued: Vec<bool>,
}

/// Most bins of a column. With more, fewer rows have to be looked at one by one, but the
/// histogram of a column no longer fits the nearest cache.
const MAX_BINS: usize = 1024;

/// How many values are looked at to choose the bins of a column.
const SAMPLE: usize = 1 << 14;

impl BinnedColumns {
    pub(crate) fn new(
        training: &Training<'_>,
        workers: &Workers,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let features = (0..training.n_features() as u32).collect();
        let columns = workers.map(features, |feature| {
            cancel.check()?;
            Ok(BinnedColumn::new(training.column(feature)))
        });
        Ok(Self { columns: columns.into_iter().collect::<Result<_>>()? })
    }

    /// The bin of every value of a feature.
    pub(crate) fn codes(&self, feature: u32) -> &[u16] {
        &self.columns[feature as usize].codes
    }

    pub(super) fn n_bins(&self, feature: u32) -> usize {
        self.columns[feature as usize].n_bins
    }

    pub(super) fn is_single_valued(&self, feature: u32, bin: usize) -> bool {
        self.columns[feature as usize].single_valued[bin]
    }
}

impl BinnedColumn {
    fn new(column: &[f64]) -> Self {
        let (low, high) = extremes(column);
        let step = column.len().div_ceil(SAMPLE);
        let sample: Vec<f64> = column.iter().copied().step_by(step).collect();
        let table = BinTable::new(low, high, &sample, MAX_BINS);
        let codes = table.codes(column);
        let n_bins = table.n_bins();
        let single_valued = if table.few_values() {
            single_valued(column, &codes, n_bins)
        } else {
            vec![false; n_bins]
        };
        Self { codes, n_bins, single_valued }
    }
}

/// The smallest and the largest value, in eight lanes at a time.
fn extremes(column: &[f64]) -> (f64, f64) {
    let (blocks, rest) = column.as_chunks::<8>();
    let (mut low, mut high) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    for block in blocks {
        for lane in 0..8 {
            low[lane] = if block[lane] < low[lane] { block[lane] } else { low[lane] };
            high[lane] = if block[lane] > high[lane] { block[lane] } else { high[lane] };
        }
    }
    let low = low.iter().chain(rest).copied().fold(f64::INFINITY, f64::min);
    let high = high.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}

fn single_valued(column: &[f64], codes: &[u16], n_bins: usize) -> Vec<bool> {
    let mut first = vec![f64::NAN; n_bins];
    let mut single = vec![true; n_bins];
    for (&value, &code) in column.iter().zip(codes) {
        let bin = usize::from(code);
        if first[bin].is_nan() {
            first[bin] = value;
        }
        single[bin] &= first[bin] == value;
    }
    single
}
