//! Does a forest say why it is unsure, and only what its trees say?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::policies::catching;
use support::{soak, tables};
use ternwood::ensemble::Combine;
use ternwood::recipe::{Exponent, ForestParams};
use ternwood::tree::{Axis, CategoryCut, CategoryPlace, Test, TreeBuilder, Zone};
use ternwood::verdict::{ConfidencePolicy, CostMatrix, CostPolicy};
use ternwood::{
    ClassName, Ensemble, ErrorKind, Exec, Feature, Matrix, Model, Recipe, Routing, Schema, Tree,
    UNKNOWN,
};

fn stump(test: &Test) -> Tree {
    let mut builder = TreeBuilder::new(3, 2);
    builder.split_by(test);
    builder.leaf(&[9.0, 1.0]);
    builder.leaf(&[2.0, 8.0]);
    builder.finish().unwrap()
}

fn at(feature: u32, threshold: f64, half_width: f64) -> Tree {
    stump(&Test::new(feature, Zone::new(threshold, half_width).unwrap()))
}

fn of_jobs() -> Tree {
    let place = |category, position, standard_error| CategoryPlace {
        category,
        rows: 9,
        position,
        standard_error,
    };
    let places = vec![place(0, 0.2, 0.1), place(1, 0.8, 0.4)];
    stump(&Test::of_categories(2, CategoryCut::new(Axis::ClassShare(1), 0.5, 1.0, places).unwrap()))
}

/// Nine trees: five of glucose, two of age, two of the job.
fn forest() -> Model {
    let glucose = [123.0, 126.5, 127.2, 127.4, 160.0].map(|threshold| at(0, threshold, 2.0));
    let ages = [55.0, 56.0].map(|threshold| at(1, threshold, 12.0));
    let trees = [glucose.as_slice(), &ages, &[of_jobs(), of_jobs()]].concat();
    let features = vec![
        Feature::number("glucose"),
        Feature::number("age"),
        Feature::categories("job", ["clerk", "pilot", "nun"]),
    ];
    let classes = vec![ClassName::from("healthy"), ClassName::from("diabetic")];
    let schema = Schema::new(features, classes).unwrap();
    let params = ForestParams { n_trees: 9, exponent: Exponent::Off, ..ForestParams::default() };
    let recipe = Recipe { ensemble: params.into(), ..Recipe::forest().decided() };
    Model::new(Ensemble::new(trees, Combine::Mean(None)).unwrap(), schema, recipe).unwrap()
}

#[test]
fn features_are_named_by_their_number_of_trees() {
    let model = forest();
    let explained = model.explain_forest(&[126.4, 50.0, 0.0]).unwrap();
    assert_eq!(explained.undecided_trees(), 5);
    assert_eq!(explained.decided_trees(), [3, 1]);
    let found: Vec<_> = explained
        .reasons()
        .iter()
        .map(|it| (it.feature, it.trees, it.value, it.threshold))
        .collect();
    assert_eq!(found, [(0, 3, 126.4, Some(127.2)), (1, 2, 50.0, Some(55.0))]);
    assert_eq!(
        explained.of_trees(),
        "5 of 9 trees are undecided: 3 because of glucose 126.4, 2 because of age 50. The probability of healthy \
         (70 %) would rise to 78 % with glucose 125.2 and fall to 55 % with glucose 129.2; rise to 74 % with age 43 \
         and fall to 59 % with age 67."
    );
    assert_eq!(
        explained.to_string(),
        "healthy with probability 0.700, undecided\n\
         Flagged: 3 of 9 trees are decided for healthy, and it takes more than half.\n\
         5 of 9 trees are undecided: 3 because of glucose 126.4, 2 because of age 50.\n\
         A single change would decide it: glucose 125.2 (healthy), glucose 163 (diabetic) or age 43 (healthy).\n  \
         3 trees: 3 of 3 thresholds lie above glucose 126.4; the probability of healthy would rise to 78 % at \
         125.2 and fall to 55 % at 129.2\n  \
         2 trees: 2 of 2 thresholds lie above age 50; the probability of healthy would rise to 74 % at 43 and fall to \
         59 % at 67\n  \
         trees that are decided: 3 for healthy, 1 for diabetic\n"
    );
    let sure = model.explain_forest(&[100.0, 20.0, 0.0]).unwrap();
    assert_eq!(
        (sure.of_trees().as_str(), sure.sentence()),
        ("None of 9 trees is undecided.", None)
    );
}

/// A value is told as it was given, unless it has more digits than zones can tell apart.
#[test]
fn long_numbers_are_rounded() {
    let model = forest();
    let named = |glucose: f64| {
        let explained = model.explain_forest(&[glucose, 20.0, 0.0]).unwrap();
        explained.named(&explained.reasons()[0])
    };
    assert_eq!(named(126.4), "glucose 126.4");
    assert_eq!(named(126.412_345_678_9), "glucose 126.41");
}

#[test]
fn what_is_missing_unseen_or_a_category_is_put_in_words() {
    let model = forest();
    let of = |row: [f64; 3]| model.explain_forest(&row).unwrap();
    let words = |row| of(row).of_trees();
    assert_eq!(
        words([f64::NAN, 20.0, 0.0]),
        "5 of 9 trees are undecided: 5 because glucose is missing. The probability of healthy (71 %) would rise to 82 % \
         with glucose 125.2 and fall to 59 % with glucose 129.2."
    );
    // Both trees of the job go left for a clerk, and share a nun, who did not occur.
    assert_eq!(
        words([100.0, 20.0, 1.0]),
        "2 of 9 trees are undecided: 2 because job 'pilot' lies near the cut. The probability of healthy (74 %) would \
         rise to 82 % with job nun and rise to 90 % with job clerk."
    );
    let nun = "2 of 9 trees are undecided: 2 because job 'nun' did not occur in training. The probability of healthy \
               (82 %) would fall to 74 % with job pilot and rise to 90 % with job clerk.";
    assert_eq!(words([100.0, 20.0, 2.0]), nun);
    let unseen = of([100.0, 20.0, UNKNOWN]).with_unseen(2, "monk").of_trees();
    assert!(unseen.contains("2 because job 'monk' did not occur in training."), "{unseen}");
    let unread = of([UNKNOWN, 20.0, 0.0]).with_unseen(0, "12?5").of_trees();
    assert!(unread.contains(": 5 because glucose '12?5' could not be read."), "{unread}");
}

/// Of many categories, those with the least and the greatest probability are told.
#[test]
fn the_alternatives_to_a_category_are_the_extremes() {
    let place = |(category, position): (u32, f64)| CategoryPlace {
        category,
        rows: 9,
        position,
        standard_error: 0.2,
    };
    let stump = |positions: [f64; 5]| {
        let places = (0..).zip(positions).map(place).collect();
        let cut = CategoryCut::new(Axis::ClassShare(1), 0.5, 1.0, places).unwrap();
        let mut builder = TreeBuilder::new(1, 2);
        builder.split_by(&Test::of_categories(0, cut));
        builder.leaf(&[9.0, 1.0]);
        builder.leaf(&[2.0, 8.0]);
        builder.finish().unwrap()
    };
    let trees = vec![stump([0.45, 0.55, 0.35, 0.9, 0.65]), stump([0.55, 0.45, 0.1, 0.66, 0.4])];
    let features = vec![Feature::categories("job", ["a", "b", "c", "d", "e"])];
    let schema = Schema::new(features, vec!["healthy".into(), "diabetic".into()]).unwrap();
    let params = ForestParams { n_trees: 2, exponent: Exponent::Off, ..ForestParams::default() };
    let recipe = Recipe { ensemble: params.into(), ..Recipe::forest().decided() };
    let model =
        Model::new(Ensemble::new(trees, Combine::Mean(None)).unwrap(), schema, recipe).unwrap();
    let probability = |job: f64, class: usize| {
        let answer = model.predict(Matrix::row_major(&[job], 1).unwrap(), &Exec::default());
        answer.unwrap().distribution(0)[class]
    };
    for job in [0.0, 1.0] {
        let explained = model.explain_forest(&[job]).unwrap();
        let class = explained.class() as usize;
        let mut others: Vec<f64> = (0..5).map(f64::from).filter(|it| *it != job).collect();
        others.sort_by(|a, b| probability(*a, class).total_cmp(&probability(*b, class)));
        let alternatives = explained.alternatives(&explained.reasons()[0]);
        let values: Vec<f64> = alternatives.iter().map(|it| it.value).collect();
        assert_eq!(values, [others[0], others[3]]);
        assert!(alternatives[0].distribution[class] < alternatives[1].distribution[class]);
    }
}

#[test]
fn the_policy_is_told_as_for_trees() {
    let row = [126.4, 50.0, 0.0];
    let told = |model: Model| model.explain_forest(&row).unwrap().sentence().unwrap();
    let confidence = ConfidencePolicy::of_cost_ratio(0.2).unwrap();
    let sentence = told(forest().with_verdict(confidence).unwrap());
    assert!(sentence.starts_with("Flagged: 70 % sure, below 80 %. 5 of 9 trees"), "{sentence}");
    let confidence = ConfidencePolicy::of_cost_ratio(0.45).unwrap();
    let sentence = told(forest().with_verdict(confidence).unwrap());
    assert!(sentence.starts_with("Decided: 70 % sure, not below 55 %. 5 of"), "{sentence}");
    let costs = CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], vec![0.3; 2]).unwrap();
    let sentence = told(forest().with_verdict(CostPolicy::new(costs)).unwrap());
    let cost =
        "Flagged: diabetic, the cheapest answer, is expected to cost 0.700, and a flag only 0.300.";
    assert!(sentence.starts_with(cost), "{sentence}");
    let sentence = told(forest().with_verdict(catching(1, 0.25, 2)).unwrap());
    let caught =
        "Flagged: could still be diabetic: 30 %, above 25 %. 5 of 9 trees are undecided: 3 ";
    assert!(sentence.starts_with(caught), "{sentence}");
    let sentence = told(forest().with_verdict(catching(1, 0.375, 2)).unwrap());
    let decided = "Decided: diabetic has 30.0 %, not above 37.5 %. 5 of 9 trees";
    assert!(sentence.starts_with(decided), "{sentence}");
}

#[test]
fn what_cannot_be_explained_is_an_error() {
    let model = forest();
    let kind = |row: &[f64]| model.explain_forest(row).unwrap_err().kind().clone();
    assert!(matches!(kind(&[1.0]), ErrorKind::ColumnCount { expected: 3, found: 1 }));
    assert!(
        matches!(kind(&[1.0, f64::INFINITY, 0.0]), ErrorKind::NotFinite { column, .. } if column == "age")
    );
    let alone = model.tree_alone(0).unwrap();
    let error = alone.explain_forest(&[1.0, 1.0, 0.0]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotForest));
    assert!(matches!(
        model.explain(&[1.0, 1.0, 0.0]).unwrap_err().kind(),
        ErrorKind::IsForest { trees: 9 }
    ));
}

/// What becomes of the probability of the predicted class, word by word: "rise to 75 %".
fn read_changes(effect: &str) -> Vec<(&str, f64)> {
    let changes = effect.split_once(" would ").unwrap().1.split(" and ");
    let change = |change| {
        let words: Vec<&str> = str::split(change, ' ').collect();
        (words[0], words[2].parse::<f64>().unwrap() / 100.0)
    };
    changes.map(change).collect()
}

proptest! {
    #![proptest_config(soak::cases(60))]

    /// What is said of a feature is what the forest answers if only its value is changed.
    #[test]
    fn direction_and_size_are_those_of_the_changed_row(
        sample in tables::weighted_tables(40, 8), scale in prop::sample::select(vec![0.2, 1.0]),
    ) {
        let forest = ForestParams { n_trees: 7, ..ForestParams::default() };
        let mut recipe = Recipe { ensemble: forest.into(), ..Recipe::forest() };
        recipe.params.zone.scale = scale;
        recipe.auto.zone_scale = false;
        let model = sample.fit_recipe(&recipe, &Exec::default());
        for row in sample.rows.iter().take(10) {
            let explained = model.explain_forest(row).unwrap();
            let (class, now) = (explained.class() as usize, explained.distribution());
            for reason in explained.reasons() {
                let alternatives = explained.alternatives(reason);
                let value = row[reason.feature];
                let is_number = model.schema().features()[reason.feature].kind.is_number();
                for alternative in &alternatives {
                    let mut changed = row.clone();
                    changed[reason.feature] = alternative.value;
                    let rows = Matrix::row_major(&changed, changed.len()).unwrap();
                    let again = model.predict(rows, &Exec::default()).unwrap();
                    prop_assert_eq!(again.distribution(0), &alternative.distribution[..]);
                    prop_assert!(alternative.value != value);
                }
                let sides = alternatives.iter().filter(|it| it.value < value).count();
                prop_assert!(!is_number || value.is_nan() || (sides <= 1 && alternatives.len() - sides <= 1));
                let Some(effect) = explained.effect(reason) else {
                    prop_assert!(alternatives.is_empty());
                    continue;
                };
                let changes = read_changes(&effect);
                prop_assert_eq!(changes.len(), alternatives.len(), "{}", effect);
                for ((verb, read), alternative) in changes.into_iter().zip(&alternatives) {
                    let (then, now) = (alternative.distribution[class], now[class]);
                    prop_assert!((read - then).abs() <= 0.005 + 1e-9, "{} but {}", effect, then);
                    match verb {
                        "rise" => prop_assert!(then > now, "{effect}: {now} to {then}"),
                        "fall" => prop_assert!(then < now, "{effect}: {now} to {then}"),
                        _ => prop_assert!(verb == "stay" && (then - now).abs() <= 0.01, "{effect}: {now} to {then}"),
                    }
                }
            }
        }
    }

    /// The thresholds are counted one by one, over all tests that are unsure.
    #[test]
    fn thresholds_above_a_value_are_counted(glucose in 118.0..165.0f64) {
        let model = forest();
        let explained = model.explain_forest(&[glucose, 20.0, 0.0]).unwrap();
        let near = [123.0, 126.5, 127.2, 127.4, 160.0].into_iter().filter(|it| (it - glucose).abs() < 2.0);
        let (above, all) = (near.clone().filter(|it| *it > glucose).count(), near.count());
        let counted = explained.reasons().first().map_or((0, 0), |it| (it.thresholds_above, it.thresholds));
        prop_assert_eq!(counted, (above, all));
    }

    /// Each tree alone says whether it is undecided; by zones, the forest's verdict is their majority.
    #[test]
    fn trees_are_counted_as_they_answer_alone(
        sample in tables::weighted_tables(40, 8),
        routing in prop::sample::select(vec![Routing::Probabilistic, Routing::Crisp]),
        depth in 1..5u32,
    ) {
        let forest = ForestParams { n_trees: 5, ..ForestParams::default() };
        let mut recipe = Recipe { routing, ensemble: forest.into(), ..Recipe::forest() };
        recipe.params.max_depth = Some(depth);
        recipe.params.zone.scale = 1.0;
        recipe.auto.zone_scale = false;
        let model = sample.fit_recipe(&recipe, &Exec::default());
        let model = model.with_verdict(ternwood::VerdictPolicy::default()).unwrap();
        for row in &sample.rows {
            let explained = model.explain_forest(row).unwrap();
            let alone: Vec<_> = (0..5).map(|tree| model.tree_alone(tree).unwrap()).collect();
            let alone: Vec<_> = alone.iter().map(|tree| tree.explain(row).unwrap()).collect();
            let undecided = alone.iter().filter(|it| it.explanation().reasons().next().is_some());
            prop_assert_eq!(explained.undecided_trees(), undecided.count());
            for class in 0..model.schema().n_classes() {
                let decided = alone.iter().filter(|it| it.explanation().reasons().next().is_none());
                let votes = decided.filter(|it| it.class() as usize == class).count();
                prop_assert_eq!(explained.decided_trees()[class], votes);
            }
            // A forest does not divide rows into parts this small: it does not meet the tests that only they meet.
            let small = alone.iter().any(|it| it.explanation().steps.iter().any(|s| s.share < 0.25));
            for reason in explained.reasons().iter().filter(|_| !small) {
                let has = |it: &&ternwood::model::ExplainedRow<'_>| {
                    it.explanation().reasons().any(|step| step.test.feature().index() == reason.feature)
                };
                prop_assert_eq!(reason.trees, alone.iter().filter(has).count());
            }
            let majority = 2 * explained.decided_trees()[explained.class() as usize] > 5;
            let is_covered = explained.not_covered().is_none();
            prop_assert_eq!(explained.verdict().is_decided(), majority && is_covered);
        }
    }
}
