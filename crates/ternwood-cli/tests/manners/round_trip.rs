//! Models fitted by the command and used by the library, and vice versa, agree bit for bit.

use crate::Here;
use std::sync::Arc;
use ternwood::metrics::{Evaluation, Rates};
use ternwood::{Dataset, Exec, Learner, Matrix, Model, Recipe, Resampler, Schema};
use ternwood_table::{
    EncodeOptions, MissingPolicy, ReadAs, ReadOptions, Source, encode, read_table,
};

fn fit(data: &Dataset) -> Model {
    Learner::from_recipe(Recipe::default()).unwrap().fit(data, &Exec::default()).unwrap()
}

/// Class, probabilities and verdict of every row, by the library.
fn answers(model: &Model, data: &Dataset) -> Vec<(String, Vec<f64>, String)> {
    let rows = Matrix::from(data.columns());
    let predictions = model.predict(rows, &Exec::default()).unwrap();
    let classes = model.schema().classes();
    (0..predictions.n_rows())
        .map(|row| {
            let class = classes[predictions.classes()[row] as usize].to_string();
            let verdict = predictions.verdicts()[row].to_string();
            (class, predictions.distribution(row).to_vec(), verdict)
        })
        .collect()
}

/// The same from the output of `ternwood predict`.
fn printed(csv: &str) -> Vec<(String, Vec<f64>, String)> {
    csv.lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [class, probabilities @ .., verdict] = &fields[..] else { panic!("{line}") };
            let probabilities = probabilities.iter().map(|p| p.parse().unwrap()).collect();
            ((*class).to_owned(), probabilities, (*verdict).to_owned())
        })
        .collect()
}

#[test]
fn fitted_in_the_shell_and_used_in_rust() {
    let here = Here::new();
    for options in [
        "",
        "--max-depth 2 --cost-ratio 0.3",
        "--zone class_overlap --routing hard_middle",
        "--zone node_bootstrap --routing deferred --max-depth 3",
        "--zone margin --missing median --class-weight balanced",
        "--zone margin --zero-gain-splits",
    ] {
        here.ok(&format!(
            "fit patients.csv --target ill --drop id -q -o model.json --force {options}"
        ));
        let model = Model::from_json(&here.read("model.json")).unwrap();
        assert_eq!(model.schema().target(), Some("ill"));
        let table = read_table(&Source::file(here.path("new.csv")), &ReadOptions::new()).unwrap();
        let data = table.into_dataset(Arc::clone(model.schema())).unwrap().dataset;
        let csv = here.ok("predict model.json new.csv");
        assert_eq!(printed(&csv), answers(&model, &data), "{options}");
    }
}

#[test]
fn fitted_in_rust_and_used_in_the_shell() {
    let here = Here::new();
    let read = |name| read_table(&Source::file(here.path(name)), &ReadOptions::new().drop(["id"]));
    let options = EncodeOptions::missing(MissingPolicy::Median);
    let encoded = encode(read("patients.csv").unwrap(), "ill", options).unwrap();
    let model = fit(&encoded.dataset);
    here.write("model.json", &model.to_json());
    let data = read("new.csv").unwrap().into_dataset(Arc::clone(model.schema())).unwrap().dataset;
    assert_eq!(printed(&here.ok("predict model.json new.csv")), answers(&model, &data));
    // The model file equals the one of the command byte for byte.
    here.ok(
        "fit patients.csv --target ill --drop id --missing median --zone margin -q -o same.json",
    );
    assert_eq!(here.read("same.json"), model.to_json());
}

/// Cross-validation measures what `fit` makes, its verdict included.
#[test]
fn evaluate_measures_the_trees_of_fit() {
    let here = Here::new();
    let options = ReadOptions::new().drop(["id"]);
    let table = read_table(&Source::file(here.path("held-out.csv")), &options).unwrap();
    let data = encode(table, "ill", EncodeOptions::default()).unwrap().dataset;
    let folds = Resampler::new(&data).folds(4, 0).unwrap();
    let rows = |model: &Model, test: &Dataset| {
        model.predict(Matrix::from(test.columns()), &Exec::default()).unwrap()
    };
    for (options, recipe) in [("", Recipe::calibrated()), ("--zones margin", Recipe::default())] {
        let learner = Learner::from_recipe(recipe).unwrap();
        let mut rates = Vec::new();
        for (training, test) in folds.iter() {
            let training = data.select(&training).unwrap();
            let test = data.select(&test).unwrap();
            let found = rows(&learner.fit(&training, &Exec::default()).unwrap(), &test);
            let figures =
                Evaluation::new(test.labels(), found.classes(), found.verdicts()).unwrap();
            rates.push(figures.rates);
        }
        let mean = Rates::mean(&rates);
        let csv = here.ok(&format!(
            "evaluate held-out.csv -t ill --drop id --cv 4 --format csv -q {options}"
        ));
        let line: Vec<&str> = csv.lines().nth(2).unwrap().split(',').collect();
        let shown = [mean.accuracy, mean.undecided_rate, mean.decided_accuracy];
        let shown = shown.map(|rate| rate.unwrap().to_string());
        assert_eq!(line[2..5], shown, "{options}");
    }
}

/// A model like that of Python's `fit` on a bare array: numeric features, no target name.
#[test]
fn a_model_without_a_target_name_needs_one() {
    let here = Here::new();
    let options = ReadOptions::new().drop(["id", "smoker"]);
    let table = read_table(&Source::file(here.path("patients.csv")), &options).unwrap();
    let data = encode(table, "ill", EncodeOptions::default()).unwrap().dataset;
    let schema = data.schema();
    let nameless = Schema::new(schema.features().to_vec(), schema.classes().to_vec()).unwrap();
    let data = Dataset::with_schema(data.columns().clone(), data.labels().to_vec(), nameless);
    here.write("model.json", &fit(&data.unwrap()).to_json());
    here.ok("predict model.json new.csv");
    let complaint = here.fails(2, "evaluate new.csv --model model.json");
    assert!(complaint.contains("say --target COL"), "{complaint}");
    here.ok("evaluate new.csv --model model.json --target ill");
}

#[test]
fn parquet_and_csv_output_agree() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id -q -o model.json");
    here.ok("predict model.json new.csv --keep --explain -o answers.parquet");
    here.ok("predict model.json new.csv --keep --explain -o answers.csv");
    let read = |name| {
        let options = ReadOptions::new().others(ReadAs::Nominal);
        read_table(&Source::file(here.path(name)), &options).unwrap()
    };
    let (parquet, csv) = (read("answers.parquet"), read("answers.csv"));
    assert_eq!(parquet.column_names(), csv.column_names());
    for (one, other) in parquet.columns().iter().zip(csv.columns()) {
        for row in 0..csv.n_rows() {
            assert_eq!(one.text_of(row), other.text_of(row), "{}", one.name());
        }
    }
}

#[test]
fn the_demo_matches_the_verbs() {
    let here = Here::new();
    here.ok("demo --zones all --out demo");
    here.ok("fit demo/train.csv --target diagnosis --max-depth 3 -q -o model.json");
    here.ok("calibrate model.json demo/held-out.csv --accuracy 0.95 -q -o sure.json");
    assert!(here.read("sure.json") == here.read("demo/model.json"), "another model");
    let answers = here.ok("predict demo/model.json demo/new.csv --explain");
    assert_eq!(answers, here.read("demo/predictions.csv"));
    let page = here.read("demo/page.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("1\u{202f}000 evaluation rows"));
    for name in ["tree", "zone", "risk-coverage", "two-moons"] {
        let picture = here.read(&format!("demo/{name}.svg"));
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{name}");
    }
}
