//! Model files that were damaged or edited are refused by every verb, and read by every verb on request.

use super::Here;
use serde_json::Value;

/// A model, and one in which somebody renamed a column.
fn edited() -> Here {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id,smoker --zone margin -o model.json -q");
    let model = here.read("model.json");
    here.write("edited.json", &model.replacen("\"age\"", "\"years\"", 1));
    here.write("new.csv", &here.read("new.csv").replacen("age", "years", 1));
    here
}

#[test]
fn every_verb_refuses_an_edited_model_and_reads_it_on_request() {
    let here = edited();
    let held_out = here.read("held-out.csv").replacen("age", "years", 1);
    here.write("held-out.csv", &held_out);
    for verb in [
        "predict edited.json new.csv",
        "explain edited.json new.csv --row 1",
        "show edited.json",
        "show edited.json --json",
        "annotate edited.json --name Risk -o named.json",
        "export edited.json --to json",
        "page edited.json -o page.html",
        "check edited.json new.csv",
        "calibrate edited.json held-out.csv --flag-rate 0.1 -o x.json",
        "calibrate edited.json held-out.csv --table",
        "evaluate held-out.csv --model edited.json",
    ] {
        let error = here.fails(1, verb);
        let expected = "error: edited.json: not a usable model file: it was damaged or edited: it states the SHA-256 ";
        assert!(error.contains(expected), "{verb}: {error}");
        assert!(error.contains("or accept the edit with --accept-edited"), "{verb}: {error}");
        here.ok(&format!("{verb} --accept-edited"));
    }
}

#[test]
fn verify_tells_the_edited_from_the_written() {
    let here = edited();
    let document = |args: &str, code: i32| -> Value {
        let output = here.run(args);
        assert_eq!(output.status.code(), Some(code), "{args}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let text = here.ok("verify model.json");
    let good = document("verify model.json --json", 0);
    let sum = good["sha256"].as_str().unwrap();
    assert_eq!(text, format!("model.json: as it was written\nSHA-256 of its content: {sum}\n"));
    assert_eq!((&good["holds"], good.get("problem")), (&Value::Bool(true), None));

    let error = here.fails(1, "verify edited.json");
    assert!(
        error.contains(&format!("it states the SHA-256 {sum}, and its content has ")),
        "{error}"
    );
    let bad = document("verify edited.json --json", 1);
    assert_eq!((&bad["holds"], bad["sha256"].as_str()), (&Value::Bool(false), Some(sum)));
    assert_ne!(bad["content_sha256"], bad["sha256"]);
    assert!(bad["problem"].as_str().unwrap().contains("--accept-edited"), "{bad}");

    // Written again, it holds.
    here.ok("export edited.json --accept-edited --to json -o again.json");
    let again = document("verify again.json --json", 0);
    assert_eq!(again["sha256"], bad["content_sha256"]);
    let other = document("verify new.csv --json", 1);
    assert_eq!(other["holds"], Value::Bool(false));
    assert!(other["problem"].as_str().unwrap().contains("it is not JSON"), "{other}");
}
