//! Does a model recognise the rows it was trained on, and no others?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use proptest::prelude::*;
use ternwood::fit::cross_fitted_rows;
use ternwood::recipe::ClassWeight;
use ternwood::training::{SeenRows, TrainingRows};
use ternwood::{
    Columns, Dataset, ErrorKind, Exec, Feature, Learner, Model, Routing, Schema, TreeParams,
};

/// A number, a category and a number that may be missing, and a class.
type Row = ([f64; 3], u32);

fn dataset(rows: &[Row]) -> Dataset {
    let values: Vec<f64> = rows.iter().flat_map(|(values, _)| *values).collect();
    let features = vec![
        Feature::number("age"),
        Feature::categories("ward", ["A", "B", "C", "D"]),
        Feature::number("dose"),
    ];
    let schema = Schema::new(features, vec!["ill".into(), "well".into()]).unwrap();
    let labels = rows.iter().map(|(_, class)| *class).collect();
    Dataset::with_schema(Columns::from_rows(&values, 3).unwrap(), labels, schema).unwrap()
}

fn fit_with(data: &Dataset, params: TreeParams, threads: usize) -> Model {
    let params = TreeParams { max_depth: Some(1), ..params };
    let learner = Learner::new(params, Routing::Probabilistic).unwrap();
    learner.fit(data, &Exec::with_threads(threads).unwrap()).unwrap()
}

fn fit(data: &Dataset) -> Model {
    fit_with(data, TreeParams::default(), 1)
}

fn known(data: &Dataset) -> TrainingRows {
    fit(data).training_rows().unwrap().clone()
}

/// Random numbers that are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % bound
    }

    /// A row with `values` different numbers in each numeric feature.
    fn row(&mut self, values: u64) -> Row {
        let dose = if self.below(8) == 0 { f64::NAN } else { self.below(values) as f64 / 8.0 };
        ([self.below(values) as f64, self.below(4) as f64, dose], self.below(2) as u32)
    }

    fn rows(&mut self, n: usize, values: u64) -> Vec<Row> {
        (0..n).map(|_| self.row(values)).collect()
    }
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    (1..120_usize, 1..40_u64, any::<u64>())
        .prop_map(|(n, values, seed)| Random(seed).rows(n, values))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_order_of_rows_does_not_matter(rows in rows(), by in any::<prop::sample::Index>()) {
        let mut others = rows.clone();
        others.rotate_left(by.index(rows.len()));
        prop_assert_eq!(known(&dataset(&rows)), known(&dataset(&others)));
    }

    #[test]
    fn parts_merge_to_the_whole(rows in rows(), at in any::<prop::sample::Index>()) {
        let at = 1 + at.index(rows.len());
        prop_assume!(at < rows.len());
        let (one, other) = rows.split_at(at);
        let merged = known(&dataset(one)).merged(&known(&dataset(other)));
        prop_assert_eq!(merged, known(&dataset(&rows)));
    }

    #[test]
    fn weight_k_is_k_copies(rows in rows(), times in prop::collection::vec(0..4_usize, 120)) {
        let times = &times[..rows.len()];
        prop_assume!(times.iter().any(|&times| times > 0));
        let weights: Vec<f64> = times.iter().map(|&times| times as f64).collect();
        let copies = rows.iter().zip(times).flat_map(|(row, &n)| std::iter::repeat_n(*row, n));
        let copied = dataset(&copies.collect::<Vec<_>>());
        prop_assert_eq!(known(&dataset(&rows).with_weights(weights).unwrap()), known(&copied));
    }

    #[test]
    fn it_survives_the_model_file(rows in rows()) {
        let model = fit(&dataset(&rows));
        prop_assert_eq!(&Model::from_json(&model.to_json()).unwrap(), &model);
    }
}

/// More rows than one thread takes, and more than the sketch holds.
#[test]
fn the_number_of_threads_does_not_matter() {
    let rows = Random(1).rows(70_000, 1000);
    let data = dataset(&rows);
    let alone = fit(&data).to_json();
    for threads in [2, 3] {
        assert_eq!(fit_with(&data, TreeParams::default(), threads).to_json(), alone);
    }
    let known = known(&data);
    assert_eq!((known.rows(), known.sketch().unwrap().n_hashes()), (70_000, 4096));
    assert!(!known.sketch().unwrap().is_complete());
}

#[test]
fn ranges_and_gaps_are_those_of_rows_that_count() {
    let rows = [
        ([-0.0, 0.0, f64::NAN], 0),
        ([7.5, 1.0, 2.0], 1),
        ([99.0, 2.0, f64::NAN], 0),
        ([3.0, f64::NAN, 4.0], 1),
    ];
    let data = dataset(&rows).with_weights([2.0, 1.0, 0.0, 0.25]).unwrap();
    let known = known(&data);
    // Twice, once, not at all, and once more although its weight is small.
    assert_eq!(known.rows(), 4);
    let [age, ward, dose] = known.features() else { panic!("three features") };
    assert_eq!((age.range(), age.missing()), (Some([0.0, 7.5]), 0));
    assert_eq!((ward.range(), ward.missing()), (None, 1));
    assert_eq!(ward.counts(), [2, 1, 0, 0]);
    assert_eq!((dose.range(), dose.missing()), (Some([2.0, 4.0]), 2));
}

/// Rows of a class without weight are not learned from.
#[test]
fn rows_of_a_class_without_weight_were_not_trained_on() {
    let mut random = Random(5);
    let rows = random.rows(400, 1 << 20);
    let (kept, ignored): (Vec<Row>, Vec<Row>) = rows.iter().partition(|(_, class)| *class == 0);
    let class_weight = ClassWeight::Given(vec![1.0, 0.0]);
    let model = fit_with(&dataset(&rows), TreeParams { class_weight, ..TreeParams::default() }, 1);
    let seen = |rows: &[Row]| model.seen_rows(&dataset(rows), &Exec::default()).unwrap().unwrap();
    assert!(seen(&kept).are_trained_on());
    assert!(!seen(&ignored).are_trained_on());
}

fn seen(training: &[Row], given: &[Row]) -> SeenRows {
    fit(&dataset(training)).seen_rows(&dataset(given), &Exec::default()).unwrap().unwrap()
}

#[test]
fn training_rows_are_refused_as_held_out_ones() {
    let mut random = Random(7);
    let (training, fresh) = (random.rows(3000, 1 << 20), random.rows(300, 1 << 20));
    let model = fit(&dataset(&training));
    let exec = Exec::default();
    let error = model.calibration_rows(&dataset(&training), &exec).unwrap_err();
    let ErrorKind::TrainedOn { rows: 3000, share, p_value, .. } = error.kind() else {
        panic!("{error}")
    };
    assert!(*share == 1.0 && *p_value < 1e-99, "{error}");
    assert!(error.to_string().starts_with("all of these 3000 rows were trained on: "), "{error}");
    assert!(model.calibration_rows(&dataset(&fresh), &exec).is_ok());
    // Nobody can tell without a sketch.
    let blind = model.without_sketch();
    assert!(blind.calibration_rows(&dataset(&training), &exec).is_ok());
    assert_eq!(blind.seen_rows(&dataset(&training), &exec).unwrap(), None);
    assert_eq!(blind.training_rows().unwrap().rows(), 3000);
}

/// The estimate, on rows of which many are equal anyway.
#[test]
fn the_share_is_that_of_rows_beyond_chance() {
    let mut random = Random(11);
    let training = random.rows(4000, 60);
    let mut given = random.rows(700, 60);
    given.extend(&training[..300]);
    let seen = seen(&training, &given);
    let equal = seen.equal as f64 / seen.compared as f64;
    // A fifth of fresh rows equal a training row: 4000 of 2 * 4 * 60 * 61 cells.
    assert!(equal > 0.4, "{seen:?}");
    assert!((seen.share - 0.3).abs() < 0.06, "{seen:?}");
    assert!(seen.are_trained_on(), "{seen:?}");
}

/// Draws of fresh rows from few and from many distinct values: how many are accused.
#[test]
fn fresh_rows_are_not_accused() {
    let mut random = Random(13);
    let mut accused = 0;
    for values in [1, 3, 30, 300] {
        for _ in 0..100 {
            let (training, given) = (random.rows(1500, values), random.rows(400, values));
            accused += usize::from(seen(&training, &given).are_trained_on());
        }
    }
    // At a level of .001 two or more of 400 draws have a probability of 6 %.
    assert!(accused <= 1, "{accused} of 400");
}

/// What is said to be detectable is detected in nine of ten cases: less where rows differ more.
#[test]
fn the_detectable_share_is_detected() {
    let mut random = Random(17);
    for (values, expected) in [(30, 0.15..0.35), (300, 0.0..0.1)] {
        let detectable: Vec<f64> = (0..10)
            .map(|_| seen(&random.rows(6000, values), &random.rows(1000, values)))
            .map(|fresh| fresh.detectable.unwrap())
            .collect();
        let share = detectable.iter().sum::<f64>() / 10.0;
        assert!(expected.contains(&share), "{share} with {values} values");
        let mut recognised = 0;
        for _ in 0..100 {
            let training = random.rows(6000, values);
            let copies = (1000.0 * share) as usize;
            let mut given = random.rows(1000 - copies, values);
            given.extend(&training[..copies]);
            recognised += usize::from(seen(&training, &given).are_trained_on());
        }
        // A standard deviation of 3.
        assert!((81..=99).contains(&recognised), "{recognised} of 100 with {values} values");
    }
    // With 16 distinct rows nothing can be told.
    let (training, given) = (random.rows(2000, 1), random.rows(500, 1));
    assert_eq!(seen(&training, &given).detectable, None);
    assert!(!seen(&training, &training).are_trained_on());
}

/// All rows of a training table in which every row stands twice: chance would share them otherwise.
/// A few of them could be anyone's, where every row has an equal.
#[test]
fn training_rows_with_copies_are_recognised() {
    let once = Random(19).rows(500, 1 << 20);
    let twice: Vec<Row> = once.iter().chain(&once).copied().collect();
    assert!(seen(&twice, &twice).are_trained_on());
    assert!(!seen(&twice, &once[..50]).are_trained_on());
}

#[test]
fn cross_fitting_needs_the_very_rows_of_training() {
    let rows = Random(23).rows(200, 1 << 20);
    let model = fit(&dataset(&rows));
    let exec = Exec::default();
    let refused = |rows: &[Row]| {
        let error = cross_fitted_rows(&model, &dataset(rows), &exec).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotTrainedOn { .. }), "{error}");
        error.to_string()
    };
    let mut shuffled = rows.clone();
    shuffled.reverse();
    assert!(cross_fitted_rows(&model, &dataset(&shuffled), &exec).is_ok());
    let error = refused(&rows[..150]);
    assert!(error.contains("they are 150, about 25 % of those are not among them;"), "{error}");
    let mut others = rows.clone();
    others[0].1 = 1 - others[0].1;
    let error = refused(&others);
    let differs = "about 1 % of them were not among those, about 1 % of those are not among them";
    assert!(error.contains(differs), "{error}");
    let without = model.clone().without_sketch();
    assert!(cross_fitted_rows(&without, &dataset(&others), &exec).is_ok());
}
