//! Do the exports say what the walker does? And can a person read them?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::collections::HashMap;
use support::sample::Sample;
use support::trees::zone;
use ternwood::export::{TextOptions, to_dot, to_table, to_text};
use ternwood::tree::{Node, NodeRecord, Test, TreeBuilder, Zone};
use ternwood::{
    ClassName, Exec, Feature, Matrix, Model, Recipe, Routing, Schema, TreeParams, Verdict, ZoneKind,
};

/// A node of the small model: its test (feature, threshold, half-width, rows within), its rows.
type Record = (Option<(u32, f64, f64, u32)>, [u32; 2]);

/// A small medical model. As a three-child tree, it has no row within the zone of the last test.
fn glucose_model(routing: Routing) -> Model {
    let three = routing == Routing::HardMiddle;
    let records: &[Record] = if three {
        &[
            (Some((0, 127.04, 1.1, 15)), [579, 215]),
            (Some((1, 29.75, 0.35, 13)), [539, 84]),
            (None, [380, 20]),
            (None, [9, 4]),
            (None, [150, 60]),
            (None, [7, 8]),
            (Some((2, 0.5, 0.0, 0)), [33, 123]),
            (None, [30, 120]),
            (None, [33, 123]),
            (None, [3, 3]),
        ]
    } else {
        &[
            (Some((0, 127.04, 1.1, 15)), [563, 203]),
            (Some((1, 29.75, 0.35, 13)), [530, 80]),
            (None, [380, 20]),
            (None, [150, 60]),
            (Some((2, 0.5, 0.0, 0)), [33, 123]),
            (None, [30, 120]),
            (None, [3, 3]),
        ]
    };
    let mut builder = if three { TreeBuilder::three_child(3, 2) } else { TreeBuilder::new(3, 2) };
    for (test, rows) in records {
        let weights = rows.map(f64::from);
        let shares = weights.map(|weight| weight / (weights[0] + weights[1]));
        let rows_within = test.map_or(0, |test| test.3);
        let test = test.map(|(feature, threshold, half_width, _)| {
            Test::new(feature, Zone::new(threshold, half_width).unwrap())
        });
        builder.push(&NodeRecord {
            test: test.as_ref(),
            class_rows: rows,
            class_weights: &weights,
            distribution: &shares,
            impurity: 1.0 - shares[0] * shares[0] - shares[1] * shares[1],
            rows_within,
        });
    }
    let features = vec![
        Feature::number("glucose"),
        Feature::number("bmi"),
        Feature::categories("smoker", ["no", "yes"]),
    ];
    let classes = vec![ClassName::from("healthy"), ClassName::from("diabetic")];
    let recipe = Recipe { routing, ..Recipe::default() };
    Model::new(builder.finish().unwrap(), Schema::new(features, classes).unwrap(), recipe).unwrap()
}

#[test]
fn the_text_of_a_small_model() {
    let text = |routing| to_text(&glucose_model(routing), TextOptions::default());
    insta::assert_snapshot!("text_two_child", text(Routing::Probabilistic));
    insta::assert_snapshot!("text_three_child", text(Routing::HardMiddle));
    let short = to_text(&glucose_model(Routing::Crisp), TextOptions { max_depth: 1 });
    insta::assert_snapshot!("text_cut_at_depth_1", short);
}

#[test]
fn the_dot_and_the_table_of_a_small_model() {
    insta::assert_snapshot!("dot", to_dot(&glucose_model(Routing::HardMiddle)));
    insta::assert_snapshot!("table", to_table(&glucose_model(Routing::Probabilistic)));
}

#[test]
fn explanations_of_a_small_model() {
    let rows = [
        ("decided", [110.0, 24.0, 0.0]),
        ("within_one_zone", [126.4, 24.0, 1.0]),
        ("within_two_zones", [126.4, 29.9, 1.0]),
    ];
    for routing in Routing::ALL {
        let model = glucose_model(routing);
        for (name, row) in rows {
            let explained = model.explain(&row).unwrap();
            insta::assert_snapshot!(format!("explain_{routing}_{name}"), explained.to_string());
        }
    }
}

#[test]
fn the_sentence_names_every_reason() {
    let model = glucose_model(Routing::Probabilistic);
    let sentence = |row: &[f64]| model.explain(row).unwrap().sentence();
    assert_eq!(sentence(&[110.0, 24.0, 0.0]), None);
    assert_eq!(
        sentence(&[126.4, 24.0, 0.0]).unwrap(),
        "Flagged because glucose 126.4 lies within 127.0 ± 1.1."
    );
    assert_eq!(
        sentence(&[126.4, 29.9, 0.0]).unwrap(),
        "Flagged because glucose 126.4 lies within 127.0 ± 1.1, and bmi 29.90 lies within 29.75 ± 0.35."
    );
}

/// One line of the table, by column name.
type Line = HashMap<String, String>;

fn read_table(table: &str) -> Vec<Line> {
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields.len(), header.len(), "{line}");
            header.iter().zip(fields).map(|(h, f)| ((*h).to_owned(), f.to_owned())).collect()
        })
        .collect()
}

/// With two classes, the probability of class 1 and the verdict, from the table alone.
fn walk_table(
    lines: &[Line],
    routing: Routing,
    at: usize,
    row: &[f64],
    crisp: bool,
) -> (f64, bool) {
    let line = &lines[at];
    let number = |column: &str| line[column].parse::<f64>().unwrap();
    let child = |column: &str| line[column].parse::<usize>().unwrap();
    if line["feature"].is_empty() {
        let p = number("probability");
        return (if line["class"] == "1" { p } else { 1.0 - p }, false);
    }
    let x = row[line["feature"].strip_prefix('x').unwrap().parse::<usize>().unwrap()];
    let (theta, delta) = (number("threshold"), number("half_width"));
    let go = |column: &str, crisp| walk_table(lines, routing, child(column), row, crisp);
    if crisp {
        return go(if x <= theta { "left" } else { "right" }, true);
    }
    if x <= theta - delta {
        return go("left", false);
    }
    if x > theta + delta {
        return go("right", false);
    }
    if routing == Routing::HardMiddle {
        return (go("middle", false).0, true);
    }
    let below_is_crisp = routing == Routing::Deferred;
    let left = (theta + delta - x) / (2.0 * delta);
    (left * go("left", below_is_crisp).0 + (1.0 - left) * go("right", below_is_crisp).0, true)
}

#[test]
fn walking_the_table_by_hand_gives_the_predictions() {
    let sample = Sample::generated(21, 500, 2);
    let flat = sample.rows.concat();
    for routing in Routing::ALL {
        for kind in [ZoneKind::Margin, ZoneKind::quality_plateau(), ZoneKind::class_overlap()] {
            let params = TreeParams { max_depth: Some(4), ..TreeParams::default() };
            let model = sample.fit(&params.with_zone(kind), routing);
            let lines = read_table(&to_table(&model));
            let predictions =
                model.predict(Matrix::row_major(&flat, 6).unwrap(), &Exec::default()).unwrap();
            for (row, values) in sample.rows.iter().enumerate() {
                let crisp = routing == Routing::Crisp;
                let (p, undecided) = walk_table(&lines, routing, 0, values, crisp);
                assert!((p - predictions.distribution(row)[1]).abs() < 1e-12);
                assert_eq!(Verdict::decided_if(!undecided), predictions.verdicts()[row]);
            }
            let undecided = predictions.verdicts().iter().filter(|v| v.is_undecided()).count();
            assert_eq!(undecided == 0, routing == Routing::Crisp, "zones must be met to be tested");
        }
    }
}

/// The numbers in the table are exactly the tree's; so are the branches in the drawings.
#[test]
fn every_export_has_every_node() {
    let sample = Sample::generated(22, 300, 4);
    for routing in [Routing::Probabilistic, Routing::HardMiddle] {
        let model = sample.fit(&TreeParams::default(), routing);
        let tree = model.tree();
        let lines = read_table(&to_table(&model));
        let (text, dot) = (to_text(&model, TextOptions::default()), to_dot(&model));
        assert_eq!(lines.len(), tree.n_nodes());
        assert_eq!(text.lines().count(), tree.n_nodes());
        for (id, line) in tree.ids().zip(&lines) {
            assert_eq!(line["node"], id.to_string());
            assert_eq!(line["rows"], tree.rows(id).to_string());
            assert_eq!(line["impurity"].parse::<f64>().unwrap(), tree.impurity(id));
            assert_eq!(line["weight"].parse::<f64>().unwrap(), tree.weight(id));
            assert!(dot.contains(&format!("\n  n{id} [label=")), "node {id} is not in the DOT");
            let Node::Split(split) = tree.node(id) else { continue };
            assert_eq!(line["threshold"].parse::<f64>().unwrap(), zone(split).threshold());
            assert_eq!(line["half_width"].parse::<f64>().unwrap(), zone(split).half_width());
            assert_eq!(line["rows_within"], tree.rows_within(id).to_string());
            for child in split.children() {
                assert!(dot.contains(&format!("\n  n{id} -> n{child} [")), "edge {id} -> {child}");
            }
        }
        let edges = dot.lines().filter(|line| line.contains(" -> ")).count();
        assert_eq!(edges, tree.n_nodes() - 1);
    }
}

/// Names with the special characters of each notation.
#[test]
fn names_cannot_break_out_of_their_place() {
    let mut builder = TreeBuilder::new(1, 2);
    builder.split(0, Zone::new(1.0, 0.5).unwrap());
    builder.leaf(&[1.0, 0.0]);
    builder.leaf(&[0.0, 1.0]);
    let features = vec![Feature::number("a \"b\", c\\")];
    let classes = vec![ClassName::from("no, \"never\""), ClassName::from("yes\nor so")];
    let schema = Schema::new(features, classes).unwrap();
    let recipe = Recipe { routing: Routing::Crisp, ..Recipe::default() };
    let model = Model::new(builder.finish().unwrap(), schema, recipe).unwrap();
    let dot = to_dot(&model);
    assert!(dot.contains("label=\"a \\\"b\\\", c\\\\ 1.00 ± 0.50\\n"), "{dot}");
    assert!(dot.contains("label=\"yes\\nor so 1.000\\n"), "{dot}");
    let table = to_table(&model);
    assert!(table.contains(",\"a \"\"b\"\", c\\\",1,0.5,"), "{table}");
    assert!(table.contains(",\"no, \"\"never\"\"\","), "{table}");
    assert!(table.contains(",\"yes\nor so\","), "{table}");
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
}
