//! Is a row that the training table says nothing about undecided, whatever the policy?
//!
//! What is covered is compared with the definition: in a feature that some test looks at, a gap where the training
//! table had none, a category that it never had, or a value that could not be read.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use std::collections::BTreeSet;
use support::numbers::Numbers;
use support::policies::catching;
use support::sample::Sample;
use support::{soak, tables};
use ternwood::model::{NotCovered, is_open};
use ternwood::recipe::ForestParams;
use ternwood::verdict::{
    CalibrationRows, CalibrationSource, ConfidencePolicy, CostMatrix, CostPolicy, Uncovered,
    VerdictRule,
};
use ternwood::{
    ClassName, Columns, Dataset, ErrorKind, Exec, Feature, Labels, Learner, Matrix, Model, Recipe,
    Routing, Schema, TreeParams, UNKNOWN, VerdictPolicy, is_unknown_value,
};

/// A table with weights, some of them 0, and the model of it: a tree of some routing, or a forest.
fn models() -> impl Strategy<Value = (Sample, Model)> {
    (tables::weighted_tables(40, 6), 0..5usize, prop::collection::vec(0..4u32, 40)).prop_map(
        |(mut sample, shape, copies)| {
            let weights = (0..sample.rows.len()).map(|row| f64::from(copies[row].min(2)));
            let mut weights: Vec<f64> = weights.collect();
            weights[0] = 1.0;
            sample.weights = Some(weights);
            let recipe = match Routing::ALL.get(shape) {
                Some(&routing) => Recipe { routing, ..Recipe::default() },
                None => Recipe {
                    ensemble: (ForestParams { n_trees: 5, ..ForestParams::default() }).into(),
                    ..Recipe::forest()
                },
            };
            let recipe = Recipe { params: TreeParams { seed: 1, ..recipe.params }, ..recipe };
            let model = sample.fit_recipe(&recipe, &Exec::default());
            (sample, model)
        },
    )
}

/// Rows of the sample in which some values are strange.
fn probes(sample: &Sample, seed: u64) -> Vec<Vec<f64>> {
    let mut numbers = Numbers::new(seed);
    let strange = |sample: &Sample, feature: usize, numbers: &mut Numbers| {
        let beyond = sample.n_categories(feature).unwrap_or(3) as f64;
        let values = [f64::NAN, UNKNOWN, beyond, -1.0, 0.5, 0.0, 1.0, 1e300];
        values[numbers.below(values.len())]
    };
    let row = |_| {
        let mut values = sample.rows[numbers.below(sample.rows.len())].clone();
        for (feature, value) in values.iter_mut().enumerate() {
            if numbers.below(3) == 0 {
                *value = strange(sample, feature, &mut numbers);
            }
        }
        values
    };
    (0..60).map(row).collect()
}

/// The definition, from the rows that count.
fn is_covered(sample: &Sample, tested: &BTreeSet<usize>, row: &[f64]) -> bool {
    let weights = sample.weights.as_deref().unwrap();
    let trained: Vec<&Vec<f64>> =
        sample.rows.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(row, _)| row).collect();
    tested.iter().all(|&feature| {
        let x = row[feature];
        if is_unknown_value(x) {
            return false;
        }
        let had = |known: &dyn Fn(f64) -> bool| trained.iter().any(|row| known(row[feature]));
        match sample.n_categories(feature) {
            _ if x.is_nan() => had(&f64::is_nan),
            Some(_) => had(&|value| value == x),
            None => true,
        }
    })
}

/// A policy of every kind, each with both treatments of uncovered rows.
fn policies(n_classes: usize) -> Vec<VerdictPolicy> {
    let costs = CostMatrix::of_ratio(n_classes, 0.6).unwrap();
    let kinds = [
        VerdictPolicy::default(),
        ConfidencePolicy::of_cost_ratio(0.9).unwrap().into(),
        CostPolicy::new(costs).into(),
        catching(n_classes - 1, 0.2, n_classes),
    ];
    let both = |policy: VerdictPolicy| {
        [Uncovered::Undecided, Uncovered::Judge]
            .map(|it| policy.clone().with_uncovered(it).unwrap())
    };
    kinds.into_iter().flat_map(both).collect()
}

proptest! {
    #![proptest_config(soak::cases(60))]

    #[test]
    fn coverage_is_as_defined((sample, model) in models(), seed: u64) {
        let tested = model.tested_features();
        let probes = probes(&sample, seed);
        let flat = probes.concat();
        let rows = Matrix::row_major(&flat, sample.n_features()).unwrap();
        let covered = model.coverage().covered(rows, &Exec::default());
        for (row, covered) in probes.iter().zip(covered) {
            prop_assert_eq!(covered, is_covered(&sample, &tested, row), "{:?}", row);
            prop_assert_eq!(covered, model.coverage().covers(row), "{:?}", row);
        }
    }

    #[test]
    fn a_training_row_is_never_uncovered((sample, model) in models()) {
        for (row, &weight) in sample.rows.iter().zip(sample.weights.as_deref().unwrap()) {
            prop_assert!(weight == 0.0 || model.coverage().covers(row), "{:?}", row);
        }
    }

    #[test]
    fn an_uncovered_row_is_never_decided_unless_it_is_to_be_judged(
        (sample, model) in models(), seed: u64,
    ) {
        let probes = probes(&sample, seed);
        let flat = probes.concat();
        let by_column = Columns::from_rows(&flat, sample.n_features()).unwrap();
        for policy in policies(sample.n_classes as usize) {
            let model = model.clone().with_verdict(policy.clone()).unwrap();
            let rows = Matrix::row_major(&flat, sample.n_features()).unwrap();
            let found = model.predict(rows, &Exec::default()).unwrap();
            let again = model.predict(Matrix::from(&by_column), &Exec::default()).unwrap();
            prop_assert_eq!(&found, &again, "in the other memory order");
            for (row, values) in probes.iter().enumerate() {
                let (class, verdict) = (found.classes()[row], found.verdicts()[row]);
                let covered = model.coverage().covers(values);
                let told = match model.ensemble().is_single() {
                    false => {
                        let explained = model.explain_forest(values).unwrap();
                        prop_assert_eq!(explained.verdict(), verdict);
                        explained.sentence()
                    }
                    true => {
                        let explained = model.explain(values).unwrap();
                        prop_assert_eq!(explained.explanation().verdict, verdict);
                        explained.sentence()
                    }
                };
                let told = told.is_some_and(|told| told.starts_with("Flagged as not covered: "));
                let judges = policy.uncovered() == Uncovered::Judge;
                prop_assert!(covered || judges || verdict.is_undecided(), "{:?}", values);
                prop_assert_eq!(told, !covered && !judges, "{:?}", values);
                if !policy.is_by_zones() && (covered || judges) {
                    prop_assert_eq!(policy.judge(found.distribution(row), verdict), (class, verdict));
                }
            }
        }
    }

    #[test]
    fn coverage_survives_the_file((_, model) in models()) {
        let policy = VerdictPolicy::Zones { uncovered: Uncovered::Judge };
        for model in [model.clone(), model.with_verdict(policy).unwrap()] {
            for read in [
                Model::from_json(&model.to_json()),
                Model::from_safetensors(&model.to_safetensors()),
            ] {
                let read = read.unwrap();
                prop_assert_eq!(read.coverage(), model.coverage());
                prop_assert_eq!(read.verdict(), model.verdict());
            }
        }
    }
}

/// Two numbers that tell the class, and a ward of which 'C' is declared but has no row.
fn complete_table() -> Dataset {
    let rows: Vec<[f64; 3]> =
        (0..200).map(|row| [f64::from(row % 40), f64::from(row % 7), f64::from(row % 2)]).collect();
    let classes = rows.iter().map(|row| u32::from(row[0] > 19.0 || (row[1] > 3.0 && row[2] > 0.0)));
    let features = vec![
        Feature::number("income"),
        Feature::number("age"),
        Feature::categories("ward", ["A", "B", "C"]),
    ];
    let names = ["good", "bad"].map(ClassName::from).to_vec();
    let columns = Columns::from_rows(rows.as_flattened(), 3).unwrap();
    let labels: Vec<u32> = classes.collect();
    Dataset::with_schema(columns, labels, Schema::new(features, names).unwrap()).unwrap()
}

#[test]
fn a_row_without_any_information_is_undecided() {
    let data = complete_table();
    let exec = Exec::default();
    for recipe in [Recipe::calibrated(), Recipe::forest(), Recipe::default()] {
        let model = Learner::from_recipe(recipe).unwrap().fit(&data, &exec).unwrap();
        let blank = [f64::NAN; 3];
        let garbage = [UNKNOWN, UNKNOWN, 3.0];
        let usual = [3.0, 2.0, 0.0];
        let rows = [blank, garbage, usual].concat();
        let judged = |model: &Model| {
            let found = model.predict(Matrix::row_major(&rows, 3).unwrap(), &exec).unwrap();
            found.verdicts().iter().map(|verdict| verdict.is_decided()).collect::<Vec<_>>()
        };
        assert_eq!(judged(&model), [false, false, true]);
    }
}

#[test]
fn the_sentence_says_what_the_training_table_did_not_have() {
    let data = complete_table();
    let model = Learner::from_recipe(Recipe::calibrated()).unwrap();
    let model = model.fit(&data, &Exec::default()).unwrap();
    assert_eq!(model.tested_features().len(), 3, "{}", model.to_json());
    let sentence = |row: [f64; 3]| model.explain(&row).unwrap().reason().unwrap();
    let begin = "Flagged as not covered: ";
    for (row, expected) in [
        ([f64::NAN, 2.0, 0.0], "the training table had no gaps in income."),
        ([f64::NAN, f64::NAN, 0.0], "the training table had no gaps in income or age."),
        ([f64::NAN, 2.0, 2.0], "the training table had no gaps in income and no ward 'C'."),
        ([3.0, 2.0, 7.0], "the training table had no such value of ward."),
        ([UNKNOWN, UNKNOWN, 0.0], "income and age cannot be read."),
        ([f64::NAN, UNKNOWN, 0.0], "the training table had no gaps in income; age cannot be read."),
    ] {
        assert_eq!(sentence(row), format!("{begin}{expected}"));
    }
    let explained = model.explain(&[UNKNOWN, 2.0, 3.0]).unwrap();
    let explained = explained.with_unseen(0, "12?5").with_unseen(2, "pilot");
    assert_eq!(
        explained.not_covered().unwrap(),
        "the training table had no ward 'pilot'; income '12?5' cannot be read"
    );
    let features: Vec<_> = model.coverage().uncovered(&[f64::NAN, 1.0, 2.0]).collect();
    assert_eq!(features, [(0, NotCovered::Gap), (2, NotCovered::Category)]);
}

/// A column of categories, of which `single` have one row each and one has all other `rows`; the last has none.
fn model_of_names(rows: u32, single: u32) -> Model {
    let names = (0..single + 2).map(|id| format!("N{id}"));
    let features = vec![Feature::categories("name", names), Feature::number("age")];
    let values: Vec<f64> = (0..rows)
        .flat_map(|row| [f64::from(if row < single { row + 1 } else { 0 }), f64::from(row % 60)])
        .collect();
    let labels: Vec<u32> = (0..rows).map(|row| u32::from(row < single || row % 60 > 29)).collect();
    let columns = Columns::from_rows(&values, 2).unwrap();
    let schema = Schema::new(features, ["no", "yes"].map(ClassName::from).to_vec()).unwrap();
    let data = Dataset::with_schema(columns, labels, schema).unwrap();
    let model = Learner::new(TreeParams::default(), Routing::Probabilistic).unwrap();
    let model = model.fit(&data, &Exec::default()).unwrap();
    assert_eq!(model.tested_features().len(), 2);
    model
}

#[test]
fn a_new_category_is_covered_where_new_ones_are_to_be_expected() {
    // (rows, rows with a category of their own, whether that is more than 2 % and at least 20)
    for (rows, single, open) in
        [(400, 100, true), (999, 20, true), (1000, 20, false), (1000, 21, true), (100, 19, false)]
    {
        let model = model_of_names(rows, single);
        assert_eq!(model.schema().features()[0].open, open, "{single} of {rows} rows");
        let absent = f64::from(single + 1);
        for new in [absent, absent + 1.0, -1.0, UNKNOWN] {
            assert_eq!(model.coverage().covers(&[new, 3.0]), open, "{new} of {single}");
        }
        assert!(!model.coverage().covers(&[f64::NAN, 3.0]), "no row had a gap");
        assert!(!model.coverage().covers(&[0.0, UNKNOWN]), "an age that cannot be read");
        assert!(model.coverage().covers(&[0.0, 3.0]));
        let read = Model::from_json(&model.to_json()).unwrap();
        assert_eq!(read.coverage(), model.coverage());
    }
    assert!(is_open(&[1; 20], 999) && !is_open(&[1; 20], 1000) && !is_open(&[1; 19], 19));
}

/// Ten rows, the first three of them uncovered; the last is the least probable.
fn calibration_rows() -> CalibrationRows {
    let sure = [0.99, 0.98, 0.97, 0.9, 0.88, 0.86, 0.84, 0.82, 0.8, 0.6];
    let distributions: Vec<f64> = sure.iter().flat_map(|&p| [p, 1.0 - p]).collect();
    let names = ["a", "b"].map(ClassName::from);
    let rows = CalibrationRows::new(&distributions, &[0; 10], &names, CalibrationSource::HeldOut);
    let covered = (0..10).map(|row| row > 2).collect();
    rows.unwrap().covering(covered).unwrap()
}

#[test]
fn a_budget_counts_uncovered_rows_first() {
    let rows = calibration_rows();
    let budget = |rows: &CalibrationRows, flag_rate| rows.policy(VerdictRule::Budget { flag_rate });
    let threshold = |policy: ConfidencePolicy| policy.thresholds().common().unwrap();
    // Three are uncovered, and of the others one may be flagged.
    let policy = budget(&rows, 0.4).unwrap();
    assert!(threshold(policy.clone()) > 0.6 && threshold(policy.clone()) < 0.8);
    let tally = policy.achieved().unwrap().total();
    assert_eq!((tally.rows, tally.decided), (10, 6));
    // Judged like all others, they leave room for four.
    let judging = rows.clone().judging_uncovered();
    let policy = budget(&judging, 0.4).unwrap();
    assert!(threshold(policy.clone()) > 0.84 && threshold(policy.clone()) < 0.86);
    assert_eq!(policy.uncovered(), Uncovered::Judge);
    let error = budget(&rows, 0.2).unwrap_err();
    let expected = "a budget of 0.2 cannot be kept: 3 of these 10 rows have gaps or categories";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert!(matches!(error.kind(), ErrorKind::BudgetUncovered { uncovered: 3, rows: 10, .. }));
}

#[test]
fn promises_are_tested_on_rows_that_are_decided() {
    // 400 rows; the uncovered ones are all wrong, though probable.
    let truth: Vec<u32> = (0..400).map(|row| u32::from(row % 8 == 0)).collect();
    let distributions: Vec<f64> =
        (0..400).flat_map(|row| [0.95 - f64::from(row) / 4000.0, 0.05]).collect();
    let names = ["a", "b"].map(ClassName::from);
    let rows = CalibrationRows::new(&distributions, &truth, &names, CalibrationSource::HeldOut);
    let rows = rows.unwrap().covering(truth.iter().map(|&class| class == 0).collect()).unwrap();
    let rule = VerdictRule::Guarantee { accuracy: 0.95, confidence: 0.95 };
    let policy = rows.policy(rule.clone()).unwrap();
    let tally = policy.achieved().unwrap().total();
    assert_eq!((tally.rows, tally.decided, tally.decided_right), (400, 350, 350));
    assert!(rows.judging_uncovered().policy(rule).is_err(), "one in eight is wrong");
}

#[test]
fn a_policy_of_held_out_rows_keeps_its_treatment_of_uncovered_rows() {
    let policy = calibration_rows().policy(VerdictRule::Budget { flag_rate: 0.5 }).unwrap();
    let error = VerdictPolicy::from(policy).with_uncovered(Uncovered::Judge).unwrap_err();
    assert!(error.to_string().contains("it was set with held-out rows"), "{error}");
}

#[test]
fn a_gap_is_covered_where_the_model_fills_it() {
    let columns = Columns::from_columns((0..40).map(f64::from).collect(), 1).unwrap();
    let labels = Labels::from_values((0..40).map(|i| i / 20));
    let data = Dataset::new(columns, labels).unwrap();
    let model = Learner::new(TreeParams::default(), Routing::Probabilistic).unwrap();
    let model = model.fit(&data, &Exec::default()).unwrap();
    assert!(!model.coverage().covers(&[f64::NAN]));
    let filled = vec![Feature::number("x").filled_with(7.0)];
    let schema = Schema::new(filled, model.schema().classes().to_vec()).unwrap();
    let tree = model.trees()[0].clone();
    let filled = Model::new(tree, schema, model.recipe().clone()).unwrap();
    assert!(filled.coverage().covers(&[f64::NAN]));
}
