//! Does a model come back from its file as it was, and do old files still load?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::sample::Sample;
use support::{soak, strategies};
use ternwood::{
    ClassName, Feature, FeatureId, MaxFeatures, Model, NodeRecord, Routing, Rows, Tree,
    TreeBuilder, TreeParams, Workers, Zone,
};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Any finite number: subnormal, huge, minus zero.
fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        prop::sample::select(vec![
            -0.0,
            5e-324,
            -2.225073858507201e-308,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            0.1,
            1.0 / 3.0,
        ]),
    ]
}

/// What one node needs, whatever the tree's shape and number of classes.
#[derive(Debug, Clone)]
struct Ingredients {
    splits: bool,
    feature: u32,
    threshold: f64,
    half_width: f64,
    weights: Vec<f64>,
    rows: Vec<u32>,
    blended: Option<Vec<f64>>,
    impurity: f64,
}

fn ingredients() -> impl Strategy<Value = Ingredients> {
    let weight = prop_oneof![
        (0..50u32).prop_map(f64::from),
        0.0..100.0f64,
        prop::sample::select(vec![5e-324, 1e-300, 1e300]),
    ];
    (
        (any::<bool>(), 0..3u32, finite(), finite()),
        prop::collection::vec(weight, 4),
        prop::collection::vec(0..50u32, 4),
        prop::option::of(prop::collection::vec(0.01..1.0f64, 4)),
        0.0..2.0f64,
    )
        .prop_map(
            |((splits, feature, threshold, half_width), weights, rows, blended, impurity)| {
                let half_width = half_width.abs();
                Ingredients {
                    splits,
                    feature,
                    threshold,
                    half_width,
                    weights,
                    rows,
                    blended,
                    impurity,
                }
            },
        )
}

/// A tree that takes its nodes from `supply` as long as it lasts, and ends in plain leaves.
fn tree(supply: &[Ingredients], three: bool, n_classes: usize) -> Tree {
    let mut builder = TreeBuilder::new(3, n_classes);
    let mut wanted = 1;
    let mut supply = supply.iter();
    while wanted > 0 {
        wanted -= 1;
        let Some(node) = supply.next() else {
            builder.leaf(&[vec![1.0; n_classes - 1], vec![2.5]].concat());
            continue;
        };
        let mut weights = node.weights[..n_classes].to_vec();
        weights[0] += 1.0;
        let normed = |parts: &[f64]| {
            let total: f64 = parts.iter().sum();
            parts.iter().map(|part| part / total).collect::<Vec<_>>()
        };
        let rows = &node.rows[..n_classes];
        let zone = Zone::new(node.threshold, node.half_width).unwrap();
        builder.push(&NodeRecord {
            test: node.splits.then_some((FeatureId(node.feature), zone, three)),
            class_rows: rows,
            class_weights: &weights,
            distribution: &normed(node.blended.as_ref().map_or(&weights, |b| &b[..n_classes])),
            impurity: node.impurity,
            rows_within: if node.splits { rows[0] / 2 } else { 0 },
        });
        if node.splits {
            wanted += if three { 3 } else { 2 };
        }
    }
    builder.finish().unwrap()
}

fn class_names() -> impl Strategy<Value = Vec<ClassName>> {
    prop_oneof![
        Just(vec![ClassName::from(false), ClassName::from(true)]),
        prop::collection::hash_set(any::<i64>(), 1..5)
            .prop_map(|ids| ids.into_iter().map(ClassName::from).collect()),
        prop::collection::hash_set(any::<String>(), 1..5)
            .prop_map(|words| words.into_iter().map(ClassName::from).collect()),
        prop::collection::vec(finite(), 1..5).prop_filter_map("distinct", |numbers| {
            let printed: BTreeSet<String> = numbers.iter().map(|x| format!("{x:?}")).collect();
            (printed.len() == numbers.len())
                .then(|| numbers.into_iter().map(ClassName::from).collect())
        }),
    ]
}

fn all_params() -> impl Strategy<Value = TreeParams> {
    let max_features = prop_oneof![
        prop::sample::select(vec![MaxFeatures::All, MaxFeatures::Sqrt, MaxFeatures::Log2]),
        (1..9u32).prop_map(MaxFeatures::Count),
        (0.01..=1.0f64).prop_map(MaxFeatures::Fraction),
    ];
    let zone = strategies::zones(strategies::kinds(3));
    let leaves = prop::option::of(2..u32::MAX);
    (strategies::params(3), zone, max_features, leaves, 0.0..1e-3f64, any::<u64>()).prop_map(
        |(params, zone, max_features, max_leaf_nodes, ccp_alpha, seed)| TreeParams {
            zone,
            max_features,
            max_leaf_nodes,
            ccp_alpha,
            seed,
            ..params
        },
    )
}

fn models() -> impl Strategy<Value = Model> {
    let nodes = prop::collection::vec(ingredients(), 0..15);
    let features = ("\\PC{0,8}", prop::option::of(finite()));
    (nodes, any::<bool>(), class_names(), all_params(), features).prop_map(
        |(nodes, three, classes, params, (name, fill))| {
            let features = vec![
                Feature { fill, ..Feature::numeric(format!("{name}\"\\\n")) },
                Feature::nominal(format!("{name} "), ["", "a", "é\u{1f333}"]),
                Feature::numeric("x"),
            ];
            let routing = if three { Routing::HardMiddle } else { Routing::Deferred };
            let tree = tree(&nodes, three, classes.len());
            Model::new(tree, features, classes, routing)
                .unwrap()
                .with_params(params.check().unwrap())
        },
    )
}

proptest! {
    #![proptest_config(soak::cases(500))]

    #[test]
    fn a_model_comes_back_as_it_was(model in models()) {
        let json = model.to_json();
        let back = Model::from_json(&json).unwrap();
        prop_assert_eq!(&back, &model);
        prop_assert_eq!(back.to_json(), json);
        // Equality of floats forgives the sign of zero; bits do not.
        for id in model.tree().ids() {
            if let (Some(a), Some(b)) = (model.tree().node(id).as_split(), back.tree().node(id).as_split()) {
                prop_assert_eq!(a.zone.threshold().to_bits(), b.zone.threshold().to_bits());
                prop_assert_eq!(a.zone.half_width().to_bits(), b.zone.half_width().to_bits());
            }
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            for of in [Tree::class_weights, Tree::distribution] {
                prop_assert_eq!(bits(of(model.tree(), id)), bits(of(back.tree(), id)));
            }
        }
    }

    /// A fitted model too, and its predictions.
    #[test]
    fn a_fitted_model_predicts_alike_after_loading(
        sample in strategies::weighted_samples(40),
        params in strategies::plain_params(12),
        zone in strategies::zones(strategies::kinds(3)),
        routing in prop::sample::select(Routing::ALL.to_vec()),
    ) {
        let mut params = TreeParams { zone, class_weight: ternwood::ClassWeight::Balanced, ..params };
        if matches!(params.zone.kind, ternwood::ZoneKind::Specified { .. }) {
            params.zone.kind = ternwood::ZoneKind::Margin;
        }
        let model = sample.fit(&params, routing);
        let back = Model::from_json(&model.to_json()).unwrap();
        prop_assert_eq!(&back, &model);
        let flat = sample.rows.concat();
        let rows = Rows::row_major(&flat, sample.n_features()).unwrap();
        let predict = |model: &Model| model.predict(rows, &Workers::single()).unwrap();
        prop_assert_eq!(predict(&back), predict(&model));
    }
}

/// Only what the data and the parameters decide is in the file: every field has a place in the
/// format's description, and none of it tells of time, host or threads.
#[test]
fn nothing_accidental_is_in_the_file() {
    let sample = Sample::generated(1, 200, 3);
    let json = sample.fit(&TreeParams::default(), Routing::HardMiddle).to_json();
    assert_eq!(json, sample.fit(&TreeParams::default(), Routing::HardMiddle).to_json());
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
    let document: Value = serde_json::from_str(&json).unwrap();
    let top = ["format", "version", "features", "classes", "routing", "parameters", "nodes"];
    assert_eq!(keys(&document), set(&top));
    let description = fs::read_to_string(repository().join("docs/model-format.md")).unwrap();
    let nodes = document["nodes"].as_array().unwrap();
    let mut named: BTreeSet<String> = keys(&document);
    named.extend(keys(&document["parameters"]));
    named.extend(keys(&document["parameters"]["zone"]));
    nodes.iter().for_each(|node| named.extend(keys(node)));
    for name in named {
        assert!(description.contains(&format!("`{name}`")), "docs do not describe {name}");
    }
}

/// The order of keys and lines is part of the promise "same data, same bytes".
#[test]
fn the_layout_is_one_line_per_node() {
    let sample = Sample::generated(2, 50, 2);
    let model = sample.fit(&TreeParams::default(), Routing::Probabilistic);
    let json = model.to_json();
    assert_eq!(json.lines().count(), 8 + model.tree().n_nodes() + 2);
    assert!(
        json.starts_with("{\n  \"format\": \"ternwood-model\",\n  \"version\": 1,\n"),
        "{json}"
    );
    assert!(json.ends_with("\n  ]\n}\n"));
}

#[test]
fn a_hundred_thousand_levels_go_into_a_file_and_back() {
    let levels = 100_000;
    let mut builder = TreeBuilder::new(1, 2);
    (0..levels).for_each(|level| builder.split(0, Zone::new(f64::from(level), 0.5).unwrap()));
    (0..=levels).for_each(|level| builder.leaf(&[f64::from(level % 2), 1.0]));
    let classes = vec![ClassName::from(0), ClassName::from(1)];
    let features = vec![Feature::numeric("x")];
    let model =
        Model::new(builder.finish().unwrap(), features, classes, Routing::Deferred).unwrap();
    let back = Model::from_json(&model.to_json()).unwrap();
    assert_eq!(back, model);
    assert_eq!(back.tree().depth(), levels as usize);
}

/// Files of version 1 load for ever, and answer as they did when they were written.
#[test]
fn old_models_load_and_answer_as_ever() {
    let folder = repository().join("testdata/models/v1");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(name) = name.strip_suffix(".json").filter(|name| !name.ends_with(".answers"))
        else {
            continue;
        };
        seen += 1;
        let model = Model::from_json(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let answers = path.with_file_name(format!("{name}.answers.json"));
        let answers: Value = serde_json::from_str(&fs::read_to_string(answers).unwrap()).unwrap();
        for answer in answers.as_array().unwrap() {
            let numbers = |field: &str| {
                let list = answer[field].as_array().unwrap();
                list.iter().map(|x| x.as_f64().unwrap()).collect::<Vec<_>>()
            };
            let explained = model.explain(&numbers("row")).unwrap();
            assert_eq!(Some(u64::from(explained.class())), answer["class"].as_u64(), "{name}");
            assert_eq!(explained.explanation().distribution, numbers("distribution"), "{name}");
            assert_eq!(explained.explanation().verdict.as_str(), answer["verdict"], "{name}");
        }
        assert_eq!(Model::from_json(&model.to_json()).unwrap(), model, "{name}");
    }
    assert!(seen >= 5, "only {seen} old models were found");
}

/// The example in the description of the format is a model file.
#[test]
fn the_example_in_the_docs_loads() {
    let description = fs::read_to_string(repository().join("docs/model-format.md")).unwrap();
    let (_, rest) = description.split_once("```json\n").expect("an example in the docs");
    let (example, _) = rest.split_once("```").unwrap();
    let model = Model::from_json(example).unwrap();
    assert_eq!(model.to_json(), example, "the example is not as the library writes it");
    let sentence = model.explain(&[126.4, 0.0]).unwrap().sentence().unwrap();
    assert!(description.contains(&sentence), "{sentence}");
}

#[test]
fn names_that_look_like_none_are_remembered() {
    let unnamed = Sample::generated(5, 30, 2).fit(&TreeParams::default(), Routing::Probabilistic);
    assert!(!unnamed.has_named_features());
    assert!(!unnamed.to_json().contains("features_named"));
    let named = unnamed.clone().with_named_features();
    assert!(named.has_named_features());
    let again = Model::from_json(&named.to_json()).unwrap();
    assert_eq!(again, named);
    assert_ne!(again, unnamed);
}
