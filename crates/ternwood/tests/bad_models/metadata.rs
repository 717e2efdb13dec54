//! Files with metadata, or a version of ternwood, that cannot be.

use super::{changed, check, problem, rewritten};
use ternwood::Model;
use ternwood::model::Metadata;

fn with(metadata: &str) -> String {
    changed("\"schema\"", &format!("\"metadata\": {metadata},\n  \"schema\""))
}

fn of_version(version: &str) -> String {
    changed("\"schema\"", &format!("\"ternwood\": {version},\n  \"schema\""))
}

#[test]
fn good_ones_are_written_as_they_were_read() {
    let sha256 = "0123456789abcdef".repeat(4);
    let fields = r#""name":"Risk","owner":"QA \"&<b>","a b":"two\nlines","input_sha256":""#;
    let text = with(&format!("{{{fields}{sha256}\"}}"));
    assert_eq!(rewritten(&text), text);
    let text = of_version("\"0.1.0-rc.1+a\"");
    assert_eq!(rewritten(&text), text);
    let (model, _) = Model::from_edited(text.as_bytes()).unwrap();
    assert_eq!(model.ternwood_version(), Some("0.1.0-rc.1+a"));
    let (model, _) = Model::from_edited(super::GOOD.as_bytes()).unwrap();
    assert_eq!(model.ternwood_version(), None);
}

#[test]
fn metadata() {
    let field = |name: &str, text: &str| with(&format!("{{\"{name}\":\"{text}\"}}"));
    let is = |text: &str, expected: &str| {
        let problem = problem(text);
        assert!(problem.starts_with(expected), "{problem}");
    };
    is(&with("[]"), "invalid type: sequence, expected an object of texts");
    is(&with(r#"{"name":1}"#), "invalid type: integer `1`, expected a string");
    is(&field("", "x"), "metadata field '': its name is empty; name it");
    is(&field("name", ""), "metadata field 'name': its text is empty; leave the field out");
    is(&field(" x", "x"), "metadata field ' x': its name begins or ends with a space; remove it");
    is(&field("a=b", "x"), "metadata field 'a=b': its name contains '='; use another character");
    let control = "metadata field 'a\\nb': its name contains a control character; remove it";
    is(&field("a\\nb", "x"), control);
    let twice = with(r#"{"name":"a","name":"a"}"#);
    is(&twice, "metadata field 'name': it occurs twice; remove one");
    let no_sum = "metadata field 'input_sha256': it is not a SHA-256 of 64 hexadecimal digits";
    is(&field("input_sha256", "abc"), no_sum);
}

/// To the byte, and the message of a hostile file is short.
#[test]
fn metadata_are_limited() {
    let read = |fields: &[(String, String)]| {
        let text = with(
            &serde_json::to_string(
                &fields.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            )
            .unwrap(),
        );
        Model::from_edited(text.as_bytes()).map(drop).map_err(|error| error.to_string())
    };
    let one = |name: usize, text: usize| read(&[("x".repeat(name), "y".repeat(text))]);
    one(Metadata::LONGEST_NAME, Metadata::LONGEST_TEXT).unwrap();
    let error = one(Metadata::LONGEST_NAME, Metadata::LONGEST_TEXT + 1).unwrap_err();
    assert!(error.contains("its text has 16385 bytes; use at most 16384"), "{error}");
    let error = one(1_000_000, 1).unwrap_err();
    assert!(error.contains("xxx…': its name has 1000000 bytes; use at most 100"), "{error}");
    assert!(error.len() < 200, "{error}");
    let many =
        |n: usize| read(&(0..n).map(|i| (format!("f{i:04}"), "y".to_owned())).collect::<Vec<_>>());
    many(Metadata::MOST_FIELDS).unwrap();
    let error = many(Metadata::MOST_FIELDS + 1).unwrap_err();
    assert!(error.contains("'f0100': there are 100 fields already; remove one"), "{error}");
}

#[test]
fn versions_of_ternwood() {
    let long = format!("\"{}\"", "1".repeat(65));
    for version in ["\"\"", "\"1 2\"", "\"<b>\"", &long] {
        check(&[(of_version(version), "its \"ternwood\" is not a version number")]);
    }
}
