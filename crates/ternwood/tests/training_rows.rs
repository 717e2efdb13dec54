//! Does a model recognise the rows it was trained on, and no others?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use proptest::prelude::*;
use ternwood::fit::cross_fitted_rows;
use ternwood::recipe::ClassWeight;
use ternwood::training::{NotCompared, SeenRows, TrainingRows};
use ternwood::verdict::{CalibrationSource, VerdictRule};
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

/// More rows than one thread takes, and more than twins are counted of.
#[test]
fn the_number_of_threads_does_not_matter() {
    let rows = Random(1).rows(70_000, 1 << 16);
    let data = dataset(&rows);
    let alone = fit(&data).to_json();
    for threads in [2, 3] {
        assert_eq!(fit_with(&data, TreeParams::default(), threads).to_json(), alone);
    }
    let known = known(&data);
    assert_eq!(known.rows(), 70_000);
    assert!(known.filter().is_some());
    assert!((4_096..4_300).contains(&known.twins().unwrap().whole), "{:?}", known.twins());
}

#[test]
fn ranges_and_gaps_are_those_of_rows_that_count() {
    let rows = [
        ([-0.0, 0.0, f64::NAN], 0),
        ([7.5, 1.0, 2.125], 1),
        ([99.0, 2.0, f64::NAN], 0),
        ([3.0, f64::NAN, 4.5], 1),
    ];
    let data = dataset(&rows).with_weights([2.0, 1.0, 0.0, 0.25]).unwrap();
    let known = known(&data);
    // Twice, once, not at all, and once although its weight is small.
    assert_eq!(known.rows(), 4);
    let [age, ward, dose] = known.features() else { panic!("three features") };
    // Two digits of 7.5 would be the numbers themselves: one.
    assert_eq!((age.range(), age.missing()), (Some([0.0, 8.0]), 0));
    assert_eq!((ward.range(), ward.missing()), (None, 1));
    assert_eq!(ward.counts(), [2, 1, 0, 0]);
    // Rounded outward to tenths.
    assert_eq!((dose.range(), dose.missing()), (Some([2.1, 4.5]), 2));
    assert_eq!(known.twins().map(|twins| (twins.part, twins.whole)), Some((2, 4)));
}

/// Weights of surveys are rarely whole: a row is a row.
#[test]
fn a_weight_that_is_not_whole_makes_no_copies() {
    let rows = Random(3).rows(300, 1 << 20);
    let weighted = dataset(&rows).with_weights(vec![2.5; 300]).unwrap();
    assert_eq!(known(&weighted), known(&dataset(&rows)));
}

/// Rows of a class without weight are not learned from.
#[test]
fn rows_of_a_class_without_weight_were_not_trained_on() {
    let mut random = Random(5);
    let rows = random.rows(400, 1 << 20);
    let (kept, ignored): (Vec<Row>, Vec<Row>) = rows.iter().partition(|(_, class)| *class == 0);
    let class_weight = ClassWeight::Given(vec![1.0, 0.0]);
    let model = fit_with(&dataset(&rows), TreeParams { class_weight, ..TreeParams::default() }, 1);
    let seen = |rows: &[Row]| model.seen_rows(&dataset(rows), &Exec::default()).unwrap();
    assert!(seen(&kept).are_trained_on());
    assert!(matches!(seen(&ignored), SeenRows::New(_)));
    assert!(model.check_trained_on(&dataset(&rows), &Exec::default()).unwrap());
}

fn seen(training: &[Row], given: &[Row]) -> SeenRows {
    let exec = Exec::default();
    TrainingRows::of(&dataset(training), &exec).unwrap().seen(&dataset(given), &exec).unwrap()
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
    // Whoever says that they are new is believed, and that is recorded.
    let untested = CalibrationSource::HeldOutUntested;
    let rows = model.calibration_rows_from(&dataset(&training), untested, &exec).unwrap();
    let policy = rows.policy(VerdictRule::Budget { flag_rate: 0.1 }).unwrap();
    let model = model.with_verdict(policy).unwrap();
    assert!(model.to_json().contains("\"source\":\"held_out_untested\""));
    let words = model.verdict().to_string();
    assert!(words.ends_with(" (held-out, not compared with the training rows)"), "{words}");
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
}

/// What a file is to have that anybody may read.
#[test]
fn a_private_model_says_nothing_of_single_rows() {
    let mut rows = Random(8).rows(2000, 1 << 20);
    rows.iter_mut().for_each(|row| row.0[1] = f64::from(u32::from(row.0[1] > 0.5)));
    // Nine rows of a rare category.
    rows[..9].iter_mut().for_each(|row| row.0[1] = 2.0);
    let data = dataset(&rows);
    let model = fit(&data).with_histograms(&data).unwrap().private();
    let known = model.training_rows().unwrap();
    assert!(known.is_private() && known.filter().is_none() && known.twins().is_none());
    assert!(model.histograms().is_none());
    let counts = known.features()[1].counts();
    assert!(counts.iter().all(|count| count % 10 == 0) && counts[2..] == [0, 0], "{counts:?}");
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
    assert_eq!(Model::from_bytes(&model.to_safetensors()).unwrap(), model);
    let exec = Exec::default();
    assert!(model.calibration_rows(&data, &exec).is_ok());
    let seen = model.seen_rows(&data, &exec).unwrap();
    assert_eq!(seen, SeenRows::Unknown(NotCompared::NoFilter));
    assert!(!model.check_trained_on(&data, &exec).unwrap(), "nobody can tell");
}

/// No number of a model file is the smallest or the greatest of a feature, where rows differ.
#[test]
fn no_extreme_value_is_stored() {
    for values in [1 << 20, 60] {
        let rows = Random(31).rows(700, values);
        let data = dataset(&rows);
        let known = known(&data);
        for (feature, values) in
            known.features().iter().enumerate().filter(|(index, _)| *index != 1)
        {
            let column = || rows.iter().map(|row| row.0[feature]).filter(|x| !x.is_nan());
            let [low, high] = values.range().unwrap();
            let least = column().fold(f64::INFINITY, f64::min);
            let greatest = column().fold(f64::NEG_INFINITY, f64::max);
            assert!(low <= least && high > greatest, "{low} {least} {greatest} {high}");
            // Ten or more possible values lie within the rounding.
            assert!((high - low) / 100.0 < high - greatest + 1.0, "{high} {greatest}");
        }
    }
}

/// Thirty rows, all of them trained on, are recognised in nearly all draws.
#[test]
fn thirty_training_rows_are_recognised() {
    let mut random = Random(11);
    let mut recognised = 0;
    for draw in 0..1000 {
        let training = random.rows(200 + draw % 7 * 150, 1 << 20);
        recognised += usize::from(seen(&training, &training[..30]).are_trained_on());
    }
    assert!(recognised >= 990, "{recognised} of 1000");
}

/// So are 300 training rows among 1,000, and rows of a table with a few natural twins.
#[test]
fn a_share_of_training_rows_is_recognised_and_estimated() {
    let mut random = Random(12);
    for values in [1 << 20, 300] {
        let training = random.rows(4000, values);
        let mut given = random.rows(700, values);
        given.extend(&training[..300]);
        let compared = seen(&training, &given).trained_on().expect("they are recognised");
        assert!((compared.share() - 0.3).abs() < 0.12, "{compared:?}");
        let fresh = seen(&training, &random.rows(1000, values));
        let words = fresh.to_string();
        assert!(words.starts_with("not trained on, as far as can be told: about "), "{words}");
    }
}

/// Draws of fresh rows of tables with few and with many distinct rows: how many are accused.
#[test]
fn fresh_rows_are_not_accused() {
    let mut random = Random(13);
    let (mut accused, mut compared) = (0, 0);
    for (values, draws) in [(1, 50), (3, 50), (30, 100), (60, 1000), (100, 1000), (300, 300)] {
        for _ in 0..draws {
            let seen = seen(&random.rows(400, values), &random.rows(120, values));
            accused += usize::from(seen.are_trained_on());
            compared += usize::from(!matches!(seen, SeenRows::Unknown(_)));
        }
    }
    // At a level of 10^-5 one of 2,500 has a probability of 3 % at most.
    assert_eq!(accused, 0);
    assert!(compared > 1500, "{compared} of 2500 could be compared");
}

/// Natural twins: a tenth of all rows are of a few kinds, and honest rows equal training rows as often.
#[test]
fn natural_twins_are_no_training_rows() {
    let mut random = Random(14);
    let kinds = random.rows(2000, 1 << 20);
    let mut draw = |n: usize| -> Vec<Row> {
        let mut rows = random.rows(n, 1 << 20);
        let twins = n / 10;
        rows[..twins].iter_mut().for_each(|row| *row = kinds[random.below(2000) as usize]);
        rows
    };
    let mut compared = 0;
    for _ in 0..300 {
        let seen = seen(&draw(1500), &draw(600));
        assert!(!seen.are_trained_on(), "{seen:?}");
        compared += usize::from(matches!(seen, SeenRows::New(_)));
    }
    // Their share of twins is close to 5 %.
    assert!(compared > 100, "{compared} of 300");
}

#[test]
fn where_nobody_can_tell_the_reason_is_given() {
    let mut random = Random(17);
    let rows = random.rows(500, 1 << 20);
    let told = |training: &[Row], given: &[Row]| match seen(training, given) {
        SeenRows::Unknown(why) => why.to_string(),
        other => panic!("{other:?}"),
    };
    let twice: Vec<Row> = rows.iter().chain(&rows).copied().collect();
    let words = "all of the training rows have the same features as another";
    assert_eq!(told(&twice, &rows), words);
    let words = "all of these rows have the same features as another";
    assert_eq!(told(&rows, &twice), words);
    let words = "29 distinct rows can be compared, and that takes 30";
    assert_eq!(told(&rows, &rows[..29]), words);
    // The class is not looked at.
    let other_class: Vec<Row> = rows.iter().map(|(values, class)| (*values, 1 - class)).collect();
    assert!(seen(&rows, &other_class).are_trained_on());
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
    assert!(error.contains("they are 150; give exactly those"), "{error}");
    // One value of one row.
    let mut others = rows.clone();
    others[0].0[0] += 1.0;
    let error = refused(&others);
    assert!(error.contains("at least "), "{error}");
    let others = Random(24).rows(200, 1 << 20);
    let error = refused(&others);
    let unmatched: usize =
        error.split("at least ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    // 37 % of 200.
    assert!((50..100).contains(&unmatched), "{error}");
    let without = model.clone().private();
    assert!(cross_fitted_rows(&without, &dataset(&others), &exec).is_ok());
}

/// Withdrawing one row changes the salt, and all bits with it.
#[test]
fn a_model_without_one_row_has_unrelated_bits() {
    let rows = Random(29).rows(1000, 1 << 20);
    let filter = |rows: &[Row]| {
        let text = serde_json::to_value(known(&dataset(rows))).unwrap();
        let part = |name: &str| text["filter"][name].as_str().unwrap().to_owned();
        (part("salt"), part("bits"))
    };
    let (one, other) = (filter(&rows), filter(&rows[1..]));
    assert_ne!(one.0, other.0);
    let equal = one.1.bytes().zip(other.1.bytes()).filter(|(a, b)| a == b).count();
    // Letters of six bits agree by chance: (.63^2 + .37^2)^6 of 167, about 4.
    assert!(equal < 20, "{equal} of {}", one.1.len());
}
