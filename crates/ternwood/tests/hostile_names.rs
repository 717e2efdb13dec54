//! Do names stay names? Whatever a feature, a class or a category is called, nothing outside of the
//! quotes of an export changes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ternwood::export::sql::{Dialect, SqlOptions, to_sql};
use ternwood::export::to_dot;
use ternwood::tree::{Axis, CategoryCut, CategoryPlace, Test, TreeBuilder, Zone};
use ternwood::{ClassName, Feature, Model, Recipe, Schema};

/// Names that want to be more than text; each is used once for everything that has a name.
const HOSTILE: [&str; 9] = [
    "\"; DROP TABLE visits; --",
    "'; DROP TABLE visits; --",
    "'' || (SELECT 1) || \"\"",
    "</script><b>",
    "\u{1f9ea}\u{1d518}",
    "",
    "\\\" ]; n0 -> n0 [label=\"",
    "two\nlines\r\n\t/* -- */",
    "trailing \\",
];

/// A test of a number, then one of a category, with names made from this one.
fn model(name: &str) -> Model {
    let own = |suffix: &str| format!("{name}{suffix}");
    let features = vec![
        // The bare name, and one that ends like a quoted text.
        Feature::number(name),
        Feature::categories(own("'"), [name.to_owned(), own("\""), own("2")]),
    ];
    let classes: Vec<ClassName> = vec![name.into(), own("\\").as_str().into()];
    let place =
        |category, position| CategoryPlace { category, rows: 9, position, standard_error: 0.1 };
    let places = vec![place(0, 0.2), place(1, 0.5), place(2, 0.8)];
    let cut = CategoryCut::new(Axis::ClassShare(1), 0.5, 1.0, places).unwrap();
    let mut builder = TreeBuilder::new(2, 2);
    builder.split(0, Zone::new(1.0, 0.5).unwrap());
    builder.leaf(&[9.0, 1.0]);
    builder.split_by(&Test::of_categories(1, cut));
    builder.leaf(&[5.0, 4.0]);
    builder.leaf(&[0.0, 9.0]);
    let schema = Schema::new(features, classes).unwrap();
    Model::new(builder.finish().unwrap(), schema, Recipe::default()).unwrap()
}

/// What stands outside of quotes. A quote inside of a text is doubled (SQL) or follows a backslash (DOT).
fn outside(text: &str, quotes: &[char], escape: Option<char>) -> String {
    let mut left = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        left.push(letter);
        if !quotes.contains(&letter) {
            continue;
        }
        loop {
            let inside = letters.next().expect("a quoted text ends");
            if Some(inside) == escape {
                letters.next();
            } else if inside == letter {
                break;
            }
        }
    }
    left
}

/// In SQL a doubled quote ends a text and begins the next one, which leaves the same outside.
fn outside_of_sql(text: &str) -> String {
    let mut letters: Vec<char> = outside(text, &['"', '\''], None).chars().collect();
    letters.dedup_by(|next, letter| next == letter && ['"', '\''].contains(letter));
    letters.into_iter().collect()
}

#[test]
fn sql_is_the_same_outside_of_quotes() {
    for dialect in Dialect::ALL {
        let query = |name: &str| {
            let options = SqlOptions {
                table: vec![format!("t{name}"), format!("u{name}")],
                dialect,
                keys: vec![format!("key {name}")],
                columns: None,
            };
            to_sql(&model(name), &options).unwrap()
        };
        let plain = outside_of_sql(&query("plain"));
        assert!(plain.contains("prediction") && !plain.contains("plain"), "{plain}");
        for name in HOSTILE {
            let text = query(name);
            assert_eq!(outside_of_sql(&text), plain, "{dialect} {name:?}\n{text}");
        }
    }
}

#[test]
fn graphs_are_the_same_outside_of_quotes() {
    let graph = |name: &str| to_dot(model(name).single_tree().unwrap());
    let plain = outside(&graph("plain"), &['"'], Some('\\'));
    assert!(plain.contains("n0 -> n1") && !plain.contains("plain"), "{plain}");
    for name in HOSTILE {
        let text = graph(name);
        assert_eq!(outside(&text, &['"'], Some('\\')), plain, "{name:?}\n{text}");
    }
}
