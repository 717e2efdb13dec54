//! The transcript in the README is both documentation and a test. It runs in a copy of
//! `tests/data`. `TRYCMD=overwrite cargo test -p ternwood-paper --test transcript` updates the
//! README with the current output: read it before you commit it.

#![cfg(all(unix, feature = "fetch"))]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../ternwood-cli/tests/support/folders.rs"]
mod folders;

use folders::copy_folder;
use std::os::unix::fs::symlink;
use std::path::Path;

#[test]
fn the_readme_matches_the_program() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("README.md");
    // Link the page, so that it can be overwritten; copy the data, so that it cannot.
    symlink(here.join("README.md"), &page).unwrap();
    for role in ["in", "out"] {
        copy_folder(&here.join("tests/data"), &page.with_extension(role));
    }
    let cases = trycmd::TestCases::new();
    cases.env("NO_COLOR", "1").env("COLUMNS", "80").case(&page);
}
