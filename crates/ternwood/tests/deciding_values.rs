//! Does a value that would decide a row decide it, and no nearer one?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use serde_json::json;
use support::numbers::Numbers;
use support::policies::catching;
use support::soak;
use ternwood::ensemble::Combine;
use ternwood::model::DecidingValue;
use ternwood::recipe::{Exponent, ForestParams};
use ternwood::tree::{
    Axis, CategoryCut, CategoryPlace, Cut, Missing, Test, Tree, TreeBuilder, Zone,
};
use ternwood::verdict::{ConfidencePolicy, CostMatrix, CostPolicy};
use ternwood::{
    ClassName, Ensemble, Exec, Feature, Matrix, Model, Predictions, Recipe, Routing, Schema,
    UNKNOWN, VerdictPolicy,
};

/// Margins smaller than this are a matter of rounding.
const SLACK: f64 = 1e-11;

/// Two numbers and a ward, with missing values.
fn features() -> Vec<Feature> {
    vec![
        Feature::number("glucose"),
        Feature::number("age"),
        Feature::categories("ward", ["eye", "ear", "skin"]),
        Feature::ordered("education", ["none", "school", "PhD"]),
    ]
}

fn test(numbers: &mut Numbers) -> Test {
    let missing = [Missing::Unknown, Missing::Left, Missing::Right][numbers.below(3)];
    let number = |numbers: &mut Numbers, feature: u32| {
        let half_width = [0.0, 0.5, 2.0, 7.0, 30.0][numbers.below(5)] * numbers.unit();
        let threshold = (10.0 * numbers.unit()).round();
        Test::new(feature, Zone::new(threshold, half_width).unwrap())
    };
    let test = match numbers.below(10) {
        0 => Test::is_present(numbers.below(4) as u32),
        1 => {
            let place = |category: u32, position: f64| CategoryPlace {
                category,
                rows: 9,
                position,
                standard_error: 0.2,
            };
            let places = vec![place(0, 0.1), place(2, 0.9)];
            let cut = CategoryCut::new(Axis::ClassShare(1), numbers.unit(), 1.0, places);
            Test::of_categories(
                2,
                cut.unwrap_or_else(|_| {
                    let places = vec![place(0, 0.1), place(2, 0.9)];
                    CategoryCut::new(Axis::ClassShare(1), 0.5, 1.0, places).unwrap()
                }),
            )
        }
        2 => Test::new(3, Zone::new(0.5, 0.5).unwrap()),
        3..=7 => number(numbers, 0),
        _ => number(numbers, 1),
    };
    test.with_missing(missing)
}

fn tree(numbers: &mut Numbers, n_classes: usize, three: bool) -> Tree {
    fn grow(numbers: &mut Numbers, builder: &mut TreeBuilder, shape: (usize, usize), depth: usize) {
        let (n_classes, children) = shape;
        if depth == 5 || (depth > 1 && numbers.below(5) == 0) {
            let mut counts: Vec<f64> =
                (0..n_classes).map(|_| (numbers.below(4) * numbers.below(6)) as f64).collect();
            counts[numbers.below(n_classes)] += 1.0;
            return builder.leaf(&counts);
        }
        builder.split_by(&test(numbers));
        (0..children).for_each(|_| grow(numbers, builder, shape, depth + 1));
    }
    let mut builder =
        if three { TreeBuilder::three_child(4, n_classes) } else { TreeBuilder::new(4, n_classes) };
    grow(numbers, &mut builder, (n_classes, if three { 3 } else { 2 }), 0);
    builder.finish().unwrap()
}

fn policy(numbers: &mut Numbers, n_classes: usize) -> VerdictPolicy {
    match numbers.below(6) {
        0 => VerdictPolicy::default(),
        1 | 2 => {
            let ratio = (1.0 + 9.0 * numbers.unit()).round() / 20.0;
            ConfidencePolicy::of_cost_ratio(ratio).unwrap().into()
        }
        3 => {
            let mut costs = || (0..n_classes).map(|_| numbers.below(9) as f64).collect::<Vec<_>>();
            let answers = (0..n_classes).map(|_| costs()).collect();
            CostPolicy::new(CostMatrix::new(answers, costs()).unwrap()).into()
        }
        4 => {
            let threshold = numbers.below(11) as f64 / 20.0;
            catching(numbers.below(n_classes), threshold, n_classes)
        }
        _ => promises(numbers, n_classes),
    }
}

/// A threshold for every class, and perhaps one class that is never decided.
fn promises(numbers: &mut Numbers, n_classes: usize) -> VerdictPolicy {
    let never = numbers.below(n_classes + 2);
    let mut threshold = |class: usize| (class != never).then(|| numbers.below(20) as f64 / 20.0);
    let thresholds: Vec<Option<f64>> = (0..n_classes).map(&mut threshold).collect();
    let tally = json!({"rows": 0, "right": 0, "decided": 0, "decided_right": 0, "decided_for": 0});
    let mut miss_rate = vec![None; n_classes];
    miss_rate[0] = Some(0.1);
    serde_json::from_value(json!({"confidence": {
        "threshold": thresholds,
        "rule": {"promises": {"precision": vec![Some(0.9); n_classes], "miss_rate": miss_rate, "confidence": 0.95}},
        "achieved": {"source": "held_out", "classes": vec![tally; n_classes]},
    }}))
    .unwrap()
}

fn model_of(numbers: &mut Numbers, n_trees: usize, least_share: f64) -> Model {
    let n_classes = 2 + numbers.below(3);
    let classes = (0..n_classes).map(|class| ClassName::from(format!("k{class}"))).collect();
    let schema = Schema::new(features(), classes).unwrap();
    let model = if n_trees == 0 {
        let routing = Routing::ALL[numbers.below(Routing::ALL.len())];
        let tree = tree(numbers, n_classes, routing.needs_three_children());
        let least_share = if routing == Routing::Deferred { 0.0 } else { least_share };
        Model::new(tree, schema, Recipe { routing, least_share, ..Recipe::default() })
    } else {
        let trees = (0..n_trees).map(|_| tree(numbers, n_classes, false)).collect();
        let exponent = [None, Some(0.6), Some(2.5)][numbers.below(3)];
        let params = ForestParams {
            n_trees: n_trees as u32,
            exponent: exponent.map_or(Exponent::Off, Exponent::Given),
            ..ForestParams::default()
        };
        let routing = [Routing::Probabilistic, Routing::Probabilistic, Routing::Crisp];
        let routing = routing[numbers.below(3)];
        let base = Recipe::forest().decided();
        let recipe = Recipe { ensemble: params.into(), routing, least_share, ..base };
        let ensemble = Ensemble::new(trees, Combine::of(recipe.ensemble).unwrap()).unwrap();
        Model::new(ensemble, schema, recipe)
    };
    model.unwrap().with_verdict(policy(numbers, n_classes)).unwrap()
}

fn row(numbers: &mut Numbers) -> [f64; 4] {
    let mut number = || match numbers.below(8) {
        0 => f64::NAN,
        1 => UNKNOWN,
        2..=4 => (10.0 * numbers.unit()).round(),
        _ => 14.0 * numbers.unit() - 2.0,
    };
    let [glucose, age] = [number(), number()];
    let ward = [0.0, 1.0, 2.0, 3.0, f64::NAN][numbers.below(5)];
    [glucose, age, ward, [0.0, 1.0, 2.0, UNKNOWN][numbers.below(4)]]
}

fn predict(model: &Model, rows: &[[f64; 4]]) -> Predictions {
    model.predict(Matrix::row_major(&rows.concat(), 4).unwrap(), &Exec::default()).unwrap()
}

/// By how much a row is decided.
fn margin(model: &Model, distribution: &[f64], class: u32) -> f64 {
    let class = class as usize;
    let mut others: Vec<f64> = distribution.to_vec();
    let own = others.remove(class);
    let lead = own - others.into_iter().fold(0.0, f64::max);
    match model.verdict() {
        VerdictPolicy::Zones { .. } => match model.ensemble().is_single() {
            true => f64::INFINITY,
            false => lead,
        },
        VerdictPolicy::Confidence(policy) => {
            lead.min(own - policy.thresholds().of(class as u32).unwrap())
        }
        VerdictPolicy::Catch(policy) if policy.class() as usize == class => lead,
        VerdictPolicy::Catch(policy) => policy.threshold() - distribution[policy.class() as usize],
        VerdictPolicy::Costs(policy) => {
            let expected = policy.costs().expected(distribution);
            (expected.flag - expected.answer) / 8.0
        }
    }
}

/// Numbers close to every edge of every zone of a feature, between them, and far away.
fn grid(model: &Model, feature: usize, numbers: &mut Numbers) -> Vec<f64> {
    let of_feature = |test: &&Test| test.feature().index() == feature;
    let tests = model.trees().iter().flat_map(Tree::tests).filter(of_feature);
    let zones = tests.filter_map(|test| match test.cut() {
        Cut::Threshold { zone, .. } => Some(*zone),
        Cut::Categories(_) | Cut::Present => None,
    });
    let mut cuts: Vec<f64> =
        zones.flat_map(|zone| [zone.lower(), zone.threshold(), zone.upper()]).collect();
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let between = cuts.windows(2).flat_map(|pair| {
        let (low, high) = (pair[0], pair[1]);
        (1..24).map(move |i| low + (high - low) * f64::from(i) / 24.0)
    });
    let mut values: Vec<f64> = between.collect();
    values.extend(cuts.iter().flat_map(|cut| [*cut, cut.next_up(), cut.next_down()]));
    values.extend((0..200).map(|_| 60.0 * numbers.unit() - 25.0));
    values.extend([-1e9, 1e9]);
    values
}

fn decimals(x: f64) -> usize {
    x.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

fn check(model: &Model, row: [f64; 4], numbers: &mut Numbers) -> Result<usize, TestCaseError> {
    let found = model.deciding_values(&row).unwrap();
    if predict(model, &[row]).verdicts()[0].is_decided() {
        prop_assert!(found.is_empty());
        return Ok(0);
    }
    let with = |feature: usize, value: f64| {
        let mut row = row;
        row[feature] = value;
        row
    };
    for DecidingValue { feature, value, nearest, outcome } in &found {
        let answers = predict(model, &[with(*feature, *value), with(*feature, *nearest)]);
        prop_assert!(answers.verdicts().iter().all(|it| it.is_decided()), "{row:?} {found:?}");
        prop_assert_eq!(answers.classes(), [outcome.class; 2]);
        prop_assert_eq!(answers.distribution(0), &outcome.distribution);
        prop_assert!(decimals(*value) <= decimals(*nearest));
        let (way, further) = ((nearest - row[*feature]).abs(), (value - nearest).abs());
        let most = (0.1 * way).max(0.001 * nearest.abs());
        prop_assert!(way.is_nan() || further <= most, "{value} for {nearest}");
    }
    let tested = model.tested_features();
    for (feature, &value) in row.iter().enumerate().take(2) {
        let of_feature: Vec<&DecidingValue> =
            found.iter().filter(|it| it.feature == feature).collect();
        prop_assert!(tested.contains(&feature) || of_feature.is_empty());
        // The nearest below and above; where a value is missing, there is no nearer one.
        if value.is_nan() {
            if of_feature.is_empty() {
                let grid = grid(model, feature, numbers);
                let rows: Vec<_> = grid.iter().map(|&x| with(feature, x)).collect();
                none_decides(model, &rows)?;
            }
            continue;
        }
        let below = of_feature.iter().map(|it| it.nearest).find(|&it| it < value);
        let above = of_feature.iter().map(|it| it.nearest).find(|&it| it > value);
        let (low, high) = (below.unwrap_or(f64::MIN), above.unwrap_or(f64::MAX));
        let mut grid = grid(model, feature, numbers);
        grid.extend([below, above].into_iter().flatten().flat_map(|end| {
            (1..100).map(move |i| value + (end - value) * (1.0 - 1e-3 * f64::from(i * i)))
        }));
        grid.extend(
            [below, above].into_iter().flatten().flat_map(|end| {
                (4..14).map(move |i| value + (end - value) * (1.0 - 10f64.powi(-i)))
            }),
        );
        grid.retain(|&x| low < x && x < high);
        let rows: Vec<_> = grid.iter().map(|&x| with(feature, x)).collect();
        none_decides(model, &rows)?;
    }
    for (feature, ids) in [(2, 3), (3, 3)] {
        let rows: Vec<_> = (0..ids).map(|id| with(feature, f64::from(id))).collect();
        let answers = predict(model, &rows);
        let deciding = (0..ids as usize).filter(|&id| answers.verdicts()[id].is_decided());
        let expected: Vec<f64> = deciding.map(|id| id as f64).collect();
        let of_feature = found.iter().filter(|it| it.feature == feature);
        let of_feature: Vec<f64> = of_feature.map(|it| it.value).collect();
        prop_assert_eq!(of_feature, if tested.contains(&feature) { expected } else { vec![] });
    }
    Ok(found.len())
}

/// No row is decided, but by rounding.
fn none_decides(model: &Model, rows: &[[f64; 4]]) -> Result<(), TestCaseError> {
    let answers = predict(model, rows);
    for (index, row) in rows.iter().enumerate() {
        if answers.verdicts()[index].is_decided() {
            let margin = margin(model, answers.distribution(index), answers.classes()[index]);
            prop_assert!(margin.abs() < SLACK, "{row:?} is decided by {margin}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(soak::cases(400))]

    /// All kinds of tests, all routings, all policies.
    #[test]
    fn the_nearest_value_of_a_tree_decides_and_no_nearer_one(
        seed: u64,
        least_share in prop_oneof![Just(0.0), Just(0.25), Just(0.1)],
    ) {
        let mut numbers = Numbers::new(seed);
        let model = model_of(&mut numbers, 0, least_share);
        for _ in 0..8 {
            let row = row(&mut numbers);
            check(&model, row, &mut numbers)?;
        }
    }

    /// Parts of rows that are too small to be divided make jumps.
    #[test]
    fn the_nearest_value_of_a_forest_decides_and_no_nearer_one(
        seed: u64,
        least_share in prop_oneof![Just(0.25), Just(0.0), Just(0.1), Just(0.4)],
    ) {
        let mut numbers = Numbers::new(seed);
        let n_trees = 1 + numbers.below(7);
        let model = model_of(&mut numbers, n_trees, least_share);
        for _ in 0..4 {
            let row = row(&mut numbers);
            check(&model, row, &mut numbers)?;
        }
    }
}

/// Rows whose parts are just large enough to be divided at one number alone, and parts that are too small to be divided
/// by one zone, but by the next.
#[test]
fn parts_close_to_the_least_share_are_found() {
    for seed in [14_648_528_675_488_092_951, 11_816_179_237_080_644_751] {
        let mut numbers = Numbers::new(seed);
        let n_trees = 1 + numbers.below(7);
        let model = model_of(&mut numbers, n_trees, 0.25);
        for _ in 0..4 {
            let row = row(&mut numbers);
            check(&model, row, &mut numbers).unwrap();
        }
    }
}
