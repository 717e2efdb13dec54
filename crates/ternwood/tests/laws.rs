//! Do the laws of the method hold? Each is a property over random samples and parameters.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::naive::Naive;
use support::numbers::Numbers;
use support::sample::Sample;
use support::{soak, strategies};
use ternwood::{
    ClassWeight, Columns, FeatureId, Grower, MaxFeatures, Model, Node, NodeId, Predictions,
    Routing, Rows, Scratch, Side, Split, Tree, TreeParams, Verdict, Walker, Workers, Zone,
    ZoneKind, ZoneParams,
};

/// A sample, parameters without rules that count rows, and any kind of zone.
fn cases(
    samples: impl Strategy<Value = Sample> + 'static,
) -> impl Strategy<Value = (Sample, TreeParams)> {
    samples.prop_flat_map(|sample| {
        let zone = strategies::zones(strategies::kinds(sample.n_features()));
        (Just(sample.clone()), strategies::plain_params(sample.n_classes), zone)
            .prop_map(|(sample, params, zone)| (sample, TreeParams { zone, ..params }))
    })
}

fn predict(model: &Model, sample: &Sample) -> Predictions {
    let flat = sample.rows.concat();
    let rows = Rows::row_major(&flat, sample.n_features()).unwrap();
    model.predict(rows, &Workers::single()).unwrap()
}

fn splits(tree: &Tree) -> impl Iterator<Item = (NodeId, &Split)> {
    tree.ids().filter_map(|id| Some((id, tree.node(id).as_split()?)))
}

/// Everything about a tree but how many rows are behind it.
fn weighed(tree: &Tree) -> Vec<(Node, Vec<f64>, Vec<f64>, f64)> {
    tree.ids()
        .map(|id| {
            (
                *tree.node(id),
                tree.class_weights(id).to_vec(),
                tree.distribution(id).to_vec(),
                tree.impurity(id),
            )
        })
        .collect()
}

/// Rows, and points between and beyond them.
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
        let x = row[split.feature.index()];
        let zone = split.zone;
        let close = 1e-9 * (1.0 + zone.threshold().abs() + zone.half_width());
        (x - zone.lower()).abs() < close || (x - zone.upper()).abs() < close
    })
}

const SHAPES: [Routing; 2] = [Routing::Probabilistic, Routing::HardMiddle];
const BOTH_WAYS: [Routing; 2] = [Routing::Probabilistic, Routing::Deferred];

fn any_power() -> impl Strategy<Value = i32> {
    prop_oneof![-40..40i32, prop::sample::select(vec![-700, 700, 900])]
}

proptest! {
    #![proptest_config(soak::cases(400))]

    /// Other units, other thresholds and widths by the same factor; nothing else changes.
    #[test]
    fn a_feature_in_units_of_a_power_of_two(
        (sample, params) in cases(strategies::weighted_samples(40)),
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
            let mut expected = weighed(model.tree());
            for (node, ..) in &mut expected {
                if let Node::Split(split) = node && split.feature.index() == feature {
                    let zone = split.zone;
                    split.zone = Zone::new(scale(zone.threshold()), scale(zone.half_width())).unwrap();
                }
            }
            prop_assert_eq!(weighed(scaled.tree()), expected);
            let probes = probes(&sample);
            let scaled_probes = probes.with_feature(feature, scale);
            prop_assert_eq!(predict(&scaled, &scaled_probes), predict(&model, &probes));
        }
    }

    /// Another origin moves thresholds along and keeps widths. Exactly so where widths are
    /// sums of halves; quantiles and logarithms round, so that a row within a few ulp of an
    /// edge may change sides there.
    #[test]
    fn integers_with_another_origin(
        (sample, params) in cases(strategies::integer_samples(40)),
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
                continue; // A row that changes sides grows another tree.
            }
            let (model, shifted) = (sample.fit(&params, routing), shifted_sample.fit(&params, routing));
            prop_assert_eq!(model.tree().n_nodes(), shifted.tree().n_nodes());
            for ((id, split), (_, moved)) in splits(model.tree()).zip(splits(shifted.tree())) {
                prop_assert_eq!(split.feature, moved.feature);
                let here = split.feature == FeatureId(feature as u32);
                let threshold = split.zone.threshold();
                let expected = if here { shift(threshold) } else { threshold };
                prop_assert_eq!(moved.zone.threshold(), expected);
                let (before, after) = (split.zone.half_width(), moved.zone.half_width());
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
                if exact || !at_an_edge(model.tree(), values) {
                    prop_assert_eq!(before.verdicts()[row], after.verdicts()[row], "row {}", row);
                }
            }
        }
    }

    /// A row of weight k is k rows: the same tree, but for the counts of rows.
    #[test]
    fn weight_k_is_k_copies(
        (sample, params) in cases(strategies::samples(40)),
        copies in prop::collection::vec(0..5usize, 40),
        max_features in prop::sample::select(vec![MaxFeatures::All, MaxFeatures::Count(1)]),
    ) {
        prop_assume!(copies[..sample.rows.len()].iter().any(|&copies| copies > 0));
        let mut params = TreeParams { max_features, ..params };
        if matches!(params.zone.kind, ZoneKind::ClassOverlap { .. }) {
            params.zone.kind = ZoneKind::Margin; // Its quantiles count rows, as published.
        }
        let copies = &copies[..sample.rows.len()];
        let weights = copies.iter().map(|&copies| copies as f64).collect();
        let order: Vec<usize> =
            copies.iter().enumerate().flat_map(|(row, &n)| std::iter::repeat_n(row, n)).collect();
        let copied = sample.rearranged(&order);
        let weighted = Sample { weights: Some(weights), ..sample };
        for routing in SHAPES {
            prop_assert_eq!(
                weighed(weighted.fit(&params, routing).tree()),
                weighed(copied.fit(&params, routing).tree())
            );
        }
    }

    /// Rows of weight 0 are not there, wherever they lie.
    #[test]
    fn rows_without_weight_change_nothing(
        (sample, params) in cases(strategies::weighted_samples(30)),
        extra in prop::collection::vec((any::<prop::sample::Index>(), -1e300..1e300f64), 1..10),
    ) {
        let weights = sample.weights.clone().unwrap_or_else(|| vec![1.0; sample.rows.len()]);
        let without = Sample { weights: Some(weights.clone()), ..sample.clone() };
        let mut with = without.clone();
        let mut weights = weights;
        for (at, value) in extra {
            let at = at.index(with.rows.len() + 1);
            with.rows.insert(at, vec![value; sample.n_features()]);
            with.classes.insert(at, sample.classes[0]);
            weights.insert(at, 0.0);
        }
        with.weights = Some(weights);
        for routing in SHAPES {
            prop_assert_eq!(with.fit(&params, routing).to_json(), without.fit(&params, routing).to_json());
        }
    }

    /// The order of rows is an accident of the file, whatever their weights.
    #[test]
    fn the_order_of_rows_changes_nothing(
        (sample, params) in cases(strategies::samples(40)),
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
        (sample, params) in cases(strategies::samples(40)),
        seed in any::<u64>(),
    ) {
        let params = TreeParams { max_depth: Some(2), min_samples_split: ternwood::RowCount::Count(8), ..params };
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
        let mut expected = weighed(sample.fit(&params, Routing::Probabilistic).tree());
        for (node, ..) in &mut expected {
            if let Node::Split(split) = node {
                let at = order.iter().position(|&column| column == split.feature.index()).unwrap();
                split.feature = FeatureId(at as u32);
            }
        }
        prop_assert_eq!(weighed(turned.fit(&turned_params, Routing::Probabilistic).tree()), expected);
    }

    #[test]
    fn a_larger_tolerance_never_narrows_a_plateau_and_a_connected_one_is_never_wider(
        (sample, params) in cases(strategies::weighted_samples(50)),
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
        let widths = |tree: &Tree| splits(tree).map(|(_, split)| split.zone.half_width()).collect::<Vec<_>>();
        for trees in [&outermost, &connected] {
            for pair in trees.windows(2) {
                for (narrow, wide) in widths(&pair[0]).into_iter().zip(widths(&pair[1])) {
                    prop_assert!(narrow <= wide, "{narrow} > {wide}");
                }
            }
        }
        for (outermost, connected) in outermost.iter().zip(&connected) {
            for (wide, narrow) in widths(outermost).into_iter().zip(widths(connected)) {
                prop_assert!(narrow <= wide, "{narrow} > {wide}");
            }
        }
    }

    /// `half-width <= max_fraction * range * scale`, the range being the feature's at the node.
    #[test]
    fn no_estimated_zone_exceeds_the_clamp((sample, params) in cases(strategies::samples(50))) {
        prop_assume!(!matches!(params.zone.kind, ZoneKind::Specified { .. }));
        let model = sample.fit(&params, Routing::Probabilistic);
        let walker = model.walker();
        let ZoneParams { max_fraction, scale, .. } = params.zone;
        for (id, split) in splits(model.tree()) {
            let here: Vec<f64> = sample
                .rows
                .iter()
                .filter(|row| walker.path(row).any(|node| node == id))
                .map(|row| row[split.feature.index()])
                .collect();
            prop_assert_eq!(here.len(), model.tree().rows(id) as usize);
            let range = here.iter().copied().fold(f64::MIN, f64::max) - here.iter().copied().fold(f64::MAX, f64::min);
            prop_assert!(split.zone.half_width() <= max_fraction * range * scale);
        }
    }

    #[test]
    fn probabilities_are_probabilities_and_verdicts_have_reasons(
        (sample, params) in cases(strategies::weighted_samples(50)),
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
            // A second walk, that only asks where zones are met.
            prop_assert_eq!(verdict, Verdict::decided_if(!meets_a_zone(model.tree(), routing, values)));
            let explained = model.explain(values).unwrap();
            let explanation = explained.explanation();
            prop_assert_eq!(explanation.verdict, verdict);
            prop_assert_eq!(explanation.reasons().count() > 0, verdict.is_undecided());
            prop_assert_eq!(&explanation.distribution, distribution);
            let shares: f64 = explanation.leaves.iter().map(|leaf| leaf.share).sum();
            prop_assert!((shares - 1.0).abs() < 1e-12, "{shares}");
            // The leaves' distributions, weighted by their shares, are the answer.
            for (class, p) in distribution.iter().enumerate() {
                let blended: f64 = explanation
                    .leaves
                    .iter()
                    .map(|leaf| leaf.share * model.tree().distribution(leaf.leaf)[class])
                    .sum();
                prop_assert!((blended - p).abs() < 1e-12);
            }
        }
    }

    /// A decided row has exactly the prediction of plain CART.
    #[test]
    fn decided_rows_are_carts((sample, params) in cases(strategies::weighted_samples(50))) {
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

    /// One number tells the verdict at every scale.
    #[test]
    fn the_zone_distance_tells_the_verdict_at_every_scale(
        (sample, params) in cases(strategies::weighted_samples(50)),
        scale in prop_oneof![Just(0.0), Just(1.0), 0.0..6.0f64],
    ) {
        let zone = ZoneParams { scale: 1.0, ..params.zone.clone() };
        let scaled = ZoneParams { scale, ..zone.clone() };
        let trees = sample.two_child_trees(&params, &[zone, scaled]);
        for routing in BOTH_WAYS {
            let [plain, scaled] = [&trees[0], &trees[1]].map(|tree| Walker::new(tree, routing).unwrap());
            for row in &probes(&sample).rows {
                let distance = plain.zone_distance(row).unwrap();
                // The edge itself is promised up to rounding only.
                if at_an_edge(&trees[1], row) {
                    continue;
                }
                let mut out = vec![0.0; sample.n_classes as usize];
                let verdict = scaled.distribution(row, &mut Scratch::default(), &mut out);
                prop_assert_eq!(verdict.is_undecided(), distance <= scale, "s = {}", distance);
            }
        }
    }

    /// Without width there is only CART: whatever took the width away.
    #[test]
    fn zones_of_no_width_are_plain_cart((sample, params) in cases(strategies::weighted_samples(50))) {
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
                    // Every middle child stands in for its parent; without them it is the same tree.
                    for (id, split) in splits(model.tree()) {
                        let middle = split.middle.unwrap();
                        prop_assert!(model.tree().node(middle).is_leaf());
                        prop_assert_eq!(model.tree().distribution(middle), model.tree().distribution(id));
                    }
                    let three = splits(model.tree()).map(|(_, split)| (split.feature, split.zone));
                    let two = splits(cart.tree()).map(|(_, split)| (split.feature, split.zone));
                    prop_assert_eq!(three.collect::<Vec<_>>(), two.collect::<Vec<_>>());
                } else {
                    prop_assert_eq!(model.tree(), cart.tree());
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
        let x = row[split.feature.index()];
        let (theta, delta) = (split.zone.threshold(), split.zone.half_width());
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

/// The share of the left child falls linearly through the zone, at any size of number.
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

/// Balanced factors are those of weighted counts, so that copies and weights agree.
#[test]
fn balanced_classes_weigh_the_same_with_weights_as_with_copies() {
    let sample = Sample::generated(11, 60, 3);
    let copies: Vec<usize> = (0..60).map(|row| 1 + row % 4).collect();
    let order: Vec<usize> =
        copies.iter().enumerate().flat_map(|(row, &n)| std::iter::repeat_n(row, n)).collect();
    let weights = copies.iter().map(|&n| n as f64).collect();
    let weighted = Sample { weights: Some(weights), ..sample.clone() };
    let class_weight = ClassWeight::Balanced;
    for kind in [ZoneKind::node_bootstrap(), ZoneKind::Margin, ZoneKind::gain_ratio()] {
        let params = TreeParams { class_weight: class_weight.clone(), ..TreeParams::default() }
            .with_zone(kind);
        for routing in SHAPES {
            let one = weighted.fit(&params, routing);
            let other = sample.rearranged(&order).fit(&params, routing);
            assert_eq!(weighed(one.tree()), weighed(other.tree()), "{:?}", params.zone.kind);
            let root = one.tree().class_weights(NodeId::ROOT);
            // 150 rows in three classes: 50 each, up to rounding.
            assert!(root.iter().all(|weight| (weight - 50.0).abs() < 1e-9), "{root:?}");
        }
    }
}

/// The order in which rows are read is an accident even where row and column layout differ.
#[test]
fn row_major_and_column_major_data_are_one_data_set() {
    let sample = Sample::generated(12, 200, 2);
    let columns: Vec<f64> =
        (0..6).flat_map(|feature| sample.rows.iter().map(move |row| row[feature])).collect();
    let data = sample.dataset();
    assert_eq!(data.columns(), &Columns::from_columns(columns.clone(), 6).unwrap());
    let params = TreeParams::default().check().unwrap();
    let grown = Grower::new(&data, &params).unwrap().grow_two_child().unwrap();
    let tree = grown.with_zones(&ZoneParams::default()).unwrap();
    let walker = Walker::new(&tree, Routing::Probabilistic).unwrap();
    let flat = sample.rows.concat();
    let by_row = walker.predict(Rows::row_major(&flat, 6).unwrap(), &Workers::single());
    let by_column = walker.predict(Rows::column_major(&columns, 6).unwrap(), &Workers::single());
    assert_eq!(by_row.unwrap(), by_column.unwrap());
}

/// More rows than one block of sorted columns holds, so that bins and their bounds are at work.
const MANY: usize = 6_000;

fn kinds_to_try() -> Vec<ZoneKind> {
    let mut kinds = ZoneKind::published().to_vec();
    kinds.push(ZoneKind::None);
    kinds.push(ZoneKind::Spread);
    kinds
}

fn large_params(kind: ZoneKind) -> TreeParams {
    TreeParams { max_depth: Some(5), ..TreeParams::default() }.with_zone(kind)
}

/// Weighted rows and copies of rows take different ways through the engine, to one tree.
#[test]
fn weight_k_is_k_copies_of_many_rows() {
    let sample = Sample::generated(41, 2_500, 3);
    let copies: Vec<usize> = (0..2_500).map(|row| 1 + row % 4).collect();
    let order: Vec<usize> =
        copies.iter().enumerate().flat_map(|(row, &n)| std::iter::repeat_n(row, n)).collect();
    assert!(order.len() > MANY);
    let copied = sample.rearranged(&order);
    let weighted = Sample { weights: Some(copies.iter().map(|&n| n as f64).collect()), ..sample };
    for kind in kinds_to_try() {
        if matches!(kind, ZoneKind::ClassOverlap { .. }) {
            continue; // Its quantiles count rows, as published.
        }
        for class_weight in [ClassWeight::Uniform, ClassWeight::Balanced] {
            let params = TreeParams { class_weight, ..large_params(kind.clone()) };
            for routing in SHAPES {
                let [one, other] = [&weighted, &copied].map(|sample| sample.fit(&params, routing));
                assert!(weighed(one.tree()) == weighed(other.tree()), "{params:?} {routing}");
            }
        }
    }
}

#[test]
fn order_and_units_of_many_rows_change_nothing() {
    let sample = Sample::generated(42, MANY, 3);
    let shuffled = sample.rearranged(&Numbers::new(7).order(MANY));
    let factor = 2f64.powi(-300);
    let scaled = sample.with_feature(0, |x| x * factor);
    for kind in kinds_to_try() {
        let params = large_params(kind);
        for routing in SHAPES {
            let model = sample.fit(&params, routing);
            assert!(model.to_json() == shuffled.fit(&params, routing).to_json(), "{params:?}");
            let mut expected = weighed(model.tree());
            for (node, ..) in &mut expected {
                if let Node::Split(split) = node
                    && split.feature.index() == 0
                {
                    let zone = split.zone;
                    let scaled = [zone.threshold(), zone.half_width()].map(|x| x * factor);
                    split.zone = Zone::new(scaled[0], scaled[1]).unwrap();
                }
            }
            assert!(expected == weighed(scaled.fit(&params, routing).tree()), "{params:?}");
        }
    }
}

/// 0 and -0 are one value: no split lies between them, and no zone tells them apart.
#[test]
fn zero_has_no_sign() {
    for n_rows in [60, MANY] {
        let mut sample = Sample::generated(43, n_rows, 2);
        for (row, values) in sample.rows.iter_mut().enumerate() {
            // Zeros whose sign would tell the class perfectly, if it were looked at.
            values[0] = if row % 3 == 0 { values[0] } else { 0.0 };
            values[5] = values[5].max(0.0);
        }
        let mut signed = sample.clone();
        for (values, class) in signed.rows.iter_mut().zip(&sample.classes) {
            for value in values.iter_mut().filter(|value| **value == 0.0) {
                *value = if *class == 0 { -0.0 } else { 0.0 };
            }
        }
        for kind in kinds_to_try() {
            let params = large_params(kind);
            for routing in SHAPES {
                let (model, other) = (sample.fit(&params, routing), signed.fit(&params, routing));
                assert!(model.to_json() == other.to_json(), "{n_rows} rows, {params:?}");
            }
        }
    }
}
