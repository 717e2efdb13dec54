//! Numbers at the limits of floats. Each case has its expected result worked out.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use support::sample::Sample;
use support::trees::{splits, zone as zone_of};
use ternwood::recipe::{ClassWeight, GainKind, ZoneParams};
use ternwood::tree::NodeId;
use ternwood::{
    ClassName, Columns, Dataset, Exec, Labels, Learner, Matrix, Model, Predictions, Recipe,
    Routing, TreeParams, ZoneKind,
};

fn data(values: &[f64], n_features: usize, classes: &[u32]) -> Dataset {
    let columns = Columns::from_rows(values, n_features).unwrap();
    Dataset::new(columns, Labels::from_values(classes.iter().copied().map(i64::from))).unwrap()
}

fn fit(data: &Dataset, kind: ZoneKind) -> Model {
    let params = TreeParams::default().with_zone(kind);
    let learner = Learner::new(params, Routing::Probabilistic).unwrap();
    learner.fit(data, &Exec::default()).unwrap()
}

fn predict(model: &Model, values: &[f64]) -> Predictions {
    let rows = Matrix::row_major(values, model.schema().n_features()).unwrap();
    model.predict(rows, &Exec::default()).unwrap()
}

/// Threshold and half-width of the root.
fn root(model: &Model) -> (f64, f64) {
    let split = model.trees()[0].node(NodeId::ROOT).as_split().expect("the root is a split");
    (split.test.zone().unwrap().threshold(), split.test.zone().unwrap().half_width())
}

fn undecided(model: &Model, values: &[f64]) -> Vec<bool> {
    predict(model, values).verdicts().iter().map(|verdict| verdict.is_undecided()).collect()
}

/// In multiples of the smallest float s: the classes are separate between 0 and 8, so theta = 4
/// and margin's distance is 4, clamped to a quarter of the range 8: 2. The zone is (2, 6], and at
/// 4 the row goes both ways equally: (6 - 4) / (2 * 2) = 1/2.
#[test]
fn subnormal_values() {
    let s = f64::from_bits(1);
    assert!(s > 0.0 && s / 2.0 == 0.0);
    let x = |n: f64| n * s;
    let model = fit(&data(&[x(0.0), x(8.0)], 1, &[0, 1]), ZoneKind::Margin);
    assert_eq!(root(&model), (x(4.0), x(2.0)));
    let edges = [x(2.0), x(3.0), x(6.0), x(7.0)];
    assert_eq!(undecided(&model, &edges), [false, true, true, false]);
    assert_eq!(predict(&model, &[x(4.0)]).distribution(0), [0.5, 0.5]);
    assert_eq!(predict(&model, &[x(3.0)]).distribution(0), [0.75, 0.25]);
}

/// Between s and 2 s there is no float: their midpoint 1.5 s rounds to 2 s, which is not below
/// the right value, so the threshold is s. Margin's smaller distance is s - s = 0.
#[test]
fn the_two_smallest_floats() {
    let s = f64::from_bits(1);
    let model = fit(&data(&[s, 2.0 * s], 1, &[0, 1]), ZoneKind::Margin);
    assert_eq!(root(&model), (s, 0.0));
    assert_eq!(predict(&model, &[s, 2.0 * s, 0.0]).classes(), [0, 1, 0]);
}

/// 1e308 + 1.5e308 overflows: theta = 0.5e308 + 0.75e308. The distances to both sides are a
/// quarter of 1e308, the range is half of it, so the clamp is an eighth.
#[test]
fn a_midpoint_whose_sum_overflows() {
    let (a, b): (f64, f64) = (1e308, 1.5e308);
    assert!((a + b).is_infinite());
    let model = fit(&data(&[a, b], 1, &[0, 1]), ZoneKind::Margin);
    let (theta, delta) = root(&model);
    assert_eq!(theta, a / 2.0 + b / 2.0);
    assert_eq!(delta, 0.25 * (b - a));
    assert_eq!(
        undecided(&model, &[a, theta - delta, theta, theta + delta, b, f64::MAX]),
        [false, false, true, true, false, false]
    );
}

/// From -1.5e308 to 1.5e308: theta = 0, the range overflows, so the clamp is
/// 0.25 * max - 0.25 * min = 7.5e307, below margin's 1.5e308. At half the half-width to the right
/// a quarter of the row goes left.
#[test]
fn a_range_that_overflows() {
    let model = fit(&data(&[-1.5e308, 1.5e308], 1, &[0, 1]), ZoneKind::Margin);
    let (theta, delta) = root(&model);
    assert_eq!((theta, delta), (0.0, 0.25 * 1.5e308 - 0.25 * -1.5e308));
    let distribution = predict(&model, &[delta / 2.0]).distribution(0).to_vec();
    assert_eq!(distribution, [0.25, 0.75]);
    assert_eq!(undecided(&model, &[-1.5e308, -f64::MAX, 1.5e308]), [false; 3]);
}

/// 1 and the next float: the midpoint is a tie and rounds to the even one, 1. The next two: it
/// rounds to the right one, which would send both rows left, so the threshold is the left one.
#[test]
fn adjacent_floats() {
    let next = |n: u64| f64::from_bits(1f64.to_bits() + n);
    for (a, b, midpoint) in [(next(0), next(1), next(0)), (next(1), next(2), next(2))] {
        assert_eq!((a + b) / 2.0, midpoint, "the rounding that the case is about");
        for kind in ZoneKind::published() {
            let model = fit(&data(&[a, b], 1, &[0, 1]), kind);
            assert_eq!(root(&model).0, a);
            assert_eq!(predict(&model, &[a, b]).classes(), [0, 1]);
        }
        assert_eq!(root(&fit(&data(&[a, b], 1, &[0, 1]), ZoneKind::Margin)).1, 0.0);
    }
}

/// No split is possible: one leaf with the shares 2/3 and 1/3.
#[test]
fn columns_of_one_value() {
    let flat = data(&[7.0, -0.0, 7.0, 0.0, 7.0, -0.0], 2, &[0, 1, 0]);
    for kind in ZoneKind::published() {
        let model = fit(&flat, kind);
        assert_eq!(model.trees()[0].n_nodes(), 1);
        let answers = predict(&model, &[-1e300, 1e300]);
        assert_eq!(answers.distribution(0), [2.0 / 3.0, 1.0 / 3.0]);
        assert!(answers.verdicts()[0].is_decided());
    }
}

/// Four rows of weight 2^31 are four rows: same thresholds, same half-widths, same shares; only
/// the weights of the leaves are 2^31 times as large, and exact.
#[test]
fn rows_that_weigh_two_to_the_31() {
    let unit = f64::from(1_u32 << 31);
    let light = data(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 1, &[0, 0, 1, 0, 1, 1]);
    let heavy = light.clone().with_weights(vec![unit; 6]).unwrap();
    for kind in [ZoneKind::Margin, ZoneKind::quality_plateau(), ZoneKind::gain_ratio()] {
        let (light, heavy) = (fit(&light, kind.clone()), fit(&heavy, kind));
        assert_eq!(light.trees()[0].n_nodes(), heavy.trees()[0].n_nodes());
        for id in light.trees()[0].ids() {
            assert_eq!(light.trees()[0].node(id), heavy.trees()[0].node(id));
            assert_eq!(light.trees()[0].values(id), heavy.trees()[0].values(id));
            assert_eq!(heavy.trees()[0].weight(id), unit * light.trees()[0].weight(id));
            assert_eq!(heavy.trees()[0].class_rows(id), light.trees()[0].class_rows(id));
        }
    }
    // 2^31 copies could not be drawn one by one; the fit must still end, with finite results.
    let drawn = fit(&heavy, ZoneKind::node_bootstrap());
    assert!(root(&drawn).1.is_finite());
}

/// One row of each class far apart in weight: 2^40 to 1. The root's shares are exact.
#[test]
fn a_light_row_next_to_a_heavy_one() {
    let heavy = f64::from(1_u32 << 30) * 1024.0;
    let both = data(&[0.0, 1.0], 1, &[0, 1]).with_weights(vec![heavy, 1.0]).unwrap();
    let model = fit(&both, ZoneKind::Margin);
    assert_eq!(model.trees()[0].class_weights(NodeId::ROOT), [heavy, 1.0]);
    assert_eq!(root(&model), (0.5, 0.25));
    assert_eq!(predict(&model, &[0.0, 1.0]).classes(), [0, 1]);
}

#[test]
fn one_row() {
    let model = fit(&data(&[3.0, 4.0], 2, &[7]), ZoneKind::Margin);
    assert_eq!(model.trees()[0].n_nodes(), 1);
    assert_eq!(model.schema().classes(), [ClassName::Integer(7)]);
    assert_eq!(predict(&model, &[0.0, 0.0]).distribution(0), [1.0]);
}

/// Two rows and five classes, three of them without rows: those are never predicted.
#[test]
fn more_classes_than_rows() {
    let names = (0..5).map(ClassName::Integer).collect();
    let labels = Labels::from_ids(vec![3, 1], names).unwrap();
    let columns = Columns::from_columns(vec![0.0, 4.0], 1).unwrap();
    let model = fit(&Dataset::new(columns, labels).unwrap(), ZoneKind::Margin);
    assert_eq!(root(&model), (2.0, 1.0));
    let answers = predict(&model, &[0.0, 2.0, 4.0]);
    assert_eq!(answers.distribution(0), [0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(answers.distribution(1), [0.0, 0.5, 0.0, 0.5, 0.0]);
    assert_eq!(answers.classes(), [3, 1, 1]);
}

/// 10,000 classes of one row each, half of them at 0 and half at 1. The split at 1/2 is the only
/// one; gini falls from 1 - 1/10000 to 1 - 1/5000, and each leaf has 5,000 equal classes.
#[test]
fn ten_thousand_classes() {
    const CLASSES: u32 = 10_000;
    let x: Vec<f64> = (0..CLASSES).map(|class| f64::from(class / (CLASSES / 2))).collect();
    let classes: Vec<u32> = (0..CLASSES).collect();
    let model = fit(&data(&x, 1, &classes), ZoneKind::Margin);
    assert_eq!(model.trees()[0].n_nodes(), 3);
    assert_eq!(root(&model).0, 0.5);
    // 10,000 squares of 1e-4 sum to 1e-4 with an error of at most 10,000 ulp of 1e-8 each.
    assert!((model.trees()[0].impurity(NodeId::ROOT) - (1.0 - 1e-4)).abs() < 1e-15);
    let answers = predict(&model, &[0.0, 1.0]);
    assert_eq!(answers.classes(), [0, CLASSES / 2]);
    assert_eq!(answers.distribution(0)[4999..5001], [1.0 / 5000.0, 0.0]);
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
}

/// Of equal columns the first is taken, at every node; the others get no importance.
#[test]
fn duplicated_columns() {
    let x: Vec<f64> = (0..60_u32).flat_map(|i| [f64::from(i * 7 % 31); 3]).collect();
    let classes: Vec<u32> =
        (0..60).map(|i| u32::from(i * 7 % 31 > 14) ^ u32::from(i % 9 == 0)).collect();
    for kind in ZoneKind::published() {
        let model = fit(&data(&x, 3, &classes), kind);
        assert!(model.trees()[0].n_nodes() > 3);
        let importances = model.trees()[0].importances();
        assert!((importances[0] - 1.0).abs() < 1e-12, "{importances:?}");
        assert_eq!(importances[1..], [0.0, 0.0]);
    }
}

/// Weights whose sum overflows still give the shares 3/4 and 1/4.
#[test]
fn weights_whose_sum_overflows() {
    let rows = data(&[1.0, 1.0, 1.0, 1.0], 1, &[0, 0, 0, 1]);
    let model = fit(&rows.with_weights(vec![f64::MAX; 4]).unwrap(), ZoneKind::Margin);
    assert_eq!(predict(&model, &[1.0]).distribution(0), [0.75, 0.25]);
}

/// Sums, differences and squares of these overflow; every result stays finite.
#[test]
fn the_largest_numbers_have_finite_results() {
    let extremes = [-f64::MAX, -1.6e308, -1e300, 0.0, 5e-324, 1e300, 1.5e308, 1.7e308, f64::MAX];
    let rows: Vec<Vec<f64>> = (0..90)
        .map(|i| vec![extremes[i % 9], extremes[(i * 7 + i / 9) % 9], f64::from(i as u32)])
        .collect();
    let classes: Vec<u32> = (0..90).map(|i| u32::from(i % 9 > 4 && i % 4 != 0)).collect();
    let sample = Sample { rows, classes, n_classes: 2, ..Sample::default() };
    let flat = sample.rows.concat();
    let mut kinds = ZoneKind::published().to_vec();
    kinds.push(ZoneKind::Spread);
    kinds.push(ZoneKind::Specified { half_widths: vec![f64::MAX; 3] });
    kinds.push(ZoneKind::GainRatio { scale: 1e10, gain: GainKind::Criterion });
    for kind in kinds {
        for (max_fraction, scale) in [(0.25, 1.0), (1.0, 1.0), (1.0, f64::MAX), (1.0, 0.0)] {
            let zone = ZoneParams { max_fraction, scale, ..ZoneParams::from(kind.clone()) };
            let params = TreeParams { zone, max_depth: Some(6), ..TreeParams::default() };
            for routing in Routing::ALL {
                let model = sample.fit(&params, routing);
                let tree = &model.trees()[0];
                for (_, split) in splits(tree) {
                    let (theta, delta) = (zone_of(split).threshold(), zone_of(split).half_width());
                    assert!(theta.is_finite() && delta.is_finite() && delta >= 0.0, "{split:?}");
                    assert!(scale > 0.0 || delta == 0.0, "scale 0 left {delta}: {kind:?}");
                }
                let predictions =
                    model.predict(Matrix::row_major(&flat, 3).unwrap(), &Exec::default()).unwrap();
                for p in predictions.distributions().chunks(2) {
                    assert!((p[0] + p[1] - 1.0).abs() < 1e-12, "{p:?}");
                }
                assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
                let explained = model.explain(&sample.rows[0]).unwrap();
                assert!(!explained.to_string().contains("NaN"), "{explained}");
            }
        }
    }
}

/// Weights so large or so small that sums or products overflow or vanish.
#[test]
fn only_the_ratios_of_extreme_weights_matter() {
    let mut sample = Sample::generated(9, 100, 2);
    let plain = sample.fit(&TreeParams::default(), Routing::Probabilistic);
    for unit in [f64::MAX, 1e300, 1e-300, f64::MIN_POSITIVE] {
        sample.weights = Some(vec![unit; 100]);
        for class_weight in [ClassWeight::Uniform, ClassWeight::Balanced] {
            let params = TreeParams { class_weight, ..TreeParams::default() };
            let model = sample.fit(&params, Routing::Probabilistic);
            let weight = model.trees()[0].weight(NodeId::ROOT);
            assert!(weight.is_normal(), "{unit}: {weight}");
            if params.class_weight == ClassWeight::Uniform {
                assert!(splits(&model.trees()[0]).eq(splits(&plain.trees()[0])), "{unit}");
            }
        }
        // Inner folds count weights: that must not overflow either.
        let calibrated = sample.fit_recipe(&Recipe::calibrated(), &Exec::default());
        let losses = &calibrated.choice().unwrap().candidates;
        assert!(losses.iter().all(|candidate| candidate.log_loss.is_finite()), "{unit}");
    }
}
