//! CC18: the summary (Table 1), every combination, every data set, efficiencies.

use crate::collection::{CollectionName, expected};
use crate::method::{Estimator, Method};
use crate::published::{COMBINATIONS, PER_SET, Published, SUMMARY};
use crate::results::Results;
use crate::statistics::{SetFigures, WinTieLoss, mean, sample_deviation};
use crate::tables::{Basis, Cell, Table};
use std::collections::BTreeMap;
use ternwood::metrics::Figures;
use ternwood::stats::wilcoxon_greater;

/// CC18: our results, and the published ones for data sets that we do not have.
pub(super) struct Cc18<'a> {
    pub(super) sets: Vec<&'a SetFigures>,
    /// The two parts of the data set whose run was interrupted.
    parts: Vec<Part>,
    pub(super) published: &'a Published,
}

/// The paper's run of this data set was interrupted in its fourth fold and resumed later: after
/// quality plateau, before the other methods. Its table has a row for each part.
const INTERRUPTED: &str = "mfeat-zernike";
const PARTS: [&[u8]; 2] = [&[0, 1, 2], &[3, 4]];
const PARTS_OF_PLATEAU: [&[u8]; 2] = [&[0, 1, 2, 3], &[4]];

/// One part of the interrupted run.
struct Part {
    plateau: SetFigures,
    others: SetFigures,
}

impl Part {
    fn of(&self, method: Method) -> Figures {
        let is_plateau = method == Method::probabilistic(Estimator::QualityPlateau);
        if is_plateau { self.plateau.of(method) } else { self.others.of(method) }
    }
}

/// The maximum number of rows of a data set on which the paper runs node bootstrap.
const MAX_BOOTSTRAP_ROWS: usize = 20_000;

/// The figures of a method on one data set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Observation {
    pub(super) decided: Option<f64>,
    pub(super) undecided: Option<f64>,
    pub(super) accuracy: Option<f64>,
    /// scikit-learn's CART as published; ours if nothing is published.
    pub(super) cart: Option<f64>,
}

/// What a mean is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// The rows of the per-set table, which has two for the interrupted set.
    Rows,
    /// The data sets.
    Sets,
}

/// The methods of the paper's tables, in their order.
const ORDER: [Method; 11] = [
    Method::probabilistic(Estimator::ClassOverlap),
    Method::probabilistic(Estimator::GainRatio),
    Method::hard_middle(Estimator::NodeBootstrap),
    Method::probabilistic(Estimator::NodeBootstrap),
    Method::probabilistic(Estimator::Margin),
    Method::probabilistic(Estimator::QualityPlateau),
    Method::CART,
    Method::hard_middle(Estimator::Margin),
    Method::hard_middle(Estimator::QualityPlateau),
    Method::hard_middle(Estimator::GainRatio),
    Method::hard_middle(Estimator::ClassOverlap),
];

impl<'a> Cc18<'a> {
    pub(super) fn new(results: &Results, sets: &'a [SetFigures], published: &'a Published) -> Self {
        let is_member = |set: &&SetFigures| {
            expected(CollectionName::Cc18).iter().any(|(id, _)| *id == set.openml_id)
        };
        let of_folds = |folds| SetFigures::of_folds(results, INTERRUPTED, folds);
        let parts = PARTS.iter().zip(PARTS_OF_PLATEAU).filter_map(|(others, plateau)| {
            Some(Part { others: of_folds(others)?, plateau: of_folds(plateau)? })
        });
        Self { sets: sets.iter().filter(is_member).collect(), parts: parts.collect(), published }
    }

    /// Published figures of a method on a set, if the per-set table has that method.
    fn published_of(&self, row: &BTreeMap<String, String>, method: Method) -> Option<[f64; 2]> {
        let number = |column: &str| row.get(column)?.parse::<f64>().ok();
        let prefix = per_set_prefix(method)?;
        if method == Method::CART {
            return number("cart_accuracy").map(|accuracy| [accuracy, 0.0]);
        }
        Some([
            number(&format!("{prefix}_decided_accuracy"))?,
            number(&format!("{prefix}_undecided"))?,
        ])
    }

    /// Published rows of data sets for which we have no results.
    fn absent(&self) -> impl Iterator<Item = &'a BTreeMap<String, String>> + use<'_, 'a> {
        self.published.rows(PER_SET).iter().filter(|row| {
            let name = row.get("dataset").map_or("", String::as_str);
            !self.sets.iter().any(|set| set.dataset == name)
        })
    }

    fn published_rows<'d>(
        &self,
        dataset: &'d str,
    ) -> impl Iterator<Item = &'a BTreeMap<String, String>> + use<'a, 'd> {
        let matches = move |row: &&BTreeMap<String, String>| {
            row.get("dataset").is_some_and(|name| *name == dataset)
        };
        self.published.rows(PER_SET).iter().filter(matches)
    }

    fn published_cart(&self, dataset: &str, part: Option<usize>) -> Option<f64> {
        let mut rows = self.published_rows(dataset);
        let accuracy = |row: &BTreeMap<String, String>| row.get("cart_accuracy")?.parse().ok();
        match part {
            Some(part) => rows.nth(part).and_then(accuracy),
            None if dataset == INTERRUPTED => {
                let parts: Vec<f64> = rows.filter_map(accuracy).collect();
                (parts.len() == 2).then(|| 0.6 * parts[0] + 0.4 * parts[1])
            }
            None => rows.next().and_then(accuracy),
        }
    }

    /// A method on every set or row, with published figures where ours are missing.
    fn observations(&self, method: Method, over: Over) -> Vec<Observation> {
        let own = |dataset: &str, part, figures: Figures, cart: Option<f64>| Observation {
            decided: figures.rates.decided_accuracy,
            undecided: figures.rates.undecided_rate,
            accuracy: figures.rates.accuracy,
            cart: self.published_cart(dataset, part).or(cart),
        };
        let counts = |set: &SetFigures| {
            method.estimator != Some(Estimator::NodeBootstrap) || set.rows <= MAX_BOOTSTRAP_ROWS
        };
        let mut all = Vec::new();
        for set in self.sets.iter().filter(|set| counts(set)) {
            if over == Over::Rows && set.dataset == INTERRUPTED {
                let parts = self.parts.iter().enumerate();
                all.extend(parts.map(|(number, part)| {
                    own(&set.dataset, Some(number), part.of(method), part.others.cart())
                }));
            } else {
                all.push(own(&set.dataset, None, set.of(method), set.cart()));
            }
        }
        for row in self.absent() {
            if let Some([decided, undecided]) = self.published_of(row, method) {
                all.push(Observation {
                    decided: Some(decided),
                    undecided: Some(undecided),
                    accuracy: (method == Method::CART).then_some(decided),
                    cart: row.get("cart_accuracy").and_then(|text| text.parse().ok()),
                });
            }
        }
        all
    }

    /// The agreement to expect from a mean of a method.
    pub(super) fn basis(&self, method: Method) -> Basis {
        let complete = self.sets.len() == expected(CollectionName::Cc18).len();
        match per_set_prefix(method) {
            _ if self.published.is_empty() => Basis::Own,
            Some(_) if method == Method::CART => Basis::Cart,
            _ if complete => Basis::Same,
            Some(_) => Basis::Filled,
            None => Basis::FewerSets,
        }
    }

    /// Table 1.
    pub(super) fn summary(&self) -> Table {
        let row = |method: Method| {
            let all = self.observations(method, Over::Rows);
            let basis = self.basis(method);
            let keys =
                [("method", method.estimator_name()), ("routing", method.routing_in_short())];
            let cell =
                |cell: Cell, column| cell.beside(self.published.cell(SUMMARY, &keys, column));
            let decided = present(&all, |o| o.decided);
            let differences = all.iter().filter_map(|o| Some(o.decided? - o.cart?));
            let versus = if method == Method::CART {
                "ref.".to_owned()
            } else {
                WinTieLoss::of(differences, WinTieLoss::BAND).to_string()
            };
            // Overall accuracies are published per method only, so they cannot fill gaps.
            let of_all = if basis == Basis::Filled { Basis::FewerSets } else { basis };
            let undecided = mean(&present(&all, |o| o.undecided)).map(|rate| 100.0 * rate);
            let cells = vec![
                cell(Cell::number(mean(&decided), 4, basis), "decided_accuracy"),
                cell(Cell::number(sample_deviation(&decided), 3, basis), "std"),
                cell(Cell::number(undecided, 1, basis), "undecided_percent"),
                cell(Cell::number(mean(&present(&all, |o| o.accuracy)), 4, of_all), "accuracy_all"),
                cell(Cell::words(versus, basis), "win_tie_loss"),
            ];
            (method.labels(), cells)
        };
        let rows = self.observations(Method::CART, Over::Rows).len();
        Table {
            name: "table1_cc18_summary",
            title: format!("Table 1: OpenML-CC18, means over {rows} rows of the per-set table"),
            labels: vec!["method", "routing"],
            columns: vec![
                "decided_accuracy",
                "std",
                "undecided_percent",
                "accuracy_all",
                "win_tie_loss",
            ],
            rows: if self.sets.is_empty() { Vec::new() } else { ORDER.map(row).to_vec() },
            notes: self.notes(),
        }
    }

    /// Appendix: every combination, over data sets.
    pub(super) fn combinations(&self) -> Table {
        let row = |method: Method| {
            let all = self.observations(method, Over::Sets);
            let basis = self.basis(method);
            let name = method.name_beside_baseline();
            let keys = [("method", name), ("routing", method.routing_in_short())];
            let cell = |ours: Option<f64>, decimals, column| {
                Cell::number(ours, decimals, basis).beside(self.published.cell(
                    COMBINATIONS,
                    &keys,
                    column,
                ))
            };
            let cells = vec![
                cell(mean(&present(&all, |o| o.decided)), 4, "decided_accuracy"),
                cell(mean(&present(&all, |o| o.undecided)), 3, "undecided_rate"),
            ];
            (vec![name.to_owned(), method.routing_in_short().to_owned()], cells)
        };
        let sets = self.observations(Method::CART, Over::Sets).len();
        Table {
            name: "table_cc18_all_combinations",
            title: format!("OpenML-CC18, every combination, means over {sets} data sets"),
            labels: vec!["method", "routing"],
            columns: vec!["decided_accuracy", "undecided_rate"],
            rows: if self.sets.is_empty() { Vec::new() } else { ORDER.map(row).to_vec() },
            notes: self.notes(),
        }
    }

    /// Appendix: every data set.
    pub(super) fn per_set(&self) -> Table {
        let mut rows = Vec::new();
        for set in &self.sets {
            if set.dataset == INTERRUPTED {
                for (number, part) in self.parts.iter().enumerate() {
                    rows.push(self.per_set_row(&set.dataset, Some(number), |m| part.of(m)));
                }
            } else {
                rows.push(self.per_set_row(&set.dataset, None, |method| set.of(method)));
            }
        }
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        Table {
            name: "table_cc18_per_dataset",
            title: "OpenML-CC18, every data set (probabilistic routing)".to_owned(),
            labels: vec!["dataset"],
            columns: PER_SET_COLUMNS.to_vec(),
            rows,
            notes: vec![format!(
                "{INTERRUPTED} stands twice, as published: the means of folds 0-2 and of folds 3-4 \
                 (quality plateau: of folds 0-3, and fold 4). The paper has no node bootstrap above {MAX_BOOTSTRAP_ROWS} rows; we do."
            )],
        }
    }

    fn per_set_row(
        &self,
        dataset: &str,
        part: Option<usize>,
        figures: impl Fn(Method) -> Figures,
    ) -> (Vec<String>, Vec<Cell>) {
        let published = self.published_rows(dataset).nth(part.unwrap_or(0));
        let cell = |ours, decimals, basis, column: &str| {
            Cell::number(ours, decimals, basis)
                .beside(published.and_then(|row| row.get(column).cloned()))
        };
        let mut cells = Vec::new();
        for (estimator, [accuracy, undecided]) in [
            (Estimator::Margin, [PER_SET_COLUMNS[0], PER_SET_COLUMNS[1]]),
            (Estimator::NodeBootstrap, [PER_SET_COLUMNS[2], PER_SET_COLUMNS[3]]),
            (Estimator::QualityPlateau, [PER_SET_COLUMNS[4], PER_SET_COLUMNS[5]]),
        ] {
            let rates = figures(Method::probabilistic(estimator)).rates;
            cells.push(cell(rates.decided_accuracy, 4, Basis::Same, accuracy));
            cells.push(cell(rates.undecided_rate, 3, Basis::Same, undecided));
        }
        let cart = figures(Method::CART).rates.accuracy;
        cells.push(cell(cart, 4, Basis::Cart, PER_SET_COLUMNS[6]));
        let label = match part {
            Some(part) => format!("{dataset} (part {})", part + 1),
            None => dataset.to_owned(),
        };
        (vec![label], cells)
    }

    fn notes(&self) -> Vec<String> {
        let mut absent: Vec<&str> =
            self.absent().filter_map(|row| Some(row.get("dataset")?.as_str())).collect();
        absent.dedup();
        let mut notes = Vec::new();
        if !absent.is_empty() {
            notes.push(format!(
                "We have no data of {}. For margin, quality plateau, node bootstrap (all \
                 probabilistic) and CART the published figures of these sets are filled in; the \
                 other rows, and accuracies of all rows, are means over the data sets there are.",
                absent.join(", ")
            ));
        }
        notes.push(format!(
            "Node bootstrap over data sets of at most {MAX_BOOTSTRAP_ROWS} rows, as published. \
             Win/tie/loss against {}, ties within half a point.",
            if self.published.is_empty() { "our CART" } else { "scikit-learn's CART as published" }
        ));
        notes
    }
}

const PER_SET_COLUMNS: [&str; 7] = [
    "margin_decided_accuracy",
    "margin_undecided",
    "bootstrap_decided_accuracy",
    "bootstrap_undecided",
    "plateau_decided_accuracy",
    "plateau_undecided",
    "cart_accuracy",
];

/// The prefix of a method's columns in the published per-set table, if it has any.
fn per_set_prefix(method: Method) -> Option<&'static str> {
    match method {
        Method::CART => Some("cart"),
        m if m == Method::probabilistic(Estimator::Margin) => Some("margin"),
        m if m == Method::probabilistic(Estimator::NodeBootstrap) => Some("bootstrap"),
        m if m == Method::probabilistic(Estimator::QualityPlateau) => Some("plateau"),
        _ => None,
    }
}

pub(super) fn present(
    all: &[Observation],
    figure: impl Fn(&Observation) -> Option<f64>,
) -> Vec<f64> {
    all.iter().filter_map(figure).collect()
}

// The benefit of flags: efficiencies of every method over CC18.

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

// All methods side by side on CC18: what the paper's tables leave out.

/// Means over all data sets, and over those with node-bootstrap results in the paper.
pub(super) fn methods_table(cc18: &Cc18<'_>) -> [Table; 2] {
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
