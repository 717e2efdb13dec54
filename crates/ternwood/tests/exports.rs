//! Do the exports say what the walker does? And can a person read them?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::collections::HashMap;
use support::sample::Sample;
use support::trees::zone;
use ternwood::export::onnx::{OnnxOptions, is_slow, to_onnx};
use ternwood::export::{
    SummaryOptions, TextOptions, is_readable, to_dot, to_summary, to_table, to_text,
};
use ternwood::recipe::{Exponent, ForestParams, MissingValues};
use ternwood::tree::{
    Axis, CategoryCut, CategoryPlace, Digits, Missing, Node, NodeRecord, NodeRows, Test,
    TreeBuilder, Zone,
};
use ternwood::{
    ClassName, Columns, Dataset, Exec, Feature, Learner, Matrix, Model, Recipe, Routing, Schema,
    TreeParams, Verdict, ZoneKind,
};

/// A node of the small model: its test and the rows within its zone, and its rows.
type Record = (Option<(Test, u32)>, [u32; 2]);

/// Printed with one decimal less than the threshold has.
fn glucose(rows_within: u32) -> Option<(Test, u32)> {
    let test = Test::new(0, Zone::new(127.04, 1.1).unwrap());
    Some((test, rows_within))
}

/// Printed with all digits.
fn bmi(rows_within: u32) -> Option<(Test, u32)> {
    Some((Test::new(1, Zone::new(29.75, 0.35).unwrap()), rows_within))
}

fn place(category: u32, rows: u32, position: f64, standard_error: f64) -> CategoryPlace {
    CategoryPlace { category, rows, position, standard_error }
}

/// Who does not smoke is less often healthy here.
fn smokes() -> Option<(Test, u32)> {
    let places = vec![place(0, 150, 0.2, 0.03), place(1, 6, 0.5, 0.2)];
    let cut = CategoryCut::new(Axis::ClassShare(0), 0.35, 0.0, places).unwrap();
    Some((Test::of_categories(2, cut), 0))
}

/// A small medical model. As a three-child tree, it has no row within the zone of the last test.
fn glucose_model(routing: Routing) -> Model {
    let three = routing == Routing::HardMiddle;
    let records: &[Record] = if three {
        &[
            (glucose(15), [579, 215]),
            (bmi(13), [539, 84]),
            (None, [380, 20]),
            (None, [9, 4]),
            (None, [150, 60]),
            (None, [7, 8]),
            (smokes(), [33, 123]),
            (None, [30, 120]),
            (None, [33, 123]),
            (None, [3, 3]),
        ]
    } else {
        &[
            (glucose(15), [563, 203]),
            (bmi(13), [530, 80]),
            (None, [380, 20]),
            (None, [150, 60]),
            (smokes(), [33, 123]),
            (None, [30, 120]),
            (None, [3, 3]),
        ]
    };
    let mut builder = if three { TreeBuilder::three_child(3, 2) } else { TreeBuilder::new(3, 2) };
    for (test, rows) in records {
        let weights = rows.map(f64::from);
        let shares = weights.map(|weight| weight / (weights[0] + weights[1]));
        let rows_within = test.as_ref().map_or(0, |test| test.1);
        builder.push(&NodeRecord {
            test: test.as_ref().map(|test| &test.0),
            rows: NodeRows::OfClasses { rows, weights: &weights },
            values: &shares,
            impurity: 1.0 - shares[0] * shares[0] - shares[1] * shares[1],
            rows_within,
        });
        let is_glucose = |(test, _): &(Test, u32)| test.feature().0 == 0;
        let digits =
            test.as_ref().filter(|it| is_glucose(it)).map(|_| Digits::new(1, [0, 0]).unwrap());
        builder.show_with(digits);
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
    let text =
        |routing| to_text(glucose_model(routing).single_tree().unwrap(), TextOptions::default());
    insta::assert_snapshot!("text_two_child", text(Routing::Probabilistic));
    insta::assert_snapshot!("text_three_child", text(Routing::HardMiddle));
    let short = to_text(
        glucose_model(Routing::Crisp).single_tree().unwrap(),
        TextOptions { max_depth: 1, ..TextOptions::default() },
    );
    insta::assert_snapshot!("text_cut_at_depth_1", short);
}

#[test]
fn the_dot_and_the_table_of_a_small_model() {
    insta::assert_snapshot!(
        "dot",
        to_dot(glucose_model(Routing::HardMiddle).single_tree().unwrap())
    );
    insta::assert_snapshot!(
        "table",
        to_table(glucose_model(Routing::Probabilistic).single_tree().unwrap())
    );
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
    let sentence = |row: &[f64]| model.explain(row).unwrap().reason();
    assert_eq!(sentence(&[110.0, 24.0, 0.0]), None);
    assert_eq!(
        sentence(&[126.4, 24.0, 0.0]).unwrap(),
        "Flagged because glucose 126.4 lies within the uncertainty zone from 125.9 to 128.1."
    );
    assert_eq!(
        sentence(&[126.4, 29.9, 0.0]).unwrap(),
        "Flagged because glucose 126.4 lies within the uncertainty zone from 125.9 to 128.1 and bmi 29.9 lies within the uncertainty zone from 29.40 to 30.10."
    );
}

/// One line of the table, by column name.
type Line = HashMap<String, String>;

/// The records of comma-separated values; quoted fields may hold commas, quotes and line breaks.
fn records(table: &str) -> Vec<Vec<String>> {
    let mut records = vec![vec![String::new()]];
    let mut quoted = false;
    let mut characters = table.chars().peekable();
    while let Some(character) = characters.next() {
        let record = records.last_mut().unwrap();
        match character {
            '"' if quoted && characters.next_if_eq(&'"').is_some() => {
                record.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(String::new()),
            '\n' if !quoted => records.push(vec![String::new()]),
            other => record.last_mut().unwrap().push(other),
        }
    }
    assert_eq!(records.pop(), Some(vec![String::new()]), "the last line ends");
    records
}

fn read_table(table: &str) -> Vec<Line> {
    let mut records = records(table);
    let header = records.remove(0);
    let line = |record: Vec<String>| {
        assert_eq!(record.len(), header.len(), "{record:?}");
        header.iter().cloned().zip(record).collect()
    };
    records.into_iter().map(line).collect()
}

#[derive(PartialEq)]
enum Standing {
    Sure,
    Within,
    Unknown,
}

/// The share of a row that goes left at a test, from the table alone.
fn left_share(line: &Line, schema: &Schema, row: &[f64]) -> (f64, Standing) {
    use Standing::{Sure, Unknown, Within};
    let number = |column: &str| line[column].parse::<f64>().unwrap();
    let feature = schema.features().iter().position(|f| f.name == line["feature"]).unwrap();
    let (x, names) = (row[feature], schema.features()[feature].kind.names());
    let unknown = (number("unknown_left"), Unknown);
    if x.is_nan() {
        return match line["missing"].as_str() {
            "left" => (1.0, Sure),
            "right" => (0.0, Sure),
            _ => unknown,
        };
    }
    match line["test"].as_str() {
        "threshold" => {
            let (theta, delta) = (number("threshold"), number("half_width"));
            let share = if delta > 0.0 { (theta + delta - x) / (2.0 * delta) } else { f64::NAN };
            let within = x > theta - delta && x <= theta + delta;
            if within { (share, Within) } else { (f64::from(u8::from(x <= theta)), Sure) }
        }
        "categories" => {
            let Some(name) = names.get(x as usize) else { return unknown };
            let names = |column: &str| serde_json::from_str::<Vec<String>>(&line[column]).unwrap();
            let unsure: HashMap<String, f64> =
                serde_json::from_str(&line["categories_unsure"]).unwrap();
            let sides = [("categories_left", 1.0), ("categories_right", 0.0)];
            let sure = sides.iter().find(|side| names(side.0).contains(name));
            match (unsure.get(name), sure) {
                (Some(&share), Some(_)) => (share, Within),
                (None, Some(side)) => (side.1, Sure),
                (_, None) => unknown,
            }
        }
        kind => {
            assert_eq!(kind, "present");
            (1.0, Sure)
        }
    }
}

/// With two classes, the probability of class 1 and true if a test cannot place the row, from the
/// table alone.
fn walk_table(lines: &[Line], model: &Model, at: usize, row: &[f64], crisp: bool) -> (f64, bool) {
    let line = &lines[at];
    if line["feature"].is_empty() {
        let p = line["probability"].parse::<f64>().unwrap();
        let second = line["class"] == model.schema().classes()[1].to_string();
        return (if second { p } else { 1.0 - p }, false);
    }
    let go =
        |column: &str, crisp| walk_table(lines, model, line[column].parse().unwrap(), row, crisp);
    let (left, standing) = left_share(line, model.schema(), row);
    if crisp {
        // On the left of the cut, a zone's share of the left is at least a half.
        let (p, below) = go(if left >= 0.5 { "left" } else { "right" }, true);
        return (p, below || standing == Standing::Unknown);
    }
    if standing == Standing::Sure {
        return go(if left == 1.0 { "left" } else { "right" }, false);
    }
    if model.routing() == Routing::HardMiddle {
        return (go("middle", false).0, true);
    }
    let below_is_crisp = model.routing() == Routing::Deferred;
    (left * go("left", below_is_crisp).0 + (1.0 - left) * go("right", below_is_crisp).0, true)
}

/// Walks all rows by hand and returns how many are undecided.
fn check_walks(model: &Model, rows: &[Vec<f64>]) -> usize {
    let lines = read_table(&to_table(model.single_tree().unwrap()));
    let flat = rows.concat();
    let matrix = Matrix::row_major(&flat, model.schema().n_features()).unwrap();
    let predictions = model.predict(matrix, &Exec::default()).unwrap();
    for (row, values) in rows.iter().enumerate() {
        let crisp = model.routing() == Routing::Crisp;
        let (p, undecided) = walk_table(&lines, model, 0, values, crisp);
        assert!((p - predictions.distribution(row)[1]).abs() < 1e-12, "{values:?}");
        assert_eq!(Verdict::decided_if(!undecided), predictions.verdicts()[row], "{values:?}");
    }
    predictions.verdicts().iter().filter(|v| v.is_undecided()).count()
}

#[test]
fn walking_the_table_by_hand_gives_the_predictions() {
    let sample = Sample::generated(21, 500, 2);
    for routing in Routing::ALL {
        for kind in [ZoneKind::Margin, ZoneKind::quality_plateau(), ZoneKind::class_overlap()] {
            let params = TreeParams { max_depth: Some(4), ..TreeParams::default() };
            let model = sample.fit(&params.with_zone(kind), routing);
            let undecided = check_walks(&model, &sample.rows);
            assert_eq!(undecided == 0, routing == Routing::Crisp, "zones must be met to be tested");
        }
    }
}

/// Patients with a job, an education and a glucose value, the last two sometimes missing.
fn patients(rows: usize) -> (Vec<Vec<f64>>, Dataset) {
    let jobs = ["clerk", "pilot", "nurse, \"head\"", "miner", "cook", "never seen"];
    let features = vec![
        Feature::categories("job", jobs),
        Feature::ordered("education", ["none", "Bachelors", "Masters", "PhD"]),
        Feature::number("glucose"),
    ];
    let schema = Schema::new(features, vec!["healthy".into(), "ill".into()]).unwrap();
    let mut state = 5u64;
    let mut random = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
        (state >> 33) % bound
    };
    let mut labels = Vec::new();
    let values: Vec<Vec<f64>> = (0..rows)
        .map(|_| {
            let (job, education, glucose) = (random(25) as usize, random(4), random(80));
            let job =
                [0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 1][job];
            let risk = [1, 3, 4, 7, 5][job] + education + u64::from(glucose > 50) * 4;
            labels.push(u32::from(random(14) < risk));
            let missing = |absent, value: u64| if absent { f64::NAN } else { value as f64 };
            let (no_education, no_glucose) = (random(9) == 0, random(6) == 0 && job != 3);
            vec![job as f64, missing(no_education, education), missing(no_glucose, 90 + glucose)]
        })
        .collect();
    let columns = Columns::from_rows(&values.concat(), 3).unwrap();
    (values, Dataset::with_schema(columns, labels, schema).unwrap())
}

fn fitted(missing: MissingValues, routing: Routing, data: &Dataset) -> Model {
    let params = TreeParams { max_depth: Some(5), missing, ..TreeParams::default() };
    Learner::new(params, routing).unwrap().fit(data, &Exec::default()).unwrap()
}

#[test]
fn walking_the_table_of_categories_and_missing_values_gives_the_predictions() {
    let (mut rows, data) = patients(400);
    // Known but never seen, not known at all, and everything missing.
    rows.extend([vec![5.0, 1.0, 130.0], vec![6.0, 2.0, 100.0], vec![f64::NAN; 3]]);
    for missing in [MissingValues::Learn, MissingValues::Unknown] {
        for routing in Routing::ALL {
            let model = fitted(missing, routing, &data);
            let undecided = check_walks(&model, &rows);
            assert!((3..300).contains(&undecided), "{undecided}");
            let lines = read_table(&to_table(model.single_tree().unwrap()));
            let with = |column: &str, word: &str| lines.iter().any(|line| line[column] == word);
            assert!(with("test", "categories") && with("test", "threshold"));
            let learned = with("missing", "left") || with("missing", "right");
            assert_eq!(learned, missing == MissingValues::Learn);
        }
    }
}

/// The trees of patients with jobs and missing values, and one test of every kind.
#[test]
fn categories_and_missing_values_in_text_and_dot() {
    let (_, data) = patients(400);
    let text = |routing, depth| {
        let model = fitted(MissingValues::Learn, routing, &data);
        to_text(
            model.single_tree().unwrap(),
            TextOptions { max_depth: depth, ..TextOptions::default() },
        )
    };
    insta::assert_snapshot!("text_categories", text(Routing::Probabilistic, 3));
    insta::assert_snapshot!("text_categories_three_child", text(Routing::HardMiddle, 2));
    insta::assert_snapshot!(
        "text_every_kind",
        to_text(every_kind().single_tree().unwrap(), TextOptions::default())
    );
    insta::assert_snapshot!("dot_every_kind", to_dot(every_kind().single_tree().unwrap()));
    insta::assert_snapshot!("table_every_kind", to_table(every_kind().single_tree().unwrap()));
}

/// Categories with hostile names, an ordered feature and a feature that may be missing.
fn every_kind() -> Model {
    let jobs = ["clerk", "a, b", "two\nlines", "\"<|>\"", "日本", "it's", "", "\\"];
    let features = vec![
        Feature::categories("job", jobs),
        Feature::ordered("education", ["none", "Bachelors", "Masters", "PhD"]),
        Feature::number("glucose"),
    ];
    let schema = Schema::new(features, vec!["healthy".into(), "ill".into()]).unwrap();
    let positions = [0.1, 0.2, 0.35, 0.45, 0.8, 0.7, 0.15, 0.9];
    let places = (0..8).map(|id| place(id, 100 - id, positions[id as usize], 0.04)).collect();
    let cut = CategoryCut::new(Axis::ClassShare(1), 0.4, 2.0, places).unwrap();
    let education = Test::new(1, Zone::new(1.5, 1.0).unwrap()).with_missing(Missing::Left);
    let mut builder = TreeBuilder::new(3, 2);
    builder.split_by(&Test::of_categories(0, cut).with_missing(Missing::Right));
    builder.split_by(&education);
    builder.leaf(&[300.0, 10.0]);
    builder.leaf(&[60.0, 30.0]);
    builder.split_by(&Test::is_present(2));
    builder.leaf(&[20.0, 280.0]);
    builder.leaf(&[50.0, 20.0]);
    Model::new(builder.finish().unwrap(), schema, Recipe::default()).unwrap()
}

/// A cut that separates 200 categories.
fn many_categories() -> Model {
    let names: Vec<String> = (0..200).map(|id| format!("category number {id}")).collect();
    let schema = Schema::new(
        vec![Feature::categories("c", names)],
        vec![ClassName::from("a"), ClassName::from("b")],
    );
    // The most frequent come first: on the left 0, 2, 4, ..., on the right 1, 3, 5, ...
    let places = (0..200).map(|id| place(id, 1000 - id, f64::from(id % 2), 0.1)).collect();
    let cut = CategoryCut::new(Axis::ClassShare(1), 0.5, 0.0, places).unwrap();
    let mut builder = TreeBuilder::new(1, 2);
    builder.split_by(&Test::of_categories(0, cut));
    builder.leaf(&[1.0, 0.0]);
    builder.leaf(&[0.0, 1.0]);
    Model::new(builder.finish().unwrap(), schema.unwrap(), Recipe::default()).unwrap()
}

#[test]
fn long_lists_of_categories_are_cut_short() {
    let model = many_categories();
    let options = TextOptions { width: None, ..TextOptions::default() };
    let text = to_text(model.single_tree().unwrap(), options);
    let left = "in {category number 0, category number 2, category number 4 and 97 more}: a with 1";
    assert!(text.contains(left), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 120), "{text}");
    let all =
        to_text(model.single_tree().unwrap(), TextOptions { all_categories: true, ..options });
    assert!(!all.contains(" more") && all.contains(", category number 199}: b with 1"), "{all}");
    let table = read_table(&to_table(model.single_tree().unwrap()));
    let right: Vec<String> = serde_json::from_str(&table[0]["categories_right"]).unwrap();
    assert_eq!((right.len(), right[99].as_str()), (100, "category number 199"));
}

/// Bars lead from a node to its children, past the lines that continue its text.
#[test]
fn long_lines_are_broken_beside_the_branches() {
    let narrow = TextOptions { width: Some(46), ..TextOptions::default() };
    insta::assert_snapshot!("text_narrow", to_text(every_kind().single_tree().unwrap(), narrow));
    insta::assert_snapshot!(
        "text_narrow_three_child",
        to_text(glucose_model(Routing::HardMiddle).single_tree().unwrap(), narrow)
    );
    for (model, depth) in [(every_kind(), 2), (many_categories(), 1)] {
        for width in 0..130 {
            let options = TextOptions { width: Some(width), all_categories: true, max_depth: 9 };
            let text = to_text(model.single_tree().unwrap(), options);
            // Every level indents by 3 columns, and 30 are always left.
            let widest = width.max(3 * depth + 30);
            assert!(text.lines().all(|line| line.chars().count() <= widest), "{width}:\n{text}");
            let unbroken =
                to_text(model.single_tree().unwrap(), TextOptions { width: None, ..options });
            let letters = |text: &str| text.replace([' ', '\n', '│'], "");
            assert_eq!(letters(&text), letters(&unbroken), "{width}");
        }
    }
}

/// The numbers in the table are exactly the tree's; so are the branches in the drawings.
#[test]
fn every_export_has_every_node() {
    let sample = Sample::generated(22, 300, 4);
    for routing in [Routing::Probabilistic, Routing::HardMiddle] {
        let model = sample.fit(&TreeParams::default(), routing);
        let tree = &model.trees()[0];
        let lines = read_table(&to_table(model.single_tree().unwrap()));
        let (text, dot) = (
            to_text(
                model.single_tree().unwrap(),
                TextOptions { width: None, ..TextOptions::default() },
            ),
            to_dot(model.single_tree().unwrap()),
        );
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

/// A chain of tests of one feature: `n` leaves, the deeper ones with fewer rows.
fn chain(n: u32) -> Model {
    let mut builder = TreeBuilder::new(1, 2);
    let counts: Vec<[f64; 2]> =
        (0..n).map(|leaf| [f64::from(3 * (n - leaf)), f64::from(n - leaf)]).collect();
    for (leaf, counts) in counts.iter().enumerate() {
        if leaf + 1 < n as usize {
            builder.split(0, Zone::new(leaf as f64 + 0.5, 0.25).unwrap());
        }
        builder.leaf(counts);
    }
    let classes = vec![ClassName::from("good"), ClassName::from("bad")];
    let schema = Schema::new(vec![Feature::number("income")], classes).unwrap();
    Model::new(builder.finish().unwrap(), schema, Recipe::default()).unwrap()
}

#[test]
fn a_large_tree_is_summarised_by_the_rules_with_the_most_rows() {
    assert!(is_readable(&chain(32).trees()[0]));
    let model = chain(40);
    assert!(!is_readable(&model.trees()[0]));
    let options = SummaryOptions { n_rules: 3, width: Some(60) };
    // Of 4 (1 + ... + 40) rows, the first leaves have 160, 156 and 152.
    assert_eq!(
        to_summary(model.single_tree().unwrap(), options),
        "\
40 leaves, depth 39. The 3 rules with the most training rows, 14 % of all:

 rows  class        if
4.9 %  good   75 %  income below 0.5
4.8 %  good   75 %  income above 0.5 and below 1.5
4.6 %  good   75 %  income above 1.5 and below 2.5
"
    );
}

/// A complete tree of this depth.
fn complete(depth: u32, class: &str) -> Model {
    fn grow(builder: &mut TreeBuilder, depth: u32) {
        if depth == 0 {
            builder.leaf(&[1.0, 2.0]);
            return;
        }
        builder.split(0, Zone::new(f64::from(depth), 0.0).unwrap());
        (0..2).for_each(|_| grow(builder, depth - 1));
    }
    let mut builder = TreeBuilder::new(1, 2);
    grow(&mut builder, depth);
    let classes = vec![ClassName::from("good"), ClassName::from(class)];
    let schema = Schema::new(vec![Feature::number("income")], classes).unwrap();
    Model::new(builder.finish().unwrap(), schema, Recipe::default()).unwrap()
}

#[test]
fn onnx_files_too_large_to_serve_are_refused() {
    let large = "b".repeat(100_000_000);
    let nodes = "it has 262143 nodes, and more than 200000 are slow to load; ";
    let bytes = "and at most 100000000 are written; ";
    for (model, reason) in [(complete(17, "bad"), nodes), (complete(1, &large), bytes)] {
        let error = to_onnx(&model, OnnxOptions::default()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(error.ends_with("serve the model file itself, or fit fewer or smaller trees"));
        assert!(to_onnx(&model, OnnxOptions { force_large: true }).is_ok(), "{reason}");
    }
    assert!(to_onnx(&complete(16, "bad"), OnnxOptions::default()).is_ok());
}

/// Zones, categories and large single trees take many operators per row, and the command says so.
#[test]
fn what_runtimes_are_slow_at_is_known() {
    assert!(!is_slow(&complete(8, "bad")), "511 nodes");
    assert!(is_slow(&complete(9, "bad")), "1023 nodes");
    let forest = |kind: ZoneKind, feature: Feature| {
        let values = (0..40).map(|row| f64::from(row % 4)).collect();
        let labels = (0..40).map(|row| u32::from(row % 4 > 1)).collect();
        let schema = Schema::new(vec![feature], vec!["good".into(), "bad".into()]).unwrap();
        let columns = Columns::from_columns(values, 1).unwrap();
        let data = Dataset::with_schema(columns, labels, schema).unwrap();
        let params = TreeParams::default().with_zone(kind);
        let recipe = Recipe { params, ensemble: of_three().into(), ..Recipe::default() };
        Learner::from_recipe(recipe).unwrap().fit(&data, &Exec::default()).unwrap()
    };
    assert!(!is_slow(&forest(ZoneKind::None, Feature::number("income"))));
    assert!(is_slow(&forest(ZoneKind::Spread, Feature::number("income"))));
    assert!(is_slow(&forest(ZoneKind::None, Feature::categories("job", ["a", "b", "c", "d"]))));
}

fn of_three() -> ForestParams {
    ForestParams { n_trees: 3, exponent: Exponent::Off, ..ForestParams::default() }
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
    let dot = to_dot(model.single_tree().unwrap());
    assert!(
        dot.contains("label=\"a \\\"b\\\", c\\\\ 1, uncertain between 0.5 and 1.5\\n"),
        "{dot}"
    );
    assert!(dot.contains("label=\"yes\\nor so 1.000\\n"), "{dot}");
    let table = to_table(model.single_tree().unwrap());
    assert!(table.contains(",\"a \"\"b\"\", c\\\",1,0.5,"), "{table}");
    assert!(table.contains(",\"no, \"\"never\"\"\","), "{table}");
    assert!(table.contains(",\"yes\nor so\","), "{table}");
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
}
