//! Writes pages of random models, and what the library answers: `make test-browser` compares the answers of
//! the pages with it, bit by bit.
//!
//! `cargo run -p ternwood-page --example browser_cases -- FOLDER MODELS SEED`
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "a program for tests")]

use serde_json::{Value, json};
use std::path::Path;
use ternwood::tree::{Axis, CategoryCut, CategoryPlace, Digits, Missing, Test, TreeBuilder, Zone};
use ternwood::verdict::{ConfidencePolicy, CostMatrix, CostPolicy, Uncovered};
use ternwood::{
    Exec, Feature, Matrix, Model, Recipe, Routing, Schema, UNKNOWN, VerdictPolicy, ZoneKind,
    is_unknown_value,
};
use ternwood_page::Page;

const ROWS: usize = 150;
const DEPTH: usize = 4;
/// Numbers that are hard to compare, to add and to print.
const HARD: [f64; 14] = [
    0.0,
    -0.0,
    5e-324,
    f64::MIN_POSITIVE,
    1e308,
    -1e308,
    f64::MAX,
    f64::MIN,
    0.1,
    0.3,
    1.0 / 3.0,
    9_007_199_254_740_993.0,
    -127.45,
    1e-7,
];
/// Names that want to be more than text.
const HOSTILE: [&str; 6] = [
    "</script><script>window.hacked = true</script>",
    "\"'><img src=x onerror=hacked()>",
    "\u{1f9ea}\u{1f469}\u{200d}\u{1f52c} 4 bytes",
    "",
    "line\nbreak \u{2028} <!-- ]]> &amp; \\u003c",
    "'; DROP TABLE patients; --",
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, models, seed] = &arguments[..] else { panic!("FOLDER MODELS SEED") };
    let mut random =
        Random(seed.parse::<u64>().unwrap().wrapping_mul(0x9e37_79b9).wrapping_add(77));
    for index in 0..models.parse::<usize>().unwrap() {
        let hard = index % 3 == 2;
        let case = Case::new(&mut random, index, hard);
        let folder = Path::new(folder);
        std::fs::write(folder.join(format!("{index}.html")), case.page()).unwrap();
        std::fs::write(folder.join(format!("{index}.json")), case.answers(&mut random).to_string())
            .unwrap();
    }
    println!("{models} models in {folder}");
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1 << 30)
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

struct Case {
    model: Model,
    /// True if its numbers are too hard for people.
    hard: bool,
}

impl Case {
    fn new(random: &mut Random, index: usize, hard: bool) -> Self {
        let routing = random.one_of(&[
            Routing::Probabilistic,
            Routing::Deferred,
            Routing::HardMiddle,
            Routing::Crisp,
        ]);
        let n_classes = 2 + random.below(3);
        let schema = schema(random, index, n_classes);
        let mut builder = match routing.needs_three_children() {
            true => TreeBuilder::three_child(4, n_classes),
            false => TreeBuilder::new(4, n_classes),
        };
        let children = if routing.needs_three_children() { 3 } else { 2 };
        grow(random, &mut builder, (n_classes, children, hard), 0);
        let tree = builder.finish().unwrap();
        // Zones of every meaning.
        let kind = match index % 4 {
            0 => ZoneKind::Margin,
            1 => ZoneKind::Spread,
            2 => ZoneKind::node_bootstrap(),
            _ => ZoneKind::Specified { half_widths: vec![1.0; 4] },
        };
        // As of a tree that was taken from a forest.
        let least_share = match index % 5 {
            1 if routing != Routing::Deferred => 0.25,
            3 if routing != Routing::Deferred => 0.1,
            _ => 0.0,
        };
        let recipe = Recipe { routing, least_share, ..Recipe::default() };
        let recipe = Recipe { params: recipe.params.with_zone(kind), ..recipe };
        let model = Model::new(tree, schema, recipe).unwrap();
        let policy = policy(random, n_classes);
        // Promises stand for those of held-out rows.
        let judged = random.below(3) == 0 && policy.achieved().is_none();
        let policy = if judged { policy.with_uncovered(Uncovered::Judge).unwrap() } else { policy };
        let model = model.with_verdict(policy).unwrap();
        Self { model, hard }
    }

    fn page(&self) -> String {
        Page::new(&self.model).unwrap().with_title(HOSTILE[0]).html().unwrap()
    }

    /// The rows, and what the library says of them. Numbers are written as their bits.
    fn answers(&self, random: &mut Random) -> Value {
        let rows: Vec<Vec<f64>> = (0..ROWS).map(|_| self.row(random)).collect();
        let values = rows.concat();
        let matrix = Matrix::row_major(&values, 4).unwrap();
        let answers = self.model.predict(matrix, &Exec::default()).unwrap();
        let of_row = |(index, row): (usize, &Vec<f64>)| {
            let explained = self.model.explain(row).unwrap();
            json!({
                "row": row.iter().map(|&x| written(x)).collect::<Vec<_>>(),
                "p": answers.distribution(index).iter().map(|&p| written(p)).collect::<Vec<_>>(),
                "class": answers.classes()[index],
                "decided": answers.verdicts()[index].is_decided(),
                "sentence": explained.sentence(),
            })
        };
        json!({ "hard": self.hard, "rows": rows.iter().enumerate().map(of_row).collect::<Vec<_>>() })
    }

    fn row(&self, random: &mut Random) -> Vec<f64> {
        (0..4).map(|feature| self.value(random, feature)).collect()
    }

    fn value(&self, random: &mut Random, feature: usize) -> f64 {
        let names = self.model.schema().features()[feature].kind.names().len();
        match random.below(10) {
            0 => return f64::NAN,
            1 if names == 0 || feature == 2 => return UNKNOWN,
            _ if names > 0 => return random.below(names + usize::from(feature == 1)) as f64,
            _ => {}
        }
        let tests = self.model.trees()[0].tests();
        let zones = tests.filter(|test| test.feature().index() == feature).filter_map(Test::zone);
        let zones: Vec<Zone> = zones.collect();
        if zones.is_empty() || random.below(6) == 0 {
            return random.one_of(&HARD);
        }
        let zone = random.one_of(&zones);
        let within = zone.threshold() + zone.half_width() * (2.4 * random.unit() - 1.2);
        let edge = random.one_of(&[zone.lower(), zone.upper(), zone.threshold()]);
        let value = random.one_of(&[edge, edge.next_up(), edge.next_down(), within, within]);
        if value.is_finite() { value } else { zone.threshold() }
    }
}

/// Bits, so that nothing is lost on the way; NaN is missing.
fn written(x: f64) -> String {
    match x {
        _ if is_unknown_value(x) => "unread".to_owned(),
        _ if x.is_nan() => "missing".to_owned(),
        _ => format!("{:016x}", x.to_bits()),
    }
}

fn schema(random: &mut Random, index: usize, n_classes: usize) -> Schema {
    let hostile = index.is_multiple_of(2);
    let plain = ["glucose", "ward", "education", "age"];
    let name = |at: usize| if hostile { HOSTILE[at] } else { plain[at] };
    let wards = if hostile { HOSTILE } else { ["A", "B", "C", "D", "E", "F"] };
    let mut features = vec![
        Feature::number(name(0)),
        Feature::categories(name(1), wards),
        Feature::ordered(name(2), ["none", "school", "Bachelors", "Masters", "PhD"]),
        Feature::number(name(3)),
    ];
    for feature in &mut features {
        feature.gaps = random.below(2) == 0;
        let n = feature.kind.names().len() as u32;
        feature.absent = (0..n).filter(|_| random.below(5) == 0).collect();
        feature.open = n > 0 && random.below(4) == 0;
    }
    let classes = ["healthy", "ill", "unclear", "<b>other</b>"];
    let shift = random.below(2) * usize::from(n_classes < 4);
    Schema::new(features, classes[shift..shift + n_classes].iter().map(|&it| it.into()).collect())
        .unwrap()
}

/// A random subtree, in preorder.
fn grow(random: &mut Random, builder: &mut TreeBuilder, shape: (usize, usize, bool), depth: usize) {
    let (n_classes, children, hard) = shape;
    if depth == DEPTH || (depth > 0 && random.below(4) == 0) {
        let counts: Vec<f64> = (0..n_classes).map(|_| random.below(30) as f64).collect();
        let counts = if counts.iter().sum::<f64>() > 0.0 { counts } else { vec![1.0; n_classes] };
        return builder.leaf(&counts);
    }
    let (test, digits) = test(random, n_classes, hard);
    builder.split_by(&test);
    builder.show_with(digits);
    (0..children).for_each(|_| grow(random, builder, shape, depth + 1));
}

/// A test, and the digits that people see of it.
fn test(random: &mut Random, n_classes: usize, hard: bool) -> (Test, Option<Digits>) {
    let missing = random.one_of(&[Missing::Unknown, Missing::Left, Missing::Right]);
    let zone = |threshold: f64, half_width: f64| Zone::new(threshold, half_width.abs()).unwrap();
    let test = match random.below(7) {
        0 => Test::is_present(random.below(4) as u32),
        1 | 2 => Test::of_categories(1, categories(random, n_classes)).with_missing(missing),
        3 => {
            let half_width = random.one_of(&[0.0, 0.5, 1.5]);
            let test = Test::new(2, zone(random.below(4) as f64 + 0.5, half_width));
            return (test.with_missing(missing), Digits::new(1, [0, 0]).ok());
        }
        _ if hard => {
            let zone = zone(random.one_of(&HARD), random.one_of(&HARD));
            Test::new(random.one_of(&[0, 3]), zone).with_missing(missing)
        }
        _ => {
            let [threshold, half_width] =
                [120.0, 4.0].map(|size| (size * random.unit() * 8.0).round() / 8.0);
            let zone = zone(threshold, half_width);
            let test = Test::new(random.one_of(&[0, 3]), zone).with_missing(missing);
            return (test, Digits::fewest_for(zone, &[]));
        }
    };
    (test, None)
}

/// Four or five of the six categories have a place.
fn categories(random: &mut Random, n_classes: usize) -> CategoryCut {
    let left_out = random.below(6) as u32;
    let place = |(category, position): (u32, f64), random: &mut Random| CategoryPlace {
        category,
        rows: 1 + random.below(40) as u32,
        position,
        standard_error: random.unit() / 4.0,
    };
    let positions: Vec<f64> = (0..6).map(|id| if id == 0 { 0.05 } else { random.unit() }).collect();
    let places = (0..6u32).zip(positions).filter(|(id, _)| *id != left_out);
    let mut places: Vec<CategoryPlace> = places.map(|it| place(it, random)).collect();
    // Both sides must have one.
    places[0].position = 0.05;
    places[1].position = 0.95;
    let axis = match random.below(2) {
        0 => Axis::ClassShare(random.below(n_classes) as u32),
        _ => Axis::Direction(
            (0..n_classes).map(|class| class as f64 / (n_classes - 1) as f64).collect(),
        ),
    };
    let (threshold, error) = (0.1 + 0.8 * random.unit(), random.one_of(&[0.0, 1.0, 2.0]));
    CategoryCut::new(axis, threshold, error, places).unwrap()
}

fn policy(random: &mut Random, n_classes: usize) -> VerdictPolicy {
    match random.below(5) {
        0 => VerdictPolicy::default(),
        1 => ConfidencePolicy::of_cost_ratio(0.05 + 0.4 * random.unit()).unwrap().into(),
        2 => {
            let answer = (0..n_classes).map(|truth| {
                (0..n_classes).map(|c| if c == truth { 0.0 } else { 5.0 * random.unit() }).collect()
            });
            let answer = answer.collect();
            let flag = (0..n_classes).map(|_| random.unit()).collect();
            CostPolicy::new(CostMatrix::new(answer, flag).unwrap()).into()
        }
        3 => catching(random, n_classes),
        _ => promises(random, n_classes),
    }
}

/// A budget aimed at one class. A threshold of 0 flags whatever is possible.
fn catching(random: &mut Random, n_classes: usize) -> VerdictPolicy {
    let class = random.below(n_classes) as u32;
    let threshold = (20.0 * random.unit()).floor() / 40.0;
    let tally = json!({"rows": 1, "right": 1, "decided": 1, "decided_right": 1, "decided_for": 1});
    let document = json!({"catch": {
        "class": class,
        "flag_rate": 0.25,
        "threshold": threshold,
        "achieved": {"source": "held_out", "classes": vec![tally; n_classes]},
    }});
    serde_json::from_value(document).unwrap()
}

/// A threshold for every class, and one class that is never decided.
fn promises(random: &mut Random, n_classes: usize) -> VerdictPolicy {
    let never = random.below(n_classes + 1);
    let threshold = |class: usize, random: &mut Random| {
        (class != never).then(|| (40.0 * random.unit()).round() / 40.0)
    };
    let thresholds: Vec<Option<f64>> =
        (0..n_classes).map(|class| threshold(class, random)).collect();
    let mut miss_rate = vec![None; n_classes];
    miss_rate[0] = Some(0.1);
    let tally = json!({"rows": 0, "right": 0, "decided": 0, "decided_right": 0, "decided_for": 0});
    let document = json!({"confidence": {
        "threshold": thresholds,
        "rule": {"promises": {"precision": vec![Some(0.9); n_classes], "miss_rate": miss_rate, "confidence": 0.95}},
        "achieved": {"source": "held_out", "classes": vec![tally; n_classes]},
    }});
    serde_json::from_value(document).unwrap()
}
