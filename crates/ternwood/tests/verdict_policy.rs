//! Do predictions, explanations and files of a model follow its verdict policy?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use support::sample::Sample;
use ternwood::bayes_error::{BayesError, zone_scale_for_flag_rate};
use ternwood::recipe::ZoneParams;
use ternwood::tree::{TreeBuilder, Zone};
use ternwood::verdict::{
    CalibrationRows, CalibrationSource, ConfidencePolicy, CostMatrix, CostPolicy, Promises,
    VerdictRule,
};
use ternwood::{
    ClassName, Dataset, Exec, Feature, Matrix, Model, Recipe, Routing, Schema, TreeParams, Verdict,
    VerdictPolicy, ZoneKind,
};

/// glucose <= 127 ± 2: healthy with 0.9, else ill with 0.8.
fn by_hand(routing: Routing) -> Model {
    let mut builder = TreeBuilder::new(1, 2);
    builder.split(0, Zone::new(127.0, 2.0).unwrap());
    builder.leaf(&[9.0, 1.0]);
    builder.leaf(&[2.0, 8.0]);
    let classes = ["healthy", "ill"].map(ClassName::from).to_vec();
    let features = vec![Feature::number("glucose")];
    let schema = Schema::new(features, classes).unwrap();
    let recipe = Recipe { routing, ..Recipe::default() };
    Model::new(builder.finish().unwrap(), schema, recipe).unwrap()
}

fn by_cost(model: Model, cost_ratio: f64) -> Model {
    model.with_verdict(ConfidencePolicy::of_cost_ratio(cost_ratio).unwrap()).unwrap()
}

fn verdicts(model: &Model, values: &[f64]) -> Vec<Verdict> {
    let rows = Matrix::row_major(values, 1).unwrap();
    model.predict(rows, &Exec::default()).unwrap().verdicts().to_vec()
}

#[test]
fn every_undecided_and_every_decided_row_is_explained() {
    let zones = by_hand(Routing::Probabilistic);
    let cost = by_cost(by_hand(Routing::Probabilistic), 0.25);
    let sentence = |model: &Model, x: f64| model.explain(&[x]).unwrap().sentence();
    // 127: half and half, 0.5 * (0.9, 0.1) + 0.5 * (0.2, 0.8) = (0.55, 0.45).
    assert_eq!(
        sentence(&zones, 127.0).unwrap(),
        "Flagged because glucose 127 lies within the uncertainty zone from 125 to 129. A single change would decide it: glucose 125 \
         (healthy) or glucose 129.1 (ill)."
    );
    assert_eq!(
        sentence(&cost, 127.0).unwrap(),
        "Flagged: 55 % sure, below 75 %. It hinges on glucose 127 (uncertain between 125 and 129). A single change would \
         decide it: glucose 125.8 (healthy) or glucose 128.8 (ill)."
    );
    // 125.4: (129 - 125.4) / 4 = 0.9 to the left: 0.9 * 0.9 + 0.1 * 0.2 = 0.83.
    assert_eq!(
        sentence(&cost, 125.4).unwrap(),
        "Decided although glucose 125.4 lies within the uncertainty zone from 125 to 129: 83 % sure, not below 75 %."
    );
    assert_eq!(sentence(&cost, 120.0), None, "decided, and in no zone");
    // Outside all zones, but still not confident enough.
    let careful = by_cost(by_hand(Routing::Crisp), 0.15);
    assert_eq!(
        sentence(&careful, 140.0).unwrap(),
        "Flagged: 80 % sure, below 85 %. The training rows like this one are mixed (8 of 10 are ill). A single \
         change would decide it: glucose 127 (healthy)."
    );
    let report = careful.explain(&[140.0]).unwrap().to_string();
    assert!(
        report.starts_with("ill with probability 0.800, undecided\nFlagged: 80 % sure"),
        "{report}"
    );
    let report = cost.explain(&[125.4]).unwrap().to_string();
    assert!(
        report.starts_with("healthy with probability 0.830, decided\nDecided although"),
        "{report}"
    );
    assert!(report.contains("WITHIN") && report.contains(", weight 0.9"), "{report}");
}

#[test]
fn prediction_and_explanation_agree_on_every_row() {
    let sample = Sample::generated(3, 120, 3);
    for routing in [Routing::Crisp, Routing::Probabilistic, Routing::Deferred, Routing::HardMiddle]
    {
        let zones =
            sample.fit(&TreeParams { max_depth: Some(3), ..TreeParams::default() }, routing);
        let model = by_cost(zones.clone(), 0.2);
        let data = sample.dataset();
        let rows = Matrix::from(data.columns());
        let plain = zones.predict(rows, &Exec::default()).unwrap();
        let predictions = model.predict(rows, &Exec::default()).unwrap();
        assert_eq!(predictions.classes(), plain.classes(), "no class changes");
        assert_eq!(predictions.distributions(), plain.distributions(), "no probability changes");
        for (row, values) in sample.rows.iter().enumerate() {
            let explained = model.explain(values).unwrap();
            let verdict = predictions.verdicts()[row];
            assert_eq!(explained.explanation().verdict, verdict, "{routing}, row {row}");
            let below = predictions.confidences()[row] < 0.8;
            assert_eq!(verdict.is_undecided(), below, "{routing}, row {row}");
            assert!(verdict.is_decided() || explained.sentence().is_some());
        }
    }
}

/// `precision` is promised of 1,000 rows that are told to be healthy with these probabilities, all
/// rightly; nothing of the ill.
fn promising(model: Model, precision: f64, told: &[f64]) -> Model {
    let healthy = (0..1000).flat_map(|i| [told[i % told.len()], 1.0 - told[i % told.len()]]);
    let (distributions, classes) = (healthy.collect::<Vec<_>>(), model.schema().classes());
    let source = CalibrationSource::HeldOut;
    let rows = CalibrationRows::new(&distributions, &[0; 1000], classes, source).unwrap();
    let precision = vec![Some(precision), None];
    let promises = Promises { precision, miss_rate: vec![], confidence: 0.9 };
    model.with_verdict(rows.policy(VerdictRule::Promises(promises)).unwrap()).unwrap()
}

#[test]
fn rows_are_judged_and_explained_by_the_threshold_of_their_class() {
    // Halfway between 0.9 and the lowest possible probability of two classes: 0.7.
    let model = promising(by_hand(Routing::Probabilistic), 0.9, &[0.9]);
    let sentence = |x: f64| model.explain(&[x]).unwrap().sentence().unwrap();
    // At 127, healthy with 0.55; at 128, a quarter to the left, ill with 0.625.
    assert_eq!(
        verdicts(&model, &[120.0, 127.0, 128.0]),
        [true, false, true].map(Verdict::decided_if)
    );
    assert_eq!(
        sentence(127.0),
        "Flagged: 55 % sure, below 70 %. It hinges on glucose 127 (uncertain between 125 and 129). A single change would \
         decide it: glucose 126.1 (healthy) or glucose 127.3 (ill)."
    );
    assert_eq!(
        sentence(128.0),
        "Decided although glucose 128 lies within the uncertainty zone from 125 to 129: rows predicted ill are always decided."
    );
    assert_eq!(
        model.verdict().described(model.schema().classes()),
        "promised with 90 % confidence:\n  rows predicted healthy are decided from a probability \
         of 0.7: at least 90 % of them are healthy (1000 of 1000)\n  rows predicted ill are always \
         decided"
    );
}

#[test]
fn costs_choose_the_answer_and_leave_the_probabilities() {
    // An ill one sent home costs five times a healthy one kept, and a flag a half.
    let costs = CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], vec![0.5, 0.5]).unwrap();
    let plain = by_hand(Routing::Probabilistic);
    let model = plain.clone().with_verdict(CostPolicy::new(costs)).unwrap();
    let values = [120.0, 127.0, 128.0, 135.0];
    let rows = Matrix::row_major(&values, 1).unwrap();
    let [before, after] =
        [&plain, &model].map(|model| model.predict(rows, &Exec::default()).unwrap());
    assert_eq!(before.distributions(), after.distributions());
    // Healthy with 0.9: 5 * 0.1 = 0.5 as for a flag. With 0.55: "ill" costs 0.55. With 0.375: less.
    assert_eq!(before.classes(), [0, 0, 1, 1]);
    assert_eq!(after.classes(), [0, 1, 1, 1]);
    assert_eq!(after.verdicts(), [true, false, true, true].map(Verdict::decided_if));
    let explained = model.explain(&[127.0]).unwrap();
    assert_eq!(explained.class(), 1);
    assert_eq!(
        explained.sentence().unwrap(),
        "Flagged: ill, the cheapest answer, is expected to cost 0.55, and a flag only 0.50. It hinges \
         on glucose 127 (uncertain between 125 and 129). A single change would decide it: glucose 125 (healthy) or \
         glucose 127.3 (ill)."
    );
    assert!(explained.to_string().starts_with("ill with probability 0.450, undecided"));
}

#[test]
fn the_default_verdict_is_by_zones_and_can_be_restored() {
    let model = by_hand(Routing::Probabilistic);
    assert_eq!(model.verdict(), &VerdictPolicy::default());
    let json = model.to_json();
    assert!(json.contains(r#""verdict": {"zones":{}}"#), "{json}");
    let again = by_cost(model.clone(), 0.2).with_verdict(VerdictPolicy::default()).unwrap();
    assert_eq!(again.to_json(), json);
    let values = [120.0, 125.0, 125.1, 129.0, 129.1];
    let expected = [true, true, false, false, true].map(Verdict::decided_if);
    assert_eq!(verdicts(&again, &values), expected);
}

fn calibrated(model: &Model, data: &Dataset, rule: VerdictRule) -> Model {
    // The data may be the training rows: what is tested is what becomes of the answers.
    let source = CalibrationSource::HeldOut;
    let rows = model.calibration_rows_from(data, source, &Exec::default()).unwrap();
    model.clone().with_verdict(rows.policy(rule).unwrap()).unwrap()
}

#[test]
fn a_policy_survives_saving_and_reports_each_class() {
    let sample = Sample::generated(2, 400, 2);
    let model = sample
        .fit(&TreeParams { max_depth: Some(2), ..TreeParams::default() }, Routing::Probabilistic);
    let data = sample.dataset();
    for rule in [
        VerdictRule::Cost { cost_ratio: 0.3 },
        VerdictRule::Budget { flag_rate: 0.4 },
        VerdictRule::Guarantee { accuracy: 0.55, confidence: 0.9 },
    ] {
        let model = calibrated(&model, &data, rule.clone());
        let read = Model::from_json(&model.to_json()).unwrap();
        assert_eq!(read, model);
        let policy = read.verdict().as_confidence().unwrap();
        assert_eq!(policy.rule(), &rule);
        let achieved = policy.achieved().unwrap();
        let verdicts = read.predict(Matrix::from(data.columns()), &Exec::default()).unwrap();
        let decided = verdicts.verdicts().iter().filter(|v| v.is_decided()).count() as u64;
        assert_eq!(achieved.total().decided, decided);
        assert_eq!(achieved.total().rows, 400);
        let rows = |class| data.labels().iter().filter(|&&id| id == class).count() as u64;
        assert_eq!([0, 1].map(|class| achieved.classes()[class].rows), [rows(0), rows(1)]);
    }
}

#[test]
fn a_policy_for_other_classes_is_an_error() {
    let sample = Sample::generated(2, 100, 3);
    let params = TreeParams { max_depth: Some(2), ..TreeParams::default() };
    let model = sample.fit(&params, Routing::Probabilistic);
    let rule = VerdictRule::Budget { flag_rate: 0.5 };
    let policy = calibrated(&model, &sample.dataset(), rule).verdict().clone();
    let error = by_hand(Routing::Crisp).with_verdict(policy).unwrap_err().to_string();
    assert!(error.contains("the verdict's list of classes has length 3"), "{error}");
}

#[test]
fn the_zone_scale_flags_the_requested_share() {
    let sample = Sample::generated(4, 500, 2);
    let data = sample.dataset();
    let exec = Exec::default();
    let params = |scale| TreeParams {
        max_depth: Some(3),
        zone: ZoneParams { scale, ..ZoneParams::from(ZoneKind::class_overlap()) },
        ..TreeParams::default()
    };
    let model = sample.fit(&params(0.5), Routing::Probabilistic);
    let distances = model.zone_distances(Matrix::from(data.columns()), &exec).unwrap();
    for wanted in [0.05, 0.2, 0.5] {
        let scale = zone_scale_for_flag_rate(&model, &data, wanted, &exec).unwrap();
        // No distance gives a nearer rate. Distances closer than rounding count as equal.
        for within in &distances {
            let rate = distances.iter().filter(|&s| *s <= within * (1.0 + 1e-9)).count();
            let rate = rate as f64 / 500.0;
            assert!((scale.flag_rate - wanted).abs() <= (rate - wanted).abs() + 1e-12, "{rate}");
        }
        let scaled = sample.fit(&params(0.5 * scale.factor), Routing::Probabilistic);
        let predictions = scaled.predict(Matrix::from(data.columns()), &exec).unwrap();
        let flagged = predictions.verdicts().iter().filter(|v| v.is_undecided()).count();
        assert_eq!(flagged as f64 / 500.0, scale.flag_rate, "the verdicts say the same");
    }
    assert!(zone_scale_for_flag_rate(&model, &data, 1.5, &exec).is_err());
    let middle = sample.fit(&params(1.0), Routing::HardMiddle);
    assert!(zone_scale_for_flag_rate(&middle, &data, 0.1, &exec).is_err());
}

#[test]
fn the_bayes_error_depends_on_neither_threads_nor_the_order_of_rows() {
    let sample = Sample::generated(3, 300, 2);
    let data = sample.dataset();
    let of = |data: &Dataset, threads| {
        BayesError::of(data, &Exec::with_threads(threads).unwrap()).unwrap()
    };
    let bayes = of(&data, 1);
    assert!(0.0 < bayes.lower && bayes.lower < bayes.upper, "{bayes:?}");
    assert_eq!(of(&data, 4), bayes);
    let turned: Vec<usize> = (0..300).map(|row| (row * 7 + 13) % 300).collect();
    let turned = of(&data.select(&turned).unwrap(), 1);
    // Shares of equally near neighbours are summed in another order.
    assert!((turned.upper - bayes.upper).abs() < 1e-12, "{turned:?} {bayes:?}");
}
