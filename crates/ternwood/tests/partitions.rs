//! Is the model of rows in partitions that of all rows at once, to the byte?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::numbers::Numbers;
use support::pieces::{dealt, fit, merged, partition};
use support::sample::Sample;
use support::searches::EXECS;
use support::{soak, strategies, tables};
use ternwood::partitions::{Answer, Coordinator, Limits, Partition, Question};
use ternwood::recipe::{
    Auto, ClassWeight, Criterion, DepthChoice, ForestParams, Leaves, MaxFeatures, MissingValues,
    Resamples, RowCount, ZoneParams,
};
use ternwood::{ErrorKind, Exec, Recipe, Routing, TreeParams, ZoneKind};

/// Every zone that partitions can have.
fn zones(n_features: usize) -> impl Strategy<Value = ZoneParams> {
    let kind = prop_oneof![
        5 => strategies::deterministic_kinds(n_features),
        1 => Just(ZoneKind::Spread),
    ];
    strategies::zones(kind)
}

/// Small nodes of hardly any row, few bins, and answers so small that tasks wait for each other: then every
/// part of the protocol has something to do.
fn limits() -> impl Strategy<Value = Limits> {
    let fetched_rows = prop_oneof![Just(0), 1..10u32, 1..60u32];
    let answer_bytes = prop::sample::select(vec![1, 100, 1000, 10_000, 1 << 20]);
    let bins = prop_oneof![2..6u16, 2..40u16];
    (fetched_rows, answer_bytes, bins).prop_map(|(fetched_rows, answer_bytes, bins)| Limits {
        fetched_rows,
        answer_bytes,
        bins,
    })
}

/// Weights of all kinds: none, whole, fractions, and such that sums depend on the order of addition.
fn weights(n_rows: usize) -> impl Strategy<Value = Option<Vec<f64>>> {
    let awkward = prop::sample::select(vec![0.0, 0.1, 0.2, 0.3, 0.7, 1e-9, 1e3]);
    prop_oneof![
        2 => strategies::dyadic_weights(n_rows),
        1 => prop::collection::vec(awkward, n_rows).prop_map(|mut weights| {
            weights[0] += 0.4;
            Some(weights)
        }),
        1 => prop::collection::vec(1e-3..1e3f64, n_rows).prop_map(Some),
        1 => Just(Some(vec![1.0; n_rows])),
    ]
}

fn cases() -> impl Strategy<Value = (Sample, Recipe)> {
    tables::tables(60, 8).prop_flat_map(|sample| {
        let (n_rows, n_classes, n_features) =
            (sample.rows.len(), sample.n_classes, sample.n_features());
        let leaves = prop::sample::select(vec![Leaves::Counts, Leaves::Smoothed]);
        let alpha = prop_oneof![3 => Just(0.0), 1 => 0.0..0.05f64];
        let missing = prop::sample::select(vec![
            MissingValues::Learn,
            MissingValues::Learn,
            MissingValues::Error,
        ]);
        let params = (tables::table_params(n_classes), zones(n_features), alpha, missing);
        let params = params.prop_map(|(params, zone, ccp_alpha, missing)| TreeParams {
            zone,
            ccp_alpha,
            missing,
            ..params
        });
        let routing =
            prop::sample::select(vec![Routing::Probabilistic, Routing::Deferred, Routing::Crisp]);
        (Just(sample), weights(n_rows), params, leaves, routing).prop_map(
            |(sample, weights, params, leaves, routing)| {
                let recipe = Recipe { params, leaves, routing, ..Recipe::default() };
                (Sample { weights, ..sample }, recipe)
            },
        )
    })
}

/// Fits at once and in partitions, and compares the bytes of the models, or the errors.
fn compare(
    sample: &Sample,
    recipe: &Recipe,
    limits: Limits,
    n_partitions: usize,
    seed: u64,
) -> Result<Vec<&'static str>, TestCaseError> {
    let mut numbers = Numbers::new(seed);
    let parts = dealt(sample, n_partitions, &mut numbers);
    let exec = &EXECS[numbers.below(2)];
    let learner = ternwood::Learner::from_recipe(recipe.clone()).unwrap();
    let expected = learner.fit(&sample.dataset(), exec);
    let found = fit(&parts, sample, recipe, limits, &mut numbers, exec);
    match (expected, found) {
        (Ok(expected), Ok((found, topics))) => {
            prop_assert_eq!(found.to_json(), expected.to_json());
            Ok(topics)
        }
        // Rows are numbered within their partition.
        (Err(expected), Err(found)) => {
            prop_assert_eq!(
                std::mem::discriminant(expected.kind()),
                std::mem::discriminant(found.kind())
            );
            Ok(Vec::new())
        }
        (expected, found) => {
            let found = found.map(|_| ());
            Err(TestCaseError::fail(format!("{:?}, but {found:?}", expected.map(|_| ()))))
        }
    }
}

proptest! {
    #![proptest_config(soak::cases(600))]

    #[test]
    fn partitions_make_the_model_of_all_rows(
        (sample, recipe) in cases(),
        limits in limits(),
        n_partitions in 1..7usize,
        seed: u64,
    ) {
        compare(&sample, &recipe, limits, n_partitions, seed)?;
    }

    /// Neither order nor grouping matters to a single answer.
    #[test]
    fn answers_merge_in_any_order(
        (sample, recipe) in cases(),
        limits in limits(),
        seed: u64,
    ) {
        let mut numbers = Numbers::new(seed);
        let exec = Exec::default();
        let recipe = Recipe {
            params: TreeParams { missing: MissingValues::Learn, ..recipe.params },
            ..recipe
        };
        let parts = dealt(&sample, 3, &mut numbers);
        let mut partitions: Vec<Partition> =
            parts.iter().map(|part| partition(part, &sample)).collect();
        let mut coordinator = Coordinator::new(recipe, sample.schema(), limits).unwrap();
        while let Some(question) = coordinator.next_question() {
            let mut answer = |at: usize| partitions[at].answer(&question, &exec).unwrap();
            let [a, b, c] = [answer(0), answer(1), answer(2)];
            let merge = |one: &Answer, other: &Answer| one.clone().merged(other.clone()).unwrap();
            let abc = merge(&merge(&a, &b), &c);
            // As bytes: missing values are equal to nothing.
            prop_assert_eq!(abc.to_bytes(), merge(&a, &merge(&b, &c)).to_bytes());
            prop_assert_eq!(abc.to_bytes(), merge(&c, &merge(&b, &a)).to_bytes());
            if coordinator.take(abc, &exec).is_err() {
                break;
            }
        }
    }
}

proptest! {
    #![proptest_config(soak::cases(24))]

    /// Many rows, many categories, most values missing in some columns; nodes on bins and small ones.
    #[test]
    fn larger_tables_make_the_same_model(
        n_rows in 500..6_000usize,
        n_classes in 2..6u32,
        seed: u64,
        kind in prop::sample::select(vec![0, 1, 2, 3, 4, 5, 6, 7]),
        weighted in 0..3,
        fetched_rows in prop::sample::select(vec![0, 100, 1000]),
        bins in prop::sample::select(vec![16, 256, 1024]),
        answer_bytes in prop::sample::select(vec![20_000, 1 << 20]),
        depth in prop::sample::select(vec![Some(3), Some(7), None]),
        min_samples_category in prop::sample::select(vec![1, 40]),
        entropy: bool,
    ) {
        let mut sample = tables::generated(seed, n_rows, n_classes);
        let mut numbers = Numbers::new(seed);
        sample.weights = match weighted {
            0 => None,
            1 => Some((0..n_rows).map(|_| (5.0 * numbers.unit()).floor()).collect()),
            _ => Some((0..n_rows).map(|_| numbers.unit()).collect()),
        };
        let kinds = [
            ZoneKind::None,
            ZoneKind::Margin,
            ZoneKind::Spread,
            ZoneKind::class_overlap(),
            ZoneKind::gain_ratio(),
            ZoneKind::quality_plateau(),
            ZoneKind::QualityPlateau { tolerance: 0.3, connected: true },
            ZoneKind::Specified { half_widths: vec![0.5; sample.n_features()] },
        ];
        let params = TreeParams {
            zone: kinds[kind].clone().into(),
            max_depth: depth,
            min_samples_leaf: RowCount::Count(5),
            min_samples_category,
            criterion: if entropy { Criterion::Entropy } else { Criterion::Gini },
            class_weight: if entropy { ClassWeight::Balanced } else { ClassWeight::Uniform },
            ..TreeParams::default()
        };
        let recipe = Recipe { params, leaves: Leaves::Smoothed, ..Recipe::default() };
        let limits = Limits { fetched_rows, answer_bytes, bins };
        compare(&sample, &recipe, limits, 5, seed)?;
    }
}

/// Each topic occurs, so that the properties above are about all of them.
#[test]
fn a_fit_describes_weighs_counts_looks_and_fetches() {
    let mut sample = Sample::generated(1, 3000, 3);
    sample.weights = Some((0..3000).map(|row| 1.0 / f64::from(row + 1)).collect());
    let limits = Limits { fetched_rows: 300, answer_bytes: 1 << 20, bins: 64 };
    let topics = compare(&sample, &Recipe::default(), limits, 4, 7).unwrap();
    for topic in ["describe", "weigh", "count", "look", "fetch", "digits"] {
        assert!(topics.contains(&topic), "{topic} is not among {topics:?}");
    }
}

fn refusal(recipe: Recipe) -> String {
    let schema = Sample::generated(1, 10, 2).schema();
    let error = Coordinator::new(recipe, schema, Limits::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotInPartitions { .. }), "{error}");
    error.to_string()
}

#[test]
fn what_cannot_be_had_yet_is_refused_with_the_reason() {
    let params = |params: TreeParams| Recipe { params, ..Recipe::default() };
    let zone = |kind: ZoneKind| params(TreeParams::default().with_zone(kind));
    let auto = |zone_scale, max_depth| Recipe {
        auto: Auto { zone_scale, max_depth },
        ..Recipe::default()
    };
    let plain = TreeParams::default;
    let refused = [
        (zone(ZoneKind::NodeBootstrap { resamples: Resamples::Auto }), "node_bootstrap"),
        (zone(ZoneKind::CostOptimal { cost_ratio: 0.2 }), "cost_optimal"),
        (Recipe { routing: Routing::HardMiddle, ..Recipe::default() }, "hard_middle"),
        (Recipe { leaves: Leaves::Em, ..Recipe::default() }, "leaves 'em'"),
        (params(TreeParams { max_leaf_nodes: Some(9), ..plain() }), "max_leaf_nodes"),
        (params(TreeParams { max_features: MaxFeatures::Sqrt, ..plain() }), "max_features"),
        (auto(true, None), "scale"),
        (auto(false, Some(DepthChoice::Auto)), "depth"),
        (Recipe { ensemble: ForestParams::default().into(), ..Recipe::default() }, "forest"),
    ];
    for (recipe, name) in refused {
        let message = refusal(recipe);
        assert!(message.contains(name), "{message}");
        assert!(message.contains("because") && message.contains("; "), "{message}");
    }
    assert_eq!(
        refusal(auto(true, None)),
        "an automatic scale of zones cannot be fitted in partitions yet, because it is chosen by inner \
         cross-validation, which reads all rows many times; set the scale of the zones to a number, or \
         fit to a sample that fits into memory"
    );
}

#[test]
fn unknown_missing_values_are_refused_once_one_is_found() {
    let mut sample = Sample::generated(1, 50, 2);
    let params = TreeParams { missing: MissingValues::Unknown, ..TreeParams::default() };
    let recipe = Recipe { params, ..Recipe::default() };
    let fitted = |sample: &Sample| {
        let parts = [sample.clone()];
        fit(&parts, sample, &recipe, Limits::default(), &mut Numbers::new(0), &Exec::default())
    };
    assert!(fitted(&sample).is_ok());
    sample.rows[20][1] = f64::NAN;
    let error = fitted(&sample).unwrap_err();
    assert!(error.to_string().contains("set 'missing' to learn"), "{error}");
}

/// A coordinator that has asked for the counts of the root, and two partitions.
fn asked() -> (Coordinator, Vec<Partition>, Sample) {
    let sample = Sample::generated(3, 400, 2);
    let parts = dealt(&sample, 2, &mut Numbers::new(1));
    let mut partitions: Vec<Partition> =
        parts.iter().map(|part| partition(part, &sample)).collect();
    let limits = Limits { fetched_rows: 20, bins: 32, ..Limits::default() };
    let mut coordinator = Coordinator::new(Recipe::default(), sample.schema(), limits).unwrap();
    for _ in 0..4 {
        let question = coordinator.next_question().unwrap();
        let answers = partitions.iter_mut().map(|p| p.answer(&question, &Exec::default()).unwrap());
        coordinator.take(Answer::merge_all(answers).unwrap(), &Exec::default()).unwrap();
    }
    (coordinator, partitions, sample)
}

#[test]
fn a_partition_that_is_left_out_or_answers_twice_is_noticed() {
    for twice in [false, true] {
        let (mut coordinator, mut partitions, _) = asked();
        let error = loop {
            let question = coordinator.next_question().expect("it is noticed before the end");
            let mut answer =
                |at: usize| partitions[at].answer(&question, &Exec::default()).unwrap();
            let mut answers = vec![answer(1)];
            if twice {
                answers.extend([answer(0), answer(0)]);
            }
            let answer = merged(answers, &mut Numbers::new(0));
            if let Err(error) = coordinator.take(answer, &Exec::default()) {
                break error;
            }
        };
        assert!(error.to_string().contains("left out, answered twice"), "{error}");
    }
}

#[test]
fn bytes_of_something_else_are_an_error() {
    let (coordinator, mut partitions, sample) = asked();
    let question = coordinator.next_question().unwrap();
    let answer = partitions[0].answer(&question, &Exec::default()).unwrap();
    let (asked, answered) = (question.to_bytes(), answer.to_bytes());
    let saved = coordinator.save().unwrap();
    let message = Question::from_bytes(&answered).unwrap_err().to_string();
    assert_eq!(message, "training in partitions: these bytes are no question");
    assert!(Answer::from_bytes(&[]).is_err());
    let mut newer = asked.clone();
    newer["question".len()] += 1;
    assert!(Question::from_bytes(&newer).unwrap_err().to_string().contains("the same ternwood"));
    // Cut short or changed anywhere, nothing panics.
    let mut numbers = Numbers::new(5);
    for _ in 0..300 {
        for bytes in [&asked, &answered, &saved] {
            let mut bytes = bytes.clone();
            let at = numbers.below(bytes.len());
            match numbers.below(2) {
                0 => bytes.truncate(at),
                _ => bytes[at] ^= 1 << numbers.below(8),
            }
            if let Ok(question) = Question::from_bytes(&bytes) {
                let _ = partitions[0].answer(&question, &Exec::default());
            }
            if let Ok(answer) = Answer::from_bytes(&bytes) {
                let mut again = Coordinator::load(&saved, &Exec::default()).unwrap();
                let _ = again.take(answer, &Exec::default());
            }
            let _ = Coordinator::load(&bytes, &Exec::default());
        }
    }
    assert!(sample.rows.len() == 400);
}
