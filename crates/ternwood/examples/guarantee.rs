//! How often promises are broken, and what they cost in coverage, where the truth is known.
//! Prints a table in Markdown:
//!
//! ```text
//! cargo run --release -p ternwood --example guarantee > runs/choosing/guarantee.md
//! ```

#[path = "../tests/support/known_classes.rs"]
mod known_classes;
#[path = "../tests/support/known_joint.rs"]
mod known_joint;

use known_classes::{KnownClasses, holds};
use known_joint::KnownJoint;
use ternwood::verdict::{Promises, VerdictRule};

const REPETITIONS: u64 = 1000;
const ACCURACY: f64 = 0.85;
const CONFIDENCE: f64 = 0.9;

/// What became of one calibration: the share that it decides, and whether its promises hold.
struct Calibrated {
    decided: f64,
    holds: bool,
}

/// A line of the table: 1,000 calibrations, some of which refuse to promise.
fn line(
    name: &str,
    promise: &str,
    rows: usize,
    best: f64,
    calibrate: impl Fn(u64) -> Option<Calibrated>,
) -> String {
    let made: Vec<Calibrated> = (0..REPETITIONS).filter_map(calibrate).collect();
    let broken = made.iter().filter(|calibrated| !calibrated.holds).count();
    let decided = made.iter().map(|calibrated| calibrated.decided).sum::<f64>();
    let decided = match made.len() {
        0 => "–".to_owned(),
        n => format!("{:.3}", decided / n as f64),
    };
    let made = made.len();
    format!("| {name} | {promise} | {rows} | {made} | {broken} | {decided} | {best:.3} |")
}

/// A promise of accuracy, for all classes together.
fn of_accuracy() -> Vec<String> {
    // The hardest case: every promise would be wrong, but only just.
    let hardest = KnownJoint::flat(ACCURACY - 1e-9);
    let rule = VerdictRule::Guarantee { accuracy: ACCURACY, confidence: CONFIDENCE };
    let mut lines = Vec::new();
    for joint in KnownJoint::all().into_iter().chain([hardest]) {
        for rows in [300, 1000, 10_000] {
            let calibrate = |seed| {
                let policy = joint.draw(rows, seed).calibration_rows().policy(rule.clone()).ok()?;
                let truth = joint.truth(policy.thresholds().common()?);
                Some(Calibrated { decided: truth.coverage, holds: truth.accuracy >= ACCURACY })
            };
            let promise = format!("accuracy {ACCURACY}");
            let best = joint.best_coverage(ACCURACY);
            lines.push(line(joint.name, &promise, rows, best, calibrate));
        }
    }
    lines
}

/// What is promised of populations of as many classes; 0 stands for nothing.
struct Case {
    populations: Vec<KnownClasses>,
    rows: [usize; 2],
    promises: Vec<(&'static str, Vec<f64>, Vec<f64>)>,
}

fn cases() -> Vec<Case> {
    let populations = |names: [&'static str; 2], shares: &[f64], separation| {
        let [calibrated, overconfident] = names;
        vec![
            KnownClasses::new(calibrated, shares, separation, 0.0),
            KnownClasses::new(overconfident, shares, separation, 0.5),
        ]
    };
    vec![
        Case {
            populations: populations(
                ["20 % ill, calibrated", "20 % ill, overconfident"],
                &[0.8, 0.2],
                1.3,
            ),
            rows: [500, 1500],
            promises: vec![
                ("precision: ill 0.75, healthy 0.95", vec![0.95, 0.75], vec![]),
                ("missed: ill 0.05", vec![], vec![0.0, 0.05]),
                ("both", vec![0.95, 0.75], vec![0.0, 0.05]),
            ],
        },
        Case {
            populations: populations(
                ["2 % ill, calibrated", "2 % ill, overconfident"],
                &[0.98, 0.02],
                1.5,
            ),
            rows: [1500, 6000],
            promises: vec![
                ("precision: healthy 0.995", vec![0.995, 0.0], vec![]),
                ("missed: ill 0.1", vec![], vec![0.0, 0.1]),
                ("both", vec![0.995, 0.0], vec![0.0, 0.1]),
            ],
        },
        Case {
            populations: populations(
                ["four classes, calibrated", "four classes, overconfident"],
                &[0.4, 0.3, 0.2, 0.1],
                2.0,
            ),
            rows: [1500, 6000],
            promises: vec![
                ("precision: all 0.85", vec![0.85; 4], vec![]),
                ("missed: third 0.1, fourth 0.1", vec![], vec![0.0, 0.0, 0.1, 0.1]),
                ("both", vec![0.85; 4], vec![0.0, 0.0, 0.1, 0.1]),
            ],
        },
    ]
}

fn class_by_class() -> Vec<String> {
    let mut lines = Vec::new();
    for Case { populations, rows, promises } in cases() {
        for population in &populations {
            for (name, precision, miss_rate) in &promises {
                let list = |shares: &[f64]| {
                    shares.iter().map(|&share| (share > 0.0).then_some(share)).collect()
                };
                let promises = Promises {
                    precision: list(precision),
                    miss_rate: list(miss_rate),
                    confidence: CONFIDENCE,
                };
                let best = population.best(&promises);
                for rows in rows {
                    let calibrate = |seed| {
                        let rule = VerdictRule::Promises(promises.clone());
                        let policy = population.draw(rows, seed).policy(rule).ok()?;
                        let outcome = population.outcome(policy.thresholds());
                        let holds = holds(&outcome, &promises);
                        Some(Calibrated { decided: outcome.decided, holds })
                    };
                    lines.push(line(population.name, name, rows, best, calibrate));
                }
            }
        }
    }
    lines
}

fn main() {
    let head = [
        "| probabilities | promise | calibration rows | promises made | broken | decided | best possible |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    .map(str::to_owned);
    let lines = head.into_iter().chain(of_accuracy()).chain(class_by_class());
    #[expect(clippy::print_stdout, reason = "the table is what the example is for")]
    for line in lines {
        println!("{line}");
    }
}
