//! From raw figures to a comparison: means over folds, ratios per data set, means of ratios.

use super::ASIDE;
use super::raw::BeyondRow;
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
    /// The number of test rows of all folds.
    pub rows: f64,
    /// The number of leaves; 0 where it is not recorded.
    pub leaves: f64,
}

impl Means {
    /// AURC, but no less than that of a single error among all rows, made with the least confidence.
    /// So a ratio of two of them is defined even if a method makes no error.
    fn positive_aurc(&self) -> f64 {
        self.aurc.max(1.0 / (self.rows * self.rows))
    }
}

/// One data set: a method, and the one it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSetFigures {
    /// Its name.
    pub dataset: String,
    /// What the method is compared with.
    pub baseline: Means,
    /// The method.
    pub method: Means,
}

impl DataSetFigures {
    /// Log-loss of the method divided by that of the baseline.
    #[must_use]
    pub fn log_loss_ratio(&self) -> f64 {
        self.method.log_loss / self.baseline.log_loss
    }

    /// AURC of the method divided by that of the baseline.
    #[must_use]
    pub fn aurc_ratio(&self) -> f64 {
        self.method.positive_aurc() / self.baseline.positive_aurc()
    }

    /// Accuracy of the method minus that of the baseline.
    #[must_use]
    pub fn accuracy_gain(&self) -> f64 {
        self.method.accuracy - self.baseline.accuracy
    }

    /// True if the data set is set aside.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        ASIDE.contains(&self.dataset.as_str())
    }
}

/// A method against a baseline on every data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// All data sets, by name.
    pub data_sets: Vec<DataSetFigures>,
}

impl Comparison {
    /// Compares the rows of a method with those of a baseline; each has one row per fold of a data
    /// set. Omits data sets without results of both.
    #[must_use]
    pub fn new(
        rows: &[BeyondRow],
        is_baseline: impl Fn(&BeyondRow) -> bool,
        is_method: impl Fn(&BeyondRow) -> bool,
    ) -> Self {
        let of_method = means(rows, is_method);
        let both = means(rows, is_baseline).into_iter().filter_map(|(dataset, baseline)| {
            let method = *of_method.get(&dataset)?;
            Some(DataSetFigures { dataset, baseline, method })
        });
        Self { data_sets: both.collect() }
    }

    /// The data sets that count, without those set aside.
    pub fn counted(&self) -> impl Iterator<Item = &DataSetFigures> {
        self.data_sets.iter().filter(|set| !set.is_aside())
    }

    /// The figures of a data set.
    #[must_use]
    pub fn of(&self, dataset: &str) -> Option<&DataSetFigures> {
        self.data_sets.iter().find(|set| set.dataset == dataset)
    }

    /// Geometric mean of the AURC ratios.
    #[must_use]
    pub fn aurc_ratio(&self) -> f64 {
        mean(self.counted().map(|set| set.aurc_ratio().ln())).exp()
    }

    /// Mean of the log-loss ratios.
    #[must_use]
    pub fn log_loss_ratio(&self) -> f64 {
        mean(self.counted().map(DataSetFigures::log_loss_ratio))
    }

    /// Geometric mean of the log-loss ratios: never above their mean.
    #[must_use]
    pub fn geometric_log_loss_ratio(&self) -> f64 {
        mean(self.counted().map(|set| set.log_loss_ratio().ln())).exp()
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
        sum.rows += row.rows as f64;
        sum.leaves += row.leaves.unwrap_or(0) as f64;
    }
    let mean = |(n, sum): (f64, Means)| Means {
        accuracy: sum.accuracy / n,
        aurc: sum.aurc / n,
        log_loss: sum.log_loss / n,
        rows: sum.rows,
        leaves: sum.leaves / n,
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
    use crate::beyond::Method;

    fn row(dataset: &str, fold: u8, method: Method, figures: [f64; 3]) -> BeyondRow {
        let [accuracy, aurc, log_loss] = figures;
        BeyondRow {
            openml_id: 1,
            dataset: dataset.to_owned(),
            fold,
            depth: 4,
            method,
            seed: 0,
            rows: 10,
            accuracy,
            aurc,
            log_loss,
            zone_scale: 0.0,
            category_error: None,
            out_of_bag_log_loss: None,
            leaves: None,
        }
    }

    fn compared(rows: &[BeyondRow]) -> Comparison {
        let of = |method| move |row: &BeyondRow| row.method == method;
        Comparison::new(rows, of(Method::Cart), of(Method::Calibrated))
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
        let comparison = compared(&rows);
        assert_eq!(comparison.data_sets.len(), 3);
        // a: 0.1 / 0.2 = 1/2, b: 2; their geometric mean is 1.
        assert!((comparison.aurc_ratio() - 1.0).abs() < 1e-12);
        // (0.5 + 1.1) / 2, and (0.1 + 0) / 2.
        assert!((comparison.log_loss_ratio() - 0.8).abs() < 1e-12);
        assert!((comparison.accuracy_gain() - 0.05).abs() < 1e-12);
        assert_eq!((comparison.worse_than(0.08), comparison.worse_than(0.2)), (1, 0));
        assert_eq!(comparison.worst().unwrap().dataset, "b");
        assert!((comparison.geometric_log_loss_ratio() - (0.5f64 * 1.1).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn without_errors_the_aurc_counts_as_that_of_one_error_made_with_the_least_confidence() {
        use Method::{Calibrated, Cart};
        let ratio = |cart, calibrated| {
            let cart = row("a", 0, Cart, [1.0, cart, 0.1]);
            let calibrated = row("a", 0, Calibrated, [1.0, calibrated, 0.1]);
            compared(&[cart, calibrated]).aurc_ratio()
        };
        // One error in ten rows, made last: a risk of 1/10 at the last of ten coverages.
        let least = 0.01;
        assert_eq!(ratio(0.0, 0.0), 1.0);
        assert!((ratio(0.02, 0.0) - least / 0.02).abs() < 1e-12);
        assert!((ratio(0.0, 0.02) - 0.02 / least).abs() < 1e-12);
    }
}
