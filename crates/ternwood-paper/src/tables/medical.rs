//! The medical and financial data sets (Table 3 and its appendix).

use super::{Basis, Cell, Table, by_id};
use crate::method::{Estimator, Method};
use crate::published::{MEDICAL, MEDICAL_COMBINATIONS, Published};
use crate::statistics::SetFigures;

/// OpenML id, and the name in the paper.
const SETS: [(u32, &str); 4] =
    [(31, "credit-g"), (37, "diabetes"), (53, "heart-c"), (310, "mammography")];

const METHODS: [Method; 4] = [
    Method::probabilistic(Estimator::NodeBootstrap),
    Method::probabilistic(Estimator::Margin),
    Method::probabilistic(Estimator::QualityPlateau),
    Method::CART,
];

/// Table 3.
pub(super) fn table(sets: &[SetFigures], published: &Published) -> Table {
    let mut rows = Vec::new();
    for (id, name) in SETS {
        let Some(set) = by_id(sets, id) else { continue };
        for method in METHODS {
            let rates = set.of(method).rates;
            let keys = [("dataset", name), ("method", method.estimator_name())];
            let cell = |ours: Option<f64>, decimals, column| {
                Cell::number(ours, decimals, Basis::of(method))
                    .beside(published.cell(MEDICAL, &keys, column))
            };
            let undecided = rates.undecided_rate.map(|rate| 100.0 * rate);
            let cells = vec![
                cell(rates.decided_accuracy, 4, "decided_accuracy"),
                cell(undecided, 1, "undecided_percent"),
                cell(rates.accuracy, 4, "accuracy_all"),
                cell(rates.decided_f1, 3, "decided_f1"),
            ];
            rows.push((vec![name.to_owned(), method.estimator_name().to_owned()], cells));
        }
    }
    Table {
        name: "table3_medical",
        title: "Table 3: medical and financial data sets (probabilistic routing)".to_owned(),
        labels: vec!["dataset", "method"],
        columns: vec!["decided_accuracy", "undecided_percent", "accuracy_all", "decided_f1"],
        rows,
        notes: vec![NAME.to_owned()],
    }
}

/// Appendix: every estimator and routing.
pub(super) fn combinations(sets: &[SetFigures], published: &Published) -> Table {
    let mut rows = Vec::new();
    for (id, name) in SETS {
        let Some(set) = by_id(sets, id) else { continue };
        let mut of_set = Vec::new();
        let in_the_paper = |m: &Method| m.routing != ternwood::Routing::Deferred;
        for method in Method::all().into_iter().filter(in_the_paper) {
            let rates = set.of(method).rates;
            let label = method.name_beside_baseline();
            let routing = method.routing_in_short();
            let keys = [("dataset", name), ("method", label), ("routing", routing)];
            let cell = |ours: Option<f64>, decimals, column| {
                Cell::number(ours, decimals, Basis::of(method)).beside(published.cell(
                    MEDICAL_COMBINATIONS,
                    &keys,
                    column,
                ))
            };
            let cells = vec![
                cell(rates.decided_accuracy, 4, "decided_accuracy"),
                cell(rates.undecided_rate, 3, "undecided_rate"),
                cell(rates.accuracy, 4, "accuracy_all"),
            ];
            let labels = vec![name.to_owned(), label.to_owned(), routing.to_owned()];
            of_set.push((rates.decided_accuracy, (labels, cells)));
        }
        // As in the paper: the highest decided accuracy first.
        of_set.sort_by(|a, b| b.0.unwrap_or(0.0).total_cmp(&a.0.unwrap_or(0.0)));
        rows.extend(of_set.into_iter().map(|(_, row)| row));
    }
    Table {
        name: "table_medical_all_combinations",
        title: "Medical and financial data sets, every combination".to_owned(),
        labels: vec!["dataset", "method", "routing"],
        columns: vec!["decided_accuracy", "undecided_rate", "accuracy_all"],
        rows,
        notes: vec![NAME.to_owned()],
    }
}

const NAME: &str = "What the paper calls heart-c is OpenML 53, heart-statlog, with 270 rows.";
