//! Is a row of weight k the same as k copies of it, wherever rows are counted?
//!
//! Exceptions are documented: rules that count rows (`min_samples_leaf` and the like), the
//! quantiles of class overlap, and promises, whose calibration rows are counted.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use std::collections::BTreeMap;
use support::numbers::Numbers;
use support::sample::Sample;
use support::strategies::samples_with_params;
use support::trees::{SHAPES, half_widths, weighed};
use support::{soak, strategies, tables};
use ternwood::fit::{FOLDS, OutOfFold, cross_fitted_rows, out_of_fold};
use ternwood::recipe::{Auto, ClassWeight, DepthChoice, Leaves, MaxFeatures, MissingValues};
use ternwood::tree::NodeId;
use ternwood::{Exec, Model, Recipe, Routing, TreeParams, ZoneKind};

proptest! {
    #![proptest_config(soak::cases(400))]

    /// A row of weight k acts like k rows: the trees differ only in their row counts.
    #[test]
    fn weight_k_is_k_copies(
        (sample, params) in samples_with_params(strategies::samples(40)),
        copies in prop::collection::vec(0..5usize, 40),
        max_features in prop::sample::select(vec![MaxFeatures::All, MaxFeatures::Count(1)]),
    ) {
        prop_assume!(copies[..sample.rows.len()].iter().any(|&copies| copies > 0));
        let mut params = TreeParams { max_features, ..params };
        if matches!(params.zone.kind, ZoneKind::ClassOverlap { .. }) {
            params.zone.kind = ZoneKind::Margin; // Its quantiles count rows, as published.
        }
        let [weighted, copied] = sample.weighted_and_copied(&copies[..sample.rows.len()]);
        for routing in SHAPES {
            prop_assert_eq!(
                weighed(&weighted.fit(&params, routing).trees()[0]),
                weighed(&copied.fit(&params, routing).trees()[0])
            );
        }
    }

    /// Rows of weight 0 change nothing, whatever their values.
    #[test]
    fn rows_without_weight_change_nothing(
        (sample, params) in samples_with_params(strategies::weighted_samples(30)),
        extra in prop::collection::vec((any::<prop::sample::Index>(), -1e300..1e300f64), 1..10),
    ) {
        let with = sample.with_weightless_rows(&extra);
        for routing in SHAPES {
            prop_assert_eq!(with.fit(&params, routing).to_json(), sample.fit(&params, routing).to_json());
        }
    }
}

/// Balanced class weights use weighted counts, so that copies and weights agree.
#[test]
fn balanced_classes_weigh_the_same_with_weights_as_with_copies() {
    let sample = Sample::generated(11, 60, 3);
    let copies: Vec<usize> = (0..60).map(|row| 1 + row % 4).collect();
    let [weighted, copied] = sample.weighted_and_copied(&copies);
    let class_weight = ClassWeight::Balanced;
    for kind in [ZoneKind::node_bootstrap(), ZoneKind::Margin, ZoneKind::gain_ratio()] {
        let params = TreeParams { class_weight: class_weight.clone(), ..TreeParams::default() }
            .with_zone(kind);
        for routing in SHAPES {
            let one = weighted.fit(&params, routing);
            let other = copied.fit(&params, routing);
            assert_eq!(
                weighed(&one.trees()[0]),
                weighed(&other.trees()[0]),
                "{:?}",
                params.zone.kind
            );
            let root = one.trees()[0].class_weights(NodeId::ROOT);
            // 150 rows in three classes: 50 each, up to rounding.
            assert!(root.iter().all(|weight| (weight - 50.0).abs() < 1e-9), "{root:?}");
        }
    }
}

/// A sample of few rows, and the number of copies of each; half of them with missing values and
/// categories.
fn repeated_samples() -> impl Strategy<Value = (Sample, Vec<usize>)> {
    let samples = prop_oneof![strategies::samples(40), tables::tables(40, 6)];
    (samples, prop::collection::vec(0..6usize, 40)).prop_map(|(sample, mut copies)| {
        copies.truncate(sample.rows.len());
        copies[0] += 1; // Not all weights may be 0.
        (sample, copies)
    })
}

/// Recipes that assign rows to inner folds, for scale, depth or the errors of `cost_optimal`; and
/// leaves by EM.
fn recipes_beyond_the_paper() -> impl Strategy<Value = Recipe> {
    let kind = prop_oneof![
        Just(ZoneKind::Spread),
        Just(ZoneKind::Margin),
        (0.02..0.6f64).prop_map(|cost_ratio| ZoneKind::CostOptimal { cost_ratio }),
    ];
    let depth = prop::option::of(prop::sample::select(vec![DepthChoice::Auto, DepthChoice::Best]));
    let auto =
        (any::<bool>(), depth).prop_map(|(zone_scale, max_depth)| Auto { zone_scale, max_depth });
    let leaves = prop::sample::select(Leaves::ALL.to_vec());
    let missing = prop::sample::select(vec![MissingValues::Learn, MissingValues::Unknown]);
    (kind, auto, leaves, any::<bool>(), missing, any::<u64>()).prop_map(
        |(kind, auto, leaves, deep, missing, seed)| {
            let max_depth = deep.then_some(4);
            let params = TreeParams { max_depth, missing, seed, ..TreeParams::default() };
            let routing = if deep { Routing::Probabilistic } else { Routing::Deferred };
            Recipe { params: params.with_zone(kind), routing, leaves, auto, ..Recipe::default() }
        },
    )
}

/// Equal tests and counts; leaf probabilities differ by rounding.
fn assert_same_model(one: &Model, other: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(&one.recipe().params, &other.recipe().params, "scale or depth differ");
    prop_assert_eq!(one.choice().is_some(), other.choice().is_some());
    if let (Some(one), Some(other)) = (one.choice(), other.choice()) {
        prop_assert_eq!((one.folds, one.repeats), (other.folds, other.repeats));
        for (one, other) in one.candidates.iter().zip(&other.candidates) {
            prop_assert_eq!((one.max_depth, one.zone_scale), (other.max_depth, other.zone_scale));
            prop_assert_eq!(one.category_error, other.category_error);
            let gap = (one.log_loss - other.log_loss).abs();
            prop_assert!(gap < TOLERANCE, "{:?} and {:?}", one, other);
        }
    }
    let held_out = |model: &Model| {
        let achieved = model.verdict().as_confidence()?.achieved()?;
        Some(achieved.classes().iter().map(|tally| tally.rows).collect::<Vec<_>>())
    };
    prop_assert_eq!(held_out(one), held_out(other));
    for (one, other) in weighed(&one.trees()[0]).into_iter().zip(weighed(&other.trees()[0])) {
        prop_assert_eq!(one.node, other.node);
        prop_assert_eq!(one.class_weights, other.class_weights);
        for (one, other) in one.distribution.iter().zip(other.distribution) {
            prop_assert!((one - other).abs() < TOLERANCE, "{} and {}", one, other);
        }
    }
    Ok(())
}

/// Sums of at most 200 logarithms, none above 14, in another order: 200 * 14 roundings of 1e-16
/// are 3e-13. Ten steps of EM before them have ten times the roundings of a sum of 200
/// probabilities: 4e-13.
const TOLERANCE: f64 = 1e-12;

/// The values and the class of a row.
type RowKey = (Vec<u64>, u32);

/// The mean prediction of every distinct row.
fn means_of_identical_rows(sample: &Sample, honest: &OutOfFold) -> BTreeMap<RowKey, Vec<f64>> {
    let mut sums = BTreeMap::new();
    for (index, &row) in honest.rows.iter().enumerate() {
        let values = sample.rows[row].iter().map(|x| x.to_bits()).collect();
        let weight = sample.weights.as_ref().map_or(1.0, |weights| weights[row]);
        let (sum, total) = sums
            .entry((values, sample.classes[row]))
            .or_insert_with(|| (vec![0.0; sample.n_classes as usize], 0.0));
        sum.iter_mut().zip(honest.distribution(index)).for_each(|(sum, p)| *sum += weight * p);
        *total += weight;
    }
    let mean = |(sum, total): (Vec<f64>, f64)| sum.iter().map(|sum| sum / total).collect();
    sums.into_iter().map(|(key, sum)| (key, mean(sum))).collect()
}

proptest! {
    #![proptest_config(soak::cases(60))]

    /// The same scale, the same depth and the same half-widths, to the bit.
    #[test]
    fn what_inner_folds_decide_is_that_of_copies(
        (sample, copies) in repeated_samples(),
        recipe in recipes_beyond_the_paper(),
    ) {
        let [one, other] = sample.weighted_and_copied(&copies)
            .map(|sample| sample.fit_recipe(&recipe, &Exec::default()));
        assert_same_model(&one, &other)?;
    }

    /// Where zones shape the tree, every scale grows its own.
    #[test]
    fn scales_of_three_child_trees_are_those_of_copies(
        (sample, copies) in repeated_samples(),
        seed in any::<u64>(),
    ) {
        let params = TreeParams { max_depth: Some(3), seed, ..TreeParams::default() };
        let auto = Auto { zone_scale: true, max_depth: None };
        let recipe = Recipe { params, routing: Routing::HardMiddle, auto, ..Recipe::default() };
        let [one, other] = sample.weighted_and_copied(&copies)
            .map(|sample| sample.fit_recipe(&recipe, &Exec::default()));
        assert_same_model(&one, &other)?;
    }

    /// A row of weight k gets the mean prediction of its k copies. The folds of identical rows are
    /// not specified, so their predictions are averaged.
    #[test]
    fn predictions_out_of_fold_are_those_of_copies(
        (sample, copies) in repeated_samples(),
        recipe in recipes_beyond_the_paper(),
        folds in 2..7u32,
    ) {
        prop_assume!(copies.iter().sum::<usize>() > 1);
        let recipe = recipe.check().unwrap();
        let [one, other] = sample.weighted_and_copied(&copies).map(|sample| {
            let honest = out_of_fold(&sample.dataset(), &recipe, folds, &Exec::default());
            means_of_identical_rows(&sample, &honest.unwrap())
        });
        prop_assert_eq!(one.len(), other.len());
        for ((row, one), (same_row, other)) in one.iter().zip(&other) {
            prop_assert_eq!(row, same_row);
            for (one, other) in one.iter().zip(other) {
                prop_assert!((one - other).abs() < TOLERANCE, "{} and {}", one, other);
            }
        }
    }

    /// Inner folds depend on the values of rows, not on their positions.
    #[test]
    fn the_order_of_rows_decides_nothing(
        (sample, copies) in repeated_samples(),
        recipe in recipes_beyond_the_paper(),
        seed in any::<u64>(),
    ) {
        for sample in sample.weighted_and_copied(&copies) {
            let order = Numbers::new(seed).order(sample.rows.len());
            let [one, other] = [&sample, &sample.rearranged(&order)]
                .map(|sample| sample.fit_recipe(&recipe, &Exec::default()));
            assert_same_model(&one, &other)?;
        }
    }
}

/// Error rates of exactly a quarter, a third or a half, with flags of exactly that cost: rounding
/// must not decide.
#[test]
fn cost_optimal_zones_are_those_of_copies_where_errors_cost_what_flags_cost() {
    let mut some = false;
    for seed in 0..20 {
        let sample = Sample::generated(seed, 80, 2);
        let copies: Vec<usize> = (0..80).map(|row| row * (row + seed as usize) % 5).collect();
        for cost_ratio in [0.2, 0.25, 1.0 / 3.0, 0.4, 0.5] {
            let params = TreeParams { max_depth: Some(2), ..TreeParams::default() };
            let params = params.with_zone(ZoneKind::CostOptimal { cost_ratio });
            let recipe = Recipe { params, ..Recipe::default() };
            let [one, other] = sample.weighted_and_copied(&copies).map(|sample| {
                half_widths(&sample.fit_recipe(&recipe, &Exec::default()).trees()[0])
            });
            assert_eq!(one, other, "seed {seed}, cost ratio {cost_ratio}");
            some |= one.iter().any(|&half_width| half_width > 0.0);
        }
    }
    assert!(some, "no zone had any width");
}

/// Without held-out rows, calibration uses out-of-fold predictions of the model's recipe.
#[test]
fn cross_fitted_rows_are_out_of_fold_predictions() {
    let sample = Sample::generated(3, 120, 3);
    let copies: Vec<usize> = (0..120).map(|row| row % 4).collect();
    let exec = Exec::default();
    for sample in sample.weighted_and_copied(&copies) {
        let data = sample.dataset();
        let model = sample.fit_recipe(&Recipe::calibrated(), &exec);
        let recipe = model.recipe().clone().decided().check().unwrap();
        let honest: OutOfFold = out_of_fold(&data, &recipe, FOLDS, &exec).unwrap();
        let rows = cross_fitted_rows(&model, &data, &exec).unwrap();
        assert_eq!(rows.confidences(), honest.confidences());
        let right = |(&row, said): (&usize, u32)| data.labels()[row] == said;
        let right: Vec<bool> = honest.rows.iter().zip(honest.classes()).map(right).collect();
        assert_eq!(rows.correct(), right);
    }
}

/// More than 100,000 units: scale and depth are chosen on a sample, and EM begins there.
#[test]
fn a_sample_of_weighted_rows_is_that_of_copies() {
    let sample = Sample::generated(31, 40_000, 3);
    let copies: Vec<usize> = (0..40_000).map(|row| 2 + row % 3).collect();
    let mut recipe = Recipe::calibrated();
    recipe.params.max_depth = Some(3);
    recipe.auto.max_depth = None;
    let exec = Exec::with_threads(2).unwrap();
    let [one, other] =
        sample.weighted_and_copied(&copies).map(|sample| sample.fit_recipe(&recipe, &exec));
    assert_same_model(&one, &other).unwrap();
}
