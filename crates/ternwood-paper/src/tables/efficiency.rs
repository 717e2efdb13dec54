//! The benefit of flags: efficiencies of every method over CC18.

use super::cc18::{Cc18, ORDER, Over, present};
use super::{Basis, Cell, Table};
use crate::method::{Estimator, Method};
use crate::statistics::mean;

/// Efficiencies quoted in the text of the paper.
const STATED: [(Method, &str); 3] = [
    (Method::probabilistic(Estimator::Margin), "0.104"),
    (Method::probabilistic(Estimator::NodeBootstrap), "0.068"),
    (Method::probabilistic(Estimator::QualityPlateau), "0.072"),
];

impl Cc18<'_> {
    /// The efficiency of each method.
    pub(super) fn efficiency(&self) -> Table {
        let row = |method: Method| {
            let all = self.observations(method, Over::Sets);
            let (decided, undecided) =
                (mean(&present(&all, |o| o.decided)), mean(&present(&all, |o| o.undecided)));
            let cart = mean(&present(&all, |o| o.cart));
            let of_means = efficiency(decided, undecided, cart);
            let of_sets: Vec<f64> =
                all.iter().filter_map(|o| efficiency(o.decided, o.undecided, o.cart)).collect();
            // Acc = (1 - u) DecAcc + u AccU with Acc = Acc_CART, solved for AccU.
            let undecided_accuracy =
                decided.zip(of_means).map(|(decided, efficiency)| decided - efficiency);
            let basis = self.basis(method);
            let stated = STATED.iter().find(|(stated, _)| *stated == method);
            let stated = stated.filter(|_| !self.published.is_empty());
            let cells = vec![
                Cell::number(decided, 4, Basis::Own),
                Cell::number(cart, 4, Basis::Own),
                Cell::number(undecided, 3, Basis::Own),
                Cell::number(of_means, 3, Basis::Own),
                Cell::number(mean(&of_sets), 3, basis).beside(stated.map(|s| s.1.to_owned())),
                Cell::number(undecided_accuracy, 4, Basis::Own),
            ];
            (method.labels(), cells)
        };
        let methods = ORDER.into_iter().filter(|method| *method != Method::CART);
        Table {
            name: "table_efficiency",
            title: "OpenML-CC18, efficiency (decided accuracy - CART's) / undecided rate"
                .to_owned(),
            labels: vec!["method", "routing"],
            columns: vec![
                "decided_accuracy",
                "cart_accuracy",
                "undecided_rate",
                "efficiency_of_means",
                "mean_efficiency",
                "undecided_accuracy",
            ],
            rows: if self.sets.is_empty() { Vec::new() } else { methods.map(row).collect() },
            notes: vec![
                "CART's accuracy is over the data sets of the row; mean_efficiency is the mean of \
                 the efficiencies of data sets that have a flag; undecided_accuracy is by the \
                 decomposition, as if overall accuracy were CART's."
                    .to_owned(),
            ],
        }
    }
}

fn efficiency(decided: Option<f64>, undecided: Option<f64>, cart: Option<f64>) -> Option<f64> {
    ternwood::metrics::efficiency(decided?, cart?, undecided?)
}
