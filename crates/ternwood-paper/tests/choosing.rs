//! `docs/choosing.md` shows the tables of the committed run, and its pictures exist.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

#[test]
fn the_page_shows_what_was_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/choosing.md")).unwrap();
    let folder = root.join("runs/choosing");
    for table in ["first_fit.md", "trees.md", "verdicts.md", "guarantee.md"] {
        let run = fs::read_to_string(folder.join(table)).unwrap();
        assert!(run.lines().count() >= 8, "{table} is a table");
        assert!(page.contains(&run), "docs/choosing.md shows another {table} than was run");
    }
    let links = page.split("](../runs/choosing/").skip(1);
    let pictures: Vec<&str> = links.map(|rest| rest.split_once(')').unwrap().0).collect();
    assert!(pictures.len() >= 3, "{pictures:?}");
    for picture in pictures {
        assert!(folder.join(picture).is_file(), "there is no {picture}");
    }
}
