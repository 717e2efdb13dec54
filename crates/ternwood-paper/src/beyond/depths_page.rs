//! The readable tree against the tree of the best depth, as a Markdown page.

use super::raw::{BeyondRow, Method};
use super::summary::{Comparison, DataSetFigures, Means};
use super::table::{range, three};
use super::trial::SEEDS;
use std::fmt::Write;

/// The page: the summary over data sets, and every data set, the one that loses most first.
#[must_use]
pub fn depths_page(rows: &[BeyondRow]) -> String {
    let of = |method| move |row: &BeyondRow| row.method == method;
    let compared = Comparison::new(rows, of(Method::BestDepth), of(Method::Readable));
    let counted: Vec<&DataSetFigures> = compared.counted().collect();
    let mut page = String::from(INTRODUCTION);
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
    page.push_str(EVERY_DATA_SET);
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

const INTRODUCTION: &str = "\
# The readable tree against the best depth

Written by `ternwood-paper beyond --depths`; do not edit. All data sets, with categories and missing values
as in the files; of larger ones, 20,000 rows, evenly spaced in the file. The paper's five folds.

- *readable*: `Recipe::calibrated()`, the default: `max_depth = auto`, the smallest depth whose inner
  log-loss is within one standard error of the best depth up to 5; at most 32 leaves.
- *best*: the same with `max_depth = best`, the depth with the lowest inner log-loss of 2, 3, 4, 5, 6, 8 and 10.

Ratios are readable by best, of means over folds: above 1, readability costs something.
";

const EVERY_DATA_SET: &str = "
## Every data set

Accuracy / AURC / log-loss, the mean number of leaves, and the depths over folds. The worst ratio first; data
sets that do not count stand last.

| data set | readable | leaves | depth | best | leaves | depth | log-loss ratio |
|---|---|---|---|---|---|---|---|
";
