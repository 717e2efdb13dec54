//! What happens to values that a test has never seen, and to categories next to the cut?
//!
//! Predictions are compared with a walk written from the definition: an unknown value goes both
//! ways in the training weights of the children, and is undecided under every routing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::numbers::Numbers;
use support::sample::Sample;
use support::trees::{SHAPES, splits};
use support::{soak, strategies, tables};
use ternwood::fit::out_of_fold;
use ternwood::predict::Walker;
use ternwood::recipe::{ClassWeight, MissingValues, ZoneParams};
use ternwood::tree::{Cut, Missing, NodeId, Split, Test, Zone};
use ternwood::{
    Exec, Matrix, Model, Recipe, Routing, Tree, TreeParams, UNKNOWN, ZoneKind, is_unknown_value,
};

fn cases() -> impl Strategy<Value = (Sample, TreeParams)> {
    tables::weighted_tables(50, 8).prop_flat_map(|sample| {
        let zone = strategies::zones(strategies::kinds(sample.n_features()));
        (Just(sample.clone()), tables::table_params(sample.n_classes), zone)
            .prop_map(|(sample, params, zone)| (sample, TreeParams { zone, ..params }))
    })
}

/// The rows of a table, and 40 more with a value that is missing, between the others, a category
/// that nobody has seen, or nothing that could be read.
fn probes(sample: &Sample, seed: u64) -> Sample {
    let mut numbers = Numbers::new(seed);
    let mut probes = Sample { weights: None, ..sample.clone() };
    for _ in 0..40 {
        let mut values = sample.rows[numbers.below(sample.rows.len())].clone();
        let feature = numbers.below(sample.n_features());
        let beyond = sample.n_categories(feature).unwrap_or(0) as f64;
        let strange = [f64::NAN, UNKNOWN, beyond, -1.0, 0.5, 1e300, 4_294_967_296.0];
        values[feature] = strange[numbers.below(strange.len())];
        probes.rows.push(values);
        probes.classes.push(0);
    }
    probes
}

/// What the definition says about a value at a test.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Left,
    Right,
    /// Within the zone: the share that goes left, and the side of the cut.
    Within {
        share: f64,
        left: bool,
    },
    Unknown,
}

fn place(test: &Test, x: f64) -> Place {
    let at = |position: f64, threshold: f64, delta: f64| {
        if position <= threshold - delta {
            Place::Left
        } else if position > threshold + delta {
            Place::Right
        } else {
            let share = (threshold + delta - position) / (2.0 * delta);
            Place::Within { share: share.clamp(0.0, 1.0), left: position <= threshold }
        }
    };
    match (test.cut(), test.missing()) {
        _ if is_unknown_value(x) => Place::Unknown,
        (_, Missing::Left) if x.is_nan() => Place::Left,
        (_, Missing::Right) if x.is_nan() => Place::Right,
        (_, Missing::Unknown) if x.is_nan() => Place::Unknown,
        (Cut::Present, _) => Place::Left,
        (Cut::Threshold { zone, .. }, _) => at(x, zone.threshold(), zone.half_width()),
        (Cut::Categories(cut), _) => {
            let found = cut.places().iter().find(|place| f64::from(place.category) == x);
            found.map_or(Place::Unknown, |place| {
                at(place.position, cut.threshold(), cut.error() * place.standard_error)
            })
        }
    }
}

/// The class probabilities of a row, and whether it is undecided.
fn walk(tree: &Tree, at: NodeId, row: &[f64], routing: Routing, crisp: bool) -> (Vec<f64>, bool) {
    let Some(split) = tree.node(at).as_split() else {
        return (tree.values(at).to_vec(), false);
    };
    let go = |child: NodeId, crisp: bool| walk(tree, child, row, routing, crisp);
    let weight = |child: NodeId| tree.weight(child);
    let share_of_left = weight(split.left) / (weight(split.left) + weight(split.right));
    let place = place(&split.test, row[split.test.feature().index()]);
    let (share, left) = match place {
        Place::Left => return go(split.left, crisp),
        Place::Right => return go(split.right, crisp),
        Place::Within { share, left } => (share, left),
        Place::Unknown => (share_of_left, share_of_left >= 0.5),
    };
    if crisp {
        let (distribution, below) = go(if left { split.left } else { split.right }, true);
        return (distribution, below || place == Place::Unknown);
    }
    if let Some(middle) = split.middle {
        return (go(middle, false).0, true);
    }
    let crisp = routing == Routing::Deferred;
    let (left, right) = (go(split.left, crisp).0, go(split.right, crisp).0);
    (left.iter().zip(&right).map(|(l, r)| share * l + (1.0 - share) * r).collect(), true)
}

/// Whether rounding may decide on which side of an edge a position is.
fn is_close_to_an_edge(zone: Zone, position: f64) -> bool {
    let close = 1e-9 * (1.0 + zone.threshold().abs() + zone.half_width());
    [zone.lower(), zone.upper()].iter().any(|edge| (position - edge).abs() < close)
}

fn routings(three_child: bool) -> Vec<Routing> {
    if three_child {
        return vec![Routing::HardMiddle, Routing::Crisp];
    }
    vec![Routing::Probabilistic, Routing::Deferred, Routing::Crisp]
}

fn splits_by_root(tree: &Tree) -> Option<&Split> {
    tree.node(NodeId::ROOT).as_split()
}

proptest! {
    #![proptest_config(soak::cases(400))]

    /// Predictions of many rows, of one row and the walk of the definition agree.
    #[test]
    fn rows_are_walked_as_defined(
        (sample, params) in cases(), seed: u64, three: bool,
    ) {
        let shape = if three { Routing::HardMiddle } else { Routing::Probabilistic };
        let grown = sample.fit(&params, shape);
        let probes = probes(&sample, seed);
        let flat = probes.rows.concat();
        let rows = Matrix::row_major(&flat, probes.n_features()).unwrap();
        for routing in routings(three) {
            let walker = Walker::new(&grown.trees()[0], routing).unwrap();
            let answers = walker.predict(rows, &Exec::default()).unwrap();
            for (row, values) in probes.rows.iter().enumerate() {
                let (expected, undecided) =
                    walk(&grown.trees()[0], NodeId::ROOT, values, routing, routing == Routing::Crisp);
                prop_assert_eq!(answers.verdicts()[row].is_undecided(), undecided, "{:?}", values);
                let explained = walker.explain(values);
                prop_assert_eq!(&explained.distribution[..], answers.distribution(row));
                prop_assert_eq!(explained.verdict, answers.verdicts()[row]);
                prop_assert_eq!(explained.reasons().count() > 0, undecided);
                for (p, expected) in answers.distribution(row).iter().zip(&expected) {
                    prop_assert!((p - expected).abs() < 1e-12, "{values:?}: {p} is not {expected}");
                }
            }
        }
    }

    /// The answer lies between the answers of the two children, and is undecided whatever the
    /// routing.
    #[test]
    fn an_unknown_value_is_answered_between_the_children(
        (sample, params) in cases(), seed: u64,
    ) {
        for shape in [Routing::Probabilistic, Routing::HardMiddle] {
            let tree = sample.fit(&params, shape).trees()[0].clone();
            let Some(split) = splits_by_root(&tree) else { continue };
            for values in &probes(&sample, seed).rows {
                let x = values[split.test.feature().index()];
                if place(&split.test, x) != Place::Unknown {
                    continue;
                }
                prop_assert!(split.test.is_unknown(x));
                for routing in routings(shape.needs_three_children()) {
                    let answer = Walker::new(&tree, routing).unwrap().explain(values);
                    prop_assert!(answer.verdict.is_undecided());
                    if split.middle.is_some() {
                        continue;
                    }
                    let crisp = routing != Routing::Probabilistic;
                    let [left, right] = [split.left, split.right]
                        .map(|child| walk(&tree, child, values, routing, crisp).0);
                    for (class, p) in answer.distribution.iter().enumerate() {
                        let (low, high) = (left[class].min(right[class]), left[class].max(right[class]));
                        prop_assert!(low - 1e-12 <= *p && *p <= high + 1e-12, "{p} of {low} to {high}");
                    }
                }
            }
        }
    }

    /// A decided row has exactly the prediction of plain CART.
    #[test]
    fn decided_rows_are_carts((sample, params) in cases(), seed: u64) {
        let model = sample.fit(&params, Routing::Probabilistic);
        let probes = probes(&sample, seed);
        for routing in [Routing::Probabilistic, Routing::Deferred] {
            let [soft, cart] =
                [routing, Routing::Crisp].map(|routing| Walker::new(&model.trees()[0], routing).unwrap());
            for values in &probes.rows {
                let (soft, cart) = (soft.explain(values), cart.explain(values));
                if soft.verdict.is_decided() {
                    prop_assert_eq!(soft.distribution, cart.distribution);
                    prop_assert!(cart.verdict.is_decided());
                }
            }
        }
    }

    /// The distance of a row is at most 1 if it is undecided; that of an unknown value is 0, that
    /// of a missing value with a learned side is infinite.
    #[test]
    fn the_distance_tells_the_verdict((sample, params) in cases(), seed: u64) {
        let zone = ZoneParams { scale: 1.0, ..params.zone.clone() };
        let model = sample.fit(&TreeParams { zone, ..params }, Routing::Probabilistic);
        let walker = model.single_tree().unwrap().walker();
        for values in &probes(&sample, seed).rows {
            let distance = walker.zone_distance(values).unwrap();
            let path: Vec<NodeId> = walker.path(values).collect();
            let tests = path.iter().filter_map(|&id| Some(&model.trees()[0].node(id).as_split()?.test));
            let mut least = f64::INFINITY;
            let mut on_edge = false;
            for test in tests {
                let x = values[test.feature().index()];
                if test.is_unknown(x) {
                    least = 0.0;
                } else if let Some((zone, position)) = test.zone_and_position(x) {
                    let half_widths = (position - zone.threshold()).abs() / zone.half_width();
                    if zone.half_width() > 0.0 {
                        least = least.min(half_widths);
                        on_edge |= is_close_to_an_edge(zone, position);
                    }
                }
            }
            let close = (distance - least).abs() <= 1e-9 * (1.0 + least);
            prop_assert!(close || distance == least, "{distance} is not {least}");
            if !on_edge {
                let verdict = walker.explain(values).verdict;
                prop_assert_eq!(verdict.is_undecided(), distance <= 1.0, "{}", distance);
            }
        }
    }

    /// Without categories one number gives the verdict at every scale: also at scale 0, where
    /// unknown values alone are undecided.
    #[test]
    fn the_distance_tells_the_verdict_at_every_scale(
        (sample, params) in cases(), seed: u64, scale in prop_oneof![Just(0.0), 0.0..6.0f64],
    ) {
        let sample = Sample { kinds: Vec::new(), ..sample };
        let plain = ZoneParams { scale: 1.0, ..params.zone.clone() };
        let scaled = ZoneParams { scale, ..plain.clone() };
        let trees = sample.two_child_trees(&params, &[plain, scaled]);
        let [plain, scaled] =
            [&trees[0], &trees[1]].map(|tree| Walker::new(tree, Routing::Deferred).unwrap());
        for values in &probes(&sample, seed).rows {
            let on_edge = splits(&trees[1]).any(|(_, split)| {
                let x = values[split.test.feature().index()];
                split.test.zone().is_some_and(|zone| is_close_to_an_edge(zone, x))
            });
            if !on_edge {
                let distance = plain.zone_distance(values).unwrap();
                let undecided = scaled.explain(values).verdict.is_undecided();
                prop_assert_eq!(undecided, distance <= scale, "s = {}", distance);
            }
        }
    }

    /// In training, what cannot be read is missing.
    #[test]
    fn what_cannot_be_read_trains_as_missing((sample, params) in cases()) {
        let other = unreadable(&sample);
        for routing in SHAPES {
            let [model, other] = [&sample, &other].map(|sample| sample.fit(&params, routing));
            prop_assert_eq!(model.to_json(), other.to_json());
        }
    }

    /// A split that saw missing values has learned their side, and one that saw none has not.
    #[test]
    fn sides_are_learned_where_values_were_missing((sample, params) in cases()) {
        let model = sample.fit(&params, Routing::Crisp);
        let walker = model.single_tree().unwrap().walker();
        for (id, split) in splits(&model.trees()[0]) {
            let feature = split.test.feature().index();
            let here = |row: &&Vec<f64>| walker.path(row).any(|node| node == id);
            let weighted = sample.rows.iter().enumerate().filter(|(row, _)| {
                sample.weights.as_ref().is_none_or(|weights| weights[*row] > 0.0)
            });
            let missing = weighted.map(|(_, row)| row).filter(here).any(|row| row[feature].is_nan());
            if params.missing == MissingValues::Unknown {
                prop_assert_eq!(split.test.missing(), Missing::Unknown);
            } else if params.min_samples_category == 1 && !is_weightless(&params) {
                prop_assert_eq!(split.test.missing() != Missing::Unknown, missing, "node {}", id);
            }
        }
    }
}

/// The same sample with values that cannot be read instead of missing ones.
fn unreadable(sample: &Sample) -> Sample {
    let mut other = sample.clone();
    other.rows.iter_mut().flatten().filter(|x| x.is_nan()).for_each(|x| *x = UNKNOWN);
    other
}

/// Whether some class counts nothing, so that its rows teach nothing.
fn is_weightless(params: &TreeParams) -> bool {
    matches!(&params.class_weight, ClassWeight::Given(factors) if factors.contains(&0.0))
}

/// Ten rows: five with a small number, all of class 0; five with a large one, of class 1.
fn ten_rows() -> Sample {
    Sample {
        rows: (0..10).map(|i| vec![f64::from(i)]).collect(),
        classes: (0..10).map(|i| i / 5).collect(),
        n_classes: 2,
        ..Sample::default()
    }
}

#[test]
fn whole_recipes_train_with_it_as_with_missing_values() {
    let sample = tables::generated(7, 300, 2);
    let other = unreadable(&sample);
    assert!(other.rows.iter().flatten().any(|&x| is_unknown_value(x)));
    let mut cost_optimal = Recipe::default();
    cost_optimal.params.zone.kind = ZoneKind::CostOptimal { cost_ratio: 0.3 };
    cost_optimal.params.max_depth = Some(3);
    let mut deferred = Recipe::calibrated();
    deferred.routing = Routing::Deferred;
    for recipe in [Recipe::calibrated(), deferred, cost_optimal] {
        let exec = Exec::default();
        let [model, again] = [&sample, &other].map(|sample| sample.fit_recipe(&recipe, &exec));
        assert_eq!(model.to_json(), again.to_json());
        let rows = [&sample, &other].map(|sample| {
            let recipe = recipe.clone().decided().check().unwrap();
            out_of_fold(&sample.dataset(), &recipe, 5, &exec).unwrap()
        });
        assert_eq!(rows[0], rows[1]);
    }
}

#[test]
fn what_cannot_be_read_is_not_missing() {
    let mut with_gaps = ten_rows();
    with_gaps.rows.push(vec![f64::NAN]);
    with_gaps.classes.push(0);
    let learned = with_gaps.fit(&TreeParams::default(), Routing::Probabilistic);
    assert!(!answer(&learned, &[f64::NAN]).1, "it has learned their side");
    assert!(answer(&learned, &[UNKNOWN]).1);
    let refusing = TreeParams { missing: MissingValues::Error, ..TreeParams::default() };
    let refusing = ten_rows().fit(&refusing, Routing::Crisp);
    assert!(refusing.explain(&[f64::NAN]).is_err());
    assert!(answer(&refusing, &[UNKNOWN]).1);
    for model in [&learned, &refusing] {
        let rows = vec![UNKNOWN; 20];
        let matrix = Matrix::row_major(&rows, 1).unwrap();
        let answers = model.predict(matrix, &Exec::default()).unwrap();
        assert!(answers.verdicts().iter().all(|verdict| verdict.is_undecided()));
    }
}

fn answer(model: &Model, row: &[f64]) -> (Vec<f64>, bool) {
    let explained = model.explain(row).unwrap();
    let explanation = explained.explanation();
    (explanation.distribution.clone(), explanation.verdict.is_undecided())
}

#[test]
fn a_missing_value_that_no_split_saw_goes_both_ways() {
    let mut sample = ten_rows();
    sample.rows.push(vec![9.0]);
    sample.classes.push(1);
    for kind in [ZoneKind::None, ZoneKind::Margin] {
        let params = TreeParams::default().with_zone(kind);
        // 5 rows go left and 6 right.
        let expected = vec![5.0 / 11.0, 6.0 / 11.0];
        for routing in [Routing::Probabilistic, Routing::Deferred] {
            let (distribution, undecided) = answer(&sample.fit(&params, routing), &[f64::NAN]);
            assert!(undecided && (distribution[0] - expected[0]).abs() < 1e-15, "{distribution:?}");
        }
        // The heavier child.
        let crisp = answer(&sample.fit(&params, Routing::Crisp), &[f64::NAN]);
        assert_eq!(crisp, (vec![0.0, 1.0], true));
        // The middle child: no row is within a zone of no width, so it answers as the node would;
        // the margin's has the row at 5.
        let of_middle = if params.zone.kind == ZoneKind::None { expected } else { vec![0.0, 1.0] };
        let middle = answer(&sample.fit(&params, Routing::HardMiddle), &[f64::NAN]);
        assert_eq!(middle, (of_middle, true));
    }
    // Left on ties.
    let params = TreeParams::default();
    let crisp = answer(&ten_rows().fit(&params, Routing::Crisp), &[f64::NAN]);
    assert_eq!(crisp, (vec![1.0, 0.0], true));
}

/// Missing values of class 1 only: right. Their side is known, however far the zone reaches.
#[test]
fn a_learned_side_is_decided() {
    let mut sample = ten_rows();
    sample.rows.push(vec![f64::NAN]);
    sample.classes.push(1);
    let zone = ZoneParams { scale: 1e6, ..ZoneParams::default() };
    let params = TreeParams { zone, ..TreeParams::default() };
    for routing in [Routing::Crisp, Routing::Probabilistic, Routing::Deferred] {
        let model = sample.fit(&params, routing);
        assert_eq!(answer(&model, &[f64::NAN]), (vec![0.0, 1.0], false));
        assert_eq!(answer(&model, &[4.0]).1, routing != Routing::Crisp);
    }
    let unknown = TreeParams { missing: MissingValues::Unknown, ..params };
    let model = sample.fit(&unknown, Routing::Probabilistic);
    let (distribution, undecided) = answer(&model, &[f64::NAN]);
    // The row that is missing trained neither child: 5 rows on either side.
    assert!(undecided && distribution == [0.5, 0.5], "{distribution:?}");
    assert_eq!(model.trees()[0].rows(NodeId::ROOT), 11);
    assert_eq!(model.trees()[0].class_rows(NodeId(2)), [0, 5]);
}
