//! Does `docs/choosing.md` show the tables of the committed run, and pictures that are there?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

#[test]
fn the_page_shows_what_was_run() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = fs::read_to_string(docs.join("choosing.md")).unwrap();
    for table in ["trees.md", "verdicts.md", "guarantee.md"] {
        let run = fs::read_to_string(docs.join("choosing").join(table)).unwrap();
        assert!(run.lines().count() > 10, "{table} is a table");
        assert!(page.contains(&run), "docs/choosing.md shows another {table} than was run");
    }
    let pictures: Vec<&str> =
        page.split("](choosing/").skip(1).map(|rest| rest.split_once(')').unwrap().0).collect();
    assert!(pictures.len() >= 3, "{pictures:?}");
    for picture in pictures {
        assert!(docs.join("choosing").join(picture).is_file(), "there is no {picture}");
    }
}
