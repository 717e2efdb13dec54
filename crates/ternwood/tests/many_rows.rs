//! Is every row of a batch predicted as it would be alone, also into the caller's memory?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use support::policies::catching;
use ternwood::predict::{PredictionSlots, Scratch};
use ternwood::tree::{Axis, CategoryCut, CategoryPlace, Missing, Test, TreeBuilder, Zone};
use ternwood::verdict::{ConfidencePolicy, CostMatrix, CostPolicy, Thresholds};
use ternwood::{
    ClassName, Exec, Feature, Matrix, Model, Recipe, Routing, Schema, Tree, Verdict, VerdictPolicy,
};

/// Three features: two numbers and a category.
fn two_child() -> Tree {
    let mut builder = TreeBuilder::new(3, 3);
    builder.split(0, Zone::new(0.0, 1.0).unwrap());
    builder.leaf(&[5.0, 1.0, 0.0]);
    builder.split(1, Zone::new(2.0, 0.5).unwrap());
    builder.leaf(&[1.0, 1.0, 2.0]);
    builder.split(0, Zone::crisp(1.5).unwrap());
    builder.leaf(&[0.0, 1.0, 0.0]);
    builder.leaf(&[0.0, 1.0, 4.0]);
    builder.finish().unwrap()
}

fn three_child() -> Tree {
    let mut builder = TreeBuilder::three_child(3, 3);
    builder.split(0, Zone::new(0.0, 1.0).unwrap());
    builder.leaf(&[5.0, 1.0, 0.0]);
    builder.leaf(&[1.0, 1.0, 2.0]);
    builder.leaf(&[0.0, 1.0, 4.0]);
    builder.finish().unwrap()
}

/// Categories 0 and 3 go left, 1 and 4 right; 3 and 4 are too rare to be sure of.
fn categories(missing: Missing) -> Test {
    let place = |category, position, standard_error| CategoryPlace {
        category,
        rows: 9,
        position,
        standard_error,
    };
    let places =
        vec![place(0, 0.1, 0.1), place(1, 0.9, 0.1), place(3, 0.3, 0.2), place(4, 0.6, 0.3)];
    let cut = CategoryCut::new(Axis::ClassShare(1), 0.5, 2.0, places).unwrap();
    Test::of_categories(2, cut).with_missing(missing)
}

/// Every kind of test, with every side for missing values.
fn every_kind(three: bool) -> Tree {
    let new = if three { TreeBuilder::three_child } else { TreeBuilder::new };
    let mut builder = new(3, 3);
    let threshold = |feature, threshold, missing| {
        Test::new(feature, Zone::new(threshold, 0.75).unwrap()).with_missing(missing)
    };
    let leaf = |builder: &mut TreeBuilder, counts: [f64; 3]| builder.leaf(&counts);
    builder.split_by(&categories(Missing::Left));
    builder.split_by(&threshold(0, 1.0, Missing::Right));
    leaf(&mut builder, [4.0, 1.0, 0.0]);
    if three {
        leaf(&mut builder, [1.0, 1.0, 0.0]);
    }
    leaf(&mut builder, [1.0, 3.0, 0.0]);
    if three {
        builder.split_by(&categories(Missing::Unknown));
        leaf(&mut builder, [4.0, 2.0, 0.0]);
        leaf(&mut builder, [3.0, 1.0, 3.0]);
        leaf(&mut builder, [2.0, 1.0, 0.0]);
    }
    builder.split_by(&Test::is_present(1));
    builder.split_by(&threshold(0, 0.0, Missing::Unknown));
    leaf(&mut builder, [0.0, 1.0, 1.0]);
    if three {
        leaf(&mut builder, [0.0, 2.0, 1.0]);
    }
    builder.split_by(&categories(Missing::Unknown));
    leaf(&mut builder, [1.0, 1.0, 1.0]);
    if three {
        leaf(&mut builder, [0.0, 2.0, 2.0]);
    }
    leaf(&mut builder, [0.0, 0.0, 8.0]);
    if three {
        leaf(&mut builder, [5.0, 5.0, 1.0]);
    }
    leaf(&mut builder, [0.0, 7.0, 1.0]);
    builder.finish().unwrap()
}

fn model_of(tree: Tree, routing: Routing) -> Model {
    let names = ["p", "q", "r", "s", "t"];
    let features =
        vec![Feature::number("a"), Feature::number("b"), Feature::categories("c", names)];
    let classes = ["x", "y", "z"].map(ClassName::from).to_vec();
    let recipe = Recipe { routing, ..Recipe::default() };
    Model::new(tree, Schema::new(features, classes).unwrap(), recipe).unwrap()
}

fn model(routing: Routing) -> Model {
    model_of(if routing.needs_three_children() { three_child() } else { two_child() }, routing)
}

const ROWS: usize = 20_011;

/// More rows than a block, and not a multiple of anything; many lie on the edges of zones. The
/// model knows five of the seven categories, and one of them no test has seen.
fn values() -> Vec<f64> {
    let random = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> 26;
    let number = |i: usize| f64::from(random(i)) / 8.0 - 3.0;
    let row = |i: usize| [number(2 * i), number(2 * i + 1), f64::from(random(i) % 7)];
    (0..ROWS).flat_map(row).collect()
}

/// The same with missing values: here and there, and in long runs.
fn values_with_holes() -> Vec<f64> {
    let is_missing = |i: usize| i.is_multiple_of(37) || i % 1_000 < 90;
    let hole = |(i, x): (usize, f64)| if is_missing(i) { f64::NAN } else { x };
    values().into_iter().enumerate().map(hole).collect()
}

#[test]
fn many_rows_are_predicted_like_each_alone() {
    for routing in Routing::ALL {
        let tree = every_kind(routing.needs_three_children());
        for model in [model(routing), model_of(tree, routing)] {
            for policy in policies() {
                let model = model.clone().with_verdict(policy).unwrap();
                for values in [values(), values_with_holes()] {
                    are_predicted_alike(&model, &values);
                }
            }
        }
    }
}

const THRESHOLDS: [Option<f64>; 3] = [Some(0.7), None, Some(0.55)];
/// The class to catch, and what it may have of a decided row that is predicted otherwise.
const CAUGHT: usize = 1;
const IMPROBABLE: f64 = 0.2;
const ANSWERS: [[f64; 3]; 3] = [[0.0, 1.0, 1.0], [3.0, 0.0, 1.0], [1.0, 4.0, -0.5]];
const FLAGS: [f64; 3] = [0.25, 0.5, 0.25];

/// By zones, by one threshold, by one for each class, to catch a class, and by costs.
fn policies() -> [VerdictPolicy; 5] {
    let tally = r#"{"rows":9,"right":9,"decided":0,"decided_right":0,"decided_for":0}"#;
    let achieved = format!(r#"{{"source":"held_out","classes":[{tally},{tally},{tally}]}}"#);
    let promises = r#"{"promises":{"precision":[0.5,0.5,0.5],"confidence":0.9}}"#;
    let threshold = serde_json::to_string(&THRESHOLDS).unwrap();
    let by_class = format!(
        r#"{{"confidence":{{"threshold":{threshold},"rule":{promises},"achieved":{achieved}}}}}"#
    );
    let answers = ANSWERS.map(|costs| costs.to_vec()).to_vec();
    [
        VerdictPolicy::default(),
        ConfidencePolicy::of_cost_ratio(0.3).unwrap().into(),
        serde_json::from_str(&by_class).unwrap(),
        catching(CAUGHT, IMPROBABLE, 3),
        CostPolicy::new(CostMatrix::new(answers, FLAGS.to_vec()).unwrap()).into(),
    ]
}

/// Class and verdict of a row, from their definitions.
fn judge(policy: &VerdictPolicy, p: [f64; 3], of_zones: Verdict) -> (usize, Verdict) {
    let first_largest = |list: [f64; 3]| {
        let largest = list.into_iter().fold(f64::NEG_INFINITY, f64::max);
        list.iter().position(|&x| x == largest).unwrap()
    };
    let class = first_largest(p);
    let reached = |least: f64| Verdict::decided_if(p[class] >= least);
    let expected = |costs: [f64; 3]| p[0] * costs[0] + p[1] * costs[1] + p[2] * costs[2];
    match policy {
        VerdictPolicy::Zones { .. } => (class, of_zones),
        VerdictPolicy::Confidence(policy) => match policy.thresholds() {
            Thresholds::Same(_) => (class, reached(1.0 - 0.3)),
            Thresholds::ByClass(_) => {
                (class, THRESHOLDS[class].map_or(Verdict::Undecided, reached))
            }
        },
        VerdictPolicy::Catch(_) => {
            (class, Verdict::decided_if(class == CAUGHT || p[CAUGHT] <= IMPROBABLE))
        }
        VerdictPolicy::Costs(_) => {
            let costs = [0, 1, 2].map(|c| expected(ANSWERS.map(|of_truth| of_truth[c])));
            let answer = first_largest(costs.map(|cost| -cost));
            (answer, Verdict::decided_if(costs[answer] <= expected(FLAGS)))
        }
    }
}

fn are_predicted_alike(model: &Model, values: &[f64]) {
    let routing = model.routing();
    for threads in [1, 3] {
        let exec = Exec::with_threads(threads).unwrap();
        let rows = Matrix::row_major(values, 3).unwrap();
        let mut classes = vec!['?'; ROWS];
        let mut distributions = vec![f64::NAN; 3 * ROWS];
        let mut verdicts = vec![None; ROWS];
        let mut slots = PredictionSlots {
            labels: &['x', 'y', 'z'],
            classes: &mut classes,
            distributions: &mut distributions,
            verdicts: &mut verdicts,
        };
        model.predict_into(rows, &mut slots, &exec).unwrap();
        let predictions = model.predict(rows, &exec).unwrap();
        assert_eq!(predictions.distributions(), distributions);
        let mut seen = [false; 2];
        let by_zones = model.verdict().is_by_zones();
        let covered = model.coverage().covered(rows, &exec);
        for (i, row) in values.chunks_exact(3).enumerate() {
            let mut expected = [0.0; 3];
            let met = model.single_tree().unwrap().walker().distribution(
                row,
                &mut Scratch::default(),
                &mut expected,
            );
            let (class, verdict) = judge(model.verdict(), expected, met);
            let verdict = if covered[i] { verdict } else { Verdict::Undecided };
            assert_eq!(predictions.distribution(i), expected, "{routing}, row {row:?}");
            assert_eq!(predictions.classes()[i] as usize, class);
            assert_eq!(predictions.verdicts()[i], verdict, "{routing}, row {row:?}");
            assert_eq!((classes[i], verdicts[i]), (['x', 'y', 'z'][class], Some(verdict)));
            seen[usize::from(verdict.is_decided())] = true;
        }
        assert!(seen[1] && (seen[0] || routing == Routing::Crisp && by_zones));
    }
}

#[test]
fn memory_of_the_wrong_size_is_refused() {
    let model = model(Routing::Probabilistic);
    let values = [0.0; 12];
    let sizes = [(2, 4, 12, 4), (3, 5, 12, 4), (3, 4, 8, 4), (3, 4, 12, 3)];
    let expected = [
        "the memory for labels has length 2, but 3 was expected (what the rows need)",
        "the memory for classes has length 5, but 4 was expected (what the rows need)",
        "the memory for probabilities has length 8, but 12 was expected (what the rows need)",
        "the memory for verdicts has length 3, but 4 was expected (what the rows need)",
    ];
    for ((labels, classes, distributions, verdicts), expected) in sizes.into_iter().zip(expected) {
        let mut slots = PredictionSlots {
            labels: &[0u8, 1, 2][..labels],
            classes: &mut vec![0; classes],
            distributions: &mut vec![0.0; distributions],
            verdicts: &mut vec![Verdict::Decided; verdicts],
        };
        let rows = Matrix::row_major(&values, 3).unwrap();
        let error = model.predict_into(rows, &mut slots, &Exec::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn the_first_non_finite_value_is_named_whichever_thread_finds_one_first() {
    let model = model(Routing::Probabilistic);
    for threads in [1, 3] {
        let exec = Exec::with_threads(threads).unwrap();
        for bad in [0, 7, 8, 1023, 1024, 20_010] {
            let mut values = values();
            values[3 * bad + 1] = f64::NEG_INFINITY;
            values[3 * 20_010 + 1] = f64::INFINITY;
            values[0] = f64::NAN; // That is a missing value.
            let rows = Matrix::row_major(&values, 3).unwrap();
            let error = model.predict(rows, &exec).unwrap_err().to_string();
            let number = if bad == 20_010 { "inf" } else { "-inf" };
            let start = format!("column 'b' (index 1), row {bad}: {number} is not a finite number");
            assert!(error.starts_with(&start), "{error}");
        }
    }
}
