//! Tables of strangers: no field, however long, takes the memory of the machine.

use super::Here;
use std::io::Write;
use std::process::{Child, Command, Stdio};

/// Starts a command with 512 MiB of address space that reads standard input.
fn limited(here: &Here, args: &str) -> Child {
    const ADDRESS_SPACE: usize = 512 << 10;
    let script = format!(
        "ulimit -v {ADDRESS_SPACE}; exec '{}' {args} --threads 1",
        env!("CARGO_BIN_EXE_ternwood")
    );
    Command::new("sh")
        .args(["-c", &script])
        .current_dir(here.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs a command on a table that goes on like its end for ever. Returns its exit code, its errors and how many bytes
/// it read.
fn fed(here: &Here, args: &str, start: &str, end: &str) -> (Option<i32>, String, usize) {
    let mut child = limited(here, args);
    let mut pipe = child.stdin.take().unwrap();
    let endless = end.repeat((1 << 16) / end.len());
    let mut read = 0;
    // More than the address space: the command must give up before.
    let mut fed = pipe.write_all(start.as_bytes());
    while fed.is_ok() && read < 1 << 30 {
        fed = pipe.write_all(endless.as_bytes());
        read += endless.len();
    }
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap(), read)
}

#[test]
fn a_field_larger_than_memory_is_an_error_with_the_option_that_allows_it() {
    let here = Here::new();
    here.ok("fit visits.csv --target ill --zone margin --max-depth 2 -o model.json -q");
    let header = here.read("visits.csv").lines().next().unwrap().to_owned() + "\n";
    for (args, start) in [
        ("predict model.json -", header.clone()),
        ("predict model.json -", header.clone() + "\""),
        ("explain model.json - --row 1", header.clone()),
        ("look -", header.clone()),
        ("fit - --target ill -o new.json", header),
        ("look -", "a,".to_owned()),
    ] {
        let (code, errors, read) = fed(&here, args, &start, "x");
        assert_eq!(code, Some(1), "{args}: {errors}");
        assert!(errors.contains("error: standard input, line "), "{args}: {errors}");
        let expected = "the field is longer than 1 MiB; is a quote not closed? If not, allow longer fields with \
                        --max-field 4MiB";
        assert!(errors.contains(expected), "{args}: {errors}");
        assert!(read < 8 << 20, "{args} read {read} bytes");
    }
}

/// Each category fits, and all of them do not.
#[test]
fn predict_has_memory_for_any_number_of_long_rows() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id --max-depth 2 -o model.json -q");
    let mut child = limited(&here, "predict model.json - -o answers.csv --force");
    let mut pipe = child.stdin.take().unwrap();
    let long = "x".repeat((1 << 20) - 100);
    pipe.write_all(b"age,smoker,glucose\n").unwrap();
    for row in 0..800 {
        writeln!(pipe, "40,{row}{long},5.1").unwrap();
    }
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let warning = "column 'smoker': 800 rows have categories that training did not see: '0x";
    assert!(errors.contains(warning) && errors.contains("(1) and many more"), "{errors}");
    assert_eq!(here.read("answers.csv").lines().count(), 801);
}

#[test]
fn the_largest_field_is_an_option() {
    let here = Here::new();
    let note = "y".repeat(2 << 20);
    let table: String = (0..40)
        .map(|row| format!("{row},{},{}\n", row % 7, if row < 20 { "no" } else { "yes" }))
        .collect();
    here.write("long.csv", &format!("a,b,ill\n{table}41,{note},yes\n"));
    let error = here.fails(1, "look long.csv");
    assert!(
        error.contains("long.csv, line 42, column 'b': the field is longer than 1 MiB"),
        "{error}"
    );
    here.ok("look long.csv --max-field 4MiB");
    here.ok("fit long.csv --target ill --drop b --max-field 4MiB -o m.json -q");
    let error = here.fails(1, "predict m.json long.csv");
    assert!(error.contains("--max-field 4MiB"), "{error}");
    here.ok("predict m.json long.csv --max-field 4MiB");
    here.fails(2, "look long.csv --max-field much");
}
