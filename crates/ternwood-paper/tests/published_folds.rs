//! Do the experiments give the published figures, fold by fold, node bootstrap included?
//!
//! `shared/oracle` beside the project has per-fold results of the published method on small real
//! data sets. The experiments draw the bootstrap's random numbers as published, so that its
//! figures must agree as the others do.

#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

use serde::Deserialize;
use std::path::{Path, PathBuf};
use ternwood_paper::{Collection, Method, RawRow, Unit, measure};

#[derive(Deserialize)]
struct Oracle {
    openml_id: u32,
    name: String,
    results: Vec<Published>,
}

#[derive(Deserialize)]
struct Published {
    fold: u8,
    zone: String,
    routing: String,
    accuracy: f64,
    undecided_rate: f64,
    decided_accuracy: Option<f64>,
    decided_f1: Option<f64>,
}

fn oracles(folder: &Path) -> Vec<Oracle> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder.join("oracle"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
    paths.iter().map(|path| serde_json::from_str(&read(path)).unwrap()).collect()
}

/// The results are rounded to 6 decimals, so they may differ by half a unit of the last.
const ROUNDED: f64 = 0.5e-6 + 1e-9;

fn differences(row: &RawRow, published: &Published) -> Vec<String> {
    let pairs = [
        ("accuracy", row.rates.accuracy, Some(published.accuracy)),
        ("undecided_rate", row.rates.undecided_rate, Some(published.undecided_rate)),
        ("decided_accuracy", row.rates.decided_accuracy, published.decided_accuracy),
        ("decided_f1", row.rates.decided_f1, published.decided_f1),
    ];
    let same = |ours: Option<f64>, theirs: Option<f64>| match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours - theirs).abs() <= ROUNDED,
        (ours, theirs) => ours == theirs,
    };
    let different = pairs.into_iter().filter(|(_, ours, theirs)| !same(*ours, *theirs));
    different.map(|(name, ours, theirs)| format!("{name} {ours:?}, published {theirs:?}")).collect()
}

#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/{openml,oracle}; see CONTRIBUTING.md")]
fn every_published_figure_of_every_fold_is_met() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let collection = Collection::open(folder.join("openml")).unwrap();
    let (mut compared, mut different) = (0, Vec::new());
    for oracle in oracles(&folder) {
        let data = collection.load(collection.entry(oracle.openml_id).unwrap()).unwrap();
        for fold in 0..data.n_folds() {
            let unit = Unit { openml_id: oracle.openml_id, dataset: oracle.name.clone(), fold };
            let rows = measure(&unit, &data.fold(fold).unwrap()).unwrap();
            for published in oracle.results.iter().filter(|result| result.fold == fold) {
                // scikit-learn's CART is another program: its ties fall differently.
                let Some(method) = Method::named(&published.zone, &published.routing) else {
                    continue;
                };
                let row = rows.iter().find(|row| row.method == method).unwrap();
                compared += 4;
                for difference in differences(row, published) {
                    different.push(format!("{} fold {fold} {method}: {difference}", oracle.name));
                }
            }
        }
    }
    println!("{compared} figures compared");
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
    // 18 data sets, 5 folds, 5 estimators, 3 routings, 4 figures.
    assert_eq!(compared, 18 * 5 * 5 * 3 * 4);
}
