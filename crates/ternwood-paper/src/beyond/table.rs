//! The comparison as a Markdown page.

use super::measure::DEPTHS;
use super::raw::{BeyondRow, Method};
use super::summary::{Comparison, DataSetFigures, Means, means};
use super::trial::SEEDS;
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
pub(super) fn range(numbers: impl Iterator<Item = f64>) -> String {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    match (sorted.first(), sorted.last()) {
        (Some(least), Some(most)) if least != most => format!("{least} – {most}"),
        (Some(only), _) => format!("{only}"),
        _ => String::new(),
    }
}
