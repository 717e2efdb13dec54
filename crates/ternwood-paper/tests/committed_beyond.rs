//! The pages of `runs/beyond`, `runs/tables`, `runs/depths` and `runs/forests` follow from the raw figures next to
//! them, and those of tables and forests meet their targets.

#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use ternwood_paper::beyond::{
    Baseline, BeyondFile, BeyondRow, Comparison, Method, SEEDS, TABLES_DEPTH, against, depths_page,
    forests_page, page, tables_page,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rows(file: &str) -> Vec<BeyondRow> {
    let path = root().join("runs").join(file);
    let rows = BeyondFile::open(&path).unwrap().rows();
    assert!(!rows.is_empty(), "{} has no rows", path.display());
    rows
}

fn text(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}

#[test]
fn the_page_of_calibrated_trees_is_what_the_raw_figures_give() {
    let all = [rows("beyond/raw.csv"), rows("beyond/forest.csv")].concat();
    assert!(page(&all) == text("runs/beyond/README.md"), "runs/beyond/README.md is another page");
}

#[test]
fn the_page_of_tables_is_what_the_raw_figures_give() {
    let ours = tables_page(&rows("tables/raw.csv"));
    assert!(ours == text("runs/tables/README.md"), "runs/tables/README.md is another page");
}

#[test]
fn the_page_of_depths_is_what_the_raw_figures_give() {
    let ours = depths_page(&rows("depths/raw.csv"));
    assert!(ours == text("runs/depths/README.md"), "runs/depths/README.md is another page");
    let documentation = text("docs/guide/depth.md");
    let summary = ours.split("\n\n").find(|part| part.starts_with("| | AURC ratio")).unwrap();
    assert!(documentation.contains(summary.trim_end()), "docs/guide/depth.md lacks\n{summary}");
}

/// "At most 32 leaves", as the README says.
#[test]
fn the_default_tree_can_be_read_on_every_data_set() {
    let rows = rows("depths/raw.csv");
    let readable = || rows.iter().filter(|row| row.method == Method::Readable);
    let sets: BTreeSet<&str> = readable().map(|row| row.dataset.as_str()).collect();
    assert!(sets.len() >= 60 && readable().count() == 5 * sets.len(), "{} data sets", sets.len());
    for row in readable() {
        let leaves = row.leaves.unwrap();
        assert!((1..=32).contains(&leaves) && row.depth <= 5, "{}: {leaves} leaves", row.dataset);
    }
}

fn forests() -> Vec<BeyondRow> {
    [rows("forests/raw.csv"), rows("forests/scikit-learn.csv")].concat()
}

#[test]
fn the_page_of_forests_is_what_the_raw_figures_give() {
    let ours = forests_page(&forests());
    assert!(ours == text("runs/forests/README.md"), "runs/forests/README.md is another page");
}

#[test]
fn forests_meet_the_targets_with_the_mean_of_all_seeds() {
    let rows = forests();
    for (baseline, most_aurc, most_log_loss) in
        [(Baseline::Default, 0.90, 0.87), (Baseline::BetterOutOfBag, 0.95, 0.92)]
    {
        let compared = against(&rows, baseline, Method::TernaryForest, None);
        assert_eq!(compared.counted().count(), 62, "data sets");
        assert!(compared.aurc_ratio() <= most_aurc, "AURC {}", compared.aurc_ratio());
        assert!(compared.log_loss_ratio() <= most_log_loss, "{}", compared.log_loss_ratio());
        assert!(compared.accuracy_gain() >= 0.0, "accuracy {}", compared.accuracy_gain());
    }
}

#[test]
fn the_documentation_shows_the_summaries_of_the_run() {
    let run = text("runs/tables/README.md");
    let page = "docs/notebook/2026-11-19-missing-values-and-categories.md";
    let documentation = text(page);
    let summaries = run.split("\n\n").filter(|part| part.starts_with("| | AURC ratio"));
    let summaries: Vec<&str> = summaries.map(str::trim_end).collect();
    assert_eq!(summaries.len(), 2, "all data sets, and those with missing values");
    for summary in summaries {
        assert!(documentation.contains(summary), "{page} lacks\n{summary}");
    }
}

#[test]
fn tables_as_they_are_meet_the_targets_with_every_seed() {
    let rows = rows("tables/raw.csv");
    let sets: BTreeSet<&str> = rows.iter().map(|row| row.dataset.as_str()).collect();
    assert_eq!(sets.len(), 23, "{sets:?}");
    assert!(rows.iter().all(|row| row.depth == TABLES_DEPTH));
    for seed in SEEDS {
        let of = |method| move |row: &BeyondRow| row.method == method && row.seed == seed;
        for method in [Method::Codes, Method::Native] {
            let folds = rows.iter().filter(|row| of(method)(row)).count();
            assert_eq!(folds, 5 * sets.len(), "folds of {method:?} with seed {seed}");
        }
        let native = Comparison::new(&rows, of(Method::Codes), of(Method::Native));
        assert!(native.aurc_ratio() <= 0.90, "AURC {}", native.aurc_ratio());
        assert!(native.log_loss_ratio() <= 0.96, "log-loss {}", native.log_loss_ratio());
        assert!(native.accuracy_gain() >= 0.0, "accuracy {}", native.accuracy_gain());
        let worst = native.worst().unwrap();
        assert!(worst.log_loss_ratio() <= 1.06, "{}", worst.dataset);
    }
}
