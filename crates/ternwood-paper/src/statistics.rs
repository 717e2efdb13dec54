//! Comparing methods over many data sets.

use crate::method::Method;
use crate::results::{RawRow, Results};
use std::collections::BTreeMap;
use std::fmt;
use ternwood::metrics::Figures;

/// The mean; missing if there are no numbers.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard deviation of a sample (divided by `n - 1`); missing for fewer than 2 numbers.
#[must_use]
pub fn sample_deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Wins, ties and losses of one method against another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WinTieLoss {
    /// Better by more than the band.
    pub wins: usize,
    /// Within the band.
    pub ties: usize,
    /// Worse by more than the band.
    pub losses: usize,
}

impl WinTieLoss {
    /// The paper's band: half a point.
    pub const BAND: f64 = 0.005;

    /// Counts differences. Those of at most `band` are ties.
    #[must_use]
    pub fn of(differences: impl IntoIterator<Item = f64>, band: f64) -> Self {
        let mut count = Self::default();
        for difference in differences {
            if difference > band {
                count.wins += 1;
            } else if difference < -band {
                count.losses += 1;
            } else {
                count.ties += 1;
            }
        }
        count
    }
}

impl fmt::Display for WinTieLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.wins, self.ties, self.losses)
    }
}

// From folds to data sets: means over folds, skipping undefined values.

/// The results of every method on one data set: means over its folds.
#[derive(Debug, Clone, PartialEq)]
pub struct SetFigures {
    /// OpenML id; 0 for generated data.
    pub openml_id: u32,
    /// Its name.
    pub dataset: String,
    /// The number of rows.
    pub rows: usize,
    /// The mean number of training rows per fold.
    pub training_rows: f64,
    of_methods: BTreeMap<Method, Figures>,
}

impl SetFigures {
    /// The data sets of the results, in order.
    #[must_use]
    pub fn all(results: &Results) -> Vec<Self> {
        let rows: Vec<&RawRow> = results.rows().collect();
        rows.chunk_by(|a, b| a.set() == b.set()).map(Self::of_rows).collect()
    }

    /// One data set with only some of its folds, for an interrupted run.
    #[must_use]
    pub fn of_folds(results: &Results, dataset: &str, folds: &[u8]) -> Option<Self> {
        let wanted = |row: &&RawRow| row.unit.dataset == dataset && folds.contains(&row.unit.fold);
        let rows: Vec<&RawRow> = results.rows().filter(wanted).collect();
        (!rows.is_empty()).then(|| Self::of_rows(&rows))
    }

    fn of_rows(rows: &[&RawRow]) -> Self {
        let mut by_method: BTreeMap<Method, Vec<Figures>> = BTreeMap::new();
        for row in rows {
            by_method.entry(row.method).or_default().push(row.figures);
        }
        let unit = &rows[0].unit;
        let folds = by_method.values().next().map_or(1, Vec::len) as f64;
        let of_cart = rows.iter().filter(|row| row.method == rows[0].method);
        let training: usize = of_cart.map(|row| row.training_rows).sum();
        Self {
            openml_id: unit.openml_id,
            dataset: unit.dataset.clone(),
            rows: rows[0].rows + rows[0].training_rows,
            training_rows: training as f64 / folds,
            of_methods: by_method
                .into_iter()
                .map(|(method, folds)| (method, Figures::mean(&folds)))
                .collect(),
        }
    }

    /// The results of a method.
    #[must_use]
    pub fn of(&self, method: Method) -> Figures {
        self.of_methods.get(&method).copied().unwrap_or_default()
    }

    /// The accuracy of plain CART.
    #[must_use]
    pub fn cart(&self) -> Option<f64> {
        self.of(Method::CART).rates.accuracy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_deviations_by_hand() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        // Squares 4 + 1 + 9 = 14, over n - 1 = 2.
        assert_eq!(sample_deviation(&[1.0, 2.0, 6.0]), Some(7f64.sqrt()));
        assert_eq!((mean(&[]), sample_deviation(&[1.0])), (None, None));
    }

    #[test]
    fn the_band_itself_is_a_tie() {
        let count = WinTieLoss::of([0.25, -0.25, 0.5, -1.0, 0.0], 0.25);
        assert_eq!(count, WinTieLoss { wins: 1, ties: 3, losses: 1 });
        assert_eq!(count.to_string(), "1/3/1");
    }
}
