//! An interrupted run ends like an uninterrupted one, and a bad file does not stop the others.

#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

use std::fs;
use std::path::Path;
use ternwood_paper::{Collection, Method, RAW, Results, ResultsFile, Run, Subject};

/// A folder of three small data sets without folds.
fn make_collection(folder: &Path) {
    let mut manifest = String::from("openml_id\tname\tfile\tcollections\n");
    for (id, name) in [(3, "first"), (20, "second"), (100, "third")] {
        let mut arff = String::from("@relation r\n@attribute a numeric\n@attribute b numeric\n");
        arff += "@attribute class {no,yes}\n@data\n";
        for row in 0..60 + id {
            let (a, b) = ((row * 37 + id) % 101, (row * 53) % 89);
            let class = if a + b / 3 > 60 && row % 7 != 0 { "yes" } else { "no" };
            arff += &format!("{a},{b},{class}\n");
        }
        fs::write(folder.join(format!("{name}.arff")), arff).unwrap();
        manifest += &format!("{id}\t{name}\t{name}.arff\tcc18+somebody-elses\n");
    }
    fs::write(folder.join("manifest.tsv"), manifest).unwrap();
}

fn subjects(collection: &Collection) -> Vec<Subject<'_>> {
    collection.entries().iter().map(|entry| Subject::Stored { collection, entry }).collect()
}

/// Runs some subjects into a folder; returns the number of units computed.
fn run(subjects: Vec<Subject<'_>>, threads: usize, out: &Path) -> u64 {
    let mut file = ResultsFile::open(out, false).unwrap();
    let mut computed = 0;
    let failures = Run { subjects, threads }.run(&mut file, |units| computed += units).unwrap();
    assert!(failures.is_empty(), "{failures:?}");
    computed
}

fn raw(out: &Path) -> String {
    fs::read_to_string(out.join(RAW)).unwrap()
}

#[test]
fn results_do_not_depend_on_threads_or_interruptions() {
    let data = tempfile::tempdir().unwrap();
    make_collection(data.path());
    let collection = Collection::open(data.path()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [unbroken, stopped] = ["unbroken", "stopped"].map(|name| folder.path().join(name));
    assert_eq!(run(subjects(&collection), 3, &unbroken), 15);
    let expected = raw(&unbroken);
    assert_eq!(expected.lines().count(), 1 + 15 * 16);

    // Interrupted after the last data set, then with a row missing from the file.
    assert_eq!(run(subjects(&collection).split_off(2), 1, &stopped), 5);
    let mut lines: Vec<String> = raw(&stopped).lines().map(str::to_owned).collect();
    lines.remove(20);
    fs::write(stopped.join(RAW), lines.join("\n") + "\n").unwrap();
    // A killed run may leave a partial file.
    fs::write(stopped.join("raw.csv.partial"), "openml_id,data").unwrap();
    let collection = Collection::open(data.path()).unwrap();
    assert_eq!(run(subjects(&collection), 2, &stopped), 11, "only what was not there");
    assert_eq!(raw(&stopped), expected);
    assert_eq!(run(subjects(&collection), 2, &stopped), 0, "nothing is computed twice");
    assert_eq!(raw(&stopped), expected);
    let names: Vec<_> = fs::read_dir(&stopped).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(names, ["raw.csv"], "no temporary file is left");
}

#[test]
fn every_row_satisfies_the_identities() {
    let data = tempfile::tempdir().unwrap();
    make_collection(data.path());
    let collection = Collection::open(data.path()).unwrap();
    let out = tempfile::tempdir().unwrap();
    run(subjects(&collection), 2, out.path());
    let results = Results::read(out.path()).unwrap();
    let rows: Vec<_> = results.rows().collect();
    for of_unit in rows.chunks(16) {
        let cart = of_unit[0];
        assert_eq!((cart.method, cart.figures.rates.undecided_rate), (Method::CART, Some(0.0)));
        assert_eq!(cart.figures.rates.undecided_accuracy, None, "no row is undecided");
        for row in of_unit {
            let rates = &row.figures.rates;
            let u = rates.undecided_rate.unwrap();
            let parts = (1.0 - u) * rates.decided_accuracy.unwrap_or(0.0)
                + u * rates.undecided_accuracy.unwrap_or(0.0);
            assert!(
                (rates.accuracy.unwrap() - parts).abs() < 1e-12,
                "{:?} {}",
                row.unit,
                row.method
            );
        }
        for probabilistic in of_unit[1..].chunks(3) {
            // By construction: the same zones flag the same rows, and decide them alike.
            let [a, b] = [&probabilistic[0].figures.rates, &probabilistic[1].figures.rates];
            assert_eq!(
                (a.undecided_rate, a.decided_accuracy),
                (b.undecided_rate, b.decided_accuracy)
            );
        }
    }
}

#[test]
fn a_bad_file_is_reported_and_the_rest_runs() {
    let data = tempfile::tempdir().unwrap();
    make_collection(data.path());
    fs::write(data.path().join("first.arff"), "@relation r\n@data\n1,2\n").unwrap();
    fs::remove_file(data.path().join("third.arff")).unwrap();
    let collection = Collection::open(data.path()).unwrap();
    let out = tempfile::tempdir().unwrap();
    let mut file = ResultsFile::open(out.path(), false).unwrap();
    let all = Run { subjects: subjects(&collection), threads: 2 };
    let failures = all.run(&mut file, |_| ()).unwrap();
    let named: Vec<&str> = failures.iter().map(|failure| failure.dataset.as_str()).collect();
    assert_eq!(named, ["first", "third"]);
    assert!(failures[0].error.to_string().contains("first.arff"), "{}", failures[0].error);
    assert!(failures[1].error.to_string().contains("third.arff"), "{}", failures[1].error);
    assert_eq!(file.results().units().len(), 5);
    // After the file is fixed, only the failed units are computed.
    make_collection(data.path());
    assert_eq!(all.units_left(&file), 10);
    assert!(all.run(&mut file, |_| ()).unwrap().is_empty());
    assert_eq!(file.results().units().len(), 15);
}

#[test]
fn foreign_results_are_refused_and_kept() {
    let out = tempfile::tempdir().unwrap();
    fs::write(out.path().join(RAW), "mine\n1\n").unwrap();
    let error = ResultsFile::open(out.path(), false).unwrap_err().to_string();
    assert!(error.contains("not the columns of raw.csv"), "{error}");
    assert_eq!(raw(out.path()), "mine\n1\n");
}

#[cfg(unix)]
#[test]
fn two_runs_do_not_write_to_one_folder() {
    let out = tempfile::tempdir().unwrap();
    let _first = ResultsFile::open(out.path(), false).unwrap();
    let error = ResultsFile::open(out.path(), false).unwrap_err().to_string();
    assert!(error.contains("another run is writing there"), "{error}");
}
