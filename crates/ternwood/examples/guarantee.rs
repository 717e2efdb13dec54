//! How often promised accuracies are broken, and what they cost in coverage, where the truth is
//! known. Prints a table in Markdown:
//!
//! ```text
//! cargo run -p ternwood --example guarantee > runs/choosing/guarantee.md
//! ```

#[path = "../tests/support/known_joint.rs"]
mod known_joint;

use known_joint::{Drawn, KnownJoint};
use ternwood::ClassName;
use ternwood::verdict::{CalibrationRows, CalibrationSource, VerdictRule};

const REPETITIONS: u64 = 1000;
const ACCURACY: f64 = 0.85;
const CONFIDENCE: f64 = 0.95;

fn main() -> ternwood::Result<()> {
    let names = ["wrong", "right"].map(ClassName::from);
    let rule = VerdictRule::Guarantee { accuracy: ACCURACY, confidence: CONFIDENCE };
    let mut lines = vec![
        "| confidences | calibration rows | promises made | broken | coverage | best possible |"
            .to_owned(),
        "|---|---:|---:|---:|---:|---:|".to_owned(),
    ];
    // The hardest case: every promise would be wrong, but only just.
    let hardest = KnownJoint::flat(ACCURACY - 1e-9);
    for joint in KnownJoint::all().into_iter().chain([hardest]) {
        for rows in [300, 1000, 10_000] {
            let (mut made, mut broken, mut coverage) = (0, 0, 0.0);
            for seed in 0..REPETITIONS {
                let Drawn { confidences, correct } = joint.draw(rows, seed);
                let distributions: Vec<f64> =
                    confidences.iter().flat_map(|&c| [1.0 - c, c]).collect();
                let truth: Vec<u32> = correct.iter().map(|&right| u32::from(right)).collect();
                let source = CalibrationSource::HeldOut;
                let drawn = CalibrationRows::new(&distributions, &truth, &names, source)?;
                let policy = drawn.policy(rule.clone());
                if let Some(threshold) = policy.ok().and_then(|p| p.thresholds().common()) {
                    let truth = joint.truth(threshold);
                    made += 1;
                    broken += u32::from(truth.accuracy < ACCURACY);
                    coverage += truth.coverage;
                }
            }
            lines.push(format!(
                "| {} | {rows} | {made} | {broken} | {:.3} | {:.3} |",
                joint.name,
                coverage / f64::from(made.max(1)),
                joint.best_coverage(ACCURACY),
            ));
        }
    }
    #[expect(clippy::print_stdout, reason = "the table is what the example is for")]
    for line in lines {
        println!("{line}");
    }
    Ok(())
}
