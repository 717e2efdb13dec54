//! Does every kind of broken model file get an error that says what is wrong and where?

mod support;

use support::sample::Sample;
use ternwood::{ErrorKind, Model, Routing, TreeParams};

/// Two features, two classes, one split.
const GOOD: &str = r#"{
  "format": "ternwood-model",
  "version": 1,
  "features": [{"name":"a"},{"name":"b"}],
  "classes": ["no","yes"],
  "routing": "probabilistic",
  "parameters": {"criterion":"gini","max_depth":null,"min_samples_split":2,"min_samples_leaf":1,"min_weight_fraction_leaf":0.0,"min_samples_middle":5,"max_leaf_nodes":null,"max_features":"all","min_impurity_decrease":0.0,"ccp_alpha":0.0,"class_weight":"uniform","zone":{"kind":{"kind":"margin"},"max_fraction":0.25,"scale":1.0},"seed":0},
  "nodes": [
    {"feature":1,"threshold":2.5,"half_width":0.5,"left":1,"right":2,"rows_within":1,"impurity":0.48,"class_weights":[3.0,2.0]},
    {"impurity":0.0,"class_weights":[3.0,0.0]},
    {"impurity":0.0,"class_weights":[0.0,2.0]}
  ]
}
"#;

fn problem(text: &str) -> String {
    let error = Model::from_json(text).expect_err("a broken file must not load");
    assert!(matches!(error.kind(), ErrorKind::ModelFile { .. }), "{error:?}");
    let message = error.to_string();
    message.strip_prefix("not a usable model file: ").expect("all begin alike").to_owned()
}

/// The good file with one thing changed.
fn changed(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "{from} must occur once");
    GOOD.replace(from, to)
}

#[test]
fn the_good_file_is_good() {
    let model = Model::from_json(GOOD).unwrap();
    assert_eq!(model.to_json(), GOOD);
    assert_eq!(model.classes().len(), 2);
}

/// Each file must be refused with exactly this problem.
fn check(cases: &[(String, &str)]) {
    for (text, expected) in cases {
        assert_eq!(&problem(text), expected, "of the file {text}");
    }
}

#[test]
fn files_that_are_no_models_of_this_version() {
    check(&[
        (String::new(), "EOF while parsing a value at line 1 column 0; is the file complete?"),
        ("\u{0}\u{1}PNG".to_owned(), "expected value at line 1 column 1"),
        ("[]".to_owned(), "it is not an object with a \"format\" and a whole \"version\""),
        ("{}".to_owned(), "it has no \"format\": \"ternwood-model\""),
        ("null".to_owned(), "it is not an object with a \"format\" and a whole \"version\""),
        (
            r#"{"format": "onnx", "version": 1}"#.to_owned(),
            "its \"format\" is \"onnx\", not \"ternwood-model\"",
        ),
        (r#"{"format": "ternwood-model"}"#.to_owned(), "it has no \"version\""),
        (
            changed("\"version\": 1", "\"version\": 2"),
            "its version is 2, and this library reads version 1; use a newer ternwood, or save the model again",
        ),
        (
            changed("\"version\": 1", "\"version\": \"1\""),
            "it is not an object with a \"format\" and a whole \"version\"",
        ),
        (
            changed("\"version\": 1", "\"version\": -1"),
            "it is not an object with a \"format\" and a whole \"version\"",
        ),
        (
            changed("\"classes\"", "\"time\": 1, \"classes\""),
            "unknown field `time`, expected one of `format`, `version`, `features`, `features_named`, `target`, `classes`, `routing`, `verdict`, `parameters`, `leaves`, `choice`, `nodes` at line 5 column 8",
        ),
        (format!("{GOOD}x"), "trailing characters at line 14 column 1"),
    ]);
}

#[test]
fn verdict_policies() {
    let with = |verdict: &str| {
        changed("\"parameters\"", &format!("\"verdict\": {verdict},\n  \"parameters\""))
    };
    let achieved =
        |classes: &str| format!("\"achieved\":{{\"source\":\"held_out\",\"classes\":[{classes}]}}");
    let class = r#"{"rows":5,"decided":4,"decided_right":4,"decided_for":4}"#;
    let budget = |classes: &str| {
        let achieved = achieved(classes);
        with(&format!(
            r#"{{"threshold":0.7,"rule":{{"kind":"budget","flag_rate":0.1}},{achieved}}}"#
        ))
    };
    check(&[
        (
            with(r#"{"threshold":1.5,"rule":{"kind":"cost","cost_ratio":0.2}}"#),
            "threshold of the verdict is 1.5; allowed: from 0 to 1",
        ),
        (
            with(r#"{"threshold":0.7,"rule":{"kind":"cost","cost_ratio":0.2}}"#),
            "not a verdict policy: by cost, the threshold is 1 - cost_ratio",
        ),
        (
            with(r#"{"threshold":0.7,"rule":{"kind":"cost","cost_ratio":2}}"#),
            "cost_ratio is 2; allowed: a number between 0 and 1",
        ),
        (
            with(r#"{"threshold":0.7,"rule":{"kind":"budget","flag_rate":0.2}}"#),
            "not a verdict policy: a budget and a guarantee say on which rows they were set",
        ),
        (
            budget(&format!("{class},{class}")),
            "not a verdict policy: more rows were flagged than the budget allows",
        ),
        (
            with(r#"{"threshold":0.7,"rule":{"kind":"whim"}}"#),
            "unknown variant `whim`, expected one of `cost`, `budget`, `guarantee` at line 7 column 51",
        ),
        (
            with(r#"{"threshold":0.8,"rule":{"kind":"cost","cost_ratio":0.2},"x":1}"#),
            "unknown field `x`, expected one of `threshold`, `rule`, `achieved` at line 7 column 73",
        ),
        (
            with(&format!(
                r#"{{"threshold":0.8,"rule":{{"kind":"cost","cost_ratio":0.2}},{}}}"#,
                achieved(class)
            )),
            "the verdict's list of classes has length 1, but 2 was expected (the model's)",
        ),
        (
            with(&format!(
                r#"{{"threshold":0.8,"rule":{{"kind":"cost","cost_ratio":0.2}},{}}}"#,
                achieved(&format!("{class},{}", class.replace("\"decided\":4", "\"decided\":6")))
            )),
            "not a verdict policy: its counts of calibration rows contradict each other",
        ),
    ]);
    let good = with(&format!(
        r#"{{"threshold":0.8,"rule":{{"kind":"cost","cost_ratio":0.2}},{}}}"#,
        achieved(&format!("{class},{class}"))
    ));
    assert_eq!(Model::from_json(&good).unwrap().to_json(), good);
}

#[test]
fn names_routing_and_parameters() {
    check(&[
        (
            changed("\"routing\": \"probabilistic\",", ""),
            "missing field `routing` at line 13 column 1",
        ),
        (
            changed("\"routing\": \"probabilistic\"", "\"routing\": \"sideways\""),
            "unknown variant `sideways`, expected one of `crisp`, `probabilistic`, `deferred`, `hard_middle` at line 6 column 23",
        ),
        (
            changed("\"seed\":0", "\"seed\":0,\"host\":\"here\""),
            "unknown field `host`, expected one of `criterion`, `max_depth`, `min_samples_split`, `min_samples_leaf`, `min_weight_fraction_leaf`, `min_samples_middle`, `max_leaf_nodes`, `max_features`, `min_impurity_decrease`, `ccp_alpha`, `class_weight`, `zone`, `seed` at line 7 column 343",
        ),
        (
            changed("\"left\":1", "\"left\":1,\"color\":2"),
            "unknown field `color`, expected one of `feature`, `threshold`, `half_width`, `left`, `middle`, `right`, `rows_within`, `impurity`, `class_weights`, `class_rows`, `distribution` at line 9 column 66",
        ),
        (
            changed("{\"kind\":\"margin\"}", "{\"kind\":\"margin\",\"tolerance\":0.1}"),
            "unknown field `tolerance`, there are no fields at line 7 column 310",
        ),
        (
            changed("{\"kind\":\"margin\"}", "{\"kind\":\"class_overlap\",\"tail\":0.1,\"x\":1}"),
            "unknown field `x`, expected `tail` at line 7 column 318",
        ),
        (
            changed(
                "{\"name\":\"b\"}",
                "{\"name\":\"b\",\"kind\":{\"nominal\":{\"categories\":[],\"x\":1}}}",
            ),
            "unknown field `x`, expected `categories` at line 4 column 78",
        ),
        (
            changed("\"max_fraction\":0.25", "\"max_fraction\":7"),
            "max_zone_fraction is 7; allowed: from 0 to 1",
        ),
        (
            changed("\"min_samples_leaf\":1", "\"min_samples_leaf\":\"few\""),
            "a number of rows is a whole number or a fraction at line 7 column 99",
        ),
        (
            changed("[\"no\",\"yes\"]", "[\"no\",\"no\"]"),
            "the class name 'no' occurs twice; names must be distinct",
        ),
        (changed("[\"no\",\"yes\"]", "[]"), "it has no features or no classes"),
        (
            changed("[\"no\",\"yes\"]", "[\"no\",null]"),
            "a class name is a truth value, a number or a word at line 5 column 24",
        ),
        (
            changed("{\"name\":\"b\"}", "{\"name\":\"a\"}"),
            "the feature name 'a' occurs twice; names must be distinct",
        ),
        (
            GOOD.replace("\"nodes\"", "\"routing\": \"crisp\", \"nodes\""),
            "duplicate field `routing` at line 8 column 11",
        ),
    ]);
}

#[test]
fn nodes_that_make_no_tree() {
    check(&[
        (
            changed("\"routing\": \"probabilistic\"", "\"routing\": \"hard_middle\""),
            "a tree of this shape is not defined for hard_middle routing; grow a three-child tree for it",
        ),
        (
            changed("\"left\":1", "\"left\":7"),
            "node 0: its left child 7 is out of range: there are 3 nodes",
        ),
        (
            changed("\"left\":1", "\"left\":0"),
            "node 0: its left child 0 does not come after it: that is a cycle",
        ),
        (
            changed("\"left\":1", "\"left\":2"),
            "node 0: its children are not where preorder puts them: left 1, right 2",
        ),
        (
            changed("\"left\":1", "\"left\":-1"),
            "invalid value: integer `-1`, expected u32 at line 9 column 59",
        ),
        (
            changed("\"left\":1,", ""),
            "node 0: a split has feature, threshold, half_width, left and right; a leaf has none",
        ),
        (
            changed("\"feature\":1", "\"feature\":2"),
            "node 0: feature 2 is out of range: there are 2",
        ),
        (
            changed("    {\"impurity\":0.0,\"class_weights\":[3.0,0.0]},\n", ""),
            "node 0: its right child 2 is out of range: there are 2 nodes",
        ),
        (
            changed(
                "[0.0,2.0]}",
                "[0.0,2.0]},\n    {\"impurity\":0.0,\"class_weights\":[0.0,2.0]}",
            ),
            "node 3: it belongs to no split: the tree ends before it",
        ),
        (changed("\"right\":2", "\"middle\":2,\"right\":2"), "node 0: it has 2 of its 3 children"),
    ]);
}

#[test]
fn numbers_that_cannot_be() {
    check(&[
        (
            changed("\"threshold\":2.5", "\"threshold\":null"),
            "node 0: a split has feature, threshold, half_width, left and right; a leaf has none",
        ),
        (changed("\"threshold\":2.5", "\"threshold\":NaN"), "expected value at line 9 column 30"),
        (
            changed("\"threshold\":2.5", "\"threshold\":1e999"),
            "number out of range at line 9 column 34",
        ),
        (
            changed("\"half_width\":0.5", "\"half_width\":-0.5"),
            "node 0: not a zone: the half-width is -0.5; it must be finite and not negative",
        ),
        (
            changed("\"rows_within\":1", "\"rows_within\":6"),
            "node 0: 6 rows are within its zone, but it has only 5",
        ),
        (
            changed("[3.0,0.0]", "[3.0]"),
            "node 1: class_weights has length 1, but there are 2 classes",
        ),
        (
            changed("[3.0,0.0]", "[-3.0,6.0]"),
            "node 1: a class weight is -3; it must be finite and not negative",
        ),
        (
            changed("[3.0,0.0]", "[0.0,0.0]"),
            "node 1: the class weights sum to 0; the sum must be positive and finite",
        ),
        (
            changed("[3.0,0.0]", "[1e308,1e308],\"class_rows\":[1,1],\"distribution\":[0.5,0.5]"),
            "node 1: the class weights sum to inf; the sum must be positive and finite",
        ),
        (
            changed("[3.0,0.0]", "[2.5,0.5]"),
            "node 1: class_rows is missing, and its weights are not numbers of rows",
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"rows_within\":1"),
            "node 1: a leaf has no zone, and so no rows within it",
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"class_rows\":[3]"),
            "node 1: class_rows has length 1, but there are 2 classes",
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"distribution\":[1.0,0.0,0.0]"),
            "node 1: distribution has length 3, but there are 2 classes",
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"distribution\":[0.5,0.4]"),
            "node 1: the probabilities sum to 0.9, not to 1",
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"distribution\":[1.5,-0.5]"),
            "node 1: a probability is 1.5; it must be between 0 and 1",
        ),
        (
            changed("\"impurity\":0.48", "\"impurity\":-1.0"),
            "node 0: the impurity is -1; it must be finite and not negative",
        ),
    ]);
}

/// An array of the values of an object's fields is not that object.
#[test]
fn arrays_are_no_objects() {
    check(&[
        (
            r#"["ternwood-model", 1]"#.to_owned(),
            "it is not an object with a \"format\" and a whole \"version\"",
        ),
        (
            changed("{\"name\":\"b\"}", "[\"b\"]"),
            "invalid type: sequence, expected struct Feature at line 4 column 28",
        ),
        (
            changed("{\"name\":\"b\"}", "{\"name\":\"b\",\"kind\":{\"nominal\":[[\"p\",\"q\"]]}}"),
            "invalid type: sequence, expected struct variant FeatureKind::Nominal at line 4 column 58",
        ),
        (
            changed("    {\"impurity\":0.0,\"class_weights\":[3.0,0.0]}", "    [null]"),
            "invalid type: sequence, expected struct NodeDocument at line 10 column 4",
        ),
        (
            changed("{\"kind\":{\"kind\":\"margin\"},\"max_fraction\":0.25,\"scale\":1.0}", "[]"),
            "invalid type: sequence, expected struct ZoneParams at line 7 column 269",
        ),
    ]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let marked = Model::from_json(&format!("\u{feff}{GOOD}")).unwrap();
    assert_eq!(marked.to_json(), GOOD);
    assert_eq!(problem("\u{feff}\u{feff}{}"), "expected value at line 1 column 1");
}

/// Cut off anywhere, a file is refused, and no cut panics.
#[test]
fn truncated_files() {
    for end in 0..GOOD.trim_end().len() {
        if let Some(start) = GOOD.get(..end) {
            let found = problem(start);
            // A number that ends in its point is a bad number before it is a bad file.
            let expected =
                if start.ends_with('.') { "invalid number" } else { "; is the file complete?" };
            assert!(found.contains(expected), "cut at {end}: {found}");
        }
    }
}

/// One byte changed anywhere: an error or a model that can be used, never a panic.
#[test]
fn files_with_one_wrong_byte() {
    let sample = Sample::generated(31, 40, 2);
    let json = sample.fit(&TreeParams::default(), Routing::HardMiddle).to_json();
    let mut refused = 0;
    for at in 0..json.len() {
        for byte in [b'0', b'9', b'-', b'"', b',', b']'] {
            let mut bytes = json.clone().into_bytes();
            bytes[at] = byte;
            let Ok(text) = String::from_utf8(bytes) else { continue };
            match Model::from_json(&text) {
                Err(_) => refused += 1,
                Ok(model) => {
                    let explained = model.explain(&sample.rows[0]).unwrap();
                    assert!(explained.explanation().distribution.iter().all(|p| p.is_finite()));
                }
            }
        }
    }
    assert!(refused > json.len(), "only {refused} of the broken files were refused");
}

/// A million brackets would overflow the stack of a reader that recurses.
#[test]
fn a_million_levels_of_nesting() {
    let deep = |open: &str, close: &str| open.repeat(1_000_000) + &close.repeat(1_000_000);
    let cases = [
        deep("[", "]"),
        deep("{\"a\":", "}"),
        changed("\"version\": 1", &format!("\"version\": 1, \"x\": {}", deep("[", "]"))),
        changed("[\"no\",\"yes\"]", &deep("[", "]")),
        changed("{\"kind\":\"margin\"}", &deep("{\"kind\":", "}")),
        changed("\"max_depth\":null", &format!("\"max_depth\":{}", deep("[", "]"))),
        changed("{\"name\":\"b\"}", &deep("[", "]")),
    ];
    for text in cases {
        problem(&text);
    }
}
