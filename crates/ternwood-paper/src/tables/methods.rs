//! All methods side by side on CC18: what the paper's tables leave out.

use super::cc18::{Cc18, MAX_BOOTSTRAP_ROWS};
use super::{Basis, Cell, Table};
use crate::method::Method;
use crate::statistics::{SetFigures, WinTieLoss, mean};
use ternwood::metrics::Figures;
use ternwood::stats::wilcoxon_greater;

/// Means over all data sets, and over those with node-bootstrap results in the paper.
pub(super) fn table(cc18: &Cc18<'_>) -> [Table; 2] {
    let small: Vec<&SetFigures> =
        cc18.sets.iter().copied().filter(|set| set.rows <= MAX_BOOTSTRAP_ROWS).collect();
    [
        of_sets("all_methods", "every data set there is", &cc18.sets),
        of_sets("all_methods_to_20000_rows", "data sets of at most 20,000 rows", &small),
    ]
}

fn of_sets(name: &'static str, which: &str, sets: &[&SetFigures]) -> Table {
    let row = |method: Method| {
        let figures: Vec<Figures> = sets.iter().map(|set| set.of(method)).collect();
        let average = |figure: fn(&Figures) -> Option<f64>, decimals| {
            let present: Vec<f64> = figures.iter().filter_map(figure).collect();
            Cell::number(mean(&present), decimals, Basis::Own)
        };
        let differences: Vec<f64> = (sets.iter())
            .filter_map(|set| Some(set.of(method).rates.decided_accuracy? - set.cart()?))
            .collect();
        let versus = if method == Method::CART {
            Cell::words("ref.".to_owned(), Basis::Own)
        } else {
            let count = WinTieLoss::of(differences.iter().copied(), WinTieLoss::BAND);
            Cell::words(count.to_string(), Basis::Own)
        };
        let p_value = wilcoxon_greater(&differences).map_or_else(
            || Cell::number(None, 4, Basis::Own),
            |test| Cell::words(format!("{:.2e}", test.p_value), Basis::Own),
        );
        let cells = vec![
            average(|f| f.rates.decided_accuracy, 4),
            average(|f| f.rates.undecided_rate, 4),
            average(|f| f.rates.undecided_accuracy, 4),
            average(|f| f.rates.accuracy, 4),
            average(|f| f.rates.decided_f1, 4),
            versus,
            p_value,
            average(|f| f.chow_cart, 4),
            average(|f| f.chow, 4),
            average(|f| f.aurc, 4),
            average(|f| f.log_loss, 4),
        ];
        (method.labels(), cells)
    };
    Table {
        name,
        title: format!("OpenML-CC18, all methods, means over {} ({})", which, sets.len()),
        labels: vec!["method", "routing"],
        columns: vec![
            "decided_accuracy",
            "undecided_rate",
            "undecided_accuracy",
            "accuracy_all",
            "decided_f1",
            "win_tie_loss",
            "wilcoxon_p",
            "chow_cart_accuracy",
            "chow_own_accuracy",
            "aurc",
            "log_loss",
        ],
        rows: if sets.is_empty() {
            Vec::new()
        } else {
            Method::all().into_iter().map(row).collect()
        },
        notes: vec![
            "Win/tie/loss (half a point) and the one-sided Wilcoxon signed-rank test of decided \
             accuracy, both against our own CART. Figures that are undefined on a data set are \
             skipped there."
                .to_owned(),
        ],
    }
}
