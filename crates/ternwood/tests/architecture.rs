//! Do imports go one way?
//!
//! Every module may use what stands before it in the order below, and nothing else: then a
//! reader can understand the library from the left to the right, and a change never comes back
//! around.
//!
//! `error <- cancel, workers <- dataset <- tree <- logic <- learn, predict <- model <- export,
//! calibrate <- learner`, and `metrics` beside the trees: it measures predictions wherever they
//! come from.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module with the modules it may use.
const ALLOWED: [(&str, &[&str]); 13] = [
    ("error", &[]),
    ("cancel", &["error"]),
    ("workers", &["error"]),
    ("dataset", &["error", "workers"]),
    ("tree", &["error"]),
    ("logic", &["error"]),
    // All that learning and prediction share is the tree.
    ("learn", &["error", "cancel", "workers", "dataset", "tree"]),
    // A prediction carries a verdict, which is a word of the logic.
    ("predict", &["error", "workers", "dataset", "tree", "logic"]),
    // Metrics measure predictions wherever they come from.
    ("metrics", &["error", "dataset", "logic"]),
    // A model tells what its verdicts achieved.
    (
        "model",
        &["error", "cancel", "workers", "dataset", "tree", "logic", "learn", "predict", "metrics"],
    ),
    ("export", &["error", "tree", "model"]),
    // Calibration fits, predicts and measures again.
    (
        "calibrate",
        &[
            "error", "cancel", "workers", "dataset", "tree", "logic", "learn", "predict", "model",
            "metrics",
        ],
    ),
    (
        "learner",
        &["error", "cancel", "workers", "dataset", "learn", "predict", "model", "calibrate"],
    ),
];

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The modules named after `crate::`, in imports and in the code, but not in comments.
fn used_modules(source: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for rest in line.split("crate::").skip(1) {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            used.insert(rest[..end.unwrap_or(rest.len())].to_owned());
        }
    }
    used
}

#[test]
fn imports_go_one_way() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut violations = Vec::new();
    let mut seen = BTreeSet::new();
    for file in source_files(&source) {
        let name = file.strip_prefix(&source).unwrap();
        let module = name.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        seen.insert(module.to_owned());
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == module) else {
            violations.push(format!("{module} has no place in the order: add it to ALLOWED"));
            continue;
        };
        for used in used_modules(&fs::read_to_string(&file).unwrap()) {
            if used != module && !allowed.contains(&used.as_str()) {
                violations.push(format!("{} uses {used}", name.display()));
            }
        }
    }
    assert!(violations.is_empty(), "{violations:#?}");
    assert_eq!(seen.len(), ALLOWED.len(), "a module of ALLOWED is gone: {seen:?}");
}

#[test]
fn the_order_has_no_circle() {
    for (position, (module, allowed)) in ALLOWED.iter().enumerate() {
        for used in *allowed {
            let at = ALLOWED.iter().position(|(known, _)| known == used).unwrap();
            assert!(at < position, "{module} may use {used}, which comes after it");
        }
    }
}

#[test]
fn the_reader_of_imports_reads_them() {
    let source =
        "//! crate::model\nuse crate::error::Result;\nlet x = crate::tree::f(crate::dataset::g);";
    let used: Vec<String> = used_modules(source).into_iter().collect();
    assert_eq!(used, ["dataset", "error", "tree"]);
}
