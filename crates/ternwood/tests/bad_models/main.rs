//! Does every kind of broken model file get an error that says what is wrong and where?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod damage;
mod histograms;
mod metadata;
mod nodes;
mod schema_and_recipe;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod training;
mod verdict;

use ternwood::{ErrorKind, Model};

/// Two features, two classes, one split.
const GOOD: &str = r#"{
  "format": "ternwood-model",
  "version": 1,
  "schema": {"classes":["no","yes"],"features":[{"name":"a","kind":"number"},{"name":"b","kind":"number"}]},
  "recipe": {"params":{"criterion":"gini","max_depth":null,"min_samples_split":2,"min_samples_leaf":1,"min_weight_fraction_leaf":0.0,"min_samples_middle":5,"max_leaf_nodes":null,"max_features":"all","min_impurity_decrease":0.0,"zero_gain_splits":false,"ccp_alpha":0.0,"class_weight":"uniform","missing":"learn","min_samples_category":1,"category_gain":"above_chance","zone":{"kind":"margin","max_fraction":0.25,"scale":1.0,"category_error":2.0},"seed":0},"routing":"probabilistic","leaves":"counts","em_cutoff":0.001,"least_share":0.0,"auto":{"zone_scale":false,"max_depth":null},"ensemble":"one"},
  "verdict": {"zones":{}},
  "tree": {"nodes": [
    {"test":{"threshold":{"feature":1,"threshold":2.5,"half_width":0.5,"decimals":1}},"children":[1,2],"rows_within":1,"impurity":0.48,"class_weights":[3.0,2.0]},
    {"impurity":0.0,"class_weights":[3.0,0.0]},
    {"impurity":0.0,"class_weights":[0.0,2.0]}
  ]}
}
"#;

fn problem(text: &str) -> String {
    let error = Model::from_json(text).expect_err("a broken file must not load");
    assert!(matches!(error.kind(), ErrorKind::ModelFile { .. }), "{error:?}");
    let message = error.to_string();
    message.strip_prefix("not a usable model file: ").expect("all begin alike").to_owned()
}

/// A valid file as the library writes it, without the checksum, which would change with every change of these texts.
fn rewritten(text: &str) -> String {
    let (model, checksum) = Model::from_edited(text.as_bytes()).unwrap();
    with_change(&model.to_json(), &format!("  \"sha256\": \"{}\",\n", checksum.computed()), "")
}

/// A file with one change.
fn with_change(file: &str, from: &str, to: &str) -> String {
    assert_eq!(file.matches(from).count(), 1, "{from} must occur once");
    file.replace(from, to)
}

/// The valid file with one change.
fn changed(from: &str, to: &str) -> String {
    with_change(GOOD, from, to)
}

#[test]
fn the_good_file_is_good() {
    assert_eq!(rewritten(GOOD), GOOD);
    let (model, _) = Model::from_edited(GOOD.as_bytes()).unwrap();
    assert_eq!(model.schema().n_classes(), 2);
}

/// Each file must be refused with exactly this problem.
fn check(cases: &[(String, &str)]) {
    for (text, expected) in cases {
        assert_eq!(&problem(text), expected, "of the file {text}");
    }
}

#[test]
fn files_that_are_no_models_of_this_version() {
    let no_header = "it is not an object with a \"format\" and a whole \"version\"";
    let version = |version: &str| changed("\"version\": 1", &format!("\"version\": {version}"));
    check(&[
        (String::new(), "EOF while parsing a value at line 1 column 0; is the file complete?"),
        ("\u{0}\u{1}PNG".to_owned(), "expected value at line 1 column 1"),
        ("[]".to_owned(), no_header),
        ("{}".to_owned(), "it has no \"format\": \"ternwood-model\""),
        ("null".to_owned(), no_header),
        (
            r#"{"format": "onnx", "version": 1}"#.to_owned(),
            "its \"format\" is \"onnx\", not \"ternwood-model\"",
        ),
        (r#"{"format": "ternwood-model"}"#.to_owned(), "it has no \"version\""),
        (
            version("2"),
            "its version is 2, and this library reads version 1; use a newer ternwood, or save the model again",
        ),
        (version("\"1\""), no_header),
        (version("-1"), no_header),
        (version("1.0"), no_header),
        (version("1, \"version\": 1"), "duplicate field `version` at line 3 column 25"),
        (
            changed("\"verdict\"", "\"orchard\": [], \"verdict\""),
            "unknown field `orchard`, expected one of `format`, `version`, `sha256`, `ternwood`, `metadata`, `schema`, `recipe`, `choice`, `verdict`, `training`, `histograms`, `tree`, `forest` at line 6 column 11; did a newer ternwood write it?",
        ),
        (
            changed("\"verdict\"", "\"forest\": {\"trees\": []}, \"verdict\""),
            "it has a \"tree\" and a \"forest\"",
        ),
        (
            changed("\"tree\"", "\"forest\""),
            "unknown field `nodes`, expected `trees` at line 7 column 20; did a newer ternwood write it?",
        ),
        (
            GOOD.split_once(",\n  \"tree\"").unwrap().0.to_owned() + "}",
            "it has neither \"tree\" nor \"forest\"",
        ),
        (
            changed("\"verdict\": {\"zones\":{}},\n", ""),
            "missing field `verdict` at line 11 column 1",
        ),
        (
            GOOD.replace("\"tree\"", "\"verdict\": {\"zones\":{}}, \"tree\""),
            "duplicate field `verdict` at line 7 column 11",
        ),
        (format!("{GOOD}x"), "trailing characters at line 13 column 1"),
    ]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    assert_eq!(rewritten(&format!("\u{feff}{GOOD}")), GOOD);
    assert_eq!(problem("\u{feff}\u{feff}{}"), "expected value at line 1 column 1");
}

/// Where serde allows it, a list of values may replace an object: another spelling of the same
/// model, written back as usual.
#[test]
fn lists_in_place_of_objects_are_another_spelling() {
    let spelled =
        changed("{\"impurity\":0.0,\"class_weights\":[3.0,0.0]}", "[null,null,null,0,[3,0]]");
    assert_eq!(rewritten(&spelled), GOOD);
}
