//! The rows of a fit, in an order that depends on what they hold.

use crate::dataset::{DatasetView, FeatureKind, HashUse, Resampler, RowHasher, as_trained, mix};
use crate::exec::Exec;

/// The features of the rows that count, column by column.
///
/// Rows are in the order of their contents, so nothing that is summed or drawn depends on the order of rows in the
/// user's table.
pub(super) struct Table {
    pub(super) columns: Vec<Vec<f64>>,
    pub(super) kinds: Vec<Kind>,
    /// What rows are drawn by: copies of a row have different keys.
    pub(super) keys: Vec<u64>,
    /// The row of the data set that each row is.
    pub(super) origins: Vec<u32>,
}

/// How a feature is split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number,
    Categories(usize),
}

impl Table {
    pub(super) fn new(data: &DatasetView<'_>, resampler: &Resampler<'_>, exec: &Exec) -> Self {
        let counts = |row: &u32| data.weights().is_none_or(|weights| weights[*row as usize] > 0.0);
        let rows: Vec<u32> = (0..data.n_rows() as u32).filter(counts).collect();
        let origins = resampler.in_order(&rows);
        let hashes = RowHasher::hashes(HashUse::Dealing, data, exec);
        let content = |row: u32| mix(hashes[row as usize] ^ mix(data.labels()[row as usize].into()));
        let mut keys: Vec<u64> = origins.iter().map(|&row| content(row)).collect();
        let (mut last, mut copy) = (None, 0);
        for key in &mut keys {
            copy = if last == Some(*key) { copy + 1 } else { 0 };
            last = Some(*key);
            *key = mix(*key ^ copy);
        }
        let features: Vec<u32> = (0..data.n_features() as u32).collect();
        let columns = exec.map(features, |feature| {
            let column = data.matrix().column(feature);
            origins.iter().map(|&row| as_trained(column.at(row as usize))).collect()
        });
        let kinds = data.schema().features().iter().map(|feature| match &feature.kind {
            FeatureKind::Categories(names) => Kind::Categories(names.len()),
            _ => Kind::Number,
        });
        Self { columns, kinds: kinds.collect(), keys, origins }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.origins.len()
    }

    pub(super) fn n_features(&self) -> usize {
        self.columns.len()
    }
}
