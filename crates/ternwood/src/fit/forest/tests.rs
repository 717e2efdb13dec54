//! Are forests what they are said to be: the same trees as alone, the same answers as by the book?

use super::*;
use crate::dataset::{ClassName, Columns, Dataset, Feature, Matrix, Resampler, Schema};
use crate::fit::{FitEvent, FitStage, Learner, out_of_bag};
use crate::grow::Search;
use crate::model::{Model, RowScratch};
use crate::predict::{Scratch, Walker};
use crate::recipe::{ClassWeight, Criterion, DepthChoice, RowCount, TreeParams, ZoneKind};
use crate::tree::{NodeId, Side};
use crate::verdict::{Uncovered, VerdictPolicy};
use proptest::prelude::*;
use std::sync::Mutex;

/// Numbers with ties, a category, a feature with gaps, one with few values; weights of several kinds.
fn table(n_rows: usize, n_classes: u32, seed: u64, weights: u8) -> Dataset {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut unit = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let classes: Vec<u32> = (0..n_rows).map(|_| (unit() * f64::from(n_classes)) as u32).collect();
    let mut column = |kind: u32| -> Vec<f64> {
        let of_row = |&class: &u32| {
            let smooth = unit() + unit() - unit() + 0.4 * f64::from(class);
            match kind {
                0 => smooth,
                1 => (smooth * 4.0).round(),
                2 if unit() < 0.2 => f64::NAN,
                2 => (smooth * 30.0).round(),
                3 => (unit() * 3.0 + f64::from(class)).floor(),
                _ => f64::from(u8::from(smooth > 0.7)),
            }
        };
        classes.iter().map(of_row).collect()
    };
    let values: Vec<f64> = (0..5).flat_map(&mut column).collect();
    let n_categories = n_classes + 3;
    let categories = (0..n_categories).map(|id| format!("c{id}")).collect::<Vec<_>>();
    let columns = Columns::from_columns(values, 5).unwrap();
    let names: Vec<ClassName> = (0..n_classes).map(|class| i64::from(class).into()).collect();
    let number = |i: u32| Feature::number(format!("x{i}"));
    let features =
        vec![number(0), number(1), number(2), Feature::categories("x3", categories), number(4)];
    let schema = Schema::new(features, names).unwrap();
    let data = Dataset::with_schema(columns, classes, schema).unwrap();
    let weight = |row: usize| match weights {
        1 => (row % 4) as f64,
        _ => 0.1 + (row % 7) as f64 / 3.0,
    };
    match weights {
        0 => data,
        _ => data.with_weights((0..n_rows).map(weight).collect::<Vec<f64>>()).unwrap(),
    }
}

/// The same table without gaps, and with a first feature so far from 0 that rounding moves the edges of zones.
fn complete(data: &Dataset, offset: f64) -> Dataset {
    let matrix = Matrix::from(data.columns());
    let mut values = Vec::new();
    for feature in 0..5 {
        for row in 0..matrix.n_rows() {
            let value = matrix.value(row, feature);
            let value = if feature == 0 { value + offset } else { value };
            values.push(if value.is_nan() { 3.0 } else { value });
        }
    }
    let columns = Columns::from_columns(values, 5).unwrap();
    Dataset::with_schema(columns, data.labels().to_vec(), data.schema().clone()).unwrap()
}

/// What a tree answers for a part of a row, from the leaves up: a zone divides the part only into parts of at least the
/// least share.
fn by_the_book(tree: &Tree, node: NodeId, row: &[f64], part: f64, recipe: &Recipe) -> Vec<f64> {
    let Some(split) = tree.node(node).as_split() else { return tree.values(node).to_vec() };
    let answer = |node, part| by_the_book(tree, node, row, part, recipe);
    let x = row[split.test.feature().index()];
    let share = split.test.left_share(x);
    let (left, right) = (part * share, part - part * share);
    let may_divide = recipe.routing == Routing::Probabilistic && split.test.side(x) == Side::Within;
    if may_divide && left >= recipe.least_share && right >= recipe.least_share {
        let sides = answer(split.left, left).into_iter().zip(answer(split.right, right));
        sides.map(|(left, right)| share * left + (1.0 - share) * right).collect()
    } else {
        answer(if split.test.goes_left(x) { split.left } else { split.right }, part)
    }
}

fn recipe(seed: u64, n_trees: u32) -> Recipe {
    let mut recipe = Recipe::forest();
    recipe.params.seed = seed;
    recipe.ensemble = ForestParams { n_trees, ..ForestParams::default() }.into();
    recipe
}

fn fit(data: &Dataset, recipe: &Recipe, threads: usize) -> Model {
    let exec = Exec::with_threads(threads).unwrap();
    Learner::from_recipe(recipe.clone()).unwrap().fit(data, &exec).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn ranks_grow_the_trees_that_sorted_columns_grow(
        n_rows in prop_oneof![2..60usize, 300..1500usize],
        n_classes in 2..5u32,
        seed in any::<u64>(),
        weights in 0..3u8,
        entropy in any::<bool>(),
        balance in 0..3u8,
        min_samples_leaf in 1..4u32,
        max_leaf_nodes in prop::option::of(2..40u32),
        bootstrap in any::<bool>(),
    ) {
        let data = table(n_rows, n_classes, seed, weights);
        let view = DatasetView::from(&data);
        let mut params = recipe(seed, 1).params;
        params.criterion = if entropy { Criterion::Entropy } else { Criterion::Gini };
        params.class_weight = match balance {
            0 => ClassWeight::Uniform,
            1 => ClassWeight::Balanced,
            _ => ClassWeight::BalancedSubsample,
        };
        params.min_samples_leaf = RowCount::Count(min_samples_leaf);
        params.max_leaf_nodes = max_leaf_nodes;
        let params = params.check().unwrap();
        let rows = Grower::new(&view, &params).unwrap().rows().to_vec();
        let forest = ForestParams { bootstrap, ..ForestParams::default() };
        let bags = bags_of(&view, &rows, forest, seed, &Exec::default());
        let grow = |search| {
            let grower = Grower::new(&view, &params).unwrap().of_forest(3, &bags.draw(3));
            let grown = grower.search(search).grow_two_child(&Exec::default()).unwrap();
            grown.with_zones(&params.zone).unwrap()
        };
        let sorted = grow(Search::Sorted);
        prop_assert_eq!(&grow(Search::Fast), &sorted);
        prop_assert_eq!(&grow(Search::BinsOnly(9)), &sorted);
    }

    #[test]
    fn a_forest_is_the_mean_of_its_trees_to_the_bit(
        n_rows in 20..300usize,
        n_classes in 2..4u32,
        seed in any::<u64>(),
        scale in prop_oneof![Just(0.0), Just(0.3), Just(1.6), Just(3.2)],
        least_share in prop_oneof![Just(0.25), Just(0.0), Just(0.1), Just(0.03), Just(0.5)],
        crisp in any::<bool>(),
        offset in prop::option::of(prop_oneof![Just(0.0), Just(1e7), Just(1e13)]),
    ) {
        let made = |n_rows, seed| {
            let data = table(n_rows, n_classes, seed, 0);
            offset.map_or(data.clone(), |offset| complete(&data, offset))
        };
        let data = made(n_rows, seed);
        let mut recipe = recipe(seed, 7);
        recipe.auto.zone_scale = false;
        recipe.params.zone.scale = scale;
        recipe.params.max_depth = Some(6);
        recipe.least_share = least_share;
        recipe.ensemble.forest_mut().unwrap().exponent = Exponent::Off;
        if crisp {
            recipe.routing = Routing::Crisp;
        }
        let model = fit(&data, &recipe, 2);
        // The walk alone is compared: rows with gaps or categories that training never had are judged too.
        let judge = VerdictPolicy::default().with_uncovered(Uncovered::Judge).unwrap();
        let model = model.with_verdict(judge).unwrap();
        // Rows of another table: other gaps, and categories that some trees never saw.
        let others = made(50, seed ^ 1);
        let answers = |model: &Model| model.predict(Matrix::from(others.columns()), &Exec::default()).unwrap();
        let found = answers(&model);
        let alone: Vec<_> = (0..7).map(|tree| answers(&model.tree_alone(tree).unwrap())).collect();
        let mut scratch = RowScratch::default();
        for row in 0..50 {
            let values = Matrix::from(others.columns()).trained_row(row);
            let mut mean = vec![0.0; n_classes as usize];
            let mut decided = vec![0; n_classes as usize];
            for (tree, alone) in model.trees().iter().zip(&alone) {
                let own = by_the_book(tree, NodeId::ROOT, &values, 1.0, &recipe);
                prop_assert_eq!(&own, alone.distribution(row), "row {}", row);
                mean.iter_mut().zip(&own).for_each(|(mean, p)| *mean += p);
                // Verdicts by zones never depend on the least share.
                let walker = Walker::new(tree, recipe.routing).unwrap();
                let verdict = walker.distribution(&values, &mut Scratch::default(), &mut own.clone());
                decided[crate::tree::most_probable(&own) as usize] += u32::from(verdict.is_decided());
            }
            mean.iter_mut().for_each(|sum| *sum /= 7.0);
            prop_assert_eq!(&mean, found.distribution(row), "row {}", row);
            let mut of_row = vec![0.0; n_classes as usize];
            model.predict_row(&values, &mut scratch, &mut of_row).unwrap();
            prop_assert_eq!(&of_row, &mean);
            let class = found.classes()[row];
            prop_assert_eq!(found.verdicts()[row].is_decided(), 2 * decided[class as usize] > 7);
        }
    }

    #[test]
    fn out_of_bag_is_what_trees_say_that_have_not_seen_the_row(
        n_rows in 5..80usize, n_classes in 2..4u32, seed in any::<u64>(), weights in 0..2u8,
    ) {
        let data = table(n_rows, n_classes, seed, weights);
        let recipe = recipe(seed, 9);
        let exec = Exec::default();
        let learner = Learner::from_recipe(recipe).unwrap().with_all_out_of_bag();
        let fit = learner.fit_watched(&data, &exec, &|_| ()).unwrap();
        let unseen = fit.out_of_bag.unwrap();
        prop_assert_eq!(&out_of_bag(&fit.model, &data, &exec).unwrap(), &unseen);
        let counted: Vec<u32> = (0..n_rows as u32)
            .filter(|&row| data.weights().is_none_or(|weights| weights[row as usize] > 0.0))
            .collect();
        let bags = Resampler::new(&data).bags(&counted, |n_rows| n_rows, seed);
        let forest = fit.model.ensemble();
        let mut place = 0;
        for &row in &counted {
            let trees: Vec<Tree> = (0u32..).zip(forest.trees())
                .filter(|(tree, _)| {
                    // As the bag is drawn: as many rows as there are, one after the other.
                    let bag = bags.draw(*tree);
                    bag.times().iter().sum::<u32>() as usize == counted.len() && !bag.contains(row)
                })
                .map(|(_, tree)| tree.clone())
                .collect();
            if trees.is_empty() {
                prop_assert!(!unseen.rows().contains(&row));
                continue;
            }
            prop_assert_eq!(unseen.rows()[place], row);
            let n_trees = trees.len() as u32;
            let small = Ensemble::new(trees, forest.combine()).unwrap();
            let mut recipe = fit.model.recipe().clone();
            recipe.ensemble.forest_mut().unwrap().n_trees = n_trees;
            let alone = Model::new(small, data.schema().clone(), recipe).unwrap();
            let values = Matrix::from(data.columns()).trained_row(row as usize);
            let expected = alone.predict(Matrix::row_major(&values, 5).unwrap(), &exec).unwrap();
            let n = n_classes as usize;
            prop_assert_eq!(&unseen.distributions()[place * n..][..n], expected.distribution(0));
            place += 1;
        }
        prop_assert_eq!(place, unseen.rows().len());
    }
}

#[test]
fn a_large_tree_that_draws_its_features_is_the_same_on_bins_and_on_sorted_columns() {
    // More rows than a branch on ranks has: large nodes are split on bins, by both threads.
    for (weights, n_classes) in [(0, 2), (1, 3), (2, 2)] {
        let data = table(20_000, n_classes, 17, weights);
        let params = recipe(1, 1).params.check().unwrap();
        let grow = |search, threads| {
            let exec = Exec::with_threads(threads).unwrap();
            let grower = Grower::new(&data, &params).unwrap().search(search);
            let grown = grower.grow_two_child(&exec).unwrap();
            // Growing keeps what the zones of the parameters ask for; others must not miss anything.
            let zones = [params.zone.clone(), ZoneKind::Margin.into()];
            zones.map(|zone| grown.with_zones(&zone).unwrap())
        };
        let sorted = grow(Search::Sorted, 1);
        assert_eq!(grow(Search::Fast, 1), sorted);
        assert_eq!(grow(Search::Fast, 2), sorted);
    }
}

#[test]
fn a_large_tree_of_few_leaves_is_the_same_on_bins_and_on_sorted_columns() {
    for weights in [0, 1, 2] {
        let data = table(20_000, 3, 18, weights);
        let mut params = TreeParams { max_leaf_nodes: Some(11), ..TreeParams::default() };
        params.zone.kind = ZoneKind::Spread;
        let params = params.check().unwrap();
        let grow = |search| {
            let grower = Grower::new(&data, &params).unwrap().search(search);
            grower.grow_two_child(&Exec::default()).unwrap().with_zones(&params.zone).unwrap()
        };
        assert_eq!(grow(Search::Fast), grow(Search::Sorted));
    }
}

#[test]
fn a_large_tree_on_ranks_is_the_same_as_on_sorted_columns() {
    // So many rows that branches get codes of their own.
    for (weights, max_leaf_nodes) in [(0, None), (1, None), (2, Some(90))] {
        let data = table(40_000, 2, 19, weights);
        let params = TreeParams { max_leaf_nodes, ..recipe(1, 1).params }.check().unwrap();
        let exec = Exec::default();
        let tree = |grower: Grower<'_>| {
            grower.grow_two_child(&exec).unwrap().with_zones(&params.zone).unwrap()
        };
        let sorted = tree(Grower::new(&data, &params).unwrap().search(Search::Sorted));
        assert_eq!(tree(Grower::new(&data, &params).unwrap().with_ranks(&exec).unwrap()), sorted);
    }
}

#[test]
fn any_number_of_threads_grows_the_same_forest() {
    let data = table(700, 3, 11, 2);
    let recipe = recipe(5, 13);
    let alone = fit(&data, &recipe, 1);
    for threads in [2, 7] {
        let model = fit(&data, &recipe, threads);
        assert_eq!(model, alone);
        assert_eq!(model.to_safetensors(), alone.to_safetensors());
    }
}

#[test]
fn a_tree_of_a_forest_equals_the_tree_grown_alone_on_its_bag() {
    // With its rows repeated as often as the bag holds them, and the zones of the forest.
    let data = table(200, 2, 3, 0);
    let mut recipe = recipe(8, 4);
    recipe.auto.zone_scale = false;
    recipe.params.zone.scale = 0.7;
    let model = fit(&data, &recipe, 2);
    let params = recipe.params.clone().check().unwrap();
    let view = DatasetView::from(&data);
    let rows: Vec<u32> = (0..200).collect();
    let bags = bags_of(&view, &rows, recipe.ensemble.forest().unwrap(), 8, &Exec::default());
    for (number, tree) in (0..).zip(model.trees()) {
        let grower = Grower::new(&view, &params).unwrap().of_forest(number, &bags.draw(number));
        let alone = grower.search(Search::Sorted).grow_two_child(&Exec::default()).unwrap();
        assert_eq!(&alone.with_zones(&params.zone).unwrap(), tree);
    }
}

#[test]
fn a_scale_that_was_chosen_grows_the_same_forest_when_it_is_given() {
    // The numbers of rows within zones too, which are counted anew for the scale chosen.
    let data = table(400, 3, 21, 0);
    let chosen = fit(&data, &recipe(2, 9), 2);
    let mut given = chosen.recipe().clone();
    given.auto.zone_scale = false;
    let again = fit(&data, &given, 2);
    assert!(chosen.recipe().params.zone.scale > 0.0, "zones help here");
    assert_eq!(again.trees(), chosen.trees());
}

#[test]
fn every_refusal_names_the_parameter() {
    let refused = |change: fn(&mut Recipe), expected: &str| {
        let mut recipe = Recipe::forest();
        change(&mut recipe);
        let error = Learner::from_recipe(recipe).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(|recipe| recipe.ensemble.forest_mut().unwrap().n_trees = 0, "n_trees is 0");
    refused(|recipe| recipe.routing = Routing::Deferred, "routing is deferred");
    refused(|recipe| recipe.leaves = crate::recipe::Leaves::Em, "leaves is em");
    refused(|recipe| recipe.auto.max_depth = Some(DepthChoice::Auto), "max_depth is auto");
    refused(
        |recipe| recipe.params.zone.kind = ZoneKind::CostOptimal { cost_ratio: 0.2 },
        "cost_optimal",
    );
    refused(|recipe| recipe.ensemble.forest_mut().unwrap().bootstrap = false, "exponent is auto");
}

/// The stages of a fit, with their announced and their reported steps.
fn stages(learner: &Learner, data: &Dataset, threads: usize) -> Vec<(FitStage, u64, u64)> {
    let stages: Mutex<Vec<(FitStage, u64, u64)>> = Mutex::default();
    let watch = |event| {
        let mut stages = stages.lock().unwrap();
        match (event, stages.last_mut()) {
            (FitEvent::Begin { stage, steps }, _) => stages.push((stage, steps, 0)),
            (FitEvent::Advance(steps), Some((.., done))) => *done += steps,
            (FitEvent::Advance(_), None) => panic!("a step of no stage"),
        }
    };
    learner.fit_watched(data, &Exec::with_threads(threads).unwrap(), &watch).unwrap();
    stages.into_inner().unwrap()
}

/// A progress bar is full when a stage ends, and no stage of the fit is left out.
#[test]
fn progress_covers_every_stage_of_a_fit() {
    let data = table(700, 2, 5, 0);
    let forest = ForestParams { n_trees: 12, ..ForestParams::default() };
    let automatic = Recipe { ensemble: forest.into(), ..Recipe::forest() };
    let given = ForestParams { n_trees: 12, exponent: Exponent::Off, ..ForestParams::default() };
    let mut fixed = Recipe { ensemble: given.into(), ..Recipe::forest() };
    fixed.auto.zone_scale = false;
    for threads in [1, 3] {
        let of = |recipe: &Recipe| {
            let learner = Learner::from_recipe(recipe.clone()).unwrap().with_all_out_of_bag();
            stages(&learner, &data, threads)
        };
        let found = of(&automatic);
        let names: Vec<FitStage> = found.iter().map(|(stage, ..)| *stage).collect();
        assert_eq!(names, [FitStage::Trees, FitStage::Choice, FitStage::RowsWithin]);
        let candidates = (crate::fit::SCALES.len() * crate::fit::CATEGORY_ERRORS.len()) as u64;
        assert!(found[1].1 >= candidates * 12, "{found:?}");
        let other = of(&fixed);
        let names: Vec<FitStage> = other.iter().map(|(stage, ..)| *stage).collect();
        assert_eq!(names, [FitStage::Trees, FitStage::OutOfBag]);
        for (stage, steps, done) in found.into_iter().chain(other) {
            assert_eq!(done, steps, "{stage}, {threads} threads");
        }
    }
}
