//! Do verdict policies keep what they promise, where the truth is known?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/known_joint.rs"]
mod known_joint;

use known_joint::{Drawn, KnownJoint, Truth};
use proptest::prelude::*;
use ternwood::ErrorKind;
use ternwood::Result;
use ternwood::metrics::ConfidenceRanking;
use ternwood::stats::binomial_cdf;
use ternwood::verdict::{CalibrationRows, VerdictRule};

/// How often, in 1,000 calibrations, a promise was made, and how often it was broken.
struct Kept {
    made: usize,
    broken: usize,
    /// The mean over all calibrations; without a promise nothing is decided.
    coverage: f64,
}

const REPETITIONS: u64 = 1000;

fn repeat(joint: &KnownJoint, rows: usize, accuracy: f64, confidence: f64) -> Kept {
    let mut kept = Kept { made: 0, broken: 0, coverage: 0.0 };
    for seed in 0..REPETITIONS {
        let Drawn { confidences, correct } = joint.draw(rows, seed);
        match threshold(&confidences, &correct, accuracy, confidence) {
            Ok(threshold) => {
                let truth = joint.truth(threshold);
                kept.made += 1;
                kept.broken += usize::from(truth.accuracy < accuracy);
                kept.coverage += truth.coverage;
            }
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::NoGuarantee { .. }), "{error}");
            }
        }
    }
    kept.coverage /= REPETITIONS as f64;
    kept
}

/// The true decided accuracy is below the promise in at most alpha of the runs, plus three standard
/// deviations of a count of 1,000.
#[test]
fn a_promise_is_broken_at_most_as_often_as_it_says() {
    for joint in KnownJoint::all() {
        for (accuracy, confidence) in [(0.9, 0.95), (0.9, 0.8), (0.85, 0.9)] {
            let kept = repeat(&joint, 1000, accuracy, confidence);
            let (alpha, runs) = (1.0 - confidence, REPETITIONS as f64);
            let most = alpha * runs + 3.0 * (runs * alpha * (1.0 - alpha)).sqrt();
            assert!(
                kept.broken as f64 <= most,
                "{} at {accuracy}, {confidence}: {} of {REPETITIONS} broken",
                joint.name,
                kept.broken
            );
        }
    }
}

/// The coverage that a calibration reaches unless it is unlucky.
///
/// With `k` decided rows the share of right ones has the standard error `s = sqrt(a (1 - a) / k)`
/// at the promised accuracy `a`. The test passes from about `a + 1.96 s` on, at 95 % confidence
/// shared by two sequences.
/// Where the true accuracy is two standard errors higher still, 97.7 % of the calibrations pass.
/// The first sequence starts at a fifth of the rows, and stops where it fails first.
fn coverage_of_most_runs(joint: &KnownJoint, rows: usize, accuracy: f64) -> f64 {
    let thresholds = (500..1000).rev().map(|i| f64::from(i) / 1000.0);
    let truths = thresholds.map(|threshold| joint.truth(threshold));
    let tested = truths.skip_while(|truth| truth.coverage < 0.2);
    let passes = |truth: &Truth| {
        let decided = truth.coverage * rows as f64;
        let error = (accuracy * (1.0 - accuracy) / decided).sqrt();
        truth.accuracy >= accuracy + (1.96 + 2.0) * error
    };
    tested.take_while(passes).last().map_or(0.0, |truth| truth.coverage)
}

/// A calibration that flagged everything would pass the test above.
#[test]
fn a_promise_is_not_bought_by_flagging_everything() {
    let (accuracy, confidence) = (0.85, 0.95);
    for joint in KnownJoint::all() {
        let [few, many] =
            [1000, 8000].map(|rows| repeat(&joint, rows, accuracy, confidence).coverage);
        let expected = coverage_of_most_runs(&joint, 8000, accuracy);
        assert!(expected > 0.0, "{}: nothing to compare with", joint.name);
        // One run in ten may be unlucky at some threshold.
        assert!(many >= 0.9 * expected, "{}: {many}, and most reach {expected}", joint.name);
        // With more rows the threshold approaches the best possible one.
        let best = joint.best_coverage(accuracy);
        assert!(0.0 < few && few < many && many < best, "{}: {few}, {many}, {best}", joint.name);
    }
}

/// If the accuracy is just below the promise at every threshold, the promise is made in at most
/// alpha of the runs: this is where the test has no slack at all.
#[test]
fn at_the_border_the_promise_is_made_rarely() {
    // 1,000 rows, each right with a probability of just under 0.9, whatever the confidence.
    let kept = repeat(&KnownJoint::flat(0.9 - 1e-9), 1000, 0.9, 0.95);
    assert_eq!(kept.made, kept.broken, "every promise is one too many");
    let most = 50.0 + 3.0 * (1000.0 * 0.05 * 0.95f64).sqrt();
    assert!(kept.made as f64 <= most && kept.made > 0, "{} made", kept.made);
}

/// Calibration rows without a model, with only what calibration uses.
fn rows(confidences: &[f64], correct: &[bool]) -> CalibrationRows {
    let (confidences, correct) = (confidences.to_vec(), correct.to_vec());
    Drawn { confidences, correct }.calibration_rows()
}

/// The threshold with which an accuracy is promised.
fn threshold(confidences: &[f64], correct: &[bool], accuracy: f64, confidence: f64) -> Result<f64> {
    let rule = VerdictRule::Guarantee { accuracy, confidence };
    let policy = rows(confidences, correct).policy(rule)?;
    Ok(policy.thresholds().common().expect("one for all classes"))
}

proptest! {
    #[test]
    fn a_budget_is_never_exceeded_and_never_wasted(
        levels in prop::collection::vec(50u32..=100, 1..200),
        flag_rate in prop_oneof![0.0..1.0f64, (0u32..100).prop_map(|p| f64::from(p) / 100.0)],
    ) {
        let confidences: Vec<f64> = levels.iter().map(|&level| f64::from(level) / 100.0).collect();
        let calibration = rows(&confidences, &vec![true; levels.len()]);
        let policy = calibration.policy(VerdictRule::Budget { flag_rate }).unwrap();
        let flagged = policy.achieved().unwrap().total().flag_rate().unwrap();
        prop_assert!(flagged <= flag_rate, "{} flagged of {}", flagged, flag_rate);
        // One level higher would exceed the budget.
        let n = confidences.len() as f64;
        let threshold = policy.thresholds().common().unwrap();
        let lowest = confidences.iter().copied().filter(|&c| c >= threshold).fold(1.0, f64::min);
        let higher = confidences.iter().filter(|&&c| c <= lowest).count() as f64 / n;
        prop_assert!(higher > flag_rate, "{} would be flagged, and {} may be", higher, flag_rate);
    }

    #[test]
    fn the_threshold_depends_on_no_order_of_rows(
        drawn in prop::collection::vec((50u32..=100, any::<bool>()), 30..300),
        turn in 0usize..300,
    ) {
        let found = |rows: &[(u32, bool)]| {
            let confidences: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 100.0).collect();
            let correct: Vec<bool> = rows.iter().map(|row| row.1).collect();
            threshold(&confidences, &correct, 0.6, 0.8)
        };
        let mut turned = drawn.clone();
        turned.rotate_left(turn % drawn.len());
        prop_assert_eq!(found(&drawn), found(&turned));
    }
}

/// Chow's rule on correct probabilities costs as little as any threshold, even one chosen on the
/// very rows it is measured on.
#[test]
fn the_cost_policy_costs_what_the_best_threshold_in_hindsight_costs() {
    let n = 20_000;
    let joints = KnownJoint::all();
    for (seed, cost_ratio) in [(1, 0.05), (2, 0.1), (3, 0.2), (4, 0.35)] {
        for joint in [&joints[0], &joints[2]] {
            let Drawn { confidences, correct } = joint.draw(n, seed);
            let threshold = rows(&confidences, &correct)
                .policy(VerdictRule::Cost { cost_ratio })
                .unwrap()
                .thresholds()
                .common()
                .unwrap();
            assert_eq!(threshold, 1.0 - cost_ratio);
            let decided = |row: usize| confidences[row] >= threshold;
            let costs = |row: usize| {
                if !decided(row) { cost_ratio } else { f64::from(u8::from(!correct[row])) }
            };
            let realised = (0..n).map(costs).sum::<f64>() / n as f64;
            let ranking = ConfidenceRanking::new(&confidences, &correct).unwrap();
            let of_point =
                |coverage: f64, risk: f64| coverage * risk + (1.0 - coverage) * cost_ratio;
            let curve = ranking.curve();
            let hindsight = curve.iter().map(|point| of_point(point.coverage, point.risk));
            let best = hindsight.fold(cost_ratio, f64::min);
            // A row costs at most 1, so the noise of a mean of n is below 1 / (2 sqrt n); hindsight
            // profits from it, and the policy cannot be better than hindsight.
            let noise = 3.0 * 0.5 / (n as f64).sqrt();
            assert!(realised >= best - 1e-12, "{}: {realised} {best}", joint.name);
            assert!(realised <= best + noise, "{}: {realised} {best}", joint.name);
        }
    }
}

/// `scripts/make_binomial.py` writes scipy's values.
#[test]
fn binomial_probabilities_are_those_of_scipy() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/binomial_cdf.csv");
    let table = std::fs::read_to_string(path).unwrap();
    let mut compared = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (n, k): (usize, usize) = (fields[0].parse().unwrap(), fields[1].parse().unwrap());
        let (p, expected): (f64, f64) = (fields[2].parse().unwrap(), fields[3].parse().unwrap());
        let ours = binomial_cdf(n, k, p);
        // Our sum rounds four times per term, and once in a logarithm that becomes a factor.
        let roundings = 4.0 * k as f64 + n as f64 * (-p).ln_1p().abs();
        let tolerance = 1e-13 + roundings * f64::EPSILON / 2.0;
        assert!((ours - expected).abs() <= tolerance * expected, "{line}: {ours}");
        compared += 1;
    }
    assert!(compared > 100, "only {compared} values");
}
