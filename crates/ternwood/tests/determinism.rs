//! Does the number of threads change anything? The model JSON has the same bytes with 1, 2 and 7
//! threads, on data large enough that threads really share the work.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use support::sample::Sample;
use support::tables;
use ternwood::recipe::{ClassWeight, MaxFeatures, MissingValues};
use ternwood::{Exec, Matrix, Model, Recipe, Routing, TreeParams, ZoneKind};

/// 9,000 rows of 6 features: bins from 4,097 rows on, 54,000 values at the root (sorted columns
/// are shared from 32,768 on) and 9,000 rows to predict (shared from 8,192 on).
const ROWS: usize = 9_000;

/// With 2 of 6 features per node it takes more rows for features to be shared: 40,000 values.
const ROWS_FOR_FEW_FEATURES: usize = 20_000;

fn every_kind() -> Vec<ZoneKind> {
    let mut kinds = ZoneKind::published().to_vec();
    kinds.push(ZoneKind::None);
    kinds.push(ZoneKind::Spread);
    kinds.push(ZoneKind::Specified { half_widths: vec![0.1, 1.0, 0.0, 0.2, 0.3, 1.5] });
    kinds.push(ZoneKind::QualityPlateau { tolerance: 0.2, connected: true });
    kinds
}

fn fit(sample: &Sample, params: &TreeParams, routing: Routing, threads: usize) -> Model {
    let recipe = Recipe { params: params.clone(), routing, ..Recipe::default() };
    sample.fit_recipe(&recipe, &Exec::with_threads(threads).unwrap())
}

fn assert_same_bytes(sample: &Sample, params: &TreeParams, routing: Routing) {
    let alone = fit(sample, params, routing, 1).to_json();
    for threads in [2, 7] {
        let together = fit(sample, params, routing, threads).to_json();
        assert!(alone == together, "{threads} threads, {routing}, {params:?}");
    }
}

#[test]
fn every_estimator_and_routing() {
    let sample = Sample::generated(1, ROWS, 3);
    for kind in every_kind() {
        let params = TreeParams { max_depth: Some(5), ..TreeParams::default() }.with_zone(kind);
        for routing in Routing::ALL {
            assert_same_bytes(&sample, &params, routing);
        }
    }
}

#[test]
fn random_features_weights_and_best_first_growth() {
    let rows = ROWS_FOR_FEW_FEATURES;
    let mut sample = Sample::generated(2, rows, 4);
    sample.weights = Some((0..rows).map(|row| 1.0 / (1 + row % 13) as f64).collect());
    let base = TreeParams { max_depth: Some(6), seed: 3, ..TreeParams::default() };
    let variants = [
        TreeParams { max_features: MaxFeatures::Sqrt, ..base.clone() },
        TreeParams { max_leaf_nodes: Some(23), max_depth: None, ..base.clone() },
        TreeParams { class_weight: ClassWeight::Balanced, ccp_alpha: 1e-4, ..base.clone() },
    ];
    for params in variants {
        for kind in [ZoneKind::Margin, ZoneKind::node_bootstrap()] {
            let params = params.clone().with_zone(kind);
            assert_same_bytes(&sample, &params, Routing::Probabilistic);
            assert_same_bytes(&sample, &params, Routing::HardMiddle);
        }
    }
}

/// Categories and missing values, on bins and on sorted columns.
#[test]
fn tables() {
    let sample = tables::generated(6, ROWS, 3);
    for missing in [MissingValues::Learn, MissingValues::Unknown] {
        for (kind, min_samples_category) in
            [(ZoneKind::Margin, 1), (ZoneKind::node_bootstrap(), 20), (ZoneKind::Spread, 1)]
        {
            let max_depth = Some(5);
            let params =
                TreeParams { max_depth, missing, min_samples_category, ..TreeParams::default() };
            for routing in Routing::ALL {
                assert_same_bytes(&sample, &params.clone().with_zone(kind.clone()), routing);
            }
        }
    }
}

/// Unlimited depth: thousands of small nodes, shared node by node.
#[test]
fn a_deep_tree() {
    let sample = Sample::generated(3, 4_000, 2);
    assert_same_bytes(&sample, &TreeParams::default(), Routing::Deferred);
}

#[test]
fn predictions_do_not_depend_on_threads() {
    let params = TreeParams { max_depth: Some(5), ..TreeParams::default() };
    let samples = [Sample::generated(4, ROWS, 3), tables::generated(4, ROWS, 3)];
    let both = samples.iter().flat_map(|sample| Routing::ALL.map(|routing| (sample, routing)));
    for (sample, routing) in both {
        let flat = sample.rows.concat();
        let model = fit(sample, &params, routing, 1);
        let rows = Matrix::row_major(&flat, sample.n_features()).unwrap();
        let answers = |threads| {
            let exec = Exec::with_threads(threads).unwrap();
            let predictions = model.predict(rows, &exec).unwrap();
            (predictions, model.leaves(rows, &exec).unwrap(), model.zone_distances(rows, &exec))
        };
        let alone = answers(1);
        assert!(alone.0.verdicts().iter().any(|verdict| verdict.is_decided()));
        assert!([2, 7].iter().all(|&threads| answers(threads) == alone), "{routing}");
    }
}

/// Other seeds do give other trees: otherwise the tests above would not test the streams.
#[test]
fn the_seed_matters_where_numbers_are_drawn() {
    let sample = Sample::generated(5, 500, 2);
    let tree = |seed, kind: ZoneKind, max_features| {
        let params = TreeParams { seed, max_features, max_depth: Some(4), ..TreeParams::default() };
        fit(&sample, &params.with_zone(kind), Routing::Probabilistic, 1).trees()[0].clone()
    };
    let bootstrap = ZoneKind::node_bootstrap;
    assert_ne!(tree(1, bootstrap(), MaxFeatures::All), tree(2, bootstrap(), MaxFeatures::All));
    let sqrt = MaxFeatures::Sqrt;
    assert_ne!(tree(1, ZoneKind::Margin, sqrt), tree(2, ZoneKind::Margin, sqrt));
    let all = MaxFeatures::All;
    assert_eq!(tree(1, ZoneKind::Margin, all), tree(2, ZoneKind::Margin, all));
}
