//! Sets `has_shared_data` if the data sets and the published results are beside the project.
//!
//! Without them, the tests that need them are reported as ignored. A test that returned early would
//! be reported as passed.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_shared_data)");
    println!("cargo::rerun-if-changed=build.rs");
    let shared = Path::new("../../../shared");
    // Not watched if absent: Cargo would rebuild the crate every time.
    if shared.is_dir() {
        println!("cargo::rerun-if-changed={}", shared.display());
    }
    if ["openml", "oracle", "paper", "tables"].iter().all(|folder| shared.join(folder).is_dir()) {
        println!("cargo::rustc-cfg=has_shared_data");
    }
}
