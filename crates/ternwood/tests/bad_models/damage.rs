//! Files damaged at any place.

use super::support::sample::Sample;
use super::support::tables;
use super::{GOOD, changed, problem};
use ternwood::dataset::FeatureKind;
use ternwood::{Model, Routing, TreeParams};

/// A file truncated at any place is refused without a panic.
#[test]
fn truncated_files() {
    for end in 0..GOOD.trim_end().len() {
        if let Some(start) = GOOD.get(..end) {
            let found = problem(start);
            // A number that ends in its decimal point is reported as a bad number, not as a
            // truncated file.
            let expected =
                if start.ends_with('.') { "invalid number" } else { "; is the file complete?" };
            assert!(found.contains(expected), "cut at {end}: {found}");
        }
    }
}

/// Any single changed byte gives an error, or a model that can be used and saved; never a panic.
#[test]
fn files_with_one_wrong_byte() {
    let params = TreeParams { max_depth: Some(3), ..TreeParams::default() };
    with_one_wrong_byte(&Sample::generated(31, 40, 2), &params, Routing::HardMiddle);
    // Categories and missing values.
    let mut table = tables::generated(32, 40, 2);
    table.rows.iter_mut().for_each(|row| row[5] = (row[5] / 10.0).floor());
    table.kinds[5] = FeatureKind::Categories((0..15).map(|id| id.to_string()).collect());
    let kinds = with_one_wrong_byte(&table, &params, Routing::Probabilistic);
    for kind in ["\"categories\":{\"feature\"", "\"threshold\":{", "\"missing\":\"left\""] {
        assert!(kinds.contains(kind), "no {kind} in {kinds}");
    }
}

fn with_one_wrong_byte(sample: &Sample, params: &TreeParams, routing: Routing) -> String {
    let json = sample.fit(params, routing).to_json();
    let mut refused = 0;
    for at in 0..json.len() {
        for byte in [b'0', b'9', b'-', b'"', b',', b']'] {
            let mut bytes = json.clone().into_bytes();
            bytes[at] = byte;
            let Ok(text) = String::from_utf8(bytes) else { continue };
            match Model::from_edited(text.as_bytes()) {
                Err(_) => refused += 1,
                Ok((model, _)) => {
                    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
                    let explained = model.explain(&sample.rows[0]).unwrap();
                    assert!(explained.explanation().distribution.iter().all(|p| p.is_finite()));
                }
            }
        }
    }
    assert!(refused > json.len(), "only {refused} of the broken files were refused");
    json
}

/// A million brackets would overflow the stack of a recursive reader.
#[test]
fn a_million_levels_of_nesting() {
    let deep = |open: &str, close: &str| open.repeat(1_000_000) + &close.repeat(1_000_000);
    let cases = [
        deep("[", "]"),
        deep("{\"a\":", "}"),
        changed("\"version\": 1", &format!("\"version\": 1, \"x\": {}", deep("[", "]"))),
        changed("[\"no\",\"yes\"]", &deep("[", "]")),
        changed("\"margin\"", &deep("{\"specified\":", "}")),
        changed("\"max_depth\":null,", &format!("\"max_depth\":{},", deep("[", "]"))),
        changed("{\"name\":\"b\",\"kind\":\"number\"}", &deep("[", "]")),
        changed("[1,2]", &deep("[", "]")),
        changed("{\"threshold\":{", &deep("{\"threshold\":", "}")),
        changed("{\"threshold\":{", &format!("{{\"categories\":{},\"x\":{{", deep("[", "]"))),
        changed("\"half_width\":0.5", &format!("\"missing\":{}", deep("[", "]"))),
    ];
    for text in cases {
        problem(&text);
    }
}
