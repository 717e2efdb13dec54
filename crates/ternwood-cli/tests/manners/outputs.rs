//! Names of outputs that are links, or that no file can have.

use super::Here;
use std::os::unix::fs::symlink;

fn shown(here: &Here, options: &str) -> String {
    format!("show model.json --format text {options} -o {}", here.path("link.txt").display())
}

fn with_model() -> Here {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id,smoker --zone margin -o model.json -q");
    here
}

#[test]
fn the_target_of_a_link_is_written_whether_it_exists_or_not() {
    let here = with_model();
    std::fs::create_dir(here.path("there")).unwrap();
    // Relative to the folder of the link, and through a second one.
    symlink("there/second.txt", here.path("link.txt")).unwrap();
    symlink("tree.txt", here.path("there/second.txt")).unwrap();
    here.ok(&shown(&here, ""));
    let tree = here.read("there/tree.txt");
    assert!(tree.contains("glucose"), "{tree}");
    let error = here.fails(1, &shown(&here, ""));
    assert!(error.contains("exists already; use --force"), "{error}");
    here.write("there/tree.txt", "old");
    here.ok(&shown(&here, "--force"));
    assert_eq!(here.read("there/tree.txt"), tree);
    for link in ["link.txt", "there/second.txt"] {
        assert!(here.path(link).is_symlink(), "{link} is no link any more");
    }
}

#[test]
fn links_that_lead_nowhere_are_refused_before_the_work() {
    let here = with_model();
    symlink("no/such/folder.txt", here.path("link.txt")).unwrap();
    let error = here.fails(1, &shown(&here, ""));
    assert!(error.contains("link.txt (a link to "), "{error}");
    let reason = "no/such/folder.txt): cannot write there: there is no such folder";
    assert!(error.contains(reason), "{error}");
    std::fs::remove_file(here.path("link.txt")).unwrap();
    symlink("other.txt", here.path("link.txt")).unwrap();
    symlink("link.txt", here.path("other.txt")).unwrap();
    for options in ["", "--force"] {
        let error = here.fails(1, &shown(&here, options));
        assert!(error.contains("link.txt: these links lead to each other"), "{error}");
    }
    assert!(here.path("link.txt").is_symlink() && here.path("other.txt").is_symlink());
}

/// An hour of work must not end in a name that cannot be.
#[test]
fn names_that_no_file_can_have_are_refused_before_the_work() {
    let here = with_model();
    let long = "x".repeat(300);
    let cases = [
        ("new/", "this is the name of a folder; name a file in it"),
        ("..", "this is the name of a folder"),
        ("patients.csv/tree.txt", "ot a directory"),
        (long.as_str(), "too long"),
        ("/proc/tree.txt", "cannot write there: "),
        ("no/tree.txt", "cannot write there: there is no such folder"),
    ];
    for (name, expected) in cases {
        // The table is read after the output is opened: an absent one shows what came first.
        let error = here.fails(1, &format!("fit absent.csv --target ill -o {name}"));
        assert!(error.contains(expected), "{name}: {error}");
        assert!(!error.contains("absent.csv"), "{name}: {error}");
    }
}
