//! From raw figures to a comparison: means over folds, ratios per data set, means of ratios.

use super::ASIDE;
use super::raw::{BeyondRow, Method};
use std::collections::BTreeMap;

/// The figures of one method on one data set: means over folds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Means {
    /// Accuracy.
    pub accuracy: f64,
    /// Area under the risk-coverage curve.
    pub aurc: f64,
    /// Log-loss.
    pub log_loss: f64,
}

/// One data set at one depth: CART and the calibrated tree with one seed.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSetFigures {
    /// Its name.
    pub dataset: String,
    /// CART with smoothed leaves.
    pub cart: Means,
    /// The calibrated tree.
    pub calibrated: Means,
}

impl DataSetFigures {
    /// Log-loss of the calibrated tree divided by that of CART.
    #[must_use]
    pub fn log_loss_ratio(&self) -> f64 {
        self.calibrated.log_loss / self.cart.log_loss
    }

    /// AURC of the calibrated tree divided by that of CART; `None` if CART's AURC is 0.
    #[must_use]
    pub fn aurc_ratio(&self) -> Option<f64> {
        (self.cart.aurc > 0.0).then(|| self.calibrated.aurc / self.cart.aurc)
    }

    /// Accuracy of the calibrated tree minus that of CART.
    #[must_use]
    pub fn accuracy_gain(&self) -> f64 {
        self.calibrated.accuracy - self.cart.accuracy
    }

    /// True if the data set is set aside.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        ASIDE.contains(&self.dataset.as_str())
    }
}

/// Calibrated trees against CART at one depth with one seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// All data sets, by name.
    pub data_sets: Vec<DataSetFigures>,
}

impl Comparison {
    /// Compares at one depth with one seed. Omits data sets without results of both methods.
    #[must_use]
    pub fn new(rows: &[BeyondRow], depth: u32, seed: u64) -> Self {
        let cart = means(rows, |row| row.method == Method::Cart && row.depth == depth);
        let calibrated = means(rows, |row| {
            row.method == Method::Calibrated && row.depth == depth && row.seed == seed
        });
        let both = cart.into_iter().filter_map(|(dataset, cart)| {
            let calibrated = *calibrated.get(&dataset)?;
            Some(DataSetFigures { dataset, cart, calibrated })
        });
        Self { data_sets: both.collect() }
    }

    /// The data sets that count, without those set aside.
    pub fn counted(&self) -> impl Iterator<Item = &DataSetFigures> {
        self.data_sets.iter().filter(|set| !set.is_aside())
    }

    /// Geometric mean of the AURC ratios.
    #[must_use]
    pub fn aurc_ratio(&self) -> f64 {
        mean(self.counted().filter_map(DataSetFigures::aurc_ratio).map(f64::ln)).exp()
    }

    /// Mean of the log-loss ratios.
    #[must_use]
    pub fn log_loss_ratio(&self) -> f64 {
        mean(self.counted().map(DataSetFigures::log_loss_ratio))
    }

    /// Mean accuracy gain.
    #[must_use]
    pub fn accuracy_gain(&self) -> f64 {
        mean(self.counted().map(DataSetFigures::accuracy_gain))
    }

    /// The number of data sets whose log-loss is worse by more than `share`.
    #[must_use]
    pub fn worse_than(&self, share: f64) -> usize {
        self.counted().filter(|set| set.log_loss_ratio() > 1.0 + share).count()
    }

    /// The largest log-loss ratio, and its data set.
    #[must_use]
    pub fn worst(&self) -> Option<&DataSetFigures> {
        self.counted().max_by(|a, b| a.log_loss_ratio().total_cmp(&b.log_loss_ratio()))
    }
}

/// Means over the folds of each data set, for the selected rows.
pub(super) fn means(
    rows: &[BeyondRow],
    wanted: impl Fn(&BeyondRow) -> bool,
) -> BTreeMap<String, Means> {
    let mut sums: BTreeMap<String, (f64, Means)> = BTreeMap::new();
    for row in rows.iter().filter(|row| wanted(row)) {
        let (n, sum) = sums.entry(row.dataset.clone()).or_default();
        *n += 1.0;
        sum.accuracy += row.accuracy;
        sum.aurc += row.aurc;
        sum.log_loss += row.log_loss;
    }
    let mean = |(n, sum): (f64, Means)| Means {
        accuracy: sum.accuracy / n,
        aurc: sum.aurc / n,
        log_loss: sum.log_loss / n,
    };
    sums.into_iter().map(|(dataset, sums)| (dataset, mean(sums))).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(dataset: &str, fold: u8, method: Method, figures: [f64; 3]) -> BeyondRow {
        let [accuracy, aurc, log_loss] = figures;
        BeyondRow {
            openml_id: 1,
            dataset: dataset.to_owned(),
            fold,
            depth: 4,
            method,
            seed: if method == Method::Calibrated { 42 } else { 0 },
            rows: 10,
            accuracy,
            aurc,
            log_loss,
            zone_scale: 0.0,
        }
    }

    #[test]
    fn ratios_are_of_means_over_folds_and_their_mean_is_geometric_for_aurc() {
        use Method::{Calibrated, Cart};
        let rows = [
            row("a", 0, Cart, [0.8, 0.2, 0.5]),
            row("a", 1, Cart, [0.6, 0.2, 0.5]),
            row("a", 0, Calibrated, [0.8, 0.05, 0.25]),
            row("a", 1, Calibrated, [0.8, 0.15, 0.25]),
            row("b", 0, Cart, [0.5, 0.1, 1.0]),
            row("b", 0, Calibrated, [0.5, 0.2, 1.1]),
            row("isolet", 0, Cart, [0.5, 0.1, 1.0]),
            row("isolet", 0, Calibrated, [0.9, 0.01, 0.1]),
            row("half done", 0, Cart, [0.5, 0.1, 1.0]),
        ];
        let comparison = Comparison::new(&rows, 4, 42);
        assert_eq!(comparison.data_sets.len(), 3);
        // a: 0.1 / 0.2 = 1/2, b: 2; their geometric mean is 1.
        assert!((comparison.aurc_ratio() - 1.0).abs() < 1e-12);
        // (0.5 + 1.1) / 2, and (0.1 + 0) / 2.
        assert!((comparison.log_loss_ratio() - 0.8).abs() < 1e-12);
        assert!((comparison.accuracy_gain() - 0.05).abs() < 1e-12);
        assert_eq!((comparison.worse_than(0.08), comparison.worse_than(0.2)), (1, 0));
        assert_eq!(comparison.worst().unwrap().dataset, "b");
    }
}
