//! Confidences and correctness drawn from a known distribution, so that the true accuracy above a
//! threshold can be computed, not estimated.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use ternwood::ClassName;
use ternwood::verdict::{CalibrationRows, CalibrationSource};

/// A joint distribution of confidence and correctness: either few levels of confidence
/// (like a tree's leaves) or enough levels that rows hardly ever tie (like blended probabilities).
pub struct KnownJoint {
    pub name: &'static str,
    /// Confidence and probability of being right, by descending confidence; all equally frequent.
    levels: Vec<(f64, f64)>,
}

/// The true coverage and accuracy of deciding at a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Truth {
    pub coverage: f64,
    /// 1 if nothing is decided: no decided row is wrong.
    pub accuracy: f64,
}

/// Calibration rows.
pub struct Drawn {
    pub confidences: Vec<f64>,
    pub correct: Vec<bool>,
}

impl Drawn {
    /// The rows of a classifier of which only this is known.
    pub fn calibration_rows(&self) -> CalibrationRows {
        let distributions: Vec<f64> = self.confidences.iter().flat_map(|&c| [1.0 - c, c]).collect();
        let truth: Vec<u32> = self.correct.iter().map(|&right| u32::from(right)).collect();
        let names = ["wrong", "right"].map(ClassName::from);
        CalibrationRows::new(&distributions, &truth, &names, CalibrationSource::HeldOut)
            .expect("valid rows")
    }
}

impl KnownJoint {
    /// The cases that tests should cover: calibrated, overconfident and coarse confidences, and one
    /// whose most confident rows are not its best.
    pub fn all() -> Vec<Self> {
        let smooth = |right: fn(f64) -> f64| {
            let confidence = |i: usize| 1.0 - (i as f64 + 0.5) / 20_000.0;
            (0..10_000).map(|i| (confidence(i), right(confidence(i)))).collect()
        };
        vec![
            Self { name: "calibrated", levels: smooth(|c| c) },
            Self { name: "overconfident", levels: smooth(|c| 0.5 + 0.9 * (c - 0.5)) },
            Self {
                name: "twelve levels",
                levels: (0..12).map(|i| 0.99 - 0.03 * f64::from(i)).map(|c| (c, c)).collect(),
            },
            Self {
                name: "surest not best",
                levels: smooth(|c| if c > 0.97 { 0.9 } else { (c + 0.04).min(0.985) }),
            },
        ]
    }

    /// Right with the same probability at every confidence.
    pub fn flat(right: f64) -> Self {
        let levels = (0..10_000).map(|i| (1.0 - f64::from(i) / 20_000.0, right)).collect();
        Self { name: "just not good enough", levels }
    }

    pub fn draw(&self, rows: usize, seed: u64) -> Drawn {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut unit = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let (mut confidences, mut correct) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let (confidence, right) = self.levels[(unit() * self.levels.len() as f64) as usize];
            confidences.push(confidence);
            correct.push(unit() < right);
        }
        Drawn { confidences, correct }
    }

    /// The true accuracy and coverage of deciding at `threshold`.
    pub fn truth(&self, threshold: f64) -> Truth {
        let decided = self.levels.iter().take_while(|(confidence, _)| *confidence >= threshold);
        let (rows, right) =
            decided.fold((0, 0.0), |(rows, sum), (_, right)| (rows + 1, sum + right));
        let coverage = f64::from(rows) / self.levels.len() as f64;
        Truth { coverage, accuracy: if rows == 0 { 1.0 } else { right / f64::from(rows) } }
    }

    /// The highest coverage at this accuracy, given the distribution.
    pub fn best_coverage(&self, accuracy: f64) -> f64 {
        let (mut right, mut best) = (0.0, 0);
        for (index, level) in self.levels.iter().enumerate() {
            right += level.1;
            if right / (index + 1) as f64 >= accuracy {
                best = index + 1;
            }
        }
        best as f64 / self.levels.len() as f64
    }
}
