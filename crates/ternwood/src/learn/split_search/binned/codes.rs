//! The bin of every value of every column.

use super::slots::{BinTable, extremes, sample};
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
    all_single_valued: bool,
}

/// Most bins of a column. With more, fewer rows have to be looked at one by one, but the
/// histogram of a column no longer fits the nearest cache.
pub(crate) const MAX_BINS: usize = 1024;

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

    /// Whether codes tell values apart, so that there is no need to look at values.
    pub(crate) fn has_one_value_per_bin(&self, feature: u32) -> bool {
        self.columns[feature as usize].all_single_valued
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
        let table = BinTable::new(low, high, &sample(column), MAX_BINS);
        let codes = table.codes(column);
        let n_bins = table.n_bins();
        let single_valued = if table.few_values() {
            single_valued(column, &codes, n_bins)
        } else {
            vec![false; n_bins]
        };
        let all_single_valued = single_valued.iter().all(|&single| single);
        Self { codes, n_bins, single_valued, all_single_valued }
    }
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
