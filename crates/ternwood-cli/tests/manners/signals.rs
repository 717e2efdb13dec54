//! Closed pipes and interrupts.

use crate::Here;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};

fn big_table(here: &Here) {
    let mut table = String::from("age,smoker,glucose\n");
    for row in 0..200_000 {
        table += &format!("{},never,5.{}\n", 20 + row % 60, row % 10);
    }
    here.write("big.csv", &table);
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id -q -o model.json");
    big_table(&here);
    // More output than any pipe holds. The reader closes it after one line.
    let mut child = here
        .command("predict model.json big.csv")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut first).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!(first, "prediction,probability_no,probability_yes,verdict\n");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// A command that has begun its output and waits for standard input.
fn waiting(here: &Here) -> Child {
    let mut child = here
        .command("predict model.json - --format csv -o answers.csv --force")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(b"age,smoker,glucose\n").unwrap();
    child
}

/// True if a process has a file open that has no name, in this folder. A process that has just begun still
/// holds for a moment what other tests have open and removed elsewhere.
fn has_nameless_file(child: &Child, folder: &Path) -> bool {
    let open = std::fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten();
    let mut targets = open.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
    targets.any(|target| {
        target.starts_with(folder) && target.to_string_lossy().ends_with(" (deleted)")
    })
}

#[test]
fn an_interrupt_keeps_the_old_file_and_its_signal_is_the_exit_code() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        ends_with(signal, code);
    }
}

fn ends_with(signal: &str, code: i32) {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id -q -o model.json");
    here.write("answers.csv", "mine");
    let before = here.files();
    let folder = here.path("").canonicalize().unwrap();
    let mut child = waiting(&here);
    while here.files() == before && !has_nameless_file(&child, &folder) {
        assert!(child.try_wait().unwrap().is_none(), "it must be waiting");
        std::thread::yield_now();
    }
    // `wait` would close the standard input first, and the command might end before it sees the signal.
    let input = child.stdin.take();
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill").args([signal, &id]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(code));
    drop(input);
    assert_eq!(here.files(), before, "no temporary file is left");
    assert_eq!(here.read("answers.csv"), "mine");
}

/// Rows of 200 classes and columns of many categories: a fit of seconds, most of it inside the first nodes.
fn slow_table() -> String {
    let columns: Vec<String> = (0..20).map(|column| format!("c{column}")).collect();
    let mut table = format!("{},class\n", columns.join(","));
    for row in 0..10_000_usize {
        for column in 0..20 {
            table += &format!("t{},", (row * 7919 + row * row * (column + 3)) % 499);
        }
        table += &format!("k{}\n", row * row % 1_009 % 200);
    }
    table
}

#[test]
fn an_interrupt_ends_a_long_fit() {
    let here = Here::new();
    let before = here.files();
    let mut child = here
        .command("fit - --target class -o model.json")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The pipe holds far less than the table, so the command has read nearly all of it.
    child.stdin.take().unwrap().write_all(slow_table().as_bytes()).unwrap();
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // Uninterrupted, it would end with 0 and a model.
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(here.files(), before);
}
