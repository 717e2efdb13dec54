//! Summaries for other programs: JSON on standard output, also of errors.

use super::Here;
use serde_json::{Value, json};

/// The document that a command prints, whatever its exit code.
fn document(here: &Here, args: &str, code: i32) -> Value {
    let output = here.run(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "ternwood {args}: {errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args}: {error}: {text}"))
}

#[test]
fn a_fit_is_described() {
    let here = Here::new();
    let fit = "fit visits.csv --target ill --max-depth 2 -o model.json --json";
    let found = document(&here, fit, 0);
    assert_eq!(found["data"], "visits.csv");
    assert_eq!(found["output"], "model.json");
    assert_eq!((&found["rows"], &found["held_out_rows"]), (&json!(86), &Value::Null));
    assert_eq!(found["warnings"], json!(["dropped 2 rows without a class in column 'ill'"]));
    let shown = document(&here, "show model.json --json", 0);
    assert_eq!(shown["model"], "model.json");
    for (field, value) in found["model"].as_object().unwrap() {
        assert_eq!(&shown[field], value, "{field}");
    }
    assert_eq!((&shown["kind"], &shown["depth"]), (&json!("tree"), &json!(2)));
    // The summary changes nothing about the model.
    here.ok("fit visits.csv --target ill --max-depth 2 -o again.json -q");
    assert_eq!(here.read("again.json"), here.read("model.json"));
    let error = document(&here, fit, 1);
    assert!(error["error"].as_str().unwrap().contains("model.json exists already"), "{error}");
    let error = document(&here, "fit patients.csv --target no -o x.json --json", 1);
    assert!(error["error"].as_str().unwrap().contains("'no'"), "{error}");
    let error = document(&here, "fit visits.csv -t ill -o x.json --max-depth 0 --json", 2);
    assert!(error["error"].as_str().unwrap().contains("max_depth"), "{error}");
    here.fails(2, "fit visits.csv --target ill -o - --json");
}

#[test]
fn predictions_are_summed_up() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id,smoker --max-depth 2 -o model.json -q");
    let found = document(&here, "predict model.json new.csv -o answers.csv --json", 0);
    let answers = here.read("answers.csv");
    let rows: Vec<&str> = answers.lines().skip(1).collect();
    let undecided = rows.iter().filter(|row| row.ends_with(",undecided")).count();
    assert_eq!((&found["rows"], &found["undecided"]), (&json!(rows.len()), &json!(undecided)));
    let of_class = |class: &Value| {
        let rows = rows.iter().filter(|row| row.split(',').next() == class["class"].as_str());
        let undecided = rows.clone().filter(|row| row.ends_with(",undecided")).count();
        (json!(rows.count()), json!(undecided))
    };
    let classes = found["classes"].as_array().unwrap();
    assert_eq!(classes.len(), 2);
    for class in classes {
        assert_eq!((class["rows"].clone(), class["undecided"].clone()), of_class(class), "{class}");
    }
    let two = "predict model.json new.csv last-night.csv -o two.csv --json";
    assert_eq!(document(&here, two, 0)["data"], "new.csv, last-night.csv");
    let error = document(&here, "predict model.json absent.csv -o x.csv --json", 1);
    assert_eq!(error["data"], "absent.csv");
    assert!(error["error"].as_str().unwrap().starts_with("absent.csv: "), "{error}");
    assert!(!here.path("x.csv").exists());
    here.fails(2, "predict model.json new.csv --json");
    here.fails(2, "predict model.json new.csv -o - --json");
}

#[test]
fn a_table_is_described() {
    let here = Here::new();
    let found = document(&here, "look visits.csv --target ill --json", 0);
    assert_eq!((&found["data"], &found["target"]), (&json!("visits.csv"), &json!("ill")));
    assert_eq!((&found["format"], &found["delimiter"]), (&json!("text"), &json!(",")));
    let table = here.read("visits.csv");
    let names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let columns = found["columns"].as_array().unwrap();
    let found_names: Vec<&str> = columns.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(found_names, names);
    assert_eq!(found["rows"], table.lines().count() - 1);
    let classes = found["classes"].as_array().unwrap();
    let counted: u64 = classes.iter().map(|class| class["rows"].as_u64().unwrap()).sum();
    assert_eq!(counted, 86);
    let warnings = found["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|it| it.as_str().unwrap().contains("2 rows")), "{warnings:?}");
    let error = document(&here, "look absent.csv --json", 1);
    assert!(error["error"].as_str().unwrap().starts_with("absent.csv: "), "{error}");
    here.fails(2, "look visits.csv --json --write-schema -");
}
