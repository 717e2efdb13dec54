//! Files that say something impossible of the training rows.

use super::{changed, check, rewritten};
use ternwood::Model;

fn with(training: &str) -> String {
    changed("\"tree\"", &format!("\"training\": {training},\n  \"tree\""))
}

/// With these rows, twins and filter.
fn filter(rows: u64, twins: &str, salt: &str, bits: &str) -> String {
    let filter = format!("{{\"salt\":\"{salt}\",\"bits\":\"{bits}\"}}");
    with(&format!(
        "{{\"rows\":{rows},\"features\":[{{}},{{}}],\"twins\":{twins},\"filter\":{filter}}}"
    ))
}

const SALT: &str = "00ff00ff00ff00ff";
const NO_TWINS: &str = "{\"part\":0,\"whole\":5}";

#[test]
fn a_good_one_is_written_as_it_was_read() {
    let text = with(
        r#"{"rows":5,"features":[{"range":[1.0,2.5]},{"missing":5}],"twins":{"part":0,"whole":5},"filter":{"salt":"00ff00ff00ff00ff","bits":"Fg=="}}"#,
    );
    assert_eq!(rewritten(&text), text);
    let text = with(r#"{"rows":5,"features":[{"range":[1.0,2.5]},{"missing":5}],"private":true}"#);
    assert_eq!(rewritten(&text), text);
}

#[test]
fn features_of_training_rows() {
    let features = |features: &str| with(&format!("{{\"rows\":5,\"features\":[{features}]}}"));
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
    ]);
}

#[test]
fn filters_and_twins() {
    let letters = "A".repeat(1 << 18);
    let private = |more: &str| {
        with(&format!("{{\"rows\":5,\"features\":[{{}},{{}}],\"private\":true,{more}}}"))
    };
    let of = "the filter of training rows: ";
    let cases = [
        (
            filter(5, NO_TWINS, "00FF00ff00ff00ff", "Fg=="),
            "its salt is not 16 hexadecimal digits in lower case",
        ),
        (
            filter(5, NO_TWINS, "+0ff00ff00ff00ff", "Fg=="),
            "its salt is not 16 hexadecimal digits in lower case",
        ),
        (filter(5, NO_TWINS, "", "Fg=="), "its salt is not 16 hexadecimal digits in lower case"),
        (filter(5, NO_TWINS, SALT, "FgAA"), "its bits are not base64"),
        (filter(5, NO_TWINS, SALT, "Fh=="), "its bits are not base64"),
        (filter(5, NO_TWINS, SALT, "F-=="), "its bits are not base64"),
        (filter(5, NO_TWINS, SALT, "FgAAAAAA"), "its bits have 8 letters, but 5 bits take 4"),
        (filter(0, "{\"part\":0,\"whole\":0}", SALT, ""), "0 of its bits are set by 0 rows"),
        (filter(5, NO_TWINS, SALT, "AA=="), "0 of its bits are set by 5 rows"),
        (filter(5, NO_TWINS, SALT, "IA=="), "it has bits beyond its 5"),
        (
            filter(u64::MAX, NO_TWINS, SALT, &letters),
            "its bits have 262144 letters, but 1048576 bits take 174764",
        ),
    ];
    for (text, expected) in cases {
        let problem = Model::from_json(&text).unwrap_err().to_string();
        let expected = format!("not a usable model file: {of}{expected} at line 7");
        assert!(problem.starts_with(&expected), "{problem:?} is not {expected:?}");
    }
    check(&[
        (
            filter(5, "{\"part\":6,\"whole\":5}", SALT, "Fg=="),
            "6 of 5 of its 5 training rows have twins",
        ),
        (
            filter(5, "{\"part\":0,\"whole\":6}", SALT, "Fg=="),
            "0 of 6 of its 5 training rows have twins",
        ),
        (
            filter(5, "{\"part\":1,\"whole\":5}", SALT, "Fg=="),
            "1 of 5 of its 5 training rows have twins",
        ),
        (
            filter(5, "{\"part\":2,\"whole\":5}", SALT, "Fg=="),
            "2 of 5 training rows have twins, and a filter is for fewer",
        ),
        (filter(5, "null", SALT, "Fg=="), "a filter needs the number of twins"),
        (private("\"twins\":{\"part\":0,\"whole\":5}"), "a private model has no twins"),
    ]);
}
