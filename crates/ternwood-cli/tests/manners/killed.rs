//! A killed run of the experiments leaves nothing half-written, and resumes.

use crate::Here;
use std::process::Stdio;
use std::time::Duration;

const RUN: &str = "paper breiman --out results --quiet --threads 2";
/// CART, and five estimators under three routings.
const METHODS: usize = 16;

#[test]
fn a_killed_run_resumes_to_the_same_bytes() {
    let uninterrupted = Here::new();
    uninterrupted.ok(RUN);
    let here = Here::new();
    let mut kept = 0;
    for pause in [40, 90, 160, 250] {
        let mut child =
            here.command(RUN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        // SIGKILL: no handler of the process runs.
        child.kill().unwrap();
        child.wait().unwrap();
        if !here.path("results/raw.csv").exists() {
            continue;
        }
        let raw = here.read("results/raw.csv");
        assert!(raw.ends_with('\n'));
        let rows = raw.lines().count() - 1;
        assert_eq!(rows % METHODS, 0, "whole folds only");
        assert!(rows >= kept, "what was there is not lost");
        kept = rows;
    }
    here.ok(RUN);
    for file in ["raw.csv", "summary.md", "tables/breiman_generated.csv"] {
        let path = format!("results/{file}");
        assert_eq!(here.read(&path), uninterrupted.read(&path), "{file}");
    }
    assert!(!here.path("results/raw.csv.partial").exists());
}
