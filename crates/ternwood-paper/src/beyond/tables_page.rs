//! Tables as they are against codes and medians, as a Markdown page.

use super::raw::{BeyondRow, Method};
use super::summary::{Comparison, DataSetFigures};
use super::table::{range, three};
use super::trial::SEEDS;
use std::fmt::Write;

/// The page: all data sets, those with missing values, and every single one, worst first.
#[must_use]
pub fn tables_page(rows: &[BeyondRow]) -> String {
    let native = Against::codes(rows, Method::Native);
    let unknown = Against::codes(rows, Method::Unknown);
    let codes_missing = Against::codes(rows, Method::CodesMissing);
    let native_of_missing = native.only_sets_of(&unknown);
    let mut page = String::from(INTRODUCTION);
    line(&mut page, &format!("\n## All {} data sets\n", native.n_data_sets()));
    summary_header(&mut page);
    line(&mut page, "| target | ≤ 0.90 | ≤ 0.96 | | ≥ 0 | | 0 | ≤ 1.060 |");
    native.summary(&mut page, "native");
    line(&mut page, &format!("\n## The {} with missing values\n", unknown.n_data_sets()));
    summary_header(&mut page);
    codes_missing.summary(&mut page, "codes, missing");
    native_of_missing.summary(&mut page, "native");
    unknown.summary(&mut page, "native, unknown");
    line(&mut page, EVERY_DATA_SET);
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

const INTRODUCTION: &str = "\
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

const EVERY_DATA_SET: &str = "
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
