//! Single figures quoted in the documents, advice by data size, and verdicts at equal coverage.

use crate::method::{Estimator, Method};
use crate::results::Results;
use crate::statistics::{SetFigures, WinTieLoss, mean};
use crate::subject::Generated;
use crate::tables::cc18::Cc18;
use crate::tables::{Basis, Cell, Table};
use std::ops::Range;
use ternwood::metrics::Figures;

/// Named figures.
pub(super) fn findings_table(results: &Results, sets: &[SetFigures], cc18: &Cc18<'_>) -> Table {
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

// The paper's advice by data size: margin from 200 rows, bootstrap from 500, plateau anywhere.

/// Ranges of training rows per fold, and their names.
const SIZES: [(Range<usize>, &str); 4] = [
    (0..500, "below 500"),
    (500..2_000, "500 to 2,000"),
    (2_000..10_000, "2,000 to 10,000"),
    (10_000..usize::MAX, "10,000 and more"),
];

/// Three estimators on every data set that is not generated, by number of training rows.
pub(super) fn advice_table(sets: &[SetFigures]) -> Table {
    let real: Vec<&SetFigures> = sets.iter().filter(|set| set.openml_id > 0).collect();
    let mut rows = Vec::new();
    for estimator in [Estimator::Margin, Estimator::NodeBootstrap, Estimator::QualityPlateau] {
        for (size, name) in SIZES {
            let of_size = |set: &&&SetFigures| size.contains(&(set.training_rows as usize));
            let sets: Vec<&SetFigures> = real.iter().filter(of_size).copied().collect();
            if !sets.is_empty() {
                rows.push(advice_row(Method::probabilistic(estimator), name, &sets));
            }
        }
    }
    Table {
        name: "advice_by_rows",
        title: "Does it help? By rows to learn from (probabilistic routing)".to_owned(),
        labels: vec!["method", "training_rows"],
        columns: vec![
            "data_sets",
            "gain_over_cart",
            "win_tie_loss_vs_cart",
            "undecided_rate",
            "zone_vs_chow_cart",
            "chow_own_vs_chow_cart",
        ],
        rows,
        notes: vec![
            "Gain: decided accuracy minus our CART's accuracy, mean over data sets; won, tied and \
             lost within half a point. The last two columns: at equal coverage, by however little."
                .to_owned(),
        ],
    }
}

fn advice_row(method: Method, size: &str, sets: &[&SetFigures]) -> (Vec<String>, Vec<Cell>) {
    let gains: Vec<f64> = (sets.iter())
        .filter_map(|set| Some(set.of(method).rates.decided_accuracy? - set.cart()?))
        .collect();
    let undecided: Vec<f64> =
        sets.iter().filter_map(|set| set.of(method).rates.undecided_rate).collect();
    let beside = |set: &&SetFigures| {
        let figures = set.of(method);
        let flags = figures.rates.undecided_rate.is_some_and(|rate| rate > 0.0);
        flags.then_some(figures)
    };
    let chow = sets.iter().filter_map(beside);
    let zone = chow.clone().filter_map(|f| Some(f.rates.decided_accuracy? - f.chow_cart?));
    let own = chow.filter_map(|f| Some(f.chow? - f.chow_cart?));
    let words = |words: String| Cell::words(words, Basis::Own);
    let cells = vec![
        words(sets.len().to_string()),
        Cell::number(mean(&gains), 4, Basis::Own),
        words(WinTieLoss::of(gains.iter().copied(), WinTieLoss::BAND).to_string()),
        Cell::number(mean(&undecided), 3, Basis::Own),
        words(WinTieLoss::of(zone, EXACT).to_string()),
        words(WinTieLoss::of(own, EXACT).to_string()),
    ];
    (vec![method.estimator_name().to_owned(), size.to_owned()], cells)
}

// Equal coverage: the zone verdict, Chow's rule on CART, Chow's rule on the blended answer.

/// The maximum number of rows of the data sets in the second half of the table.
const MAX_ROWS: usize = 12_000;

const ESTIMATORS: [Estimator; 5] = [
    Estimator::Margin,
    Estimator::QualityPlateau,
    Estimator::NodeBootstrap,
    Estimator::ClassOverlap,
    Estimator::GainRatio,
];

/// The tolerance for equal means over folds. They were summed in different orders.
const EXACT: f64 = 1e-12;

/// The accuracy difference between two ways to choose equally many rows.
type Contest = fn(&Figures) -> Option<f64>;

/// The number of data sets on which each is better, by however little.
pub(super) fn coverage_table(cc18: &Cc18<'_>) -> Table {
    let small: Vec<&SetFigures> =
        cc18.sets.iter().copied().filter(|set| set.rows <= MAX_ROWS).collect();
    let mut rows = Vec::new();
    for (which, sets) in [("all", &cc18.sets), ("to 12,000 rows", &small)] {
        for estimator in ESTIMATORS {
            for method in [Method::probabilistic(estimator), Method::hard_middle(estimator)] {
                if !sets.is_empty() {
                    rows.push(coverage_row(which, method, sets));
                }
            }
        }
    }
    Table {
        name: "equal_coverage",
        title: "OpenML-CC18, decided accuracy at equal coverage: data sets won, tied, lost"
            .to_owned(),
        labels: vec!["data_sets", "method", "routing"],
        columns: vec![
            "sets_with_flags",
            "zone_vs_chow_cart",
            "chow_own_vs_zone",
            "chow_own_vs_chow_cart",
        ],
        rows,
        notes: vec![
            "chow_cart: as many rows as the zone verdict decides, those plain CART is most \
             confident of; chow_own: those the method's own (blended) probabilities are most \
             confident of. Only data sets where some rows are flagged and some are not."
                .to_owned(),
        ],
    }
}

fn coverage_row(which: &str, method: Method, sets: &[&SetFigures]) -> (Vec<String>, Vec<Cell>) {
    let figures: Vec<Figures> = sets
        .iter()
        .map(|set| set.of(method))
        .filter(|f| f.rates.undecided_rate.is_some_and(|u| u > 0.0))
        .filter(|f| f.rates.decided_accuracy.is_some())
        .collect();
    let contest = |difference: Contest| {
        let count = WinTieLoss::of(figures.iter().filter_map(difference), EXACT);
        Cell::words(count.to_string(), Basis::Own)
    };
    let cells = vec![
        Cell::words(figures.len().to_string(), Basis::Own),
        contest(|f| Some(f.rates.decided_accuracy? - f.chow_cart?)),
        contest(|f| Some(f.chow? - f.rates.decided_accuracy?)),
        contest(|f| Some(f.chow? - f.chow_cart?)),
    ];
    let labels = [which, method.estimator_name(), method.routing_in_short()].map(str::to_owned);
    (labels.to_vec(), cells)
}
