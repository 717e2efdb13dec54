//! Checks that figures are correct and legible.

mod categories;
mod content;
mod odd_input;
mod overlap;
mod printed;

use crate::generators::{Table, blobs, fit};
use ternwood::{Dataset, Model, Routing, ZoneKind};

/// Trees with two and with three children per split, depth 1 to 6, few and many classes.
fn trees() -> Vec<(String, Dataset, Model)> {
    let mut trees = Vec::new();
    for n_classes in [2, 3, 10, 12] {
        let data = blobs(n_classes, 700, 11 + n_classes as u64);
        for depth in 1..=6 {
            for routing in [Routing::Probabilistic, Routing::HardMiddle] {
                let model = fit(&data, depth, ZoneKind::quality_plateau(), routing);
                let name = format!("{n_classes} classes, depth {depth}, {routing}");
                trees.push((name, data.clone(), model));
            }
        }
    }
    trees
}

/// Trees of tables with categories and missing values: few and many categories, short and long
/// names, two and more classes.
fn table_trees() -> Vec<(String, Dataset, Model)> {
    let tables = [
        Table { categories: 2, ..Table::default() },
        Table::default(),
        Table { missing: 0.0, ..Table::default() },
        Table { categories: 100, rows: 2000, seed: 2, ..Table::default() },
        Table { categories: 300, rows: 2000, missing: 0.0, seed: 3, ..Table::default() },
        Table { long_names: true, seed: 4, ..Table::default() },
        Table { classes: 3, seed: 5, ..Table::default() },
        Table { classes: 12, categories: 30, rows: 1500, long_names: true, ..Table::default() },
    ];
    let mut trees = Vec::new();
    for table in tables {
        let data = table.dataset();
        for depth in [1, 3, 5] {
            for routing in [Routing::Probabilistic, Routing::HardMiddle] {
                let model = fit(&data, depth, ZoneKind::Margin, routing);
                trees.push((format!("{table:?}, depth {depth}, {routing}"), data.clone(), model));
            }
        }
    }
    trees
}

// A check for well-formed XML, as far as our SVG documents need it.

/// The first problem of a document, if any.
fn problem(document: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = document;
    let mut roots = 0;
    while let Some(start) = rest.find('<') {
        if let Some(problem) = text_problem(&rest[..start]) {
            return Some(problem);
        }
        if open.is_empty() && !rest[..start].trim().is_empty() {
            return Some("text outside of the root".to_owned());
        }
        let Some(end) = rest[start..].find('>') else { return Some("a tag is not closed".into()) };
        let tag = &rest[start + 1..start + end];
        rest = &rest[start + end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(expected) if expected == name => {}
                expected => return Some(format!("</{name}> closes {expected:?}")),
            }
            continue;
        }
        let (inner, closed) = tag.strip_suffix('/').map_or((tag, false), |inner| (inner, true));
        let name = inner.split_whitespace().next().unwrap_or("");
        if name.is_empty() || !name.chars().all(char::is_alphanumeric) {
            return Some(format!("'{name}' is no name"));
        }
        if let Some(problem) = attribute_problem(&inner[name.len()..]) {
            return Some(format!("<{inner}>: {problem}"));
        }
        roots += usize::from(open.is_empty());
        if !closed {
            open.push(name);
        }
    }
    if !open.is_empty() || roots != 1 || !rest.trim().is_empty() {
        return Some(format!("{open:?} open at the end, {roots} roots"));
    }
    None
}

fn attribute_problem(attributes: &str) -> Option<String> {
    let mut seen = Vec::new();
    let mut rest = attributes.trim();
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once("=\"") else {
            return Some(format!("'{rest}' is no attribute"));
        };
        let Some((value, after)) = after.split_once('"') else { return Some("no end".into()) };
        if seen.contains(&name) || name.contains(char::is_whitespace) {
            return Some(format!("'{name}' occurs twice or is no name"));
        }
        if let Some(problem) = text_problem(value) {
            return Some(problem);
        }
        seen.push(name);
        rest = after.trim_start();
    }
    None
}

fn text_problem(text: &str) -> Option<String> {
    let entities = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    for after in text.split('&').skip(1) {
        if !entities.iter().any(|entity| after.starts_with(entity)) {
            return Some(format!("'&{after}' is no entity"));
        }
    }
    let control = |c: char| c.is_control() && c != '\n' && c != '\t';
    (text.contains(control) || text.contains("NaN")).then(|| format!("'{text}' cannot be"))
}

#[test]
fn the_checker_finds_problems() {
    for bad in [
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a>1 & 2</a>",
        "<a b=\"1\" b=\"2\"/>",
        "<a b=1/>",
        "<a>\u{0}</a>",
        "text",
    ] {
        assert!(problem(bad).is_some(), "{bad}");
    }
    assert_eq!(problem("<a b=\"x &amp; y\"><c/>text\n</a>\n"), None);
}
