//! What a nightly job can tell from a check: its exit code, and JSON whatever happens.

use super::Here;
use serde_json::Value;

fn calibrated() -> Here {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id,smoker -o model.json -q");
    here.ok("calibrate model.json held-out.csv --accuracy 0.8 -o sure.json -q");
    here
}

#[test]
fn every_outcome_has_an_exit_code_of_its_own() {
    let here = calibrated();
    here.ok("check sure.json new.csv --fail");
    here.ok("check sure.json last-night.csv");
    let error = here.fails(3, "check sure.json last-night.csv --fail");
    assert!(error.contains("error: last-night.csv: it does not hold: "), "{error}");
    let error = here.fails(1, "check sure.json absent.csv --fail");
    assert!(error.starts_with("error: absent.csv: "), "{error}");
    here.fails(1, "check absent.json new.csv --fail");
    here.fails(2, "check sure.json new.csv --level 2");
    here.fails(2, "check sure.json");
    let help = here.ok("check --help");
    for code in ["0 it holds", "1 it could not", "2 wrong", "3 it does not hold", "130 ", "143 "] {
        assert!(help.contains(code), "no {code:?} in {help}");
    }
}

#[test]
fn json_is_written_whatever_happens() {
    let here = calibrated();
    let document = |args: &str, code: i32| -> Value {
        let output = here.run(&format!("check {args} --json"));
        assert_eq!(output.status.code(), Some(code), "{args}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let of = |args, code| {
        let document = document(args, code);
        assert!(document["data"].is_string(), "{document}");
        (document["holds"].clone(), document["error"].as_str().map(str::to_owned))
    };
    assert_eq!(of("sure.json new.csv --fail", 0), (Value::Bool(true), None));
    assert_eq!(of("sure.json last-night.csv --fail", 3), (Value::Bool(false), None));
    let (holds, error) = of("sure.json absent.csv --fail", 1);
    assert!(holds.is_null() && error.unwrap().starts_with("absent.csv: "));
    let (holds, error) = of("absent.json new.csv", 1);
    assert!(holds.is_null() && error.unwrap().starts_with("absent.json: "));
    let (holds, error) = of("sure.json new.csv --level 2", 2);
    assert!(holds.is_null() && error.unwrap().contains("--level is 2"));
    // Of arguments that are not understood, nothing more is known.
    for args in ["sure.json", "sure.json new.csv --wrong"] {
        let document = document(args, 2);
        assert!(document["data"].is_null() && document["holds"].is_null(), "{document}");
        assert!(document["error"].as_str().unwrap().contains(" argument"), "{document}");
    }
    assert!(here.ok("check --json --help").contains("Usage: ternwood check"));
    // A file as well.
    here.fails(1, "check sure.json absent.csv --json -o check.json");
    assert!(here.read("check.json").contains("\"holds\": null"));
}
