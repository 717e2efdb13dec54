//! Single figures quoted in the documents.

use super::cc18::Cc18;
use super::{Basis, Cell, Table};
use crate::generated::Generated;
use crate::method::{Estimator, Method};
use crate::results::Results;
use crate::statistics::{SetFigures, mean};

/// Named figures.
pub(super) fn table(results: &Results, sets: &[SetFigures], cc18: &Cc18<'_>) -> Table {
    let mut findings = Findings::default();
    findings.routings(sets);
    findings.margin(cc18);
    findings.undecided_folds(results);
    findings.single_sets(sets);
    Table {
        name: "findings",
        title: "Single figures".to_owned(),
        labels: vec!["figure"],
        columns: vec!["value"],
        rows: findings.rows,
        notes: Vec::new(),
    }
}

#[derive(Default)]
struct Findings {
    rows: Vec<(Vec<String>, Vec<Cell>)>,
}

impl Findings {
    fn number(&mut self, name: &str, value: Option<f64>) {
        self.rows.push((vec![name.to_owned()], vec![Cell::number(value, 4, Basis::Own)]));
    }

    fn count(&mut self, name: &str, count: usize) {
        self.rows.push((vec![name.to_owned()], vec![Cell::words(count.to_string(), Basis::Own)]));
    }

    /// The differences between probabilistic and deferred routing.
    fn routings(&mut self, sets: &[SetFigures]) {
        let pairs = || {
            sets.iter().flat_map(move |set| {
                Estimator::ALL.map(|estimator| {
                    let [probabilistic, deferred, _] = estimator.methods();
                    (set.of(probabilistic), set.of(deferred))
                })
            })
        };
        let largest = |differences: Vec<f64>| differences.into_iter().fold(0.0, f64::max);
        let decided = pairs().filter_map(|(a, b)| {
            Some((a.rates.decided_accuracy? - b.rates.decided_accuracy?).abs())
        });
        let undecided = pairs()
            .filter_map(|(a, b)| Some((a.rates.undecided_rate? - b.rates.undecided_rate?).abs()));
        let accuracy: Vec<f64> = pairs()
            .filter_map(|(a, b)| Some((a.rates.accuracy? - b.rates.accuracy?).abs()))
            .collect();
        let loss: Vec<f64> =
            pairs().filter_map(|(a, b)| Some((a.log_loss? - b.log_loss?).abs())).collect();
        self.number(
            "deferred_largest_decided_accuracy_difference",
            Some(largest(decided.collect())),
        );
        self.number(
            "deferred_largest_undecided_rate_difference",
            Some(largest(undecided.collect())),
        );
        self.count("deferred_pairs", accuracy.len());
        self.count(
            "deferred_pairs_with_other_accuracy",
            accuracy.iter().filter(|difference| **difference > 0.0).count(),
        );
        self.number("deferred_largest_accuracy_difference", Some(largest(accuracy)));
        self.count(
            "deferred_pairs_with_other_log_loss",
            loss.iter().filter(|difference| **difference > 1e-12).count(),
        );
    }

    fn margin(&mut self, cc18: &Cc18<'_>) {
        let gains: Vec<f64> = (cc18.sets.iter())
            .filter_map(|set| {
                let rates = set.of(Method::probabilistic(Estimator::Margin)).rates;
                Some(rates.decided_accuracy? - set.cart()?)
            })
            .collect();
        self.count("cc18_sets", cc18.sets.len());
        self.count("margin_sets_below_cart", gains.iter().filter(|gain| **gain < 0.0).count());
        let above = |estimator| {
            let gains = cc18.sets.iter().filter_map(|set| {
                let rates = set.of(Method::probabilistic(estimator)).rates;
                Some(rates.accuracy? - set.cart()?)
            });
            mean(&gains.collect::<Vec<_>>())
        };
        self.number("cc18_overall_accuracy_gain_margin", above(Estimator::Margin));
        self.number("cc18_overall_accuracy_gain_node_bootstrap", above(Estimator::NodeBootstrap));
        self.number("cc18_overall_accuracy_gain_class_overlap", above(Estimator::ClassOverlap));
    }

    /// Folds without a decided row. Means skip them.
    fn undecided_folds(&mut self, results: &Results) {
        for estimator in [Estimator::ClassOverlap, Estimator::GainRatio] {
            let method = Method::probabilistic(estimator);
            let rows = results.rows().filter(|row| row.method == method && row.unit.openml_id > 0);
            let none = rows.filter(|row| row.figures.rates.decided_accuracy.is_none()).count();
            self.count(&format!("{}_folds_without_a_decided_row", method.zone_name()), none);
        }
    }

    fn single_sets(&mut self, sets: &[SetFigures]) {
        let found = |name: &str| sets.iter().find(|set| set.dataset == name);
        let undecided = |name, estimator| {
            found(name)
                .and_then(|set| set.of(Method::probabilistic(estimator)).rates.undecided_rate)
        };
        let accuracy =
            |name: &str, method: Method| found(name).and_then(|set| set.of(method).rates.accuracy);
        self.number("tic_tac_toe_margin_undecided", undecided("tic-tac-toe", Estimator::Margin));
        self.number("phishing_margin_undecided", undecided("PhishingWebsites", Estimator::Margin));
        self.count("heart_statlog_rows", found("heart-statlog").map_or(0, |set| set.rows));
        let overlap = Method::probabilistic(Estimator::ClassOverlap);
        for (key, name) in [
            ("twonorm", "twonorm"),
            ("generated_twonorm", Generated::Twonorm.name()),
            ("ringnorm", "ringnorm"),
            ("generated_ringnorm", Generated::Ringnorm.name()),
            ("waveform", "waveform-5000"),
            ("generated_waveform_40", Generated::Waveform40.name()),
            ("generated_waveform_21", Generated::Waveform21.name()),
        ] {
            self.number(&format!("{key}_cart_accuracy"), accuracy(name, Method::CART));
            self.number(&format!("{key}_class_overlap_accuracy"), accuracy(name, overlap));
        }
    }
}
