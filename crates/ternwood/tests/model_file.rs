//! Does a model survive saving and loading unchanged?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use std::collections::BTreeSet;
use support::policies::catching;
use support::random_tests::{Tests, finite, tests};
use support::sample::Sample;
use support::{soak, strategies, tables};
use ternwood::ensemble::Combine;
use ternwood::model::Metadata;
use ternwood::recipe::{
    Auto, ClassWeight, DepthChoice, Exponent, ForestParams, Leaves, MaxFeatures,
};
use ternwood::tree::{Axis, Cut, NodeRecord, NodeRows, Split, TreeBuilder, Zone};
use ternwood::verdict::{
    CalibrationRows, CalibrationSource, ConfidencePolicy, CostMatrix, CostPolicy, Promises,
    VerdictRule,
};
use ternwood::{
    ClassName, Ensemble, Exec, Feature, Model, Recipe, Routing, Schema, Tree, TreeParams,
    VerdictPolicy, ZoneKind,
};

/// What one node needs, whatever the tree's shape and number of classes.
#[derive(Debug, Clone)]
struct Ingredients {
    test: Option<Tests>,
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
        prop::option::of(tests()),
        prop::collection::vec(weight, 4),
        prop::collection::vec(0..50u32, 4),
        prop::option::of(prop::collection::vec(0.01..1.0f64, 4)),
        0.0..2.0f64,
    )
        .prop_map(|(test, weights, rows, blended, impurity)| Ingredients {
            test,
            weights,
            rows,
            blended,
            impurity,
        })
}

/// A tree that takes its nodes from `supply` until that is empty, and ends in plain leaves.
fn tree(supply: &[Ingredients], three: bool, schema: &Schema) -> Tree {
    let n_classes = schema.n_classes();
    let builder = if three { TreeBuilder::three_child } else { TreeBuilder::new };
    let mut builder = builder(3, n_classes);
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
        let test = node.test.as_ref().map(|test| test.of(schema.features(), n_classes));
        builder.push(&NodeRecord {
            test: test.as_ref(),
            rows: NodeRows::OfClasses { rows, weights: &weights },
            values: &normed(node.blended.as_ref().map_or(&weights, |b| &b[..n_classes])),
            impurity: node.impurity,
            rows_within: if node.test.is_some() { rows[0] / 2 } else { 0 },
        });
        builder.show_with(node.test.as_ref().and_then(|test| test.digits));
        if node.test.is_some() {
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

/// Schemas of three features.
fn schemas() -> impl Strategy<Value = Schema> {
    let fill = || prop::option::of(finite());
    let category = prop::option::of((0..3).prop_map(f64::from));
    let features = prop::option::of(("\\PC{0,8}", fill(), category, any::<bool>()));
    (class_names(), features, prop::option::of(any::<String>())).prop_map(
        |(classes, features, target)| {
            let schema = match features {
                None => Schema::unnamed(3, classes),
                Some((name, fill, filling, ordered)) => {
                    let number = Feature::number(format!("{name}\"\\\n"));
                    let names = ["", "a", "é\u{1f333}"];
                    let categories = Feature::categories(format!("{name} "), names);
                    let last =
                        if ordered { Feature::ordered("x", names) } else { Feature::number("x") };
                    let features = vec![
                        Feature { fill, ..number },
                        Feature { fill: filling, ..categories },
                        last,
                    ];
                    Schema::new(features, classes)
                }
            };
            let schema = schema.unwrap();
            // A target with the name of a feature is refused.
            let named = target.map(|target| schema.clone().with_target(target));
            named.and_then(Result::ok).unwrap_or(schema)
        },
    )
}

fn all_params() -> impl Strategy<Value = TreeParams> {
    let max_features = prop_oneof![
        prop::sample::select(vec![MaxFeatures::All, MaxFeatures::Sqrt, MaxFeatures::Log2]),
        (1..9u32).prop_map(MaxFeatures::Count),
        (0.01..=1.0f64).prop_map(MaxFeatures::Fraction),
    ];
    let zone = strategies::zones(strategies::kinds(3));
    let leaves = prop::option::of(2..u32::MAX);
    (tables::table_params(3), zone, max_features, leaves, 0.0..1e-3f64, any::<u64>()).prop_map(
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

/// Recipes for trees of either shape; class weights are made to fit the classes later.
fn recipes() -> impl Strategy<Value = Recipe> {
    let depth = prop::option::of(prop::sample::select(vec![DepthChoice::Auto, DepthChoice::Best]));
    let auto =
        (any::<bool>(), depth).prop_map(|(zone_scale, max_depth)| Auto { zone_scale, max_depth });
    let leaves = prop::sample::select(Leaves::ALL.to_vec());
    let routing = prop::sample::select(Routing::ALL.to_vec());
    let recipe = (all_params(), routing, leaves, auto, 0.0..0.5f64);
    recipe.prop_map(|(params, routing, leaves, auto, em_cutoff)| Recipe {
        params,
        routing,
        leaves,
        em_cutoff,
        auto,
        ..Recipe::default()
    })
}

/// Numbers between 0 and 1 that a policy is made of, once the classes are known.
fn policies() -> impl Strategy<Value = (u8, Vec<f64>)> {
    (0..5u8, prop::collection::vec(0.001..0.999f64, 2..9))
}

fn policy((kind, numbers): &(u8, Vec<f64>), classes: &[ClassName]) -> VerdictPolicy {
    let (n_classes, number) = (classes.len(), |i: usize| numbers[i % numbers.len()]);
    match kind {
        0 => VerdictPolicy::default(),
        1 => ConfidencePolicy::of_cost_ratio(numbers[0]).unwrap().into(),
        2 => {
            let row = |k| (0..n_classes).map(|c| number(k + 3 * c) - 0.5).collect();
            let answer = (0..n_classes).map(row).collect();
            let flag = (0..n_classes).map(number).collect();
            CostPolicy::new(CostMatrix::new(answer, flag).unwrap()).into()
        }
        3 => catching(numbers.len() % n_classes, number(0), n_classes),
        _ => {
            // 60 rows of every class, all predicted rightly, with many different confidences.
            let truth: Vec<u32> = (0..60 * n_classes).map(|i| (i % n_classes) as u32).collect();
            let row = |(i, &class): (usize, &u32)| {
                let mut shares = vec![number(i) * (i % 7) as f64 / 7.0; n_classes];
                shares[class as usize] = 1.0;
                let sum: f64 = shares.iter().sum();
                shares.into_iter().map(move |share| share / sum)
            };
            let distributions: Vec<f64> = truth.iter().enumerate().flat_map(row).collect();
            let source = CalibrationSource::HeldOut;
            let rows = CalibrationRows::new(&distributions, &truth, classes, source).unwrap();
            let mut promises = Promises {
                precision: vec![None; n_classes],
                miss_rate: vec![None; n_classes],
                confidence: 0.9,
            };
            promises.precision[0] = Some(0.8);
            promises.miss_rate[n_classes - 1] = Some(0.3);
            rows.policy(VerdictRule::Promises(promises)).unwrap().into()
        }
    }
}

/// Standard fields and others, with texts of all sorts of characters.
fn metadata() -> impl Strategy<Value = Metadata> {
    let names = prop_oneof![
        prop::sample::select(Metadata::STANDARD_FIELDS.to_vec()).prop_map(str::to_owned),
        "[a-zé][a-z é\"]{0,8}[a-z]",
    ];
    prop::collection::vec((names, "\\PC{1,9}|a\n\u{1b}\u{2028}"), 0..6).prop_map(|fields| {
        let mut metadata = Metadata::default();
        fields.iter().for_each(|(name, text)| metadata.set(name, text).unwrap());
        metadata
    })
}

fn models() -> impl Strategy<Value = Model> {
    let nodes = prop::collection::vec(ingredients(), 0..15);
    (nodes, schemas(), recipes(), policies()).prop_map(|(nodes, schema, mut recipe, policy)| {
        let n_classes = schema.n_classes();
        if let ClassWeight::Given(factors) = &mut recipe.params.class_weight {
            factors.resize(n_classes, 1.0);
        }
        let tree = tree(&nodes, recipe.routing.needs_three_children(), &schema);
        let policy = self::policy(&policy, schema.classes());
        Model::new(tree, schema, recipe).unwrap().with_verdict(policy).unwrap()
    })
}

/// Forests of up to four trees.
fn forests() -> impl Strategy<Value = Model> {
    let nodes = prop::collection::vec(prop::collection::vec(ingredients(), 0..9), 1..5);
    let exponent = prop::option::of(0.5..5.0f64);
    let constants = (exponent, 0.0..0.1f64, 0.0..0.5f64);
    (nodes, schemas(), recipes(), constants, policies()).prop_map(
        |(nodes, schema, recipe, (exponent, smoothing, least_share), policy)| {
            let Recipe { mut params, routing, .. } = recipe;
            let routing = if routing == Routing::Crisp { routing } else { Routing::Probabilistic };
            if let ClassWeight::Given(factors) = &mut params.class_weight {
                factors.resize(schema.n_classes(), 1.0);
            }
            if matches!(params.zone.kind, ZoneKind::CostOptimal { .. }) {
                params.zone.kind = ZoneKind::Spread;
            }
            let forest = ForestParams {
                n_trees: nodes.len() as u32,
                exponent: exponent.map_or(Exponent::Off, Exponent::Given),
                smoothing,
                ..ForestParams::default()
            };
            let ensemble = forest.into();
            let recipe = Recipe { params, routing, least_share, ensemble, ..Recipe::default() };
            let trees = nodes.iter().map(|nodes| tree(nodes, false, &schema)).collect();
            let policy = self::policy(&policy, schema.classes());
            let forest = Ensemble::new(trees, Combine::of(recipe.ensemble).unwrap()).unwrap();
            Model::new(forest, schema, recipe).unwrap().with_verdict(policy).unwrap()
        },
    )
}

/// The bits of every number of a test: equality of floats ignores the sign of zero.
fn bits_of_test(split: &Split) -> Vec<u64> {
    let mut numbers = Vec::new();
    match split.test.cut() {
        Cut::Threshold { zone, .. } => numbers.extend([zone.threshold(), zone.half_width()]),
        Cut::Categories(cut) => {
            numbers.extend([cut.threshold(), cut.error()]);
            numbers.extend(cut.places().iter().flat_map(|p| [p.position, p.standard_error]));
            if let Axis::Direction(direction) = cut.axis() {
                numbers.extend(direction);
            }
        }
        Cut::Present => {}
    }
    numbers.push(split.test.unknown_left());
    numbers.into_iter().map(f64::to_bits).collect()
}

fn bits_of_tree(tree: &Tree) -> Vec<u64> {
    let of_node = |id| {
        let answers = [tree.class_weights(id), tree.values(id)].concat();
        let test = tree.node(id).as_split().map(bits_of_test).unwrap_or_default();
        answers.into_iter().map(f64::to_bits).chain(test).collect::<Vec<_>>()
    };
    tree.ids().flat_map(of_node).collect()
}

proptest! {
    #![proptest_config(soak::cases(500))]

    #[test]
    fn a_model_comes_back_as_it_was(
        model in prop_oneof![models(), forests()], metadata in metadata(),
    ) {
        let fields = metadata.iter().count();
        let model = model.with_metadata(metadata);
        let (json, arrays) = (model.to_json(), model.to_safetensors());
        for back in [Model::from_json(&json).unwrap(), Model::from_safetensors(&arrays).unwrap()] {
            prop_assert_eq!(&back, &model);
            prop_assert_eq!(back.metadata().iter().count(), fields);
            prop_assert_eq!(back.ternwood_version(), Some(env!("CARGO_PKG_VERSION")));
            prop_assert_eq!(&back.to_json(), &json);
            prop_assert_eq!(&back.to_safetensors(), &arrays);
            for (tree, again) in model.trees().iter().zip(back.trees()) {
                prop_assert_eq!(bits_of_tree(tree), bits_of_tree(again));
            }
        }
        prop_assert_eq!(Model::from_bytes(json.as_bytes()).unwrap(), model.clone());
        prop_assert_eq!(Model::from_bytes(&arrays).unwrap(), model);
    }
}

proptest! {
    #![proptest_config(soak::cases(1000))]

    /// The same for fitted models, of numbers and of tables, and their predictions.
    #[test]
    fn a_fitted_model_predicts_alike_after_loading(
        (sample, params) in prop_oneof![
            (strategies::weighted_samples(40), strategies::plain_params(12)),
            (tables::weighted_tables(40, 8), tables::table_params(12)),
        ],
        zone in strategies::zones(strategies::kinds(3)),
        routing in prop::sample::select(Routing::ALL.to_vec()),
    ) {
        let mut params = TreeParams { zone, class_weight: ClassWeight::Balanced, ..params };
        if matches!(params.zone.kind, ZoneKind::Specified { .. }) {
            params.zone.kind = ZoneKind::Margin;
        }
        is_the_same_after_loading(&sample.fit(&params, routing), &sample);
    }
}

fn is_the_same_after_loading(model: &Model, sample: &Sample) {
    let back = Model::from_json(&model.to_json()).unwrap();
    assert_eq!(&back, model);
    assert_eq!(back.to_json(), model.to_json());
    assert_eq!(sample.predictions(&back), sample.predictions(model));
}

#[test]
fn a_calibrated_model_keeps_how_it_was_chosen() {
    let sample = Sample::generated(3, 80, 3);
    let model = sample.fit_recipe(&Recipe::calibrated(), &Exec::default());
    assert!(model.choice().is_some());
    is_the_same_after_loading(&model, &sample);
    let table = tables::generated(3, 80, 3);
    let model = table.fit_recipe(&Recipe::calibrated(), &Exec::default());
    let candidates = &model.choice().unwrap().candidates;
    assert!(candidates.iter().all(|candidate| candidate.category_error.is_some()));
    is_the_same_after_loading(&model, &table);
}

/// The order of keys and lines is part of the promise "same data, same bytes".
#[test]
fn the_layout_is_one_line_per_part_and_node() {
    let sample = Sample::generated(2, 50, 2);
    let fit = || sample.fit(&TreeParams::default(), Routing::Probabilistic);
    let (model, json) = (fit(), fit().to_json());
    assert_eq!(model.to_json(), json);
    let parts: Vec<&str> = json
        .lines()
        .filter_map(|line| line.strip_prefix("  \"")?.split_once('"').map(|(name, _)| name))
        .collect();
    assert_eq!(
        parts,
        [
            "format", "version", "sha256", "ternwood", "schema", "recipe", "verdict", "training",
            "tree"
        ]
    );
    assert_eq!(json.lines().count(), 1 + parts.len() + model.trees()[0].n_nodes() + 2);
    assert!(json.ends_with("\n  ]}\n}\n"));
}

/// A forest has its trees where a tree has its nodes.
#[test]
fn a_forest_in_json_has_one_line_per_node() {
    let sample = Sample::generated(2, 50, 2);
    let forest = ForestParams { n_trees: 3, ..ForestParams::default() };
    let recipe = Recipe { ensemble: forest.into(), ..Recipe::forest() };
    let model = sample.fit_recipe(&recipe, &Exec::default());
    is_the_same_after_loading(&model, &sample);
    let json = model.to_json();
    let (header, trees) = json.split_once("\n  \"forest\": {\"trees\": [\n").unwrap();
    assert!(header.contains("\"choice\"") && header.contains("\"training\""));
    let n_nodes: usize = model.trees().iter().map(Tree::n_nodes).sum();
    assert_eq!(trees.lines().count(), n_nodes + 2 * model.trees().len() + 2);
    assert!(trees.ends_with("\n    ]}\n  ]}\n}\n"));
}

#[test]
fn a_hundred_thousand_levels_go_into_a_file_and_back() {
    let levels = 100_000;
    let mut builder = TreeBuilder::new(1, 2);
    (0..levels).for_each(|level| builder.split(0, Zone::new(f64::from(level), 0.5).unwrap()));
    (0..=levels).for_each(|level| builder.leaf(&[f64::from(level % 2), 1.0]));
    let schema = Schema::unnamed(1, vec![ClassName::from(0), ClassName::from(1)]).unwrap();
    let model = Model::new(builder.finish().unwrap(), schema, Recipe::default()).unwrap();
    let back = Model::from_json(&model.to_json()).unwrap();
    assert_eq!(back, model);
    assert_eq!(back.trees()[0].depth(), levels as usize);
    assert_eq!(Model::from_safetensors(&model.to_safetensors()).unwrap(), model);
}

#[test]
fn names_that_look_like_none_are_remembered() {
    let sample = Sample::generated(5, 30, 2);
    let unnamed = sample.fit(&TreeParams::default(), Routing::Probabilistic);
    assert!(!unnamed.schema().has_feature_names());
    assert!(unnamed.to_json().contains("\"unnamed\":true"));
    let names = (0..sample.n_features()).map(|index| format!("x{index}"));
    let schema = Schema::clone(unnamed.schema()).with_feature_names(names).unwrap();
    let named = Model::new(unnamed.trees()[0].clone(), schema, unnamed.recipe().clone()).unwrap();
    let again = Model::from_json(&named.to_json()).unwrap();
    assert_eq!(again, named);
    assert!(again.schema().has_feature_names());
    assert_ne!(again, unnamed);
}
