//! `ternwood-paper beyond --tables` measures the right data sets, and can be interrupted.

#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

use std::fs;
use std::path::Path;
use ternwood::Exec;
use ternwood_paper::Collection;
use ternwood_paper::beyond::{BeyondFile, BeyondRun, Experiment, Method, SEEDS};

const ROWS: usize = 90;

/// Five folds of three data sets: complete numbers, a nominal feature, missing values.
///
/// The middle categories of the nominal feature have one class and the outer ones the other, so no
/// threshold on its codes separates the classes.
fn make_collection(folder: &Path) {
    let mut manifest = String::from("openml_id\tname\tfile\tcollections\n");
    for (id, name, feature) in
        [(1, "numbers", "numeric"), (2, "categories", "{a,b,c,d}"), (3, "missing", "numeric")]
    {
        let mut arff = format!("@relation r\n@attribute x {feature}\n@attribute noise numeric\n");
        arff += "@attribute class {no,yes}\n@data\n";
        for row in 0..ROWS {
            let place = row % 4;
            let class = if place == 1 || place == 2 { "yes" } else { "no" };
            let x = match name {
                "categories" => ["a", "b", "c", "d"][place].to_owned(),
                "missing" if place == 0 => "?".to_owned(),
                _ => place.to_string(),
            };
            arff += &format!("{x},{},{class}\n", row * 37 % 101);
        }
        fs::write(folder.join(format!("{name}.arff")), arff).unwrap();
        manifest += &format!("{id}\t{name}\t{name}.arff\tcc18\n");
    }
    fs::write(folder.join("manifest.tsv"), manifest).unwrap();
}

#[test]
fn tables_with_categories_or_missing_values_are_measured_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    make_collection(folder.path());
    let collection = Collection::open(folder.path()).unwrap();
    let run = BeyondRun::new(Experiment::Tables, &collection);
    assert_eq!(run.n_data_sets(), 3, "all are read");
    let path = folder.path().join("raw.csv");
    let mut file = BeyondFile::open(&path).unwrap();
    run.run(&mut file, &Exec::default(), || ()).unwrap();
    assert_eq!((file.n_data_sets(), file.n_folds()), (2, 10), "complete numbers are left out");
    let rows = file.rows();
    let of = |dataset: &str, method: Method| -> Vec<_> {
        rows.iter().filter(|row| row.dataset == dataset && row.method == method).collect()
    };
    let tests_per_method = 5 * SEEDS.len();
    for dataset in ["categories", "missing"] {
        for method in [Method::Codes, Method::Native] {
            assert_eq!(of(dataset, method).len(), tests_per_method, "{dataset} {method:?}");
        }
    }
    for method in [Method::CodesMissing, Method::Unknown] {
        assert_eq!(of("categories", method).len(), 0, "nothing is missing there");
        assert_eq!(of("missing", method).len(), tests_per_method);
    }
    // Missing values are one class, and learned: only medians hide them.
    assert!(of("missing", Method::CodesMissing).iter().all(|row| row.accuracy == 1.0));
    assert!(of("missing", Method::Unknown).iter().any(|row| row.accuracy < 1.0));
    // A category error is chosen for categories alone, and categories are what separates.
    assert!(of("categories", Method::Native).iter().all(|row| row.category_error.is_some()));
    assert!(of("categories", Method::Codes).iter().all(|row| row.category_error.is_none()));
    assert!(of("missing", Method::Native).iter().all(|row| row.category_error.is_none()));
    assert!(of("categories", Method::Native).iter().all(|row| row.accuracy == 1.0));
}

#[test]
fn an_interrupted_run_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    make_collection(folder.path());
    let collection = Collection::open(folder.path()).unwrap();
    let path = folder.path().join("raw.csv");
    let run = || {
        let mut file = BeyondFile::open(&path).unwrap();
        BeyondRun::new(Experiment::Tables, &collection)
            .run(&mut file, &Exec::default(), || ())
            .unwrap();
        fs::read_to_string(&path).unwrap()
    };
    let whole = run();
    // As if killed after the third fold of the first data set.
    let kept = |line: &&str| {
        ["openml_id,", "2,categories,0", "2,categories,1", "2,categories,2"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let lines: Vec<&str> = whole.lines().filter(kept).collect();
    assert!(lines.len() > 3 && lines.len() < whole.lines().count());
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    assert_eq!(run(), whole);
}
