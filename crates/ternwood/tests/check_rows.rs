//! Does a check turn red when rows change, and only then?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ternwood::check::{Compared, Outcome, RowsCheck, USUAL_LEVEL, Untold};
use ternwood::recipe::RowCount;
use ternwood::verdict::{Promises, VerdictRule};
use ternwood::{
    Columns, Dataset, Exec, Feature, Learner, Matrix, Model, Promised, Routing, Schema, TreeParams,
    UNKNOWN,
};

/// A number that tells the class, up to noise, a category that leans on it, and gaps.
struct Source {
    random: u64,
    /// Added to the number.
    shift: f64,
    /// The share of rows whose class is drawn by a coin.
    noise: f64,
    /// The share of rows without a number.
    gaps: f64,
}

impl Source {
    fn new(seed: u64) -> Self {
        Self { random: seed, shift: 0.0, noise: 0.1, gaps: 0.02 }
    }

    fn unit(&mut self) -> f64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn rows(&mut self, n: usize) -> Dataset {
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let glucose = 60.0 + 100.0 * self.unit();
            let is_ill = glucose + 20.0 * self.unit() > 120.0;
            let ward = ((if is_ill { 3.0 } else { 5.0 }) * self.unit()).floor();
            let coin = self.unit() < self.noise;
            let label = if coin { self.unit() < 0.5 } else { is_ill };
            let gap = self.unit() < self.gaps;
            values.extend([if gap { f64::NAN } else { glucose + self.shift }, ward]);
            labels.push(u32::from(label));
        }
        let names = ["A", "B", "C", "D", "E"];
        let features = vec![Feature::number("glucose"), Feature::categories("ward", names)];
        let schema = Schema::new(features, vec!["healthy".into(), "ill".into()]).unwrap();
        Dataset::with_schema(Columns::from_rows(&values, 2).unwrap(), labels, schema).unwrap()
    }
}

fn fit(source: &mut Source, rows: usize) -> Model {
    let params = TreeParams {
        max_depth: Some(4),
        min_samples_leaf: RowCount::Count(20),
        ..TreeParams::default()
    };
    let learner = Learner::new(params, Routing::Probabilistic).unwrap();
    let model = learner.fit(&source.rows(rows), &Exec::default()).unwrap();
    let tested = model.trees()[0].tested_features();
    assert!([0, 1].iter().all(|feature| tested.contains(feature)), "the tree tests {tested:?}");
    model
}

fn calibrated(source: &mut Source, rule: VerdictRule) -> Model {
    let model = fit(source, 2000);
    let rows = model.calibration_rows(&source.rows(2000), &Exec::default()).unwrap();
    model.with_verdict(rows.policy(rule).unwrap()).unwrap()
}

fn check(model: &Model, data: &Dataset) -> RowsCheck {
    let rows = Matrix::from(data.columns());
    model.check_rows(rows, Some(data.labels()), USUAL_LEVEL, &Exec::default()).unwrap()
}

/// What has changed, in the words of the report.
fn changed(check: &RowsCheck) -> Vec<String> {
    check.changed().map(ToString::to_string).collect()
}

fn guarantee() -> VerdictRule {
    VerdictRule::Guarantee { accuracy: 0.85, confidence: 0.95 }
}

/// Many draws of model, calibration rows and new rows from one source: false alarms are rarer than
/// the level.
#[test]
fn nothing_changes_where_nothing_has() {
    let mut source = Source::new(1);
    let mut alarms = 0;
    for rule in [VerdictRule::Cost { cost_ratio: 0.2 }, guarantee()] {
        for _ in 0..100 {
            let model = calibrated(&mut source, rule.clone());
            alarms += usize::from(!check(&model, &source.rows(500)).holds());
        }
    }
    // A level of 1 %: more than 6 of 200 have a probability of 0.4 %.
    assert!(alarms <= 6, "{alarms} of 200");
}

#[test]
fn a_shifted_feature_is_named_first() {
    let mut source = Source::new(2);
    let model = calibrated(&mut source, guarantee());
    source.shift = 15.0;
    let found = check(&model, &source.rows(500));
    let of_feature = found.changed().find(|c| matches!(c.of, Compared::Outside { .. })).unwrap();
    let Compared::Outside { feature, range: [low, high], .. } = &of_feature.of else { panic!() };
    assert_eq!(feature, "glucose");
    assert!(*low < 61.0 && *high > 159.0, "{low} to {high}");
    // 15 of 100 above the range, and 2 % are missing.
    assert!((55..95).contains(&of_feature.part), "{of_feature}");
    assert!(of_feature.adjusted < 1e-20 && of_feature.whole < 500, "{of_feature}");
}

#[test]
fn unknown_values_and_gaps_are_noticed() {
    let mut source = Source::new(3);
    let model = calibrated(&mut source, VerdictRule::Budget { flag_rate: 0.2 });
    let data = source.rows(400);
    let with = |value: &dyn Fn(usize, [f64; 2]) -> [f64; 2]| {
        let columns = [data.columns().column(0), data.columns().column(1)];
        let rows = (0..400).flat_map(|row| value(row, columns.map(|column| column[row])));
        let values: Vec<f64> = rows.collect();
        let matrix = Matrix::row_major(&values, 2).unwrap();
        model.check_rows(matrix, None, USUAL_LEVEL, &Exec::default()).unwrap()
    };
    assert!(with(&|_, row| row).holds());
    let new_ward = with(&|row, [x, ward]| [x, if row < 8 { 7.0 } else { ward }]);
    let words = changed(&new_ward);
    assert!(
        words.iter().any(|w| w.starts_with("ward: 8 of 400 values are unknown: changed")),
        "{words:?}"
    );
    let unreadable = with(&|row, [x, ward]| [if row < 8 { UNKNOWN } else { x }, ward]);
    let words = changed(&unreadable);
    assert!(
        words.iter().any(|w| w.starts_with("glucose: 8 of 400 values are unknown")),
        "{words:?}"
    );
    let gaps = with(&|row, [x, ward]| [if row < 60 { f64::NAN } else { x }, ward]);
    let words = changed(&gaps);
    assert!(
        words.iter().any(|w| w.starts_with("glucose: 6") && w.contains("missing; in training")),
        "{words:?}"
    );
    // One unknown value among 400 is no news.
    assert!(with(&|row, [x, ward]| [x, if row < 1 { 7.0 } else { ward }]).holds());
}

#[test]
fn uncovered_rows_are_counted_and_compared_with_those_of_calibration() {
    let mut source = Source::new(7);
    let model = fit(&mut source, 2000);
    // No training row lacks a ward; `gaps` of the calibration rows and of the new ones do.
    let without_ward = |source: &mut Source, n: usize, gaps: usize| {
        let data = source.rows(n);
        let columns = [data.columns().column(0), data.columns().column(1)];
        let row =
            |row: usize| [columns[0][row], if row < gaps { f64::NAN } else { columns[1][row] }];
        let values: Vec<f64> = (0..n).flat_map(row).collect();
        let columns = Columns::from_rows(&values, 2).unwrap();
        Dataset::with_schema(columns, data.labels().to_vec(), data.schema().clone()).unwrap()
    };
    let calibrate = |source: &mut Source, gaps: usize| {
        let rows = without_ward(source, 1000, gaps);
        let rows = model.calibration_rows(&rows, &Exec::default()).unwrap();
        let policy = rows.policy(VerdictRule::Cost { cost_ratio: 0.2 }).unwrap();
        assert_eq!(policy.achieved().unwrap().uncovered(), gaps as u64);
        let judging = rows.judging_uncovered().policy(VerdictRule::Cost { cost_ratio: 0.2 });
        assert_eq!(judging.unwrap().achieved().unwrap().uncovered(), gaps as u64);
        Model::from_json(&model.clone().with_verdict(policy).unwrap().to_json()).unwrap()
    };
    let of = |check: &RowsCheck| {
        let of = check.comparisons.iter().find(|it| it.of == Compared::Uncovered);
        of.expect("rows were held out").clone()
    };
    let none_before = calibrate(&mut source, 0);
    let found = check(&none_before, &without_ward(&mut source, 500, 20));
    let compared = of(&found);
    assert_eq!((compared.part, compared.whole), (20, 500));
    assert!(compared.has_changed(), "{compared}");
    let words = compared.to_string();
    assert!(
        words.starts_with("uncovered: 4.0 % of 500 (") && words.contains("in calibration 0.0 %")
    );
    let counted = found.uncovered.clone().unwrap();
    assert_eq!(counted.to_string(), "no value of ward (20 rows)");
    assert!(found.to_string().contains("\nuncovered because of: no value of ward (20 rows)\n"));
    // As many as before are no news.
    let as_before = calibrate(&mut source, 40);
    let found = of(&check(&as_before, &without_ward(&mut source, 500, 20)));
    assert_eq!((found.outcome, found.p_value > 0.3), (Outcome::Unchanged, true), "{found}");
    // Without rows held out there is nothing to compare with, only the number.
    let found = check(&model, &without_ward(&mut source, 500, 20));
    assert!(found.comparisons.iter().all(|it| it.of != Compared::Uncovered));
    let words = "uncovered: 20 of 500 rows\nuncovered because of: no value of ward (20 rows)\n";
    assert!(found.to_string().contains(words), "{found}");
}

#[test]
fn a_broken_promise_is_called_so() {
    let mut source = Source::new(4);
    let model = calibrated(&mut source, guarantee());
    let promise = |check: &RowsCheck| {
        let of = Compared::Promise(Promised::Accuracy(0.85));
        check.comparisons.iter().find(|comparison| comparison.of == of).unwrap().clone()
    };
    let kept = promise(&check(&model, &source.rows(2000)));
    assert_eq!(kept.outcome, Outcome::Confirmed, "{kept}");
    // Too few rows to tell, but the number that would.
    let few = promise(&check(&model, &source.rows(30)));
    assert_eq!(few.outcome, Outcome::Unchanged, "{few}");
    assert!(few.rows_to_tell.is_some_and(|rows| rows > few.whole), "{few}");
    source.noise = 0.6;
    let broken = promise(&check(&model, &source.rows(1000)));
    assert_eq!(broken.outcome, Outcome::Changed, "{broken}");
    assert!(broken.to_string().contains("; promised: at most 15 %: broken, p = "), "{broken}");
    assert!(broken.rows_to_tell.is_none() && broken.interval.unwrap()[0] > 0.15);
}

#[test]
fn promises_class_by_class_are_checked_one_by_one() {
    let mut source = Source::new(5);
    let promises = Promises {
        precision: vec![None, Some(0.8)],
        miss_rate: vec![None, Some(0.15)],
        confidence: 0.9,
    };
    let model = calibrated(&mut source, VerdictRule::Promises(promises));
    let found = check(&model, &source.rows(1500));
    let of_promises: Vec<&Compared> = found
        .comparisons
        .iter()
        .map(|comparison| &comparison.of)
        .filter(|of| matches!(of, Compared::Promise(_)))
        .collect();
    let class = || "ill".to_owned();
    let precision = Compared::Promise(Promised::Precision { class: class(), share: 0.8 });
    let miss_rate = Compared::Promise(Promised::MissRate { class: class(), share: 0.15 });
    assert_eq!(of_promises, [&precision, &miss_rate]);
    assert!(found.to_string().contains("missed, of rows of 'ill': "), "{found}");
}

#[test]
fn a_class_to_catch_is_compared_with_calibration() {
    let mut source = Source::new(7);
    let model = fit(&mut source, 1000);
    let rows = model.calibration_rows(&source.rows(1000), &Exec::default()).unwrap();
    let model = model.with_verdict(rows.catch_policy(1, 0.1).unwrap()).unwrap();
    let missed = |check: &RowsCheck| {
        let of = Compared::Missed { class: "ill".to_owned() };
        check.comparisons.iter().find(|comparison| comparison.of == of).unwrap().clone()
    };
    let same = missed(&check(&model, &source.rows(1000)));
    assert_eq!(same.outcome, Outcome::Unchanged, "{same}");
    assert!(same.to_string().starts_with("missed, of rows of 'ill': "), "{same}");
    source.noise = 0.6;
    let more = missed(&check(&model, &source.rows(1000)));
    assert_eq!(more.outcome, Outcome::Changed, "{more}");
}

#[test]
fn what_cannot_be_told_is_said() {
    let mut source = Source::new(6);
    let model = fit(&mut source, 1000);
    let found = check(&model, &source.rows(100));
    assert_eq!(found.untold, [Untold::NoCalibrationRows, Untold::NothingPromised]);
    // What tells of single rows is not needed.
    let blind = check(&model.clone().private(), &source.rows(100));
    assert!(!blind.untold.contains(&Untold::NoTrainingRows));
    let stranger =
        Model::new(model.trees()[0].clone(), model.schema().clone(), model.recipe().clone());
    let data = source.rows(10);
    let rows = Matrix::from(data.columns());
    let found = stranger.unwrap().check_rows(rows, None, USUAL_LEVEL, &Exec::default()).unwrap();
    assert!(found.comparisons.is_empty() && found.holds());
    assert!(found.to_string().ends_with("nothing could be compared"), "{found}");
    let error = model.check_rows(rows, None, 1.0, &Exec::default()).unwrap_err().to_string();
    assert_eq!(error, "level is 1; allowed: a number between 0 and 1");
}
