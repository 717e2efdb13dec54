//! Features in bins: at most 254 per number, one per category, and one for missing values.

use super::table::{Kind, Table};
use crate::exec::Exec;

/// The most bins of a number, without that of missing values.
const MOST_BINS: usize = 254;

/// Bins of more rows are chosen by a sample of about this many.
const SAMPLED: usize = 200_000;

/// All features in bins.
pub(super) struct Bins {
    pub(super) features: Vec<FeatureBins>,
    /// The number of bins of all features.
    pub(super) n_bins: usize,
}

/// A feature in bins.
pub(super) struct FeatureBins {
    pub(super) codes: Codes,
    /// The index of its first bin among those of all features.
    pub(super) first: usize,
    /// The number of bins of known values. Missing values are in one more.
    pub(super) n_known: usize,
    pub(super) has_missing: bool,
    pub(super) kind: Kind,
    /// For numbers: between each bin and the next.
    pub(super) cuts: Vec<f64>,
    /// For numbers: the mean of every bin's values and their variance.
    pub(super) moments: Vec<[f64; 2]>,
}

/// The bin of every row.
pub(super) enum Codes {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl Codes {
    #[inline]
    pub(super) fn of(&self, row: u32) -> usize {
        match self {
            Self::Narrow(codes) => codes[row as usize].into(),
            Self::Wide(codes) => codes[row as usize].into(),
        }
    }
}

impl FeatureBins {
    /// The number of bins, that of missing values included.
    pub(super) fn n_bins(&self) -> usize {
        self.n_known + usize::from(self.has_missing)
    }
}

impl Bins {
    pub(super) fn new(table: &Table, exec: &Exec) -> Self {
        let features = (0..table.n_features()).collect();
        let mut features = exec.map(features, |feature| FeatureBins::new(table, feature));
        let mut n_bins = 0;
        for feature in &mut features {
            feature.first = n_bins;
            n_bins += feature.n_bins();
        }
        Self { features, n_bins }
    }
}

impl FeatureBins {
    fn new(table: &Table, feature: usize) -> Self {
        let (values, kind) = (&table.columns[feature], table.kinds[feature]);
        let has_missing = values.iter().any(|value| value.is_nan());
        let (cuts, moments) = match kind {
            Kind::Number => cuts(sample(table, values)),
            Kind::Categories(_) => Default::default(),
        };
        let n_known = match kind {
            Kind::Number => cuts.len() + 1,
            Kind::Categories(n) => n,
        };
        let code = |&value: &f64| match kind {
            _ if value.is_nan() => n_known,
            Kind::Number => cuts.partition_point(|&cut| cut < value),
            Kind::Categories(_) => value as usize,
        };
        let codes = match n_known {
            0..=255 => Codes::Narrow(values.iter().map(|value| code(value) as u8).collect()),
            _ => Codes::Wide(values.iter().map(|value| code(value) as u16).collect()),
        };
        Self { codes, first: 0, n_known, has_missing, kind, cuts, moments }
    }
}

/// Known values of a sample of rows that does not depend on their order, ascending.
fn sample(table: &Table, values: &[f64]) -> Vec<f64> {
    let share = (SAMPLED as f64 / values.len() as f64).min(1.0);
    let most = (share * u64::MAX as f64) as u64;
    let drawn = values.iter().zip(&table.keys).filter(|(value, key)| !value.is_nan() && **key <= most);
    let mut sample: Vec<f64> = drawn.map(|(&value, _)| value + 0.0).collect();
    sample.sort_unstable_by(f64::total_cmp);
    sample
}

/// The cuts between bins of about the same numbers of values, and the moments of the bins.
fn cuts(sorted: Vec<f64>) -> (Vec<f64>, Vec<[f64; 2]>) {
    let n_distinct = sorted.chunk_by(|a, b| a == b).count();
    let (mut cuts, mut moments) = (Vec::new(), Vec::new());
    let (mut start, mut end) = (0, 0);
    for equal in sorted.chunk_by(|a, b| a == b) {
        end += equal.len();
        let bins_left = MOST_BINS - cuts.len();
        let is_full = n_distinct <= MOST_BINS || (end - start) * bins_left >= sorted.len() - start;
        if is_full || end == sorted.len() {
            moments.push(moments_of(&sorted[start..end]));
            if let Some(&next) = sorted.get(end) {
                cuts.push(f64::midpoint(sorted[end - 1], next));
            }
            start = end;
        }
    }
    if moments.is_empty() {
        moments.push([0.0; 2]);
    }
    (cuts, moments)
}

fn moments_of(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let first = values[0];
    let mean = first + values.iter().map(|value| value - first).sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n;
    [mean, variance]
}
