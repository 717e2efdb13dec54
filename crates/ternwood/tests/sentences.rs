//! Does the reason of a verdict by confidence or costs say what it hinges on, and what would decide it?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use support::policies::catching;
use ternwood::tree::{Axis, CategoryCut, CategoryPlace, Test, TreeBuilder, Zone};
use ternwood::verdict::{
    CalibrationRows, CalibrationSource, ConfidencePolicy, Promises, Uncovered, VerdictRule,
};
use ternwood::{ClassName, Feature, Model, Recipe, Routing, Schema};

const MISSING: f64 = f64::NAN;

fn model(tree: TreeBuilder, features: Vec<Feature>, routing: Routing) -> Model {
    let classes = ["healthy", "ill"].map(ClassName::from).to_vec();
    let schema = Schema::new(features, classes).unwrap();
    let recipe = Recipe { routing, ..Recipe::default() };
    Model::new(tree.finish().unwrap(), schema, recipe).unwrap()
}

fn numbers(names: &[&str]) -> Vec<Feature> {
    names.iter().map(|name| Feature::number(*name)).collect()
}

fn by_cost(model: Model, cost_ratio: f64) -> Model {
    model.with_verdict(ConfidencePolicy::of_cost_ratio(cost_ratio).unwrap()).unwrap()
}

/// The same model, which judges rows that its training table does not cover.
fn judging(model: Model) -> Model {
    let policy = model.verdict().clone().with_uncovered(Uncovered::Judge).unwrap();
    model.with_verdict(policy).unwrap()
}

fn sentence(model: &Model, row: &[f64]) -> String {
    model.explain(row).unwrap().sentence().unwrap_or_default()
}

fn zone(threshold: f64, half_width: f64) -> Zone {
    Zone::new(threshold, half_width).unwrap()
}

/// Glucose, and age on both sides of it: healthy with 0.95, 0.6, 0.7 and 0.2.
fn patients() -> Model {
    let mut tree = TreeBuilder::new(2, 2);
    tree.split(0, zone(127.0, 1.0));
    tree.split(1, zone(55.0, 4.0));
    tree.leaf(&[95.0, 5.0]);
    tree.leaf(&[60.0, 40.0]);
    tree.split(1, zone(60.0, 2.0));
    tree.leaf(&[70.0, 30.0]);
    tree.leaf(&[20.0, 80.0]);
    model(tree, numbers(&["glucose", "age"]), Routing::Probabilistic)
}

#[test]
fn two_tests_are_named_the_stronger_first() {
    let model = by_cost(patients(), 0.2);
    // 126.5 goes left by 0.75, 55 there by 0.5; on the right it is below the uncertainty zone from 58 to 62.
    // 0.75 * (0.95 + 0.6) / 2 + 0.25 * 0.7 = 0.75625. At age 53.667, left by 2/3, it is 0.8; glucose alone
    // gives at most 0.775.
    assert_eq!(
        sentence(&model, &[126.5, 55.0]),
        "Flagged: 76 % sure, below 80 %. It hinges on age 55 (uncertain between 51 and 59) and glucose 126.5 (uncertain between \
         126 and 128). A single change would decide it: age 53.6 (healthy)."
    );
    // With a flag at 0.23 of an error, 0.77 is enough: glucose 126.133, or age 54.581.
    let either = "A single change would decide it: age 54.58 (healthy) or glucose 126.1 (healthy).";
    let text = sentence(&by_cost(patients(), 0.23), &[126.5, 55.0]);
    assert!(text.ends_with(either), "{text}");
    let text = sentence(&by_cost(patients(), 0.02), &[126.5, 55.0]);
    assert!(text.ends_with("No single change would decide it."), "{text}");
}

/// The class to catch is named with its probability, and the hinges are those of that probability.
#[test]
fn a_class_that_is_still_possible_is_named() {
    let catching = |threshold| patients().with_verdict(catching(1, threshold, 2)).unwrap();
    // 0.24 is ill. Age 53.286 makes it 0.18, and no glucose does: at 126 it is 0.225.
    assert_eq!(
        sentence(&catching(0.18), &[126.4, 55.0]),
        "Flagged: could still be ill: 24 %, above 18 %. It hinges on age 55 (uncertain between \
         51 and 59) and glucose 126.4 (uncertain between 126 and 128). A single change would decide it: age 53.2 (healthy)."
    );
    assert_eq!(
        sentence(&catching(0.25), &[126.4, 55.0]),
        "Decided although age 55 lies within the uncertainty zone from 51 to 59 and glucose 126.4 \
         lies within the uncertainty zone from 126 to 128: ill has 24 %, not above 25 %."
    );
    // With 0.72 it is predicted ill.
    let decided = sentence(&catching(0.1), &[127.9, 61.5]);
    assert!(decided.ends_with(": rows predicted ill are always decided."), "{decided}");
    // Without an unsure test, the rows of the leaf are mixed. From glucose 126.5 on it is ill, up to
    // age 58.43 less than 0.375.
    assert_eq!(
        sentence(&catching(0.375), &[100.0, 62.0]),
        "Flagged: could still be ill: 40.0 %, above 37.5 %. No test is near its threshold: the \
         training rows like this one are mixed (40 of 100 are ill). A single change would decide \
         it: glucose 127 (ill) or age 58.4 (healthy)."
    );
}

/// Both tests of age are unsure at 58.5; only the stronger is named. Glucose hardly matters there.
#[test]
fn a_feature_is_named_once() {
    let model = by_cost(patients(), 0.1);
    let text = sentence(&model, &[127.0, 58.5]);
    assert_eq!(text.matches("age 58.5").count(), 1, "{text}");
    assert!(text.contains("; 2 more tests are unsure. "), "{text}");
}

#[test]
fn at_most_three_are_named_and_the_others_counted() {
    let mut tree = TreeBuilder::new(5, 2);
    for feature in 0..5 {
        tree.split(feature, zone(0.0, 1.0));
        tree.leaf(&[1.0, 1.0]);
    }
    tree.leaf(&[1.0, 9.0]);
    let plain = model(tree, numbers(&["a", "b", "c", "d", "e"]), Routing::Probabilistic);
    let cost = by_cost(plain.clone(), 0.05);
    let text = sentence(&cost, &[-0.5, 0.5, 0.5, 0.5, 0.5]);
    // 0.5 + 0.4 * 0.25 * 0.75^4 = 0.5316.
    assert_eq!(
        text,
        "Flagged: 53 % sure, below 95 %. It hinges on a -0.5 (uncertain between -1 and 1), b 0.5 (uncertain between -1 and 1) and c \
         0.5 (uncertain between -1 and 1); 2 more tests are unsure. No single change would decide it."
    );
    // By zones, each is a reason of its own.
    let all = sentence(&plain, &[-0.5, 0.5, 0.5, 0.5, 0.5]);
    assert_eq!(all.matches("lies within").count(), 5, "{all}");
    assert_eq!((all.matches(", ").count(), all.matches(" and ").count()), (3, 1), "{all}");
}

#[test]
fn tests_that_change_nothing_are_only_counted() {
    let mut tree = TreeBuilder::new(2, 2);
    for feature in 0..2 {
        tree.split(feature, zone(0.0, 1.0));
        tree.leaf(&[3.0, 2.0]);
    }
    tree.leaf(&[3.0, 2.0]);
    let plain = model(tree, numbers(&["a", "b"]), Routing::Probabilistic);
    assert_eq!(
        sentence(&by_cost(plain.clone(), 0.2), &[0.0, 0.0]),
        "Flagged: 60 % sure, below 80 %. 2 tests are unsure, but none by itself changes this by 1 %. \
         No single change would decide it."
    );
    assert_eq!(
        sentence(&by_cost(plain, 0.45), &[0.0, 0.0]),
        "Decided although 2 tests are unsure: 60 % sure, not below 55 %."
    );
}

#[test]
fn a_leaf_of_mixed_rows_says_so() {
    let model = by_cost(patients(), 0.2);
    assert_eq!(
        sentence(&model, &[120.0, 70.0]),
        "Flagged: 60 % sure, below 80 %. No test is near its threshold: the training rows like this one \
         are mixed (60 of 100 are healthy). A single change would decide it: glucose 128 (ill) or age 54 \
         (healthy)."
    );
    assert_eq!(sentence(&model, &[120.0, 40.0]), "");
}

#[test]
fn what_is_unknown_is_decided_by_what_it_could_be() {
    let place = |category, rows, position, standard_error| CategoryPlace {
        category,
        rows,
        position,
        standard_error,
    };
    let places =
        vec![place(0, 120, 0.1, 0.03), place(1, 3, 1.0 / 3.0, 0.24), place(3, 89, 0.9, 0.03)];
    let jobs = CategoryCut::new(Axis::ClassShare(1), 0.41, 2.0, places).unwrap();
    let mut tree = TreeBuilder::new(3, 2);
    tree.split_by(&Test::of_categories(0, jobs));
    tree.split(1, zone(127.0, 1.0));
    tree.leaf(&[90.0, 10.0]);
    tree.leaf(&[20.0, 20.0]);
    tree.split(2, zone(1.5, 0.25));
    tree.leaf(&[15.0, 35.0]);
    tree.leaf(&[3.0, 47.0]);
    let features = vec![
        Feature::categories("job", ["clerk", "pilot", "nurse", "miner"]),
        Feature::number("glucose"),
        Feature::ordered("education", ["none", "Bachelors", "Masters"]),
    ];
    let plain = model(tree, features, Routing::Probabilistic);
    let cost = judging(by_cost(plain, 0.12));
    assert_eq!(
        sentence(&cost, &[1.0, 120.0, 0.0]),
        "Flagged: 65 % sure, below 88 %. It hinges on job 'pilot' (3 rows, 33 % ill, standard error 24 %, \
         within 2 standard errors of the cut at 41 %). A single change would decide it: job clerk (healthy)."
    );
    assert_eq!(
        sentence(&cost, &[2.0, 120.0, 0.0]),
        "Flagged: 65 % sure, below 88 %. It hinges on job 'nurse' (not among the 240 training rows of \
         this test). A single change would decide it: job clerk (healthy)."
    );
    assert_eq!(
        sentence(&cost, &[0.0, MISSING, 0.0]),
        "Flagged: 79 % sure, below 88 %. It hinges on glucose (missing). A single change would decide it: \
         glucose 126 (healthy)."
    );
    assert_eq!(
        sentence(&cost, &[3.0, 120.0, MISSING]),
        "Flagged: 82 % sure, below 88 %. It hinges on education (missing). A single change would decide \
         it: education Masters (ill) or job clerk (healthy)."
    );
    let unreadable = cost.explain(&[0.0, ternwood::UNKNOWN, 0.0]).unwrap().with_unseen(1, "12?5");
    let text = unreadable.sentence().unwrap();
    assert!(text.contains("glucose '12?5' (could not be read). A single change"), "{text}");
    assert!(text.ends_with("would decide it: glucose 126 (healthy)."), "{text}");
}

#[test]
fn rows_of_every_routing_are_decided_by_other_values() {
    let mut tree = TreeBuilder::three_child(1, 2);
    tree.split(0, zone(127.0, 1.0));
    tree.leaf(&[9.0, 1.0]);
    tree.leaf(&[3.0, 2.0]);
    tree.leaf(&[1.0, 9.0]);
    let middle = by_cost(model(tree, numbers(&["glucose"]), Routing::HardMiddle), 0.2);
    assert_eq!(
        sentence(&middle, &[127.0]),
        "Flagged: 60 % sure, below 80 %. It hinges on glucose 127 (uncertain between 126 and 128). A single change would \
         decide it: glucose 126 (healthy) or glucose 128.1 (ill)."
    );
    let mut tree = TreeBuilder::new(1, 2);
    tree.split(0, zone(127.0, 1.0));
    tree.leaf(&[12.0, 8.0]);
    tree.leaf(&[1.0, 9.0]);
    let crisp = judging(by_cost(model(tree, numbers(&["glucose"]), Routing::Crisp), 0.2));
    assert_eq!(
        sentence(&crisp, &[MISSING]),
        "Flagged: 60 % sure, below 80 %. It hinges on glucose (missing). A single change would decide it: \
         glucose 127.1 (ill)."
    );
}

/// Of `rows`, pairs of the probability of "ill" and the truth.
fn promising(model: Model, promises: Promises, rows: &[(f64, u32)]) -> Model {
    let probabilities: Vec<f64> = rows.iter().flat_map(|(ill, _)| [1.0 - ill, *ill]).collect();
    let labels: Vec<u32> = rows.iter().map(|(_, label)| *label).collect();
    let classes = model.schema().classes().to_vec();
    let source = CalibrationSource::HeldOut;
    let rows = CalibrationRows::new(&probabilities, &labels, &classes, source).unwrap();
    model.with_verdict(rows.policy(VerdictRule::Promises(promises)).unwrap()).unwrap()
}

#[test]
fn one_of_two_classes_is_ruled_in_or_out() {
    // 500 rows each that are surely healthy and surely ill, and 100 between of which half are ill.
    let sure = (0..500).flat_map(|_| [(0.0625, 0), (0.9375, 1)]);
    let between = (0..100).flat_map(|_| [(0.25, 0), (0.25, 1), (0.75, 1), (0.75, 0)]);
    let rows: Vec<(f64, u32)> = sure.chain(between).collect();
    let promises = Promises {
        precision: vec![None, Some(0.9)],
        miss_rate: vec![None, Some(0.02)],
        confidence: 0.9,
    };
    let model = promising(patients(), promises, &rows);
    // As above, but 57 goes left by a quarter: 0.75 * (0.25 * 0.95 + 0.75 * 0.6) + 0.25 * 0.7.
    let text = sentence(&model, &[126.5, 57.0]);
    assert!(
        text.starts_with(
            "Flagged, look again: 69.1 % healthy, and to rule out ill takes 75.0 %. It hinges on age 57 \
             (uncertain between 51 and 59); 1 more test is unsure. A single change would decide it: age 55.1 (healthy)."
        ),
        "{text}"
    );
    let text = sentence(&model, &[126.5, 55.0]);
    assert!(
        text.starts_with(
            "Ruled out (ill) although age 55 lies within the uncertainty zone from 51 to 59"
        ),
        "{text}"
    );
    assert!(text.ends_with(": 75.6 % healthy, and that takes 75.0 %."), "{text}");
}

#[test]
fn a_class_that_is_never_decided_says_why() {
    // Misses of the ill forbid thresholds up to 0.875, and above it nobody was predicted healthy.
    let healthy = std::iter::repeat_n((0.25, 0), 40);
    let missed = std::iter::repeat_n((0.125, 1), 4);
    let rows: Vec<_> = healthy.chain(missed).chain(std::iter::repeat_n((0.875, 1), 90)).collect();
    let promises = Promises {
        precision: vec![Some(0.75), None],
        miss_rate: vec![None, Some(0.0625)],
        confidence: 0.9,
    };
    let model = promising(patients(), promises, &rows);
    assert_eq!(
        sentence(&model, &[120.0, 40.0]),
        "Flagged: rows predicted healthy are never decided, because no threshold that misses few enough \
         rows is known to have a precision of 75 %. No test is near its threshold: the training rows like \
         this one are mixed (95 of 100 are healthy). No single change would decide it."
    );
}
