//! Does the order of rows change anything? Whatever is drawn, dealt or summed, a model has the same
//! bytes for every order of its training rows.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::numbers::Numbers;
use support::sample::Sample;
use support::{soak, strategies, tables};
use ternwood::bayes_error::BayesError;
use ternwood::fit::{Fit, cross_fitted_rows, out_of_fold};
use ternwood::recipe::{
    Auto, ClassWeight, DepthChoice, Exponent, ForestParams, Leaves, MaxFeatures, MissingValues,
    RowCount,
};
use ternwood::verdict::VerdictRule;
use ternwood::{Exec, Learner, Recipe, Resampler, Routing, TreeParams, ZoneKind};

/// Numbers, categories and gaps, with copies of rows and weights that are 0, whole, or any number.
fn repeated_tables() -> impl Strategy<Value = Sample> {
    let samples = prop_oneof![strategies::samples(40), tables::tables(40, 6)];
    let weights = prop_oneof![
        Just(None),
        prop::collection::vec((0..4i32).prop_map(f64::from), 60).prop_map(Some),
        prop::collection::vec(prop::sample::select(vec![0.1, 0.2, 0.3, 0.7]), 60).prop_map(Some),
        prop::collection::vec(1e-3..1e3f64, 60).prop_map(Some),
    ];
    let copies = prop::collection::vec(any::<prop::sample::Index>(), 0..20);
    (samples, copies, weights).prop_map(|(sample, copies, weights)| {
        let n_rows = sample.rows.len();
        let mut rows: Vec<usize> = (0..n_rows).collect();
        rows.extend(copies.iter().map(|copy| copy.index(n_rows)));
        let repeated = sample.rearranged(&rows);
        let weights = weights.map(|mut weights| {
            weights.truncate(rows.len());
            weights[0] = 1.0; // Not all may be 0.
            weights
        });
        Sample { weights, ..repeated }
    })
}

fn params() -> impl Strategy<Value = TreeParams> {
    let class_weight = prop::sample::select(vec![ClassWeight::Uniform, ClassWeight::Balanced]);
    let missing = prop::sample::select(vec![MissingValues::Learn, MissingValues::Unknown]);
    (class_weight, missing, any::<u64>()).prop_map(|(class_weight, missing, seed)| TreeParams {
        class_weight,
        missing,
        seed,
        max_depth: Some(4),
        ..TreeParams::default()
    })
}

/// Recipes of single trees that deal, draw or sum rows.
fn tree_recipes() -> impl Strategy<Value = Recipe> {
    let kind = prop_oneof![
        2 => Just(ZoneKind::Spread),
        1 => Just(ZoneKind::node_bootstrap()),
        2 => (0.02..0.6f64).prop_map(|cost_ratio| ZoneKind::CostOptimal { cost_ratio }),
    ];
    let depths = vec![None, Some(DepthChoice::Auto), Some(DepthChoice::Best)];
    let auto = (any::<bool>(), prop::sample::select(depths));
    let leaves = prop::sample::select(Leaves::ALL.to_vec());
    let routing = prop::sample::select(Routing::ALL.to_vec());
    (params(), kind, auto, leaves, routing).prop_map(|(params, kind, auto, leaves, routing)| {
        let kind = match kind {
            ZoneKind::CostOptimal { .. } if routing == Routing::HardMiddle => ZoneKind::Spread,
            kind => kind,
        };
        let auto = Auto { zone_scale: auto.0, max_depth: auto.1 };
        Recipe { params: params.with_zone(kind), routing, leaves, auto, ..Recipe::default() }
    })
}

/// Recipes of forests: with and without bags, small bags, leaves limited in size or number.
fn forest_recipes() -> impl Strategy<Value = Recipe> {
    let zone_scale = any::<bool>();
    let limits = (1..4u32, prop::option::of(2..9u32), prop::option::of(0.2..1.0f64));
    (params(), any::<bool>(), any::<bool>(), zone_scale, limits).prop_map(
        |(params, bootstrap, subsample, zone_scale, (min_leaf, max_leaf_nodes, max_samples))| {
            let base = Recipe::forest();
            let mut params = params.with_zone(ZoneKind::Spread);
            params.min_samples_leaf = RowCount::Count(min_leaf);
            params.max_leaf_nodes = max_leaf_nodes;
            params.max_features = MaxFeatures::Sqrt;
            if subsample && bootstrap {
                params.class_weight = ClassWeight::BalancedSubsample;
            }
            let zone_scale = zone_scale && bootstrap;
            let exponent = if bootstrap { Exponent::Auto } else { Exponent::Given(1.3) };
            let max_samples = max_samples.filter(|_| bootstrap).map(RowCount::Fraction);
            let defaults = ForestParams::default();
            let forest = ForestParams { n_trees: 7, bootstrap, max_samples, exponent, ..defaults };
            let auto = Auto { zone_scale, max_depth: None };
            Recipe { params, auto, ensemble: forest.into(), ..base }
        },
    )
}

fn fitted(sample: &Sample, recipe: &Recipe) -> Fit {
    let learner = Learner::from_recipe(recipe.clone()).unwrap().with_all_out_of_bag();
    learner.fit_watched(&sample.dataset(), &Exec::default(), &|_| ()).unwrap()
}

fn shuffled(sample: &Sample, seed: u64) -> Sample {
    sample.rearranged(&Numbers::new(seed).order(sample.rows.len()))
}

/// What is said of every row beside the row itself, in an order of its own.
fn said_of_rows(sample: &Sample, rows: &[usize], said: &[f64]) -> Vec<Vec<u64>> {
    let n_classes = sample.n_classes as usize;
    let mut said: Vec<Vec<u64>> = rows
        .iter()
        .zip(said.chunks_exact(n_classes))
        .map(|(&row, said)| {
            let weight = sample.weights.as_ref().map_or(1.0, |weights| weights[row]);
            let class = f64::from(sample.classes[row]);
            let numbers = sample.rows[row].iter().chain([&class, &weight]).chain(said);
            numbers.map(|x| (x + 0.0).to_bits()).collect()
        })
        .collect();
    said.sort_unstable();
    said
}

proptest! {
    #![proptest_config(soak::cases(300))]

    #[test]
    fn trees_do_not_depend_on_it(
        sample in repeated_tables(), recipe in tree_recipes(), seed in any::<u64>(),
    ) {
        let other = shuffled(&sample, seed);
        prop_assert_eq!(fitted(&sample, &recipe).model.to_json(), fitted(&other, &recipe).model.to_json());
    }

    #[test]
    fn forests_do_not_depend_on_it(
        sample in repeated_tables(), recipe in forest_recipes(), seed in any::<u64>(),
    ) {
        let other = shuffled(&sample, seed);
        let [one, two] = [&sample, &other].map(|sample| fitted(sample, &recipe));
        prop_assert_eq!(one.model.to_json(), two.model.to_json());
        let said = |sample: &Sample, fit: &Fit| fit.out_of_bag.as_ref().map(|unseen| {
            let rows: Vec<usize> = unseen.rows().iter().map(|&row| row as usize).collect();
            said_of_rows(sample, &rows, unseen.distributions())
        });
        prop_assert_eq!(said(&sample, &one), said(&other, &two));
    }

    /// Predictions of training rows by trees that have not seen them, and verdicts from these.
    #[test]
    fn cross_fitting_does_not_depend_on_it(
        sample in repeated_tables(), recipe in tree_recipes(), seed in any::<u64>(),
    ) {
        let other = shuffled(&sample, seed);
        let checked = recipe.clone().check().unwrap();
        let said = |sample: &Sample| {
            let unseen = out_of_fold(&sample.dataset(), &checked, 4, &Exec::default()).ok()?;
            Some(said_of_rows(sample, &unseen.rows, &unseen.probabilities))
        };
        prop_assert_eq!(said(&sample), said(&other));
        let policy = |sample: &Sample| {
            let model = fitted(sample, &recipe).model;
            let rows = cross_fitted_rows(&model, &sample.dataset(), &Exec::default()).ok()?;
            Some(rows.policy(VerdictRule::Budget { flag_rate: 0.2 }).unwrap())
        };
        prop_assert_eq!(policy(&sample), policy(&other));
    }

    #[test]
    fn folds_and_rows_set_aside_do_not_depend_on_it(
        sample in repeated_tables(), seed in any::<u64>(), count in 2..5u32, share in 0.05..0.95f64,
    ) {
        let other = shuffled(&sample, seed);
        let parts = |sample: &Sample| {
            let data = sample.dataset();
            let content = |rows: &[usize]| said_of_rows(sample, rows, &vec![0.0; rows.len() * sample.n_classes as usize]);
            let resampler = Resampler::new(&data);
            let folds = resampler.folds(count.min(sample.rows.len() as u32), 7).unwrap();
            let folds: Vec<_> = folds.iter().map(|(_, test)| content(&test)).collect();
            let aside = [resampler.hold_out(share, 7), resampler.hold_out_at_random(share, 7)];
            (folds, aside.map(|parts| parts.ok().map(|parts| content(&parts.held_out))))
        };
        prop_assert_eq!(parts(&sample), parts(&other));
    }

    #[test]
    fn bayes_errors_do_not_depend_on_it(sample in repeated_tables(), seed in any::<u64>()) {
        let other = shuffled(&sample, seed);
        let bound = |sample: &Sample| BayesError::of(&sample.dataset(), &Exec::default()).ok();
        prop_assert_eq!(bound(&sample), bound(&other));
    }
}
