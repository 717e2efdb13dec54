//! Is every row of a batch predicted as it would be alone, also into the caller's memory?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ternwood::predict::{PredictionSlots, Scratch};
use ternwood::tree::{TreeBuilder, Zone};
use ternwood::verdict::ConfidencePolicy;
use ternwood::{ClassName, Exec, Feature, Matrix, Model, Recipe, Routing, Schema, Tree, Verdict};

fn two_child() -> Tree {
    let mut builder = TreeBuilder::new(2, 3);
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
    let mut builder = TreeBuilder::three_child(2, 3);
    builder.split(0, Zone::new(0.0, 1.0).unwrap());
    builder.leaf(&[5.0, 1.0, 0.0]);
    builder.leaf(&[1.0, 1.0, 2.0]);
    builder.leaf(&[0.0, 1.0, 4.0]);
    builder.finish().unwrap()
}

fn model(routing: Routing) -> Model {
    let tree = if routing.needs_three_children() { three_child() } else { two_child() };
    let features = ["a", "b"].map(Feature::number).to_vec();
    let classes = ["x", "y", "z"].map(ClassName::from).to_vec();
    let recipe = Recipe { routing, ..Recipe::default() };
    Model::new(tree, Schema::new(features, classes).unwrap(), recipe).unwrap()
}

/// More rows than a block, and not a multiple of anything; many lie on the edges of zones.
fn values() -> Vec<f64> {
    (0..2 * 20_011)
        .map(|i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 26) / 8.0 - 3.0)
        .collect()
}

#[test]
fn many_rows_are_predicted_like_each_alone() {
    let values = values();
    for routing in Routing::ALL {
        for policy in [None, Some(ConfidencePolicy::of_cost_ratio(0.3).unwrap())] {
            let mut model = model(routing);
            if let Some(policy) = &policy {
                model = model.with_verdict(policy.clone()).unwrap();
            }
            for threads in [1, 3] {
                let exec = Exec::with_threads(threads).unwrap();
                let rows = Matrix::row_major(&values, 2).unwrap();
                let n = rows.n_rows();
                let mut classes = vec!['?'; n];
                let mut distributions = vec![f64::NAN; 3 * n];
                let mut verdicts = vec![-1i8; n];
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
                for (i, row) in values.chunks_exact(2).enumerate() {
                    let mut expected = [0.0; 3];
                    let met =
                        model.walker().distribution(row, &mut Scratch::default(), &mut expected);
                    let confidence = expected.into_iter().fold(0.0, f64::max);
                    let verdict = match &policy {
                        None => met,
                        Some(policy) => Verdict::decided_if(confidence >= policy.threshold()),
                    };
                    let class = expected.iter().position(|&p| p == confidence).unwrap();
                    assert_eq!(predictions.distribution(i), expected, "{routing}, row {row:?}");
                    assert_eq!(predictions.classes()[i] as usize, class);
                    assert_eq!(predictions.verdicts()[i], verdict, "{routing}, row {row:?}");
                    assert_eq!((classes[i], verdicts[i]), (['x', 'y', 'z'][class], verdict.into()));
                    seen[usize::from(verdict.is_decided())] = true;
                }
                assert!(seen[1] && (seen[0] || routing == Routing::Crisp && policy.is_none()));
            }
        }
    }
}

#[test]
fn memory_of_the_wrong_size_is_refused() {
    let model = model(Routing::Probabilistic);
    let values = [0.0; 8];
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
        let rows = Matrix::row_major(&values, 2).unwrap();
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
            values[2 * bad + 1] = f64::NAN;
            values[2 * 20_010 + 1] = f64::INFINITY;
            let rows = Matrix::row_major(&values, 2).unwrap();
            let error = model.predict(rows, &exec).unwrap_err().to_string();
            let number = if bad == 20_010 { "inf" } else { "NaN" };
            let start = format!("column 'b' (index 1), row {bad}: {number} is not a finite number");
            assert!(error.starts_with(&start), "{error}");
        }
    }
}
