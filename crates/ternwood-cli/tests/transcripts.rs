//! The transcripts in `docs/cli` are both documentation and tests.
//!
//! Each document runs in its own copy of `docs/cli/data`, whose files must be unchanged
//! afterwards. `TRYCMD=overwrite cargo test -p ternwood-cli --test transcripts` updates the
//! documents with the current output: read it before you commit it.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/folders.rs"]
mod folders;

use folders::copy_folder;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

#[test]
fn transcripts_match_the_command() {
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli");
    let documents = documents.canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut found = 0;
    for entry in fs::read_dir(&documents).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let here = folder.path().join(path.file_name().unwrap());
        // Link the documents, so that they can be overwritten; copy the data, so that it cannot.
        symlink(&path, &here).unwrap();
        for role in ["in", "out"] {
            copy_folder(&documents.join("data"), &here.with_extension(role));
        }
        found += 1;
    }
    assert!(found >= 10, "only {found} documents in {}", documents.display());
    let pattern = folder.path().join("*.md");
    let cases = trycmd::TestCases::new();
    cases.env("NO_COLOR", "1").env("COLUMNS", "80").case(&pattern);
    drop(cases);
}
