//! Equal coverage: the zone verdict, Chow's rule on CART, Chow's rule on the blended answer.

use super::cc18::Cc18;
use super::{Basis, Cell, Table};
use crate::method::{Estimator, Method};
use crate::statistics::{SetFigures, WinTieLoss};
use ternwood::metrics::Figures;

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
pub(super) const EXACT: f64 = 1e-12;

/// The accuracy difference between two ways to choose equally many rows.
type Contest = fn(&Figures) -> Option<f64>;

/// The number of data sets on which each is better, by however little.
pub(super) fn table(cc18: &Cc18<'_>) -> Table {
    let small: Vec<&SetFigures> =
        cc18.sets.iter().copied().filter(|set| set.rows <= MAX_ROWS).collect();
    let mut rows = Vec::new();
    for (which, sets) in [("all", &cc18.sets), ("to 12,000 rows", &small)] {
        for estimator in ESTIMATORS {
            for method in [Method::probabilistic(estimator), Method::hard_middle(estimator)] {
                if !sets.is_empty() {
                    rows.push(row(which, method, sets));
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

fn row(which: &str, method: Method, sets: &[&SetFigures]) -> (Vec<String>, Vec<Cell>) {
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
