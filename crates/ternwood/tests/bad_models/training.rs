//! Files that say something impossible of the training rows.

use super::{changed, check};
use ternwood::Model;

fn with(training: &str) -> String {
    changed("\"tree\"", &format!("\"training\": {training},\n  \"tree\""))
}

#[test]
fn a_good_one_is_written_as_it_was_read() {
    let text = with(
        r#"{"rows":5,"features":[{"range":[1.0,2.5]},{"missing":5}],"sketch":{"gaps":[0,7,1099511627768],"counts":[[1,3]]}}"#,
    );
    assert_eq!(Model::from_json(&text).unwrap().to_json(), text);
}

#[test]
fn training_rows() {
    let features = |features: &str| with(&format!("{{\"rows\":5,\"features\":[{features}]}}"));
    let sketch = |gaps: &str, counts: &str| {
        let sketch = format!("{{\"gaps\":[{gaps}],\"counts\":[{counts}]}}");
        with(&format!("{{\"rows\":3,\"features\":[{{}},{{}}],\"sketch\":{sketch}}}"))
    };
    let too_many = vec!["1"; 4097].join(",");
    check(&[
        (
            features("{}"),
            "the list of features of the training rows has length 1, but 2 was expected (the model's)",
        ),
        (features(r#"{},{"missing":6}"#), "training rows, feature 'b': 6 of 5 values are missing"),
        (
            features(r#"{"range":[2,1]},{}"#),
            "training rows, feature 'a': its values are from 2 to 1",
        ),
        (
            features(r#"{},{"counts":[5]}"#),
            "training rows, feature 'b': 1 counts of its 0 categories",
        ),
        (
            features(r#"{"mean":1},{}"#),
            "unknown field `mean`, expected one of `range`, `counts`, `missing` at line 7 column 43; did a newer ternwood write it?",
        ),
        (sketch("1,0,1", ""), "gap 1 of the sketch is 0 at line 7 column 81"),
        (
            sketch("1,1099511627775,1", ""),
            "gap 1 of the sketch is 1099511627775 at line 7 column 93",
        ),
        (
            sketch("1,18446744073709551615", ""),
            "gap 1 of the sketch is 18446744073709551615 at line 7 column 98",
        ),
        (
            sketch(&too_many, ""),
            "the sketch has 4097 hashes, and 4096 are the most at line 7 column 8269",
        ),
        (
            sketch("1,1", "[2,2]"),
            "count 2 of hash 2 of the sketch is out of place at line 7 column 84",
        ),
        (
            sketch("1,1", "[0,1]"),
            "count 1 of hash 0 of the sketch is out of place at line 7 column 84",
        ),
        (
            sketch("1,1", "[1,2],[0,2]"),
            "count 2 of hash 0 of the sketch is out of place at line 7 column 90",
        ),
        (sketch("1,1", ""), "the sketch has 2 of 3 training rows"),
        (sketch("1,1", "[0,3]"), "the sketch has 4 of 3 training rows"),
    ]);
}
