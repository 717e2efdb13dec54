//! Do the laws hold where inner folds choose scale, error and depth of tables with categories and
//! missing values?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::sample::Sample;
use support::tables::{renumbered, with_other_ids};
use support::trees::{weighed, weighed_with_tests};
use support::{soak, strategies, tables};
use ternwood::fit::{DEPTHS, SCALES};
use ternwood::recipe::{CandidateLoss, DepthChoice, Leaves, MissingValues, READABLE_DEPTH};
use ternwood::{Exec, Model, Recipe, Routing, TreeParams};

fn calibrated(depth: Result<u32, DepthChoice>, missing: MissingValues, seed: u64) -> Recipe {
    let mut recipe = Recipe::calibrated();
    recipe.params = TreeParams { max_depth: depth.ok(), missing, seed, ..recipe.params };
    recipe.auto.max_depth = depth.err();
    recipe
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let missing = prop::sample::select(vec![MissingValues::Learn, MissingValues::Unknown]);
    let chosen = [DepthChoice::Auto, DepthChoice::Best].map(Err);
    let depth = prop::sample::select([&[Ok(2), Ok(4)], &chosen[..]].concat());
    (depth, missing, any::<u64>())
        .prop_map(|(depth, missing, seed)| calibrated(depth, missing, seed))
}

fn fit(sample: &Sample, recipe: &Recipe) -> Model {
    sample.fit_recipe(recipe, &Exec::default())
}

proptest! {
    #![proptest_config(soak::cases(30))]

    /// Inner folds are dealt by the names of categories, so that their ids do not matter. Tests are
    /// equal to the bit; sums over rows in another order of leaves round differently.
    #[test]
    fn the_order_of_categories_changes_nothing(
        sample in tables::tables(60, 6), recipe in recipes(), seed: u64,
    ) {
        let (reordered, new_ids) = with_other_ids(&sample, seed);
        let [model, other] = [&sample, &reordered].map(|sample| fit(sample, &recipe));
        prop_assert_eq!(&model.recipe().params, &other.recipe().params);
        let expected = weighed_with_tests(&model.trees()[0], |test| renumbered(test, &new_ids));
        for (one, other) in weighed(&other.trees()[0]).iter().zip(&expected) {
            prop_assert_eq!(&one.node, &other.node);
            prop_assert_eq!(&one.class_weights, &other.class_weights);
            for (p, q) in one.distribution.iter().zip(&other.distribution) {
                prop_assert!((p - q).abs() < 1e-12, "{p} and {q}");
            }
        }
        prop_assert_eq!(model.trees()[0].n_nodes(), other.trees()[0].n_nodes());
    }

    /// Errors of categories are chosen together with the scale if and only if there are
    /// categories. No other scale with the same error, and no other error with the same scale, is
    /// better; of equal losses the first wins, by depth, scale and error. A readable depth is at most 5,
    /// and its zones are the best of that depth.
    #[test]
    fn errors_are_chosen_where_there_are_categories(
        sample in prop_oneof![tables::tables(50, 6), strategies::samples(50)], recipe in recipes(),
    ) {
        let has_categories = (0..sample.n_features()).any(|f| sample.n_categories(f).is_some());
        let model = fit(&sample, &recipe);
        let candidates = &model.choice().unwrap().candidates;
        let key = |c: &CandidateLoss| (c.max_depth, c.zone_scale, c.category_error);
        prop_assert!(candidates.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])));
        let params = &model.recipe().params;
        let is_chosen = |c: &CandidateLoss| {
            (c.max_depth, c.zone_scale) == (params.max_depth, params.zone.scale)
                && c.category_error.is_none_or(|error| error == params.zone.category_error)
        };
        let at = candidates.iter().position(is_chosen).unwrap();
        let chosen = &candidates[at];
        let is_readable = recipe.auto.max_depth == Some(DepthChoice::Auto);
        prop_assert!(!is_readable || chosen.max_depth.is_some_and(|depth| depth <= READABLE_DEPTH));
        let is_rival = |it: &&CandidateLoss| !is_readable || it.max_depth == chosen.max_depth;
        let mut before = candidates[..at].iter().filter(is_rival);
        prop_assert!(before.all(|before| before.log_loss > chosen.log_loss));
        // Losses that differ by rounding alone are equal.
        let least = chosen.log_loss * (1.0 - 1e-11);
        let mut after = candidates[at..].iter().filter(is_rival);
        prop_assert!(after.all(|after| after.log_loss >= least));
        prop_assert_eq!(chosen.category_error.is_some(), has_categories);
        let measured: Vec<_> = candidates.iter().map(key).collect();
        let depth = chosen.max_depth;
        for scale in SCALES {
            prop_assert!(measured.contains(&(depth, scale, chosen.category_error)));
        }
        for error in [0.0, 1.0, 2.0, 4.0, 8.0].into_iter().filter(|_| has_categories) {
            prop_assert!(measured.contains(&(depth, chosen.zone_scale, Some(error))));
        }
        let depths = if recipe.auto.max_depth.is_some() { DEPTHS.map(Some).to_vec() } else { vec![depth] };
        prop_assert!(depths.iter().all(|&depth| measured.iter().any(|key| key.0 == depth)));
    }

    /// The model is the same for any number of threads.
    #[test]
    fn threads_change_nothing(sample in tables::weighted_tables(60, 6), recipe in recipes()) {
        let [one, two, seven] = [1, 2, 7].map(|threads| {
            sample.fit_recipe(&recipe, &Exec::with_threads(threads).unwrap()).to_json()
        });
        prop_assert_eq!(&one, &two);
        prop_assert_eq!(&one, &seven);
    }
}

/// EM with rows that are unknown in subtrees they did not grow: the likelihood of the training rows,
/// with the prior's pseudo-row, is no lower than that of the smoothed leaves it starts from.
#[test]
fn em_never_lowers_the_likelihood() {
    for missing in [MissingValues::Learn, MissingValues::Unknown] {
        for seed in 0..6 {
            let sample = tables::generated(seed, 200, 2 + seed as u32 % 3);
            let likelihood = |leaves| {
                let params = TreeParams { max_depth: Some(4), missing, ..TreeParams::default() };
                let routing = Routing::Probabilistic;
                let recipe = Recipe { params, routing, leaves, ..Recipe::default() };
                penalised_log_likelihood(&fit(&sample, &recipe), &sample)
            };
            let (smoothed, em) = (likelihood(Leaves::Smoothed), likelihood(Leaves::Em));
            assert!(em >= smoothed - 1e-9, "seed {seed}: {em} is below {smoothed}");
        }
    }
}

/// `sum_i log p_i(y_i) + sum over leaves of sum_k prior_k log P_l[k]`.
fn penalised_log_likelihood(model: &Model, sample: &Sample) -> f64 {
    let predictions = sample.predictions(model);
    let rows = sample.classes.iter().enumerate();
    let of_rows: f64 =
        rows.map(|(row, &class)| predictions.distribution(row)[class as usize].ln()).sum();
    let n = sample.classes.len() as f64;
    let share = |class: usize| {
        sample.classes.iter().filter(|&&other| other as usize == class).count() as f64 / n
    };
    let of_leaf = |distribution: &[f64]| {
        distribution.iter().enumerate().map(|(k, p)| share(k) * p.ln()).sum::<f64>()
    };
    let tree = &model.trees()[0];
    let leaves = tree.ids().filter(|&id| tree.node(id).is_leaf());
    of_rows + leaves.map(|id| of_leaf(tree.values(id))).sum::<f64>()
}
