//! A run that is killed at any moment leaves whole folds, and resumes to the same bytes.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const KILLS: u32 = 50;
/// CART, and five estimators under three routings.
const METHODS: usize = 16;

/// Pseudo-random moments, the same in every run.
struct Random(u64);

impl Random {
    /// A number from 0 to 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 40) as f64 / f64::from(1_u32 << 24)
    }
}

/// Breiman's tasks, which need no data.
fn run(out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ternwood-paper"));
    command.args(["breiman", "--quiet", "--threads", "2", "--out"]).arg(out);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The bytes of every file below a folder, by relative path.
fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            let below = contents(&path).into_iter();
            files.extend(below.map(|(below, bytes)| (name.join(below), bytes)));
        } else {
            files.insert(name, String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned());
        }
    }
    files
}

#[test]
fn a_run_killed_again_and_again_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    let begun = Instant::now();
    assert!(run(&whole).status().unwrap().success());
    let uninterrupted = begun.elapsed();
    let expected = contents(&whole);
    let mut random = Random(3);
    let (mut interrupted, mut kept) = (0, 0);
    for _ in 0..KILLS {
        let mut child = run(&broken).spawn().unwrap();
        // Short enough for a run to be killed several times before it ends.
        std::thread::sleep(uninterrupted.mul_f64(0.3 * random.share()));
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success());
            assert_eq!(contents(&broken), expected);
            fs::remove_dir_all(&broken).unwrap();
            kept = 0;
            continue;
        }
        // SIGKILL: no handler of the process runs.
        child.kill().unwrap();
        child.wait().unwrap();
        interrupted += 1;
        if let Ok(raw) = fs::read_to_string(broken.join("raw.csv")) {
            assert!(raw.ends_with('\n'));
            let rows = raw.lines().count() - 1;
            assert_eq!(rows % METHODS, 0, "whole folds only");
            assert!(rows >= kept, "finished folds are kept");
            kept = rows;
        }
    }
    assert!(interrupted > KILLS / 2, "only {interrupted} runs were interrupted");
    assert!(run(&broken).status().unwrap().success());
    assert_eq!(contents(&broken), expected);
}
