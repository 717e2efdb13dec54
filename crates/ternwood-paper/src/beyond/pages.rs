//! The comparisons as Markdown pages.

use crate::beyond::raw::{BeyondRow, Method};
use crate::beyond::runs::{DEPTHS, SEEDS};
use crate::beyond::summary::{Comparison, DataSetFigures, Means, means};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Targets for calibrated trees: depth, AURC ratio, log-loss ratio, accuracy gain.
const TARGETS: [(u32, f64, f64, f64); 2] = [(4, 0.76, 0.91, 0.012), (8, 0.68, 0.79, 0.018)];

/// The page: the summary over data sets, and every data set, worst first.
#[must_use]
pub fn page(rows: &[BeyondRow]) -> String {
    let mut page = String::from(INTRODUCTION);
    for depth in DEPTHS {
        summary(&mut page, rows, depth);
    }
    let forest = means(rows, |row| row.method == Method::Forest);
    for depth in DEPTHS {
        data_sets(&mut page, rows, depth, &forest);
    }
    page
}

const INTRODUCTION: &str = "\
# Calibrated trees against CART of the same depth

Written by `ternwood-paper beyond`; do not edit. Five folds, standardised as in the paper. CART has
smoothed leaves. Calibrated is `Recipe::calibrated()` of the same depth: spread zones, their scale
chosen by inner cross-validation, leaves by EM. Ratios are calibrated by CART, of means over folds:
below 1 is better. Seeds are those of the inner folds; nothing else is random.
";

fn summary(page: &mut String, rows: &[BeyondRow], depth: u32) {
    let comparisons: Vec<(u64, Comparison)> =
        SEEDS.iter().map(|&seed| (seed, with_seed(rows, depth, seed))).collect();
    let n = comparisons.iter().map(|(_, c)| c.counted().count()).min().unwrap_or(0);
    let mut line = |text: String| {
        page.push_str(&text);
        page.push('\n');
    };
    line(format!("\n## Depth {depth}: {n} data sets\n"));
    line("| | AURC ratio (geometric mean) | log-loss ratio (mean) | accuracy gain (mean, points) | log-loss > 2 % worse | > 8 % worse | worst log-loss ratio |".to_owned());
    line("|---|---|---|---|---|---|---|".to_owned());
    for (target_depth, aurc, loss, gain) in TARGETS {
        if target_depth == depth {
            let gain = 100.0 * gain;
            line(format!("| target | {aurc:.2} | {loss:.2} | +{gain:.1} | at most 2 | 0 | 1.08 |"));
        }
    }
    for (seed, comparison) in &comparisons {
        let worst = comparison
            .worst()
            .map_or_else(String::new, |set| format!("{:.3} {}", set.log_loss_ratio(), set.dataset));
        line(format!(
            "| seed {seed} | {:.3} | {:.3} | {:+.2} | {} | {} | {worst} |",
            comparison.aurc_ratio(),
            comparison.log_loss_ratio(),
            100.0 * comparison.accuracy_gain(),
            comparison.worse_than(0.02),
            comparison.worse_than(0.08),
        ));
    }
}

/// Calibrated trees against CART at one depth with one seed.
fn with_seed(rows: &[BeyondRow], depth: u32, seed: u64) -> Comparison {
    Comparison::new(
        rows,
        |row| row.method == Method::Cart && row.depth == depth,
        |row| row.method == Method::Calibrated && row.depth == depth && row.seed == seed,
    )
}

fn data_sets(page: &mut String, rows: &[BeyondRow], depth: u32, forest: &BTreeMap<String, Means>) {
    let by_seed: Vec<Comparison> = SEEDS.iter().map(|&seed| with_seed(rows, depth, seed)).collect();
    let mut text = format!("\n## Depth {depth}, every data set\n\n");
    text.push_str("Accuracy / AURC / log-loss; calibrated with the first seed, and the log-loss ratios of all seeds. The worst ratio first; data sets that do not count stand last.\n\n");
    text.push_str("| data set | CART | calibrated | log-loss ratios | scale | random forest |\n|---|---|---|---|---|---|\n");
    let mut sets: Vec<&DataSetFigures> =
        by_seed.first().map_or(Vec::new(), |first| first.data_sets.iter().collect());
    sets.sort_by(|a, b| {
        a.is_aside().cmp(&b.is_aside()).then(b.log_loss_ratio().total_cmp(&a.log_loss_ratio()))
    });
    for set in sets {
        let ratios: Vec<String> = by_seed
            .iter()
            .filter_map(|comparison| comparison.of(&set.dataset))
            .map(|other| format!("{:.3}", other.log_loss_ratio()))
            .collect();
        let forest = forest.get(&set.dataset).map_or_else(String::new, three);
        let aside = if set.is_aside() { " (beside)" } else { "" };
        writeln!(
            text,
            "| {}{aside} | {} | {} | {} | {} | {forest} |",
            set.dataset,
            three(&set.baseline),
            three(&set.method),
            ratios.join(" "),
            scales(rows, &set.dataset, depth),
        )
        .expect("a string takes all that is written");
    }
    page.push_str(&text);
}

pub(super) fn three(figures: &Means) -> String {
    format!("{:.3} / {:.4} / {:.3}", figures.accuracy, figures.aurc, figures.log_loss)
}

/// The smallest and the largest scale chosen, over folds and seeds.
fn scales(rows: &[BeyondRow], dataset: &str, depth: u32) -> String {
    let wanted = |row: &&BeyondRow| {
        row.dataset == dataset && row.depth == depth && row.method == Method::Calibrated
    };
    range(rows.iter().filter(wanted).map(|row| row.zone_scale))
}

/// The smallest and the largest of some numbers; nothing if there are none.
fn range(numbers: impl Iterator<Item = f64>) -> String {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    match (sorted.first(), sorted.last()) {
        (Some(least), Some(most)) if least != most => format!("{least} – {most}"),
        (Some(only), _) => format!("{only}"),
        _ => String::new(),
    }
}

// Tables as they are against codes and medians, as a Markdown page.

/// The page: all data sets, those with missing values, and every single one, worst first.
#[must_use]
pub fn tables_page(rows: &[BeyondRow]) -> String {
    let native = Against::codes(rows, Method::Native);
    let unknown = Against::codes(rows, Method::Unknown);
    let codes_missing = Against::codes(rows, Method::CodesMissing);
    let native_of_missing = native.only_sets_of(&unknown);
    let mut page = String::from(TABLES_INTRODUCTION);
    line(&mut page, &format!("\n## All {} data sets\n", native.n_data_sets()));
    summary_header(&mut page);
    line(&mut page, "| target | ≤ 0.90 | ≤ 0.96 | | ≥ 0 | | 0 | ≤ 1.060 |");
    native.summary(&mut page, "native");
    line(&mut page, &format!("\n## The {} with missing values\n", unknown.n_data_sets()));
    summary_header(&mut page);
    codes_missing.summary(&mut page, "codes, missing");
    native_of_missing.summary(&mut page, "native");
    unknown.summary(&mut page, "native, unknown");
    line(&mut page, EVERY_DATA_SET_OF_TABLES);
    for set in native.worst_first() {
        native.data_set(&mut page, rows, set);
    }
    line(&mut page, EVERY_ONE_WITH_MISSING_VALUES);
    for set in native_of_missing.worst_first() {
        let of = |against: &Against| {
            against.first().and_then(|first| first.of(&set.dataset)).map(|set| three(&set.method))
        };
        let [codes_missing, unknown] =
            [&codes_missing, &unknown].map(|against| of(against).unwrap_or_default());
        let (codes, native) = (three(&set.baseline), three(&set.method));
        let dataset = &set.dataset;
        line(
            &mut page,
            &format!("| {dataset} | {codes} | {codes_missing} | {native} | {unknown} |"),
        );
    }
    page
}

const TABLES_INTRODUCTION: &str = "\
# Tables as they are against codes and medians

Written by `ternwood-paper beyond --tables`; do not edit. The data sets with nominal features or
missing values; of larger ones, 20,000 rows, evenly spaced in the file. The paper's five folds, depth 4,
and `Recipe::calibrated()` everywhere: spread zones, their scale chosen by inner cross-validation,
leaves by EM.

- *codes*: codes and medians, as in the paper. A category is the number of its place in the file's
  declaration; a missing value is the median of its column over all rows, test rows included.
- *native*: the table as it is. The side of missing values is learned, and the category error is chosen
  together with the scale.
- *codes, missing*: codes of categories, but missing values are missing, and their side is learned.
- *native, unknown*: native with `missing = unknown`: missing values are unknown at every test.

Ratios are by *codes*, of means over folds: below 1 is better. An AURC of 0 would count, on both sides, as
that of a single error among all rows, made with the least confidence. Seeds are those of the inner
folds; nothing else is random.
";

const EVERY_DATA_SET_OF_TABLES: &str = "
## Every data set

Accuracy / AURC / log-loss with the first seed, the log-loss ratios of all seeds, and the scales *m* and
category errors *e* chosen natively, over folds and seeds. The worst ratio first.

| data set | codes | native | AURC ratio | log-loss ratios | m | e |
|---|---|---|---|---|---|---|";

const EVERY_ONE_WITH_MISSING_VALUES: &str = "
## Every data set with missing values

Accuracy / AURC / log-loss with the first seed.

| data set | codes | codes, missing | native | native, unknown |
|---|---|---|---|---|";

/// A method against codes and medians, with every seed.
struct Against {
    by_seed: Vec<(u64, Comparison)>,
}

impl Against {
    fn codes(rows: &[BeyondRow], method: Method) -> Self {
        let of = |method, seed| move |row: &BeyondRow| row.method == method && row.seed == seed;
        let compared = |seed| Comparison::new(rows, of(Method::Codes, seed), of(method, seed));
        Self { by_seed: SEEDS.into_iter().map(|seed| (seed, compared(seed))).collect() }
    }

    /// Only the data sets that `other` has.
    fn only_sets_of(&self, other: &Self) -> Self {
        let both = self.by_seed.iter().zip(&other.by_seed);
        let kept = both.map(|((seed, ours), (_, theirs))| {
            let sets = ours.data_sets.iter().filter(|set| theirs.of(&set.dataset).is_some());
            (*seed, Comparison { data_sets: sets.cloned().collect() })
        });
        Self { by_seed: kept.collect() }
    }

    /// The comparison with the first seed.
    fn first(&self) -> Option<&Comparison> {
        self.by_seed.first().map(|(_, comparison)| comparison)
    }

    fn n_data_sets(&self) -> usize {
        self.first().map_or(0, |first| first.data_sets.len())
    }

    /// The data sets by their log-loss ratio with the first seed.
    fn worst_first(&self) -> Vec<&DataSetFigures> {
        let mut sets: Vec<_> = self.first().map_or(Vec::new(), |c| c.data_sets.iter().collect());
        sets.sort_by(|a, b| b.log_loss_ratio().total_cmp(&a.log_loss_ratio()));
        sets
    }

    /// One line per seed.
    fn summary(&self, page: &mut String, name: &str) {
        for (seed, comparison) in &self.by_seed {
            let worst = comparison.worst().map_or_else(String::new, |set| {
                format!("{:.3} {}", set.log_loss_ratio(), set.dataset)
            });
            let text = format!(
                "| {name}, seed {seed} | {:.3} | {:.3} | {:.3} | {:+.2} | {} | {} | {worst} |",
                comparison.aurc_ratio(),
                comparison.log_loss_ratio(),
                comparison.geometric_log_loss_ratio(),
                100.0 * comparison.accuracy_gain(),
                comparison.worse_than(0.02),
                comparison.worse_than(0.06),
            );
            line(page, &text);
        }
    }

    /// The line of a data set.
    fn data_set(&self, page: &mut String, rows: &[BeyondRow], set: &DataSetFigures) {
        let of_seeds = self.by_seed.iter().filter_map(|(_, other)| other.of(&set.dataset));
        let ratios: Vec<String> =
            of_seeds.map(|set| format!("{:.3}", set.log_loss_ratio())).collect();
        let of_set = |row: &&BeyondRow| row.dataset == set.dataset && row.method == Method::Native;
        let chosen = || rows.iter().filter(of_set);
        writeln!(
            page,
            "| {} | {} | {} | {:.3} | {} | {} | {} |",
            set.dataset,
            three(&set.baseline),
            three(&set.method),
            set.aurc_ratio(),
            ratios.join(" "),
            range(chosen().map(|row| row.zone_scale)),
            range(chosen().filter_map(|row| row.category_error)),
        )
        .expect("a string takes all that is written");
    }
}

fn summary_header(page: &mut String) {
    line(
        page,
        "| | AURC ratio (geometric mean) | log-loss ratio (mean) | (geometric mean) | accuracy gain (mean, points) | log-loss > 2 % worse | > 6 % worse | worst log-loss ratio |",
    );
    line(page, "|---|---|---|---|---|---|---|---|");
}

fn line(page: &mut String, text: &str) {
    page.push_str(text);
    page.push('\n');
}

// The readable tree against the tree of the best depth, as a Markdown page.

/// The page: the summary over data sets, and every data set, the one that loses most first.
#[must_use]
pub fn depths_page(rows: &[BeyondRow]) -> String {
    let of = |method| move |row: &BeyondRow| row.method == method;
    let compared = Comparison::new(rows, of(Method::BestDepth), of(Method::Readable));
    let counted: Vec<&DataSetFigures> = compared.counted().collect();
    let mut page = String::from(DEPTHS_INTRODUCTION);
    let worst = compared
        .worst()
        .map_or_else(String::new, |set| format!("{:.3} {}", set.log_loss_ratio(), set.dataset));
    let leaves = |of: fn(&DataSetFigures) -> Means| {
        let mut leaves: Vec<f64> = counted.iter().map(|set| of(set).leaves).collect();
        leaves.sort_by(f64::total_cmp);
        let median = leaves.get(leaves.len() / 2).copied().unwrap_or(0.0);
        format!("{median:.0} (at most {:.0})", leaves.last().copied().unwrap_or(0.0))
    };
    let no_worse = counted.len() - compared.worse_than(0.02);
    let _ = write!(
        page,
        "\n## All {} data sets\n\n\
         | | AURC ratio (geometric mean) | log-loss ratio (geometric mean) | accuracy gain (mean, points) | leaves, readable (median) | leaves, best (median) | log-loss at most 2 % worse | worst log-loss ratio |\n\
         |---|---|---|---|---|---|---|---|\n\
         | readable, seed {} | {:.3} | {:.3} | {:+.2} | {} | {} | {no_worse} | {worst} |\n",
        counted.len(),
        SEEDS[0],
        compared.aurc_ratio(),
        compared.geometric_log_loss_ratio(),
        100.0 * compared.accuracy_gain(),
        leaves(|set| set.method),
        leaves(|set| set.baseline),
    );
    page.push_str(EVERY_DATA_SET_OF_DEPTHS);
    let mut sets: Vec<&DataSetFigures> = compared.data_sets.iter().collect();
    sets.sort_by(|a, b| {
        a.is_aside().cmp(&b.is_aside()).then(b.log_loss_ratio().total_cmp(&a.log_loss_ratio()))
    });
    for set in sets {
        let depths = |method| {
            let wanted = |row: &&BeyondRow| row.dataset == set.dataset && row.method == method;
            range(rows.iter().filter(wanted).map(|row| f64::from(row.depth)))
        };
        let aside = if set.is_aside() { " (beside)" } else { "" };
        let _ = writeln!(
            page,
            "| {}{aside} | {} | {:.1} | {} | {} | {:.1} | {} | {:.3} |",
            set.dataset,
            three(&set.method),
            set.method.leaves,
            depths(Method::Readable),
            three(&set.baseline),
            set.baseline.leaves,
            depths(Method::BestDepth),
            set.log_loss_ratio(),
        );
    }
    page
}

const DEPTHS_INTRODUCTION: &str = "\
# The readable tree against the best depth

Written by `ternwood-paper beyond --depths`; do not edit. All data sets, with categories and missing values
as in the files; of larger ones, 20,000 rows, evenly spaced in the file. The paper's five folds.

- *readable*: `Recipe::calibrated()`, the default: `max_depth = auto`, the smallest depth whose inner
  log-loss is within one standard error of the best depth up to 5; at most 32 leaves.
- *best*: the same with `max_depth = best`, the depth with the lowest inner log-loss of 2, 3, 4, 5, 6, 8 and 10.

Ratios are readable by best, of means over folds: above 1, readability costs something.
";

const EVERY_DATA_SET_OF_DEPTHS: &str = "
## Every data set

Accuracy / AURC / log-loss, the mean number of leaves, and the depths over folds. The worst ratio first; data
sets that do not count stand last.

| data set | readable | leaves | depth | best | leaves | depth | log-loss ratio |
|---|---|---|---|---|---|---|---|
";

// Forests of ternary trees against those of scikit-learn, as a Markdown page.

/// The page: summaries with every seed, and every data set, worst first.
#[must_use]
pub fn forests_page(rows: &[BeyondRow]) -> String {
    let mut page = String::from(FORESTS_INTRODUCTION);
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
            forests_summary(&mut page, &format!("seed {seed}"), &compared);
        }
        forests_summary(
            &mut page,
            "all seeds",
            &against(rows, baseline, Method::TernaryForest, None),
        );
        let crisp = against(rows, baseline, Method::CrispForest, None);
        forests_summary(&mut page, "all seeds, without zones and exponent", &crisp);
    }
    line(&mut page, EVERY_DATA_SET_OF_FORESTS);
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

const FORESTS_INTRODUCTION: &str = "\
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

const EVERY_DATA_SET_OF_FORESTS: &str = "
## Every data set

Accuracy / AURC / log-loss, means over folds and seeds; ratios by the default and by the better out of bag;
the scales chosen over folds and seeds. The worst log-loss ratio by the better out of bag first; data sets
that do not count stand last.

| data set | scikit-learn, default | at least 5 in a leaf | extra trees | ours | without zones | AURC ratios | log-loss ratios | scale |
|---|---|---|---|---|---|---|---|---|";

fn forests_summary(page: &mut String, name: &str, compared: &Comparison) {
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
