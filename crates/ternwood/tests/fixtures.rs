//! On real data, are trees without zones scikit-learn's, and do zones match an independent
//! implementation in numpy?
//!
//! The fixtures come from `scripts/make_fixtures.py`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use support::naive::Naive;
use support::sample::Sample;
use support::trees::zone;
use ternwood::recipe::{Criterion, GainKind};
use ternwood::tree::{NodeId, Split};
use ternwood::{Routing, Tree, TreeParams, ZoneKind};

const DATA_SETS: [&str; 3] = ["breast_cancer", "wine", "iris"];
const CRITERIA: [Criterion; 2] = [Criterion::Gini, Criterion::Entropy];

fn read(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Values are 32-bit floats, because scikit-learn rounds its input to them.
fn sample(name: &str) -> Sample {
    let (mut rows, mut classes) = (Vec::new(), Vec::new());
    for line in read(&format!("{name}.csv")).lines().skip(1) {
        let (values, class) = line.rsplit_once(',').unwrap();
        let value = |text: &str| f64::from(text.parse::<f32>().unwrap());
        rows.push(values.split(',').map(value).collect());
        classes.push(class.parse().unwrap());
    }
    let n_classes = classes.iter().max().unwrap() + 1;
    Sample { rows, classes, n_classes, ..Sample::default() }
}

fn trees(name: &str) -> Value {
    serde_json::from_str(&read(&format!("{name}.trees.json"))).unwrap()
}

fn params(criterion: Criterion) -> TreeParams {
    TreeParams { criterion, max_depth: Some(4), ..TreeParams::default() }
}

fn class_rows(node: &Value) -> Vec<u32> {
    node["rows"].as_array().unwrap().iter().map(|rows| rows.as_u64().unwrap() as u32).collect()
}

/// The tested feature, the threshold and the half-width.
fn numbers(split: &Split) -> (usize, f64, f64) {
    let zone = zone(split);
    (split.test.feature().index(), zone.threshold(), zone.half_width())
}

/// Where the subtree at `at` ends, in a list in preorder of two-child nodes.
fn subtree_end(nodes: &[Value], at: usize) -> usize {
    if nodes[at]["feature"].is_null() {
        return at + 1;
    }
    subtree_end(nodes, subtree_end(nodes, at + 1))
}

/// Compares with scikit-learn node by node. Where they differ, two splits must have equal
/// gain: scikit-learn takes a random one and we the first. Returns these places.
fn compare_with_sklearn(sample: &Sample, criterion: Criterion, theirs: &[Value]) -> Vec<NodeId> {
    let params = TreeParams { zone: ZoneKind::None.into(), ..params(criterion) };
    let model = sample.fit(&params, Routing::Crisp);
    let naive = Naive::new(sample, &params, false);
    let (tree, walker) = (&model.trees()[0], model.single_tree().unwrap().walker());
    let mut excused = Vec::new();
    let mut waiting = vec![(NodeId::ROOT, 0)];
    while let Some((id, at)) = waiting.pop() {
        let node = &theirs[at];
        assert_eq!(tree.class_rows(id), class_rows(node), "node {id}");
        let impurity = node["impurity"].as_f64().unwrap();
        assert!((tree.impurity(id) - impurity).abs() < 1e-12, "node {id}");
        let rows: Vec<usize> = (0..sample.rows.len())
            .filter(|&row| walker.path(&sample.rows[row]).any(|node| node == id))
            .collect();
        let their_split = node["feature"]
            .as_u64()
            .map(|feature| (feature as usize, node["threshold"].as_f64().unwrap()));
        match (tree.node(id).as_split(), their_split) {
            (None, None) => {}
            (Some(split), Some((feature, threshold))) => {
                let (our_feature, our_threshold, _) = numbers(split);
                if (our_feature, our_threshold) == (feature, threshold) {
                    waiting.push((split.left, at + 1));
                    waiting.push((split.right, subtree_end(theirs, at + 1)));
                    continue;
                }
                let gain = naive.gain_of(&rows, our_feature, our_threshold);
                let their_gain = naive.gain_of(&rows, feature, threshold);
                assert!(
                    (gain - their_gain).abs() <= 1e-12,
                    "node {id}: ours {:?} gains {gain}, theirs {feature} {threshold} {their_gain}",
                    split.test
                );
                excused.push(id);
            }
            (ours, theirs) => panic!("node {id}: ours {ours:?}, theirs {theirs:?}"),
        }
    }
    excused
}

#[test]
fn without_zones_the_trees_are_scikit_learns() {
    let mut excused = Vec::new();
    for name in DATA_SETS {
        let (sample, trees) = (sample(name), trees(name));
        for criterion in CRITERIA {
            let theirs = trees["sklearn"][criterion.as_str()].as_array().unwrap();
            for node in compare_with_sklearn(&sample, criterion, theirs) {
                excused.push((name, criterion.as_str(), node.0));
            }
        }
    }
    // All 116 nodes agree except these two, where two splits have the same gain.
    assert_eq!(excused, [("breast_cancer", "gini", 11), ("breast_cancer", "entropy", 19)]);
}

fn kind(name: &str) -> ZoneKind {
    let plateau = |connected| ZoneKind::QualityPlateau { tolerance: 0.05, connected };
    let gain_ratio = |gain| ZoneKind::GainRatio { scale: 0.10, gain };
    match name {
        "quality_plateau" => plateau(false),
        "connected_plateau" => plateau(true),
        "class_overlap" => ZoneKind::ClassOverlap { tail: 0.10 },
        "gain_ratio" => gain_ratio(GainKind::Criterion),
        "information_gain_ratio" => gain_ratio(GainKind::Information),
        "margin" => ZoneKind::Margin,
        other => panic!("no kind is called {other}"),
    }
}

/// Node by node in preorder, with no excuse: the same candidates, the same ties.
fn compare_with_numpy(tree: &Tree, theirs: &[Value], half_width: impl Fn(&Value) -> f64) {
    assert_eq!(tree.n_nodes(), theirs.len());
    for (id, node) in tree.ids().zip(theirs) {
        assert_eq!(tree.class_rows(id), class_rows(node), "node {id}");
        let Some(split) = tree.node(id).as_split() else {
            assert!(node["feature"].is_null(), "node {id} is a leaf");
            continue;
        };
        let (feature, threshold, ours) = numbers(split);
        assert_eq!(Some(feature as u64), node["feature"].as_u64(), "node {id}");
        assert_eq!(Some(threshold), node["threshold"].as_f64(), "node {id}");
        let theirs = half_width(node);
        assert!((ours - theirs).abs() <= 1e-12 * theirs, "node {id}: {ours} is not {theirs}");
    }
}

#[test]
fn the_half_widths_are_those_of_numpy() {
    for name in DATA_SETS {
        let (sample, trees) = (sample(name), trees(name));
        let kinds = trees["kinds"].as_array().unwrap();
        for criterion in CRITERIA {
            let theirs = trees["two_child"][criterion.as_str()].as_array().unwrap();
            for (position, kind_name) in kinds.iter().enumerate() {
                let params = params(criterion).with_zone(kind(kind_name.as_str().unwrap()));
                let model = sample.fit(&params, Routing::Probabilistic);
                compare_with_numpy(&model.trees()[0], theirs, |node| {
                    node["half_widths"][position].as_f64().unwrap()
                });
            }
        }
    }
}

#[test]
fn the_three_child_trees_are_those_of_numpy() {
    for name in DATA_SETS {
        let (sample, trees) = (sample(name), trees(name));
        for (kind_name, theirs) in trees["three_child"].as_object().unwrap() {
            let params = params(Criterion::Gini).with_zone(kind(kind_name));
            let model = sample.fit(&params, Routing::HardMiddle);
            let theirs = theirs.as_array().unwrap();
            compare_with_numpy(&model.trees()[0], theirs, |node| {
                node["half_width"].as_f64().unwrap()
            });
        }
    }
}
