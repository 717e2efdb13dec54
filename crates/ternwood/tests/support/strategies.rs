//! Random samples and parameters.

use super::sample::Sample;
use proptest::prelude::*;
use ternwood::recipe::{ClassWeight, Criterion, GainKind, Resamples, RowCount, ZoneParams};
use ternwood::{TreeParams, ZoneKind};

/// One column: integers with many ties, floats, few distinct values, or a single one.
fn column(n_rows: usize) -> impl Strategy<Value = Vec<f64>> {
    let values = prop_oneof![
        3 => prop::collection::vec((-3..4i32).prop_map(f64::from), n_rows),
        2 => prop::collection::vec((-40..40i32).prop_map(f64::from), n_rows),
        3 => prop::collection::vec(-1.0..1.0f64, n_rows),
        1 => prop::collection::vec(prop::sample::select(vec![0.1, 0.2, 0.30000000000000004]), n_rows),
        // Adjacent floats: midpoints fall on one of them.
        1 => prop::collection::vec((0..5u64).prop_map(|ulps| f64::from_bits(1f64.to_bits() + ulps)), n_rows),
        1 => (-9..9i32).prop_map(move |x| vec![f64::from(x); n_rows]),
    ];
    values.boxed()
}

/// Random classes, which follow the first column more or less.
fn classes(first_column: Vec<f64>, n_classes: u32) -> impl Strategy<Value = Vec<u32>> {
    let n_rows = first_column.len();
    let noise = prop::collection::vec((0..n_classes, 0.0..1.0f64), n_rows);
    (noise, 0.0..1.0f64).prop_map(move |(noise, obedience)| {
        let mut sorted = first_column.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = |x: f64| sorted.partition_point(|other| *other < x) as u32;
        let follow = |x: f64| rank(x) * n_classes / first_column.len() as u32;
        let class = |(&x, &(random, u)): (&f64, &(u32, f64))| {
            if u < obedience { follow(x) } else { random }
        };
        first_column.iter().zip(&noise).map(class).collect()
    })
}

/// Weights on a coarse grid of powers of two, so that the test's sums are exact too.
pub fn dyadic_weights(n_rows: usize) -> impl Strategy<Value = Option<Vec<f64>>> {
    prop_oneof![
        Just(None),
        prop::collection::vec((1..4i32).prop_map(f64::from), n_rows).prop_map(Some),
        prop::collection::vec((0..9i32).prop_map(|w| f64::from(w) / 4.0), n_rows).prop_map(
            |mut weights| {
                weights[0] += 1.0;
                Some(weights)
            }
        ),
    ]
}

/// A sample of up to `most` rows, unweighted.
pub fn samples(most: usize) -> impl Strategy<Value = Sample> {
    (2..=most, 1..4usize, prop_oneof![3 => 2..5u32, 1 => 5..13u32]).prop_flat_map(
        |(n_rows, n_features, n_classes)| {
            prop::collection::vec(column(n_rows), n_features).prop_flat_map(move |columns| {
                classes(columns[0].clone(), n_classes).prop_map(move |classes| Sample {
                    rows: (0..n_rows)
                        .map(|row| columns.iter().map(|column| column[row]).collect())
                        .collect(),
                    classes,
                    n_classes,
                    ..Sample::default()
                })
            })
        },
    )
}

/// A sample whose rows may have weights.
pub fn weighted_samples(most: usize) -> impl Strategy<Value = Sample> {
    samples(most).prop_flat_map(|sample| {
        dyadic_weights(sample.rows.len())
            .prop_map(move |weights| Sample { weights, ..sample.clone() })
    })
}

/// A sample whose values are all integers.
pub fn integer_samples(most: usize) -> impl Strategy<Value = Sample> {
    samples(most).prop_map(|mut sample| {
        for row in &mut sample.rows {
            row.iter_mut().for_each(|x| *x = (*x * 8.0).round());
        }
        sample
    })
}

/// Every estimator that draws no random numbers.
pub fn deterministic_kinds(n_features: usize) -> impl Strategy<Value = ZoneKind> {
    prop_oneof![
        1 => Just(ZoneKind::None),
        1 => prop::collection::vec((0..9i32).prop_map(|w| f64::from(w) / 4.0), n_features)
            .prop_map(|half_widths| ZoneKind::Specified { half_widths }),
        3 => (prop_oneof![prop::sample::select(vec![0.0, 0.05, 1.0]), 0.0..=1.0f64], any::<bool>())
            .prop_map(|(tolerance, connected)| ZoneKind::QualityPlateau { tolerance, connected }),
        2 => (0.0..=0.5f64).prop_map(|tail| ZoneKind::ClassOverlap { tail }),
        1 => Just(ZoneKind::class_overlap()),
        2 => (0.0..1.0f64, prop::sample::select(vec![GainKind::Criterion, GainKind::Information]))
            .prop_map(|(scale, gain)| ZoneKind::GainRatio { scale, gain }),
        3 => Just(ZoneKind::Margin),
    ]
}

/// Every estimator.
pub fn kinds(n_features: usize) -> impl Strategy<Value = ZoneKind> {
    prop_oneof![
        5 => deterministic_kinds(n_features),
        1 => Just(ZoneKind::Spread),
        1 => prop_oneof![Just(Resamples::Auto), (2..12u32).prop_map(Resamples::Count)]
            .prop_map(|resamples| ZoneKind::NodeBootstrap { resamples }),
    ]
}

pub fn zones(kind: impl Strategy<Value = ZoneKind>) -> impl Strategy<Value = ZoneParams> {
    let max_fraction = prop_oneof![Just(0.25), 0.0..=1.0f64];
    let scale = prop_oneof![3 => Just(1.0), 1 => 0.0..3.0f64];
    // No round numbers: counts of few rows would put categories exactly on an edge of their zone,
    // where the last bit of a square root decides.
    let error = prop::sample::select(vec![0.0, 0.83, 1.97, 1.97, 7.9]);
    (kind, max_fraction, scale, error).prop_map(|(kind, max_fraction, scale, category_error)| {
        ZoneParams { kind, max_fraction, scale, category_error }
    })
}

fn class_weights(n_classes: u32) -> impl Strategy<Value = ClassWeight> {
    let factor = prop::sample::select(vec![0.3, 1.0, 2.5, 7.0]);
    prop_oneof![
        2 => Just(ClassWeight::Uniform),
        1 => Just(ClassWeight::Balanced),
        1 => prop::collection::vec(factor, n_classes as usize).prop_map(ClassWeight::Given),
    ]
}

/// Criterion, class weights and splits without gain; nothing that counts rows.
pub fn plain_params(n_classes: u32) -> impl Strategy<Value = TreeParams> {
    let criterion = prop::sample::select(vec![Criterion::Gini, Criterion::Entropy]);
    let max_depth = prop_oneof![Just(None), (1..5u32).prop_map(Some)];
    (criterion, max_depth, class_weights(n_classes), any::<bool>(), any::<u64>()).prop_map(
        |(criterion, max_depth, class_weight, zero_gain_splits, seed)| TreeParams {
            criterion,
            max_depth,
            class_weight,
            zero_gain_splits,
            seed,
            ..TreeParams::default()
        },
    )
}

/// Also all stopping rules.
pub fn params(n_classes: u32) -> impl Strategy<Value = TreeParams> {
    let min_samples_split = prop_oneof![
        (2..12u32).prop_map(RowCount::Count),
        (0.01..0.6f64).prop_map(RowCount::Fraction),
    ];
    let min_samples_leaf = prop_oneof![
        2 => Just(RowCount::Count(1)),
        1 => (1..7u32).prop_map(RowCount::Count),
        1 => (0.01..0.4f64).prop_map(RowCount::Fraction),
    ];
    let min_weight_fraction_leaf = prop_oneof![
        3 => Just(0.0),
        1 => prop::sample::select(vec![0.1, 0.25, 0.3, 0.5]),
        1 => 0.0..0.5f64,
    ];
    let min_impurity_decrease = prop_oneof![2 => Just(0.0), 1 => 0.0..0.1f64];
    let rules =
        (min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease);
    (plain_params(n_classes), rules, 0..8u32).prop_map(|(plain, rules, min_samples_middle)| {
        TreeParams {
            min_samples_split: rules.0,
            min_samples_leaf: rules.1,
            min_weight_fraction_leaf: rules.2,
            min_impurity_decrease: rules.3,
            min_samples_middle,
            ..plain
        }
    })
}

/// A sample, parameters without rules that count rows, and any kind of zone.
pub fn samples_with_params(
    samples: impl Strategy<Value = Sample> + 'static,
) -> impl Strategy<Value = (Sample, TreeParams)> {
    samples.prop_flat_map(|sample| {
        let zone = zones(kinds(sample.n_features()));
        (Just(sample.clone()), plain_params(sample.n_classes), zone)
            .prop_map(|(sample, params, zone)| (sample, TreeParams { zone, ..params }))
    })
}
