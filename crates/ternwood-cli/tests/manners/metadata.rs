//! What is recorded about a model: kept by every verb, shown by all, and none of the machine's business.

use super::Here;
use serde_json::Value;
use std::process::Command;

const FIT: &str = "fit patients.csv --target ill --drop id,smoker --max-depth 2 -q";

/// Runs a command with an argument that has spaces.
fn run(here: &Here, args: &str, more: &[&str]) -> String {
    let output = here.command(args).args(more).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "ternwood {args} {more:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn described(here: &Here, model: &str) -> Value {
    serde_json::from_str(&here.ok(&format!("show {model} --json"))).unwrap()
}

#[test]
fn every_verb_that_writes_a_model_keeps_the_metadata() {
    let here = Here::new();
    let fields = "--name Risk --model-version 2.1 --meta ticket=QA-17";
    here.ok(&format!("{FIT} {fields} -o model.json"));
    here.ok("calibrate model.json held-out.csv --accuracy 0.8 -o sure.json -q");
    here.ok("export sure.json -o sure.safetensors -q");
    here.ok("export sure.safetensors --to json --private -o private.json -q");
    for model in ["model.json", "sure.json", "sure.safetensors", "private.json"] {
        let found = described(&here, model);
        let expected = serde_json::json!({"name": "Risk", "version": "2.1", "ticket": "QA-17"});
        assert_eq!(found["metadata"], expected, "{model}");
        assert_eq!(found["ternwood"], env!("CARGO_PKG_VERSION"), "{model}");
        let text = here.ok(&format!("show {model}"));
        assert!(text.starts_with("model name: Risk\nmodel version: 2.1\n"), "{text}");
        assert!(text.contains("\nmetadata ticket: QA-17\n"), "{text}");
        assert!(text.contains(concat!("\nfitted by: ternwood ", env!("CARGO_PKG_VERSION"))));
        here.ok(&format!("verify {model}"));
    }
}

/// Metadata change nothing but themselves, and can be taken back to the byte.
#[test]
fn annotating_is_not_fitting() {
    let here = Here::new();
    here.ok(&format!("{FIT} -o bare.json"));
    here.ok(&format!("{FIT} -o named.json --name Risk --owner QA"));
    here.ok("annotate bare.json --name Risk --owner QA -o annotated.json");
    assert_eq!(here.read("annotated.json"), here.read("named.json"));
    run(&here, "annotate annotated.json -o annotated.json --force --owner", &["", "--name", ""]);
    assert_eq!(here.read("annotated.json"), here.read("bare.json"));
    let answers = |model: &str| here.ok(&format!("predict {model} new.csv -q"));
    assert_eq!(answers("named.json"), answers("bare.json"));
    let error = here.fails(2, "annotate bare.json -o other.json");
    assert!(error.contains("there is nothing to record; say --name,"), "{error}");
    let error = here.fails(2, "annotate bare.json --meta =x -o other.json");
    assert!(error.contains("metadata field '': its name is empty"), "{error}");
    let error = here.fails(2, "annotate bare.json --meta input_sha256=x -o other.json");
    assert!(error.contains("it is not a SHA-256"), "{error}");
    here.fails(1, "annotate bare.json --name x -o named.json");
}

#[test]
fn hostile_texts_are_printed_on_one_line_and_escaped_on_pages() {
    let here = Here::new();
    here.ok(&format!("{FIT} -o bare.json"));
    let hostile = "</title><script>alert(1)</script>\u{1b}[31m\nverdict: always";
    let more = ["--name", hostile, "--notes", hostile];
    run(&here, "annotate bare.json -o model.json", &more);
    let text = here.ok("show model.json");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(text.lines().all(|line| !line.starts_with("verdict: always")), "{text}");
    here.ok("page model.json -o page.html -q");
    here.ok("evaluate held-out.csv --model model.json --report report.html -q");
    for page in ["page.html", "report.html"] {
        let html = here.read(page);
        assert!(!html.contains("<script>alert"), "{page}");
        assert!(html.contains("&lt;script&gt;alert"), "{page}");
    }
}

#[test]
fn the_hash_of_the_input_is_recorded_only_on_request() {
    let here = Here::new();
    here.ok(&format!("{FIT} -o model.json"));
    assert!(
        !here.read("model.json").contains("sha256sum")
            && !here.read("model.json").contains("input_")
    );
    here.ok(&format!("{FIT} --record-input -o recorded.json"));
    let sum = Command::new("sha256sum").arg(here.path("patients.csv")).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    let found = described(&here, "recorded.json")["metadata"]["input_sha256"].clone();
    assert_eq!(found.as_str().unwrap(), &sum[..64]);
    // Somebody who has the table could confirm that it was used.
    here.ok("export recorded.json --to json --private -o private.json -q");
    assert!(described(&here, "private.json")["metadata"].as_object().unwrap().is_empty());
    here.fails(2, &format!("{FIT} --record-input --private -o other.json"));
    let error =
        here.fails(2, &format!("{} --record-input -o x.json", FIT.replace("patients.csv", "-")));
    assert!(
        error.contains("--record-input reads the table twice, and '-' is not a regular file"),
        "{error}"
    );
}

/// Neither place, time nor the name of the file is in a model.
#[test]
fn the_same_table_gives_the_same_bytes_elsewhere() {
    let fit = |name: &str| {
        let here = Here::new();
        here.write(name, &here.read("patients.csv"));
        let fit = FIT.replace("patients.csv", name);
        here.ok(&format!("{fit} --name Risk --record-input -o model.json"));
        here.read("model.json")
    };
    assert_eq!(fit("a.csv"), fit("b.csv"));
}
