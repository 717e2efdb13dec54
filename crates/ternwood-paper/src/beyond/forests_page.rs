//! Forests of ternary trees against those of scikit-learn, as a Markdown page.

use super::raw::{BeyondRow, Method};
use super::summary::{Comparison, DataSetFigures, means};
use super::table::{range, three};
use super::trial::SEEDS;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The page: summaries with every seed, and every data set, worst first.
#[must_use]
pub fn forests_page(rows: &[BeyondRow]) -> String {
    let mut page = String::from(INTRODUCTION);
    let n_data_sets =
        against(rows, Baseline::Default, Method::TernaryForest, None).counted().count();
    line(&mut page, &format!("\n## {n_data_sets} data sets\n"));
    line(&mut page, SUMMARY_HEADER);
    for (baseline, target) in [
        (Baseline::Default, "| target | ≤ 0.90 | ≤ 0.87 | ≥ 0 | | |"),
        (Baseline::BetterOutOfBag, "| target | ≤ 0.95 | ≤ 0.92 | | | |"),
        (Baseline::ExtraTrees, ""),
    ] {
        line(&mut page, &format!("| *against {}* | | | | | |", baseline.name()));
        if !target.is_empty() {
            line(&mut page, target);
        }
        for seed in SEEDS {
            let compared = against(rows, baseline, Method::TernaryForest, Some(seed));
            summary(&mut page, &format!("seed {seed}"), &compared);
        }
        summary(&mut page, "all seeds", &against(rows, baseline, Method::TernaryForest, None));
        let crisp = against(rows, baseline, Method::CrispForest, None);
        summary(&mut page, "all seeds, without zones and exponent", &crisp);
    }
    line(&mut page, EVERY_DATA_SET);
    let default = against(rows, Baseline::Default, Method::TernaryForest, None);
    let mut better = against(rows, Baseline::BetterOutOfBag, Method::TernaryForest, None).data_sets;
    better.sort_by(|a, b| b.log_loss_ratio().total_cmp(&a.log_loss_ratio()));
    let (aside, counted): (Vec<_>, Vec<_>) = better.into_iter().partition(DataSetFigures::is_aside);
    for set in counted.iter().chain(&aside) {
        data_set(&mut page, rows, set, default.of(&set.dataset));
    }
    page
}

/// What forests of ternary trees are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// scikit-learn's random forest with its defaults.
    Default,
    /// Of that and the one with at least five rows in a leaf, the one that has the lower log-loss out of bag,
    /// data set by data set.
    BetterOutOfBag,
    /// scikit-learn's extremely randomised trees with their defaults.
    ExtraTrees,
}

impl Baseline {
    fn name(self) -> &'static str {
        match self {
            Self::Default => "the default",
            Self::BetterOutOfBag => "the better out of bag",
            Self::ExtraTrees => "extra trees",
        }
    }
}

/// Compares a method with a baseline, with one seed or the mean of all.
#[must_use]
pub fn against(
    rows: &[BeyondRow],
    baseline: Baseline,
    method: Method,
    seed: Option<u64>,
) -> Comparison {
    let is_seed = |row: &BeyondRow| seed.is_none_or(|seed| row.seed == seed);
    let better = better_out_of_bag(rows, seed);
    let is_baseline = |row: &BeyondRow| {
        let wanted = match baseline {
            Baseline::Default => Method::Forest,
            Baseline::ExtraTrees => Method::ExtraTrees,
            Baseline::BetterOutOfBag => better.get(&row.dataset).copied().unwrap_or(Method::Forest),
        };
        row.method == wanted && is_seed(row)
    };
    Comparison::new(rows, is_baseline, |row| row.method == method && is_seed(row))
}

/// Of scikit-learn's two random forests, the one with the lower log-loss out of bag.
fn better_out_of_bag(rows: &[BeyondRow], seed: Option<u64>) -> BTreeMap<String, Method> {
    let loss = |method: Method| {
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        let of_method = rows.iter().filter(|row| row.method == method);
        for row in of_method.filter(|row| seed.is_none_or(|seed| row.seed == seed)) {
            let loss = row.out_of_bag_log_loss.unwrap_or(f64::INFINITY);
            *sums.entry(row.dataset.clone()).or_default() += loss;
        }
        sums
    };
    let leaf_5 = loss(Method::ForestLeaf5);
    let choose = |(dataset, of_default): (String, f64)| {
        let is_better = leaf_5.get(&dataset).is_some_and(|&loss| loss < of_default);
        (dataset, if is_better { Method::ForestLeaf5 } else { Method::Forest })
    };
    loss(Method::Forest).into_iter().map(choose).collect()
}

const INTRODUCTION: &str = "\
# Forests of ternary trees against scikit-learn's

Written by `ternwood-paper beyond --forest`; do not edit. The data sets of at most 20,000 rows, the
paper's five folds, codes of categories and medians in place of missing values for all alike; 100 trees,
three seeds. Ours is `Recipe::forest()`: spread zones, one scale and one exponent by out-of-bag log-loss.
`scripts/forests_beside.py` measured scikit-learn 1.9.1 (`scikit-learn.csv`): `RandomForestClassifier` with
its defaults and with `min_samples_leaf=5`, and `ExtraTreesClassifier` with its defaults. *The better out of
bag* is, for every data set, that of the two random forests which has the lower log-loss out of bag.

Ratios are ours by theirs, of means over folds and seeds: below 1 is better. An AURC of 0 counts, on both
sides, as that of a single error among all rows, made with the least confidence. Log-losses are clipped at
1e-6: scikit-learn's forests sometimes give a class that occurs the probability 0.
";

const SUMMARY_HEADER: &str = "\
| | AURC ratio (geometric mean) | log-loss ratio (mean) | accuracy gain (mean, points) | log-loss > 2 % worse | worst log-loss ratio |
|---|---|---|---|---|---|";

const EVERY_DATA_SET: &str = "
## Every data set

Accuracy / AURC / log-loss, means over folds and seeds; ratios by the default and by the better out of bag;
the scales chosen over folds and seeds. The worst log-loss ratio by the better out of bag first; data sets
that do not count stand last.

| data set | scikit-learn, default | at least 5 in a leaf | extra trees | ours | without zones | AURC ratios | log-loss ratios | scale |
|---|---|---|---|---|---|---|---|---|";

fn summary(page: &mut String, name: &str, compared: &Comparison) {
    let worst = compared
        .worst()
        .map_or_else(String::new, |set| format!("{:.3} {}", set.log_loss_ratio(), set.dataset));
    line(
        page,
        &format!(
            "| {name} | {:.3} | {:.3} | {:+.2} | {} | {worst} |",
            compared.aurc_ratio(),
            compared.log_loss_ratio(),
            100.0 * compared.accuracy_gain(),
            compared.worse_than(0.02),
        ),
    );
}

fn data_set(
    page: &mut String,
    rows: &[BeyondRow],
    better: &DataSetFigures,
    default: Option<&DataSetFigures>,
) {
    let dataset = &better.dataset;
    let figures = |method: Method| {
        let of_method = means(rows, |row| row.method == method && row.dataset == *dataset);
        of_method.get(dataset).map(three).unwrap_or_default()
    };
    let scales = rows
        .iter()
        .filter(|row| row.dataset == *dataset && row.method == Method::TernaryForest)
        .map(|row| row.zone_scale);
    let ratios = |of: fn(&DataSetFigures) -> f64| {
        let default = default.map_or_else(String::new, |set| format!("{:.3}", of(set)));
        format!("{default} {:.3}", of(better))
    };
    line(
        page,
        &format!(
            "| {dataset} | {} | {} | {} | {} | {} | {} | {} | {} |",
            figures(Method::Forest),
            figures(Method::ForestLeaf5),
            figures(Method::ExtraTrees),
            figures(Method::TernaryForest),
            figures(Method::CrispForest),
            ratios(DataSetFigures::aurc_ratio),
            ratios(DataSetFigures::log_loss_ratio),
            range(scales),
        ),
    );
}

fn line(page: &mut String, text: &str) {
    writeln!(page, "{text}").expect("a string takes all that is written");
}
