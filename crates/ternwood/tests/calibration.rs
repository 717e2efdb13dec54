//! Do calibrated and cost-optimal recipes work as documented? The paper's method is unchanged,
//! threads and rows of weight 0 have no effect, and unusual data works. `weights.rs` tests that
//! weights act like copies.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::sample::Sample;
use support::strategies;
use support::trees::{half_widths, measured};
use ternwood::fit::out_of_fold;
use ternwood::grow::Grower;
use ternwood::metrics::log_loss;
use ternwood::recipe::{Auto, ClassWeight, Leaves};
use ternwood::tree::NodeId;
use ternwood::verdict::{USUAL_COST_RATIO, VerdictPolicy, VerdictRule};
use ternwood::{
    CancelToken, ErrorKind, Exec, Learner, Matrix, Model, Recipe, Routing, TreeParams, ZoneKind,
};

fn fit(sample: &Sample, recipe: &Recipe, threads: usize) -> Model {
    sample.fit_recipe(recipe, &Exec::with_threads(threads).unwrap())
}

/// Spread zones of a given scale, leaves by EM: nothing is chosen from the data.
fn fixed(depth: u32, scale: f64) -> Recipe {
    let mut recipe = Recipe::calibrated();
    recipe.auto = Auto::default();
    recipe.params.max_depth = Some(depth);
    recipe.params.zone.scale = scale;
    recipe
}

fn cost_optimal(cost_ratio: f64) -> Recipe {
    let params = TreeParams { max_depth: Some(4), ..TreeParams::default() };
    let params = params.with_zone(ZoneKind::CostOptimal { cost_ratio });
    Recipe { params, ..Recipe::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_default_recipe_is_the_papers_method(
        sample in strategies::weighted_samples(40), depth in 1u32..6,
    ) {
        let params = TreeParams { max_depth: Some(depth), ..TreeParams::default() };
        let recipe = Recipe { params: params.clone(), ..Recipe::default() };
        let model = fit(&sample, &recipe, 1);
        let (data, params) = (sample.dataset(), params.check().unwrap());
        let grown = Grower::new(&data, &params).unwrap().grow_two_child(&Exec::default()).unwrap();
        let expected = grown.with_zones(&params.zone).unwrap();
        prop_assert_eq!(measured(&model.trees()[0]), measured(&expected));
        prop_assert_eq!(model.recipe(), &recipe);
        prop_assert_eq!(model.choice(), None);
        prop_assert_eq!(model.verdict(), &VerdictPolicy::default());
    }
}

#[test]
fn threads_do_not_change_the_model() {
    let sample = Sample::generated(11, 1_500, 3);
    let mut deferred = Recipe::calibrated();
    deferred.routing = Routing::Deferred;
    let mut three_child = Recipe::calibrated();
    three_child.routing = Routing::HardMiddle;
    // Enough rows for several EM tasks.
    let large = Sample::generated(12, 9_000, 2);
    for (sample, recipe) in [
        (&sample, Recipe::calibrated()),
        (&sample, deferred),
        (&sample, three_child),
        (&sample, cost_optimal(0.2)),
        (&large, fixed(6, 0.8)),
    ] {
        let alone = fit(sample, &recipe, 1).to_json();
        for threads in [2, 7] {
            assert!(fit(sample, &recipe, threads).to_json() == alone, "{threads}: {recipe:?}");
        }
    }
}

/// Of many rows few folds are held out, and EM begins on a sample. What it ends with still suits
/// all rows better than the counts it began with.
#[test]
fn many_rows_are_calibrated_on_some_of_them() {
    let sample = Sample::generated(24, 101_000, 2);
    let mut recipe = Recipe::calibrated();
    recipe.params.max_depth = Some(4);
    recipe.auto.max_depth = None;
    let [alone, together] = [1, 2].map(|threads| fit(&sample, &recipe, threads));
    assert!(alone.to_json() == together.to_json());
    let choice = alone.choice().unwrap();
    assert_eq!((choice.folds, choice.repeats), (5, 1));
    assert!(choice.candidates.iter().all(|candidate| candidate.fold_log_losses.len() == 2));
    let achieved = alone.verdict().as_confidence().unwrap().achieved().unwrap();
    // Two fifths of the sample; every class may be rounded up by a row.
    assert!((40_000..=40_004).contains(&achieved.total().rows), "{:?}", achieved.total());
    let best = choice.best().unwrap();
    assert!(best.zone_scale > 0.0, "no row is blended, and there is nothing for EM to do");
    let smoothed = Recipe { leaves: Leaves::Smoothed, ..alone.recipe().clone().decided() };
    let loss = |model: &Model| {
        let data = sample.dataset();
        let answers = model.predict(Matrix::from(data.columns()), &Exec::default()).unwrap();
        log_loss(data.labels(), answers.distributions(), 2, 1e-6).unwrap().unwrap()
    };
    let [by_em, by_counts] = [loss(&alone), loss(&fit(&sample, &smoothed, 2))];
    assert!(by_em < 0.999 * by_counts, "{by_em} and {by_counts}");
}

#[test]
fn the_seed_determines_the_inner_folds() {
    let sample = Sample::generated(13, 300, 2);
    let losses = |seed| {
        let mut recipe = Recipe::calibrated();
        recipe.params.seed = seed;
        fit(&sample, &recipe, 1).choice().unwrap().candidates.clone()
    };
    assert_eq!(losses(1), losses(1));
    assert_ne!(losses(1), losses(2));
}

#[test]
fn rows_of_weight_zero_do_not_change_the_model() {
    let mut sample = Sample::generated(14, 250, 3);
    let mut recipe = Recipe::calibrated();
    recipe.params.seed = 3;
    let alone = fit(&sample, &recipe, 1);
    let weights = |kept: usize| [vec![1.0; kept], vec![0.0; 50]].concat();
    let strangers = Sample::generated(15, 50, 3);
    sample.rows.extend(strangers.rows);
    sample.classes.extend(strangers.classes);
    sample.weights = Some(weights(250));
    assert_eq!(fit(&sample, &recipe, 1), alone);
}

#[test]
fn balanced_classes_have_an_even_prior() {
    // A single leaf predicts the prior itself.
    let mut sample = Sample::generated(17, 60, 2);
    sample.rows = vec![vec![1.0]; 60];
    sample.classes = (0..60).map(|row| u32::from(row % 6 == 0)).collect();
    let mut recipe = fixed(2, 1.0);
    recipe.params.class_weight = ClassWeight::Balanced;
    let model = fit(&sample, &recipe, 1);
    let answer = model.trees()[0].values(NodeId::ROOT);
    assert!((answer[0] - 0.5).abs() < 1e-12, "{answer:?}");
}

#[test]
fn tiny_and_one_sided_data_can_be_calibrated() {
    let sample = Sample::generated(18, 40, 3);
    let mut one_class = sample.clone();
    one_class.classes = vec![1; 40];
    let mut recipe = Recipe::calibrated();
    for n in [1, 2, 3, 7] {
        let few = sample.rearranged(&(0..n).collect::<Vec<_>>());
        let model = fit(&few, &recipe, 1);
        // A single row cannot be held out.
        assert_eq!(model.choice().unwrap().folds, if n == 1 { 0 } else { 5.min(n as u32) });
        let by_cost = model.verdict().as_confidence().unwrap();
        assert_eq!(by_cost.rule(), &VerdictRule::Cost { cost_ratio: USUAL_COST_RATIO });
        let held_out = by_cost.achieved().map(|achieved| achieved.total().rows);
        assert_eq!(held_out, (n > 1).then_some(n as u64));
    }
    // All candidates are the same leaf, so the shallowest with scale 0 wins.
    let model = fit(&one_class, &recipe, 1);
    let params = &model.recipe().params;
    assert_eq!((params.max_depth, params.zone.scale), (Some(2), 0.0));
    recipe.params = recipe.params.with_zone(ZoneKind::CostOptimal { cost_ratio: 0.3 });
    fit(&sample.rearranged(&[0]), &recipe, 1);
}

#[test]
fn a_higher_flag_cost_never_widens_a_zone() {
    let sample = Sample::generated(19, 600, 2);
    let trees: Vec<_> =
        [0.05, 0.1, 0.2, 0.3, 0.45].map(|ratio| fit(&sample, &cost_optimal(ratio), 1)).into();
    let widths = |model: &Model| half_widths(&model.trees()[0]);
    assert!(widths(&trees[0]).iter().sum::<f64>() > 0.0);
    for pair in trees.windows(2) {
        for (cheap, dear) in widths(&pair[0]).iter().zip(widths(&pair[1])) {
            assert!(*cheap >= dear, "{cheap} became {dear}");
        }
    }
}

#[test]
fn zones_that_need_predictions_cannot_shape_a_tree() {
    let recipe = Recipe { routing: Routing::HardMiddle, ..cost_optimal(0.2) };
    let error = recipe.check().unwrap_err().to_string();
    assert!(error.starts_with("zone is cost_optimal; allowed: any other kind"), "{error}");
    let sample = Sample::generated(20, 50, 2);
    let (data, params) = (sample.dataset(), cost_optimal(0.2).params.check().unwrap());
    let grown = Grower::new(&data, &params).unwrap().grow_two_child(&Exec::default()).unwrap();
    assert!(grown.with_zones(&params.zone).is_err());
    assert!(Grower::new(&data, &params).unwrap().grow_three_child(&Exec::default()).is_err());
    let error = cost_optimal(1.5).check().unwrap_err().to_string();
    assert!(error.starts_with("cost_ratio is 1.5; allowed: a number between 0 and 1"), "{error}");
}

/// Random classes: a tree memorizes its training rows and knows nothing about others. No two rows
/// are equal, so a fully grown tree is right on all of them.
#[test]
fn out_of_fold_predictions_have_not_seen_their_rows() {
    let mut sample = Sample::generated(21, 400, 2);
    sample.classes = (0..400u32).map(|row| (row.wrapping_mul(2_654_435_761) >> 16) & 1).collect();
    let data = sample.dataset();
    let crisp = Recipe { routing: Routing::Crisp, ..Recipe::default() };
    let recipe = crisp.clone().check().unwrap();
    let honest = out_of_fold(&data, &recipe, 5, &Exec::default()).unwrap();
    assert_eq!(honest.rows, (0..400).collect::<Vec<_>>());
    let right = honest.classes().iter().zip(&sample.classes).filter(|(a, b)| a == b).count();
    // Binomial(400, 1/2) has standard deviation 10.
    assert!((150..=250).contains(&right), "{right} of 400");
    let own = fit(&sample, &crisp, 1);
    let own = own.predict(Matrix::from(data.columns()), &Exec::default()).unwrap();
    assert_eq!(own.classes(), sample.classes);
    let two = out_of_fold(&data, &recipe, 5, &Exec::with_threads(2).unwrap());
    assert_eq!(two.unwrap(), honest);
}

#[test]
fn a_cancelled_calibration_stops() {
    let sample = Sample::generated(22, 200, 2);
    let token = CancelToken::new();
    token.cancel();
    let learner = Learner::from_recipe(Recipe::calibrated()).unwrap();
    let exec = Exec::default().cancelled_by(&token);
    let error = learner.fit(&sample.dataset(), &exec).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
}

#[test]
fn a_calibrated_model_is_read_back_as_it_was_written() {
    let sample = Sample::generated(23, 200, 3);
    let model = fit(&sample, &Recipe::calibrated(), 1);
    let json = model.to_json();
    let read = Model::from_json(&json).unwrap();
    assert_eq!(read, model);
    assert_eq!(read.to_json(), json);
    let negative = json.replacen("\"log_loss\":", "\"log_loss\":-", 1);
    let error = Model::from_json(&negative).unwrap_err().to_string();
    assert!(error.contains("log_loss of a candidate is -"), "{error}");
    let error = Model::from_json(&json.replace("\"em\"", "\"emm\"")).unwrap_err().to_string();
    assert!(error.contains("unknown variant `emm`"), "{error}");
    let again = read.recipe().clone().decided();
    assert_eq!(&fit(&sample, &again, 1).trees()[0], &model.trees()[0]);
}
