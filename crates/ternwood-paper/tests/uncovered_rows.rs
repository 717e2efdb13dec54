//! How many rows of a random split of a public table are uncovered?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "`cargo test -- --nocapture` shows the table")]

use std::path::PathBuf;
use ternwood::recipe::ForestParams;
use ternwood::{Exec, Learner, Matrix, Recipe, Resampler, TreeParams};
use ternwood_table::{EncodeOptions, ReadAs, ReadOptions, Source, encode, read_table};

/// File and target.
const TABLES: [(&str, &str); 6] = [
    ("tables/flights.csv.gz", "late"),
    ("tables/credit_data.csv.gz", "Status"),
    ("tables/attrition.csv.gz", "Attrition"),
    ("tables/HMDA.csv.gz", "deny"),
    ("openml/1590_adult.arff.gz", "class"),
    ("openml/1461_bank-marketing.arff.gz", "Class"),
];

/// The most that may be uncovered.
const MOST: f64 = 0.02;

/// Of the held-out 30 % of a table, the shares of rows that these recipes do not cover, and whether a
/// row without any information is decided.
fn shares(file: &str, target: &str, recipes: &[Recipe]) -> Vec<(f64, bool)> {
    let path = PathBuf::from("../../../shared").join(file);
    let options = ReadOptions::new().column(target, ReadAs::Nominal);
    let table = read_table(&Source::file(path), &options).unwrap();
    let data = encode(table, target, EncodeOptions::default()).unwrap().dataset;
    let parts = Resampler::new(&data).hold_out_at_random(0.3, 0).unwrap();
    let [training, held_out] =
        [parts.training, parts.held_out].map(|rows| data.select(&rows).unwrap());
    let exec = Exec::with_threads(2).unwrap();
    let of = |recipe: &Recipe| {
        let model = Learner::from_recipe(recipe.clone()).unwrap().fit(&training, &exec).unwrap();
        let covered = model.coverage().covered(Matrix::from(held_out.columns()), &exec);
        let uncovered = covered.iter().filter(|covered| !**covered).count();
        let blank = vec![f64::NAN; data.n_features()];
        let blank = Matrix::row_major(&blank, data.n_features()).unwrap();
        let decided = model.predict(blank, &exec).unwrap().verdicts()[0].is_decided();
        (uncovered as f64 / covered.len() as f64, decided)
    };
    recipes.iter().map(of).collect()
}

#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs the public tables of ../shared")]
fn fewer_than_one_row_in_fifty_of_a_random_split_is_uncovered() {
    let calibrated = Recipe::calibrated();
    let params = TreeParams { max_depth: Some(5), ..calibrated.params.clone() };
    let mut readable = Recipe { params, ..calibrated };
    readable.auto.max_depth = None;
    let forest = ForestParams { n_trees: 20, ..ForestParams::default() };
    let forest = Recipe { ensemble: forest.into(), ..Recipe::forest() };
    for (file, target) in TABLES {
        let found = shares(file, target, &[readable.clone(), forest.clone()]);
        let percent: Vec<String> =
            found.iter().map(|(share, _)| format!("{:.2} %", 100.0 * share)).collect();
        println!("{file:<36} uncovered by tree and forest: {}", percent.join(", "));
        for (share, blank_is_decided) in found {
            assert!(share < MOST, "{file}: {share}");
            assert!(!blank_is_decided, "{file}");
        }
    }
}
