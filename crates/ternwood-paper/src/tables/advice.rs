//! The paper's advice by data size: margin from 200 rows, bootstrap from 500, plateau anywhere.

use super::coverage::EXACT;
use super::{Basis, Cell, Table};
use crate::method::{Estimator, Method};
use crate::statistics::{SetFigures, WinTieLoss, mean};
use std::ops::Range;

/// Ranges of training rows per fold, and their names.
const SIZES: [(Range<usize>, &str); 4] = [
    (0..500, "below 500"),
    (500..2_000, "500 to 2,000"),
    (2_000..10_000, "2,000 to 10,000"),
    (10_000..usize::MAX, "10,000 and more"),
];

/// Three estimators on every data set that is not generated, by number of training rows.
pub(super) fn table(sets: &[SetFigures]) -> Table {
    let real: Vec<&SetFigures> = sets.iter().filter(|set| set.openml_id > 0).collect();
    let mut rows = Vec::new();
    for estimator in [Estimator::Margin, Estimator::NodeBootstrap, Estimator::QualityPlateau] {
        for (size, name) in SIZES {
            let of_size = |set: &&&SetFigures| size.contains(&(set.training_rows as usize));
            let sets: Vec<&SetFigures> = real.iter().filter(of_size).copied().collect();
            if !sets.is_empty() {
                rows.push(row(Method::probabilistic(estimator), name, &sets));
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

fn row(method: Method, size: &str, sets: &[&SetFigures]) -> (Vec<String>, Vec<Cell>) {
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
