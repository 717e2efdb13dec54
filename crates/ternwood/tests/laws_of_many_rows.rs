//! Do the laws hold with enough rows for the search to use bins and bounds?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use support::numbers::Numbers;
use support::sample::Sample;
use support::trees::{SHAPES, rescaled, weighed, weighed_with_tests};
use ternwood::recipe::ClassWeight;
use ternwood::{TreeParams, ZoneKind};

/// More rows than are searched on sorted columns alone.
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

/// Weighted rows and copies of rows take different paths through the engine to the same tree.
#[test]
fn weight_k_is_k_copies_of_many_rows() {
    let sample = Sample::generated(41, 2_500, 3);
    let copies: Vec<usize> = (0..2_500).map(|row| 1 + row % 4).collect();
    let [weighted, copied] = sample.weighted_and_copied(&copies);
    assert!(copied.rows.len() > MANY);
    for kind in kinds_to_try() {
        if matches!(kind, ZoneKind::ClassOverlap { .. }) {
            continue; // Its quantiles count rows, as published.
        }
        for class_weight in [ClassWeight::Uniform, ClassWeight::Balanced] {
            let params = TreeParams { class_weight, ..large_params(kind.clone()) };
            for routing in SHAPES {
                let [one, other] = [&weighted, &copied].map(|sample| sample.fit(&params, routing));
                assert!(
                    weighed(&one.trees()[0]) == weighed(&other.trees()[0]),
                    "{params:?} {routing}"
                );
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
            let expected = weighed_with_tests(&model.trees()[0], |test| {
                let at = test.feature().0;
                rescaled(test, at, if at == 0 { factor } else { 1.0 })
            });
            assert!(expected == weighed(&scaled.fit(&params, routing).trees()[0]), "{params:?}");
        }
    }
}

/// 0 and -0 are one value: no split lies between them, and no zone tells them apart.
#[test]
fn zero_has_no_sign() {
    for n_rows in [60, MANY] {
        let mut sample = Sample::generated(43, n_rows, 2);
        for (row, values) in sample.rows.iter_mut().enumerate() {
            // Zeros whose sign would separate the classes perfectly, if it counted.
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
