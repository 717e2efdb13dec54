//! Files appear complete or not at all.

use crate::Here;

const FIT: &str = "fit patients.csv --target ill --drop id --max-depth 2 -q -o model.json";

#[test]
fn a_failing_command_leaves_no_file() {
    let here = Here::new();
    here.ok(FIT);
    // The last row is bad. By then all others have been predicted and written.
    let mut table = String::from("age,smoker,glucose\n");
    for row in 0..70_000 {
        table += &format!("{},never,5.{}\n", 20 + row % 60, row % 10);
    }
    here.write("long.csv", &(table + "50,never,inf\n"));
    let before = here.files();
    let complaint = here.fails(1, "predict model.json long.csv -o answers.csv");
    assert!(complaint.contains("long.csv, line 70002, column 'glucose'"), "{complaint}");
    assert_eq!(here.files(), before, "neither the output nor a temporary file is left");
}

#[test]
fn existing_files_are_kept_without_force() {
    let here = Here::new();
    here.ok(FIT);
    here.write("there.txt", "mine");
    here.write("there.svg", "mine");
    here.write("there.html", "mine");
    for args in [
        "fit patients.csv --target ill -o there.txt",
        "predict model.json new.csv --format csv -o there.txt",
        "show model.json -o there.txt",
        "page model.json -o there.html",
        "evaluate new.csv --model model.json -o there.txt",
        "evaluate new.csv --model model.json --figure there.svg",
        "evaluate new.csv --model model.json --report there.html",
    ] {
        let name = args.rsplit(' ').next().unwrap();
        let complaint = here.fails(1, args);
        let expected = format!("{name} exists already; use --force");
        assert!(complaint.contains(&expected), "{complaint}");
        assert_eq!(here.read(name), "mine", "{args}");
        here.ok(&format!("{args} --force"));
        assert_ne!(here.read(name), "mine", "{args} --force");
        here.write(name, "mine");
    }
}

#[test]
fn the_report_to_sign_does_not_depend_on_threads_and_names_the_file_by_its_hash() {
    let here = Here::new();
    here.ok(FIT);
    let report = |threads: u32| {
        here.ok(&format!(
            "evaluate new.csv --model model.json --threads {threads} --report signed.html --force"
        ));
        here.read("signed.html")
    };
    let page = report(1);
    assert_eq!(page, report(2));
    let hash = |page: &str| {
        // The first one is that of the table.
        let (_, rest) = page.rsplit_once("<dt>SHA-256</dt><dd>").unwrap();
        rest[..64].to_owned()
    };
    // The same model in a file with other bytes is another file.
    here.write("model.json", &(here.read("model.json") + "\n"));
    let other = report(1);
    assert_ne!(hash(&page), hash(&other));
    assert_eq!(page.replace(&hash(&page), &hash(&other)), other);
    let complaint = here
        .fails(2, "evaluate new.csv --model model.json --report a.html -o ./a.html --format csv");
    assert!(complaint.contains("--output and --report are the same file"), "{complaint}");
}

#[test]
fn a_failing_command_keeps_the_old_file_even_with_force() {
    let here = Here::new();
    here.ok(FIT);
    here.write("answers.csv", "mine");
    here.fails(1, "predict model.json ragged.csv -o answers.csv --force");
    assert_eq!(here.read("answers.csv"), "mine");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_devices_written_to() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let here = Here::new();
    here.ok(FIT);
    here.write("target.txt", "old");
    symlink("target.txt", here.path("link.txt")).unwrap();
    here.ok("show model.json -o link.txt --force");
    assert!(here.path("link.txt").is_symlink());
    assert!(here.read("target.txt").starts_with("classes of 'ill'"));
    here.ok("show model.json -o /dev/null");
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let mode = std::fs::metadata(here.path("model.json")).unwrap().permissions().mode();
    assert_ne!(mode & 0o044, 0, "others may read it, as with any new file: {mode:o}");
}

#[test]
fn tables_can_come_from_standard_input_and_models_go_to_standard_output() {
    let here = Here::new();
    here.ok(FIT);
    let from = |name: &str, args: &str| {
        let table = std::fs::File::open(here.path(name)).unwrap();
        let output = here.command(args).stdin(table).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let model = from("patients.csv", "fit - --target ill --drop id --max-depth 2 -o -");
    assert_eq!(model, here.read("model.json"));
    assert!(!here.path("-").exists());
    let answers = from("new.csv", "predict model.json -");
    assert_eq!(answers, here.ok("predict model.json new.csv"));
}

#[test]
#[cfg(unix)]
fn a_pipe_is_read_once_and_whole() {
    use std::io::Write;
    let here = Here::new();
    here.ok(FIT);
    let mut predict = here.command("predict model.json /dev/stdin");
    let piped = std::process::Stdio::piped;
    let mut child = predict.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(here.read("new.csv").as_bytes()).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers, here.ok("predict model.json new.csv"));
}
