//! Sets `has_shared_data` if the data sets and the published results are beside the project.
//!
//! Without them the tests that need them are ignored, and say so. A test that returned early
//! would be reported as passed.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_shared_data)");
    println!("cargo::rerun-if-changed=build.rs");
    let shared = Path::new("../../../shared");
    // Cargo rebuilds a crate every time if a folder it shall watch is absent, so it is not told to.
    if shared.is_dir() {
        println!("cargo::rerun-if-changed={}", shared.display());
    }
    if ["openml", "oracle", "paper"].iter().all(|folder| shared.join(folder).is_dir()) {
        println!("cargo::rustc-cfg=has_shared_data");
    }
}
