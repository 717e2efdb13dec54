//! What transcripts cannot show: files that appear complete or not at all, closed pipes,
//! colours, bits.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod checks;
mod colours;
mod doubts;
mod edited;
#[cfg(unix)]
mod faults;
mod files;
mod forests;
mod formats;
mod gaps;
mod json;
mod later_tables;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod metadata;
mod next_steps;
#[cfg(unix)]
mod outputs;
#[cfg(all(unix, feature = "parquet"))]
mod pieces;
#[cfg(unix)]
mod progress;
mod round_trip;
mod row_order;
mod schemas;
#[cfg(unix)]
mod signals;
mod tables;
mod trained_on;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The folder with the tables of the documentation.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli/data")
}

/// A working folder with the tables of the documentation.
struct Here(TempDir);

impl Here {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(data()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
            }
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The names of all files, sorted.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ternwood"));
        command.current_dir(self.0.path()).args(args.split_whitespace());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, args: &str) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that must succeed, and returns its standard output.
    fn ok(&self, args: &str) -> String {
        let output = self.run(args);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "ternwood {args}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must fail with this exit code, and returns its standard error.
    fn fails(&self, code: i32, args: &str) -> String {
        let output = self.run(args);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "ternwood {args}: {errors}");
        errors
    }
}
