//! Do the laws of the method hold? Each is a property over random samples and parameters.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::naive::Naive;
use support::numbers::Numbers;
use support::sample::Sample;
use support::strategies::samples_with_params;
use support::trees::{
    SHAPES, half_widths, rescaled, splits, weighed, weighed_with_tests, zone as zone_of,
};
use support::{soak, strategies};
use ternwood::grow::Grower;
use ternwood::predict::{Scratch, Walker};
use ternwood::recipe::{RowCount, ZoneParams};
use ternwood::tree::{Node, NodeId, Side, Zone};
use ternwood::{
    Columns, Exec, Matrix, Model, Predictions, Routing, Tree, TreeParams, Verdict, ZoneKind,
};

fn predict(model: &Model, sample: &Sample) -> Predictions {
    let flat = sample.rows.concat();
    let rows = Matrix::row_major(&flat, sample.n_features()).unwrap();
    model.predict(rows, &Exec::default()).unwrap()
}

/// The sample's rows, and points between and beyond them.
fn probes(sample: &Sample) -> Sample {
    let mut probes = sample.clone();
    let shifted =
        |by: f64| sample.rows.iter().map(move |row| row.iter().map(|x| x + by).collect::<Vec<_>>());
    probes.rows.extend(shifted(0.5).chain(shifted(-0.25)).collect::<Vec<_>>());
    probes.classes = probes.classes.repeat(3);
    probes.weights = None;
    probes
}

/// Whether some node's zone of `feature` has an edge within rounding of the row's value.
fn at_an_edge(tree: &Tree, row: &[f64]) -> bool {
    splits(tree).any(|(_, split)| {
        let x = row[split.test.feature().index()];
        let zone = zone_of(split);
        let close = 1e-9 * (1.0 + zone.threshold().abs() + zone.half_width());
        (x - zone.lower()).abs() < close || (x - zone.upper()).abs() < close
    })
}

const BOTH_WAYS: [Routing; 2] = [Routing::Probabilistic, Routing::Deferred];

fn any_power() -> impl Strategy<Value = i32> {
    prop_oneof![-40..40i32, prop::sample::select(vec![-700, 700, 900])]
}

proptest! {
    #![proptest_config(soak::cases(400))]

    /// Other units scale thresholds and widths by the same factor; nothing else changes.
    #[test]
    fn a_feature_in_units_of_a_power_of_two(
        (sample, params) in samples_with_params(strategies::weighted_samples(40)),
        power in any_power(),
        feature in any::<prop::sample::Index>(),
    ) {
        let feature = feature.index(sample.n_features());
        let scale = |x: f64| x * 2f64.powi(power);
        let mut scaled_params = params.clone();
        if let ZoneKind::Specified { half_widths } = &mut scaled_params.zone.kind {
            half_widths[feature] = scale(half_widths[feature]);
        }
        let scaled_sample = sample.with_feature(feature, scale);
        for routing in SHAPES {
            let model = sample.fit(&params, routing);
            let scaled = scaled_sample.fit(&scaled_params, routing);
            let expected = weighed_with_tests(&model.trees()[0], |test| {
                let at = test.feature().0;
                rescaled(test, at, if at as usize == feature { scale(1.0) } else { 1.0 })
            });
            prop_assert_eq!(weighed(&scaled.trees()[0]), expected);
            let probes = probes(&sample);
            let scaled_probes = probes.with_feature(feature, scale);
            prop_assert_eq!(predict(&scaled, &scaled_probes), predict(&model, &probes));
        }
    }

    /// Another origin shifts thresholds and keeps widths. This is exact where widths are sums of
    /// halves; quantiles and logarithms round, so a row within a few ulp of an edge may change
    /// sides.
    #[test]
    fn integers_with_another_origin(
        (sample, params) in samples_with_params(strategies::integer_samples(40)),
        origin in -1000..1000i32,
        feature in any::<prop::sample::Index>(),
    ) {
        let feature = feature.index(sample.n_features());
        let shift = |x: f64| x + f64::from(origin);
        let shifted_sample = sample.with_feature(feature, shift);
        let exact = params.zone.scale == 1.0 && params.zone.max_fraction == 0.25 && matches!(
            params.zone.kind,
            ZoneKind::None | ZoneKind::Margin | ZoneKind::QualityPlateau { .. } | ZoneKind::Specified { .. }
        );
        for routing in SHAPES {
            if !exact && routing == Routing::HardMiddle {
                continue; // A row that changes sides changes the tree.
            }
            let (model, shifted) = (sample.fit(&params, routing), shifted_sample.fit(&params, routing));
            prop_assert_eq!(model.trees()[0].n_nodes(), shifted.trees()[0].n_nodes());
            for ((id, split), (_, moved)) in splits(&model.trees()[0]).zip(splits(&shifted.trees()[0])) {
                prop_assert_eq!(split.test.feature(), moved.test.feature());
                let here = split.test.feature().index() == feature;
                let threshold = zone_of(split).threshold();
                let expected = if here { shift(threshold) } else { threshold };
                prop_assert_eq!(zone_of(moved).threshold(), expected);
                let (before, after) = (zone_of(split).half_width(), zone_of(moved).half_width());
                if exact {
                    prop_assert_eq!(before, after, "node {}", id);
                } else {
                    prop_assert!((before - after).abs() <= 1e-11 * (1.0 + before), "{before} {after}");
                }
            }
            let probes = probes(&sample);
            let before = predict(&model, &probes);
            let after = predict(&shifted, &probes.with_feature(feature, shift));
            for (row, values) in probes.rows.iter().enumerate() {
                if exact || !at_an_edge(&model.trees()[0], values) {
                    prop_assert_eq!(before.verdicts()[row], after.verdicts()[row], "row {}", row);
                }
            }
        }
    }

    /// The order of rows in the file does not matter, whatever their weights.
    #[test]
    fn the_order_of_rows_changes_nothing(
        (sample, params) in samples_with_params(strategies::samples(40)),
        weights in prop_oneof![
            Just(None),
            prop::collection::vec(prop::sample::select(vec![0.1, 0.2, 0.3, 0.4, 0.7]), 40).prop_map(Some),
            prop::collection::vec(1e-3..1e3f64, 40).prop_map(Some),
        ],
        seed in any::<u64>(),
    ) {
        let n = sample.rows.len();
        let sample = Sample { weights: weights.map(|w| w[..n].to_vec()), ..sample };
        let other = sample.rearranged(&Numbers::new(seed).order(n));
        for routing in SHAPES {
            prop_assert_eq!(sample.fit(&params, routing).to_json(), other.fit(&params, routing).to_json());
        }
    }

    /// Columns in another order: the same tree under other feature numbers, where no two
    /// features tie.
    #[test]
    fn the_order_of_columns_only_renumbers_features(
        (sample, params) in samples_with_params(strategies::samples(40)),
        seed in any::<u64>(),
    ) {
        let params = TreeParams { max_depth: Some(2), min_samples_split: RowCount::Count(8), ..params };
        let order = Numbers::new(seed).order(sample.n_features());
        let mut turned_params = params.clone();
        if let ZoneKind::Specified { half_widths } = &mut turned_params.zone.kind {
            *half_widths = order.iter().map(|&column| half_widths[column]).collect();
        }
        let mut turned = sample.clone();
        for row in &mut turned.rows {
            *row = order.iter().map(|&column| row[column]).collect();
        }
        let naive_params = TreeParams { zone: ZoneKind::None.into(), ..params.clone() };
        let ties = Naive::new(&sample, &naive_params, false).grow();
        prop_assume!(ties.nodes.iter().all(|node| node.split.as_ref().is_none_or(|split| !split.tied)));
        let model = sample.fit(&params, Routing::Probabilistic);
        let expected = weighed_with_tests(&model.trees()[0], |test| {
            let at = order.iter().position(|&column| column == test.feature().index()).unwrap();
            rescaled(test, at as u32, 1.0)
        });
        prop_assert_eq!(weighed(&turned.fit(&turned_params, Routing::Probabilistic).trees()[0]), expected);
    }

    #[test]
    fn a_larger_tolerance_never_narrows_a_plateau_and_a_connected_one_is_never_wider(
        (sample, params) in samples_with_params(strategies::weighted_samples(50)),
        tolerances in prop::collection::vec(0.0..=1.0f64, 2..5),
    ) {
        let mut tolerances = tolerances;
        tolerances.sort_by(f64::total_cmp);
        let plateau = |connected| {
            let zone = |&tolerance: &f64| ZoneParams::from(ZoneKind::QualityPlateau { tolerance, connected });
            tolerances.iter().map(zone).collect::<Vec<_>>()
        };
        let outermost = sample.two_child_trees(&params, &plateau(false));
        let connected = sample.two_child_trees(&params, &plateau(true));
        for trees in [&outermost, &connected] {
            for pair in trees.windows(2) {
                for (narrow, wide) in half_widths(&pair[0]).into_iter().zip(half_widths(&pair[1])) {
                    prop_assert!(narrow <= wide, "{narrow} > {wide}");
                }
            }
        }
        for (outermost, connected) in outermost.iter().zip(&connected) {
            for (wide, narrow) in half_widths(outermost).into_iter().zip(half_widths(connected)) {
                prop_assert!(narrow <= wide, "{narrow} > {wide}");
            }
        }
    }

    /// `half-width <= max_fraction * range * scale`, the range being the feature's at the node.
    #[test]
    fn no_estimated_zone_exceeds_the_clamp((sample, params) in samples_with_params(strategies::samples(50))) {
        prop_assume!(!matches!(params.zone.kind, ZoneKind::Specified { .. }));
        let model = sample.fit(&params, Routing::Probabilistic);
        let walker = model.single_tree().unwrap().walker();
        let ZoneParams { max_fraction, scale, .. } = params.zone;
        for (id, split) in splits(&model.trees()[0]) {
            let here: Vec<f64> = sample
                .rows
                .iter()
                .filter(|row| walker.path(row).any(|node| node == id))
                .map(|row| row[split.test.feature().index()])
                .collect();
            prop_assert_eq!(here.len(), model.trees()[0].rows(id) as usize);
            let range = here.iter().copied().fold(f64::MIN, f64::max) - here.iter().copied().fold(f64::MAX, f64::min);
            prop_assert!(zone_of(split).half_width() <= max_fraction * range * scale);
        }
    }

    #[test]
    fn probabilities_are_probabilities_and_verdicts_have_reasons(
        (sample, params) in samples_with_params(strategies::weighted_samples(50)),
        routing in prop::sample::select(Routing::ALL.to_vec()),
    ) {
        let model = sample.fit(&params, routing);
        let probes = probes(&sample);
        let predictions = predict(&model, &probes);
        for (row, values) in probes.rows.iter().enumerate() {
            let distribution = predictions.distribution(row);
            prop_assert!(distribution.iter().all(|p| (0.0..=1.0).contains(p)), "{distribution:?}");
            prop_assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{distribution:?}");
            let verdict = predictions.verdicts()[row];
            // A second walk that only looks for zones on the path.
            prop_assert_eq!(verdict, Verdict::decided_if(!meets_a_zone(&model.trees()[0], routing, values)));
            let explained = model.explain(values).unwrap();
            let explanation = explained.explanation();
            prop_assert_eq!(explanation.verdict, verdict);
            prop_assert_eq!(explanation.reasons().count() > 0, verdict.is_undecided());
            prop_assert_eq!(&explanation.distribution, distribution);
            let shares: f64 = explanation.leaves.iter().map(|leaf| leaf.share).sum();
            prop_assert!((shares - 1.0).abs() < 1e-12, "{shares}");
            // The prediction is the sum of the leaves' distributions, weighted by their shares.
            for (class, p) in distribution.iter().enumerate() {
                let blended: f64 = explanation
                    .leaves
                    .iter()
                    .map(|leaf| leaf.share * model.trees()[0].values(leaf.leaf)[class])
                    .sum();
                prop_assert!((blended - p).abs() < 1e-12);
            }
        }
    }

    /// A decided row has exactly the prediction of plain CART.
    #[test]
    fn decided_rows_are_carts((sample, params) in samples_with_params(strategies::weighted_samples(50))) {
        let cart = predict(&sample.fit(&params, Routing::Crisp), &probes(&sample));
        prop_assert!(cart.verdicts().iter().all(|verdict| verdict.is_decided()));
        for routing in BOTH_WAYS {
            let predictions = predict(&sample.fit(&params, routing), &probes(&sample));
            for row in 0..predictions.n_rows() {
                if predictions.verdicts()[row].is_decided() {
                    prop_assert_eq!(predictions.distribution(row), cart.distribution(row));
                    prop_assert_eq!(predictions.classes()[row], cart.classes()[row]);
                }
            }
        }
    }

    /// One number gives the verdict at every scale.
    #[test]
    fn the_zone_distance_tells_the_verdict_at_every_scale(
        (sample, params) in samples_with_params(strategies::weighted_samples(50)),
        scale in prop_oneof![Just(0.0), Just(1.0), 0.0..6.0f64],
    ) {
        let zone = ZoneParams { scale: 1.0, ..params.zone.clone() };
        let scaled = ZoneParams { scale, ..zone.clone() };
        let trees = sample.two_child_trees(&params, &[zone, scaled]);
        for routing in BOTH_WAYS {
            let [plain, scaled] = [&trees[0], &trees[1]].map(|tree| Walker::new(tree, routing).unwrap());
            for row in &probes(&sample).rows {
                let distance = plain.zone_distance(row).unwrap();
                // The edge itself is exact only up to rounding.
                if at_an_edge(&trees[1], row) {
                    continue;
                }
                let mut out = vec![0.0; sample.n_classes as usize];
                let verdict = scaled.distribution(row, &mut Scratch::default(), &mut out);
                prop_assert_eq!(verdict.is_undecided(), distance <= scale, "s = {}", distance);
            }
        }
    }

    /// Zones without width give plain CART, whatever removed the width.
    #[test]
    fn zones_of_no_width_are_plain_cart((sample, params) in samples_with_params(strategies::weighted_samples(50))) {
        let plain = TreeParams { zone: ZoneKind::None.into(), ..params.clone() };
        let cart = sample.fit(&plain, Routing::Crisp);
        let expected = predict(&cart, &probes(&sample));
        let mut flat = vec![
            plain.clone(),
            TreeParams { zone: ZoneParams { scale: 0.0, ..params.zone.clone() }, ..params.clone() },
        ];
        if !matches!(params.zone.kind, ZoneKind::Specified { .. }) {
            let zone = ZoneParams { max_fraction: 0.0, ..params.zone.clone() };
            flat.push(TreeParams { zone, ..params.clone() });
        }
        for params in &flat {
            for routing in [Routing::Probabilistic, Routing::Deferred, Routing::HardMiddle] {
                let model = sample.fit(params, routing);
                prop_assert_eq!(&predict(&model, &probes(&sample)), &expected);
                if routing == Routing::HardMiddle {
                    // Every middle child repeats its parent; without them it is the same tree.
                    for (id, split) in splits(&model.trees()[0]) {
                        let middle = split.middle.unwrap();
                        prop_assert!(model.trees()[0].node(middle).is_leaf());
                        prop_assert_eq!(model.trees()[0].values(middle), model.trees()[0].values(id));
                    }
                    let three = splits(&model.trees()[0]).map(|(_, split)| &split.test);
                    let two = splits(&cart.trees()[0]).map(|(_, split)| &split.test);
                    prop_assert_eq!(three.collect::<Vec<_>>(), two.collect::<Vec<_>>());
                } else {
                    prop_assert_eq!(&model.trees()[0], &cart.trees()[0]);
                }
            }
        }
    }
}

fn meets_a_zone(tree: &Tree, routing: Routing, row: &[f64]) -> bool {
    if routing == Routing::Crisp {
        return false;
    }
    let mut node = NodeId::ROOT;
    let mut met = false;
    while let Node::Split(split) = tree.node(node) {
        let x = row[split.test.feature().index()];
        let (theta, delta) = (zone_of(split).threshold(), zone_of(split).half_width());
        let within = theta - delta < x && x <= theta + delta;
        met |= within;
        node = match split.middle {
            Some(middle) if within => middle,
            None if within => return true,
            _ if x <= theta - delta => split.left,
            _ => split.right,
        };
    }
    met
}

/// The share of the left child falls linearly across the zone, at any magnitude.
#[test]
fn blending_weights_are_right_for_the_largest_numbers() {
    // theta = 0, delta = 1e308: (1e308 - x) / 2e308.
    for (x, left) in [(-5e307, 0.75), (0.0, 0.5), (5e307, 0.25)] {
        let zone = Zone::new(0.0, 1e308).unwrap();
        assert_eq!(zone.side(x), Side::Within);
        assert!((zone.left_weight(x) - left).abs() < 1e-15, "{x}: {}", zone.left_weight(x));
    }
    // theta = 1.7e308, delta = 1.7e308: the upper edge overflows, the weights do not.
    let zone = Zone::new(1.7e308, 1.7e308).unwrap();
    assert!((zone.left_weight(1.7e308) - 0.5).abs() < 1e-15);
    assert!((zone.left_weight(0.85e308) - 0.75).abs() < 1e-15);
}

/// The memory layout of the rows does not matter.
#[test]
fn row_major_and_column_major_data_are_one_data_set() {
    let sample = Sample::generated(12, 200, 2);
    let columns: Vec<f64> =
        (0..6).flat_map(|feature| sample.rows.iter().map(move |row| row[feature])).collect();
    let data = sample.dataset();
    assert_eq!(data.columns(), &Columns::from_columns(columns.clone(), 6).unwrap());
    let params = TreeParams::default().check().unwrap();
    let grown = Grower::new(&data, &params).unwrap().grow_two_child(&Exec::default()).unwrap();
    let tree = grown.with_zones(&ZoneParams::default()).unwrap();
    let walker = Walker::new(&tree, Routing::Probabilistic).unwrap();
    let flat = sample.rows.concat();
    let by_row = walker.predict(Matrix::row_major(&flat, 6).unwrap(), &Exec::default());
    let by_column = walker.predict(Matrix::column_major(&columns, 6).unwrap(), &Exec::default());
    assert_eq!(by_row.unwrap(), by_column.unwrap());
}
