//! `docs/choosing.md` shows the tables of the committed run, and its pictures exist.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

#[test]
fn the_page_shows_what_was_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/choosing.md")).unwrap();
    let folder = root.join("runs/choosing");
    for table in ["first_fit.md", "trees.md", "verdicts.md", "rule_in_rule_out.md"] {
        let run = fs::read_to_string(folder.join(table)).unwrap();
        assert!(run.lines().count() >= 8, "{table} is a table");
        assert!(page.contains(&run), "docs/choosing.md shows another {table} than was run");
    }
    // Of the simulations the page shows some lines.
    let simulated = fs::read_to_string(folder.join("guarantee.md")).unwrap();
    let head = simulated.lines().next().unwrap();
    let (_, shown) = page.split_once(head).unwrap();
    let shown: Vec<&str> = shown.lines().skip(1).take_while(|line| line.starts_with('|')).collect();
    assert!(shown.len() >= 8, "{shown:?}");
    for line in shown {
        assert!(simulated.lines().any(|run| run == line), "no such line was run: {line}");
    }
    let links = page.split("](../runs/choosing/").skip(1);
    let pictures: Vec<&str> = links.map(|rest| rest.split_once(')').unwrap().0).collect();
    assert!(pictures.len() >= 3, "{pictures:?}");
    for picture in pictures {
        assert!(folder.join(picture).is_file(), "there is no {picture}");
    }
}
