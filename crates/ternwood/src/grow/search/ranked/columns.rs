//! The rank of every value of every column.

use super::super::bucket_sort::sort_by_value;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::training::Training;

/// All columns as ranks.
#[derive(Debug)]
pub(in crate::grow) struct RankedColumns(Vec<RankedColumn>);

/// One column. The rank of a missing value follows those of all others; a category is its own rank.
#[derive(Debug)]
pub(in crate::grow) struct RankedColumn {
    pub(in crate::grow) ranks: Vec<u32>,
    /// The distinct values, ascending; empty for categories.
    pub(in crate::grow) values: Vec<f64>,
    /// The number of ranks, that of missing values apart.
    pub(in crate::grow) n_ranks: u32,
    pub(in crate::grow) is_categorical: bool,
}

impl RankedColumns {
    pub(in crate::grow) fn new(training: &Training<'_>, exec: &Exec) -> Result<Self> {
        let features = (0..training.n_features() as u32).collect();
        let columns = exec.map(features, |feature| {
            exec.check()?;
            Ok(RankedColumn::new(training, feature))
        });
        columns.into_iter().collect::<Result<Vec<_>>>().map(Self)
    }

    pub(in crate::grow) fn of(&self, feature: u32) -> &RankedColumn {
        &self.0[feature as usize]
    }

    pub(in crate::grow) fn n_features(&self) -> usize {
        self.0.len()
    }
}

impl RankedColumn {
    fn new(training: &Training<'_>, feature: u32) -> Self {
        let n_rows = training.n_rows();
        let column = training.column(feature);
        let is_categorical = training.n_categories(feature).is_some();
        if let Some(n_categories) = training.n_categories(feature) {
            let n_ranks = n_categories as u32;
            let rank = |value: f64| if value.is_nan() { n_ranks } else { value as u32 };
            let ranks = column.of(0..n_rows).map(rank).collect();
            return Self { ranks, values: Vec::new(), n_ranks, is_categorical };
        }
        let mut pairs: Vec<(f64, u32)> = column.of(0..n_rows).zip(0..).collect();
        if training.has_missing(feature) {
            pairs.retain(|pair| !pair.0.is_nan());
        }
        sort_by_value(&mut pairs, |pair| pair.0, |a, b| a.0.total_cmp(&b.0));
        let mut values: Vec<f64> = Vec::new();
        let mut ranks = vec![u32::MAX; n_rows];
        for (value, row) in pairs {
            // Both zeros are one value.
            if values.last().is_none_or(|&last| last < value) {
                values.push(value);
            }
            ranks[row as usize] = values.len() as u32 - 1;
        }
        let n_ranks = values.len() as u32;
        if training.has_missing(feature) {
            ranks.iter_mut().filter(|rank| **rank == u32::MAX).for_each(|rank| *rank = n_ranks);
        }
        Self { ranks, values, n_ranks, is_categorical }
    }
}
