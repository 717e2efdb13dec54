//! `docs/choosing.md` shows lines of the committed runs and links to all of them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

#[test]
fn the_page_shows_what_was_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/choosing.md")).unwrap();
    let folder = root.join("runs/choosing");
    for table in ["verdicts.md", "rule_in_rule_out.md", "guarantee.md"] {
        let run = fs::read_to_string(folder.join(table)).unwrap();
        let head = run.lines().next().unwrap();
        let (_, shown) = page.split_once(head).unwrap();
        let shown: Vec<&str> =
            shown.lines().skip(1).take_while(|line| line.starts_with('|')).collect();
        assert!(shown.len() >= 4, "{table}: {shown:?}");
        for line in shown {
            assert!(run.lines().any(|of_run| of_run == line), "{table} has no such line: {line}");
        }
    }
    let links = page.split("](../runs/choosing/").skip(1);
    let linked: Vec<&str> = links.map(|rest| rest.split_once(')').unwrap().0).collect();
    for file in &linked {
        assert!(folder.join(file).is_file(), "there is no {file}");
    }
    for table in [
        "first_fit.md",
        "trees.md",
        "verdicts.md",
        "rule_in_rule_out.md",
        "guarantee.md",
        "out_of_bag.md",
    ] {
        assert!(linked.contains(&table), "the page does not link to {table}");
    }
}
