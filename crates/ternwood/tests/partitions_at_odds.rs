//! Partitions that differ, questions of several fits in turn, and answers that do not belong together.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use support::numbers::Numbers;
use support::pieces::{dealt, fit, partition};
use support::sample::Sample;
use ternwood::partitions::{Answer, Coordinator, Limits, Partition};
use ternwood::recipe::{ClassWeight, Criterion, RowCount};
use ternwood::{Exec, Learner, Model, Recipe, TreeParams, ZoneKind};

const LIMITS: Limits = Limits { fetched_rows: 20, answer_bytes: 1 << 20, bins: 16 };

fn at_once(sample: &Sample, recipe: &Recipe) -> Model {
    let learner = Learner::from_recipe(recipe.clone()).unwrap();
    learner.fit(&sample.dataset(), &Exec::default()).unwrap()
}

fn in_parts(parts: &[Sample], whole: &Sample) -> Model {
    let numbers = &mut Numbers::new(1);
    fit(parts, whole, &Recipe::default(), LIMITS, numbers, &Exec::default()).unwrap().0
}

/// 400 rows with weights, the last 150 of which weigh 1 each: in a partition without weights.
fn partly_weighted(weight: impl Fn(usize) -> f64) -> (Sample, [Sample; 2]) {
    let mut sample = Sample::generated(5, 400, 2);
    sample.weights = Some((0..400).map(|row| if row < 250 { weight(row) } else { 1.0 }).collect());
    let first = sample.rearranged(&(0..250).collect::<Vec<_>>());
    let mut second = sample.rearranged(&(250..400).collect::<Vec<_>>());
    second.weights = None;
    (sample, [first, second])
}

#[test]
fn rows_without_weights_count_once_beside_whole_weights() {
    let (whole, parts) = partly_weighted(|row| (row % 4) as f64);
    let model = in_parts(&parts, &whole);
    assert_eq!(model.to_json(), at_once(&whole, &Recipe::default()).to_json());
}

#[test]
fn rows_without_weights_weigh_one_beside_fractions() {
    // Light enough for the rows without weights to be most of the total, which decides the grid.
    let (whole, parts) = partly_weighted(|row| 1e-3 / (row + 1) as f64);
    let model = in_parts(&parts, &whole);
    assert_eq!(model.to_json(), at_once(&whole, &Recipe::default()).to_json());
}

#[test]
fn whole_weights_may_add_up_beyond_32_bits() {
    // Each partition's total has 32 bits. That of a class has 33 in a child that is fetched: the first
    // split takes 400 rows away.
    let mut whole = Sample::generated(6, 6000, 2);
    whole.classes.iter_mut().skip(1000).for_each(|class| *class = 0);
    whole.classes[..400].fill(1);
    whole.rows[..400].iter_mut().for_each(|row| row[2] = 100.0);
    whole.weights = Some((0..6000).map(|row| 1.4e6 + f64::from(row % 9)).collect());
    let halves = [0..3000, 3000..6000].map(|rows| whole.rearranged(&rows.collect::<Vec<_>>()));
    let (numbers, recipe) = (&mut Numbers::new(1), Recipe::default());
    let fitted = fit(&halves, &whole, &recipe, Limits::default(), numbers, &Exec::default());
    assert_eq!(fitted.unwrap().0.to_json(), at_once(&whole, &recipe).to_json());
}

#[test]
fn rows_of_classes_without_weight_do_not_count() {
    let whole = Sample::generated(11, 400, 3);
    let params = TreeParams {
        class_weight: ClassWeight::Given(vec![1.0, 0.0, 2.0]),
        min_samples_leaf: RowCount::Count(20),
        ..TreeParams::default()
    };
    let recipe = Recipe { params, ..Recipe::default() };
    let parts = dealt(&whole, 3, &mut Numbers::new(5));
    let fitted = fit(&parts, &whole, &recipe, LIMITS, &mut Numbers::new(6), &Exec::default());
    assert_eq!(fitted.unwrap().0.to_json(), at_once(&whole, &recipe).to_json());
}

fn answers(partitions: &mut [Partition], coordinator: &Coordinator) -> Vec<Answer> {
    let question = coordinator.next_question().unwrap();
    let answer = |partition: &mut Partition| partition.answer(&question, &Exec::default()).unwrap();
    partitions.iter_mut().map(answer).collect()
}

fn advance(partitions: &mut [Partition], coordinator: &mut Coordinator) {
    let answer = Answer::merge_all(answers(partitions, coordinator)).unwrap();
    coordinator.take(answer, &Exec::default()).unwrap();
}

/// A partition remembers codes and places of its rows, and a question need not belong to the fit that
/// asked last: other trees, of equal sizes too, and other bins.
#[test]
fn the_same_partitions_serve_several_fits_in_turn() {
    let whole = Sample::generated(7, 600, 3);
    let parts = dealt(&whole, 3, &mut Numbers::new(2));
    let mut partitions: Vec<Partition> = parts.iter().map(|part| partition(part, &whole)).collect();
    let recipe = |min_samples_category, max_depth| {
        let params = TreeParams { min_samples_category, max_depth, ..TreeParams::default() };
        Recipe { params: params.with_zone(ZoneKind::Margin), ..Recipe::default() }
    };
    let entropy = |recipe: Recipe| {
        let params = TreeParams { criterion: Criterion::Entropy, ..recipe.params };
        Recipe { params, ..recipe }
    };
    let fits = [
        (recipe(1, Some(4)), LIMITS),
        (entropy(recipe(1, Some(4))), LIMITS),
        (recipe(1, None), LIMITS),
        (recipe(1, Some(4)), Limits { bins: 32, ..LIMITS }),
    ];
    let begin = |(recipe, limits): &(Recipe, Limits)| {
        Coordinator::new(recipe.clone(), whole.schema(), *limits).unwrap()
    };
    let mut coordinators: Vec<Coordinator> = fits.iter().map(begin).collect();
    while coordinators.iter().any(|coordinator| coordinator.model().is_none()) {
        let open = coordinators.iter_mut().filter(|coordinator| coordinator.model().is_none());
        open.for_each(|coordinator| advance(&mut partitions, coordinator));
    }
    for (coordinator, (recipe, _)) in coordinators.into_iter().zip(&fits) {
        let model = coordinator.into_model().unwrap();
        assert_eq!(model.to_json(), at_once(&whole, recipe).to_json());
    }
}

/// The answers of two partitions to the question after `rounds`.
fn answers_after(rounds: usize, whole: &Sample) -> Vec<Answer> {
    let parts = dealt(whole, 2, &mut Numbers::new(3));
    let mut partitions: Vec<Partition> = parts.iter().map(|part| partition(part, whole)).collect();
    let mut coordinator = Coordinator::new(Recipe::default(), whole.schema(), LIMITS).unwrap();
    (0..rounds).for_each(|_| advance(&mut partitions, &mut coordinator));
    answers(&mut partitions, &coordinator)
}

/// The error of merging one answer with another.
fn at_odds(one: &[Answer], other: &[Answer]) -> String {
    assert!(one[0].clone().merged(one[1].clone()).is_ok() && !other.is_empty());
    one[0].clone().merged(other[1].clone()).unwrap_err().to_string()
}

#[test]
fn answers_to_different_questions_are_not_merged() {
    let whole = Sample::generated(8, 500, 2);
    let counts = answers_after(2, &whole);
    let message = at_odds(&counts, &answers_after(3, &whole));
    assert!(message.contains("two partitions answered different questions"), "{message}");
    // As many replies, but of another number of features.
    let mut narrow = whole.clone();
    narrow.rows.iter_mut().for_each(|row| row.truncate(1));
    let message = at_odds(&counts, &answers_after(2, &narrow));
    assert!(message.contains("two pieces replied at different lengths"), "{message}");
    // As many rows, but weights count too.
    let weights = Some((0..500).map(|row| f64::from(1 + row % 3)).collect());
    let weighted = Sample { weights, ..whole.clone() };
    let message = at_odds(&counts, &answers_after(1, &weighted));
    assert!(message.contains("counts of other bins"), "{message}");
}

#[test]
fn rows_that_change_their_class_between_questions_are_noticed_at_once() {
    let whole = Sample::generated(9, 500, 2);
    let mut partitions = [partition(&whole, &whole)];
    let mut coordinator =
        Coordinator::new(Recipe::default(), whole.schema(), Limits::default()).unwrap();
    // The counts are believed, and rows that are fetched must agree with them.
    for topic in ["describe", "filter", "count", "look", "fetch"] {
        assert_eq!(coordinator.next_question().unwrap().topic(), topic);
        if coordinator.progress().rounds < 4 {
            advance(&mut partitions, &mut coordinator);
        }
    }
    let mut changed = whole.clone();
    changed.classes[0] = 1 - changed.classes[0];
    let mut partitions = [partition(&changed, &whole)];
    let answer = answers(&mut partitions, &coordinator).remove(0);
    let error = coordinator.take(answer, &Exec::default()).unwrap_err().to_string();
    assert!(error.contains("changed since the first question?"), "{error}");
}

/// Bins are for the values of a sample. A value that it lacks shares the bin of another, in which only the
/// partition that has it knows of a split.
#[test]
fn a_value_that_no_sample_has_is_found_in_the_partition_that_has_it() {
    let parts_with = |rare_row: usize| {
        let part = |n_rows: usize| Sample {
            rows: (0..n_rows).map(|row| vec![f64::from(row as u32 % 2)]).collect(),
            classes: vec![0; n_rows],
            n_classes: 2,
            ..Sample::default()
        };
        // A fifth of these are sampled.
        let mut large = part(20_000);
        (large.rows[rare_row], large.classes[rare_row]) = (vec![1.4], 1);
        [part(100), large]
    };
    for rare_row in [10, 3_000, 7_000, 15_000] {
        let parts = parts_with(rare_row);
        let [small, large] = parts.clone();
        let whole = Sample {
            rows: [small.rows, large.rows].concat(),
            classes: [small.classes, large.classes].concat(),
            ..small
        };
        let model = in_parts(&parts, &whole);
        assert_eq!(model.to_json(), at_once(&whole, &Recipe::default()).to_json());
        assert_eq!(model.trees()[0].n_nodes(), 3, "one split, between 1 and 1.4");
    }
}

#[test]
fn the_rows_of_all_partitions_are_counted() {
    let whole = Sample::generated(10, 300, 2);
    let parts = dealt(&whole, 3, &mut Numbers::new(4));
    let mut partitions: Vec<Partition> = parts.iter().map(|part| partition(part, &whole)).collect();
    let mut coordinator = Coordinator::new(Recipe::default(), whole.schema(), LIMITS).unwrap();
    assert_eq!(coordinator.progress().rows, None);
    advance(&mut partitions, &mut coordinator);
    assert_eq!(coordinator.progress().rows, Some(300));
}

/// 0 and -0 are equal, so that the larger of them is whichever came first, unless it loses its sign.
#[test]
fn answers_with_zeros_of_either_sign_merge_in_any_order() {
    let part = |zero: f64| Sample {
        rows: [-1.0, zero, 1.0].repeat(40).into_iter().map(|value| vec![value]).collect(),
        classes: [0, 1, 0].repeat(40),
        n_classes: 2,
        ..Sample::default()
    };
    let parts = [part(-0.0), part(0.0)];
    let mut partitions = parts.clone().map(|part| partition(&part, &part));
    let limits = Limits { fetched_rows: 0, ..LIMITS };
    let mut coordinator = Coordinator::new(Recipe::default(), parts[0].schema(), limits).unwrap();
    while coordinator.model().is_none() {
        let [one, other] = <[Answer; 2]>::try_from(answers(&mut partitions, &coordinator)).unwrap();
        let merged = one.clone().merged(other.clone()).unwrap();
        assert_eq!(merged.to_bytes(), other.merged(one).unwrap().to_bytes());
        coordinator.take(merged, &Exec::default()).unwrap();
    }
}
