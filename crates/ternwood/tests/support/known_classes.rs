//! Rows of several classes whose true probabilities are known, so that precision and miss rates of
//! given thresholds can be computed, not estimated.
#![allow(dead_code, reason = "tests and the example use different parts")]

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use ternwood::ClassName;
use ternwood::verdict::{CalibrationRows, CalibrationSource, Promises, Thresholds};

/// A population of points, all equally frequent.
pub struct KnownClasses {
    pub name: &'static str,
    n_classes: usize,
    /// The probabilities that a classifier tells of every point, and the true ones.
    told: Vec<f64>,
    truth: Vec<f64>,
    /// The points predicted as each class.
    predicted: Vec<Predicted>,
    /// How much of the population is of each class.
    mass: Vec<f64>,
}

/// The points predicted as one class, the surest first.
struct Predicted {
    confidences: Vec<f64>,
    /// For 0, 1, ... of the surest points, how much of each class they hold.
    held: Vec<Vec<f64>>,
}

/// What thresholds do to the population.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub decided: f64,
    /// By predicted class; 1 where nothing is decided.
    pub precision: Vec<f64>,
    /// By true class.
    pub miss_rate: Vec<f64>,
}

const POINTS: usize = 20_000;

impl KnownClasses {
    /// Classes of these shares. Each has a score that is a standard normal number, higher by
    /// `separation` in its own rows. To the logarithms of the true probabilities, normal numbers
    /// with the standard deviation `noise` are added before they are told: that makes them
    /// overconfident, and rows are ranked less well.
    pub fn new(name: &'static str, shares: &[f64], separation: f64, noise: f64) -> Self {
        let n_classes = shares.len();
        let mut random = Random::new(17);
        let (mut told, mut truth) = (Vec::new(), Vec::new());
        for _ in 0..POINTS {
            let (_, posterior) = random.row(shares, separation);
            told.extend(normalised(posterior.iter().map(|p| p * (noise * random.normal()).exp())));
            truth.extend(posterior);
        }
        Self::of_points(name, n_classes, told, truth)
    }

    fn of_points(name: &'static str, n_classes: usize, told: Vec<f64>, truth: Vec<f64>) -> Self {
        let mut points: Vec<Vec<(f64, &[f64])>> = vec![Vec::new(); n_classes];
        let mut mass = vec![0.0; n_classes];
        for (told, truth) in told.chunks_exact(n_classes).zip(truth.chunks_exact(n_classes)) {
            let class =
                (0..n_classes).fold(0, |best, k| if told[k] > told[best] { k } else { best });
            points[class].push((told[class], truth));
            mass.iter_mut().zip(truth).for_each(|(sum, p)| *sum += p);
        }
        let predicted = points
            .into_iter()
            .map(|mut points| {
                points.sort_by(|a, b| b.0.total_cmp(&a.0));
                let mut held = vec![vec![0.0; n_classes]];
                for (_, truth) in &points {
                    let last = held.last().expect("it starts with nothing");
                    held.push(last.iter().zip(*truth).map(|(sum, p)| sum + p).collect());
                }
                Predicted { confidences: points.iter().map(|point| point.0).collect(), held }
            })
            .collect();
        Self { name, n_classes, told, truth, predicted, mass }
    }

    /// Calibration rows.
    pub fn draw(&self, rows: usize, seed: u64) -> CalibrationRows {
        let mut random = Random::new(seed);
        let (mut told, mut classes) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let point = (random.unit() * POINTS as f64) as usize * self.n_classes;
            told.extend(&self.told[point..][..self.n_classes]);
            classes.push(random.choice(&self.truth[point..][..self.n_classes]) as u32);
        }
        let names: Vec<ClassName> = (0..self.n_classes as i64).map(ClassName::Integer).collect();
        CalibrationRows::new(&told, &classes, &names, CalibrationSource::HeldOut)
            .expect("valid rows")
    }

    /// What these thresholds do to the population.
    pub fn outcome(&self, thresholds: &Thresholds) -> Outcome {
        let decided = |class: usize| {
            let Predicted { confidences, .. } = &self.predicted[class];
            confidences.partition_point(|&p| thresholds.decide(class as u32, p))
        };
        self.outcome_of(&(0..self.n_classes).map(decided).collect::<Vec<_>>())
    }

    /// What deciding this many of the surest points of each predicted class does.
    fn outcome_of(&self, decided: &[usize]) -> Outcome {
        let held = |c: usize| &self.predicted[c].held[decided[c]];
        let classes = || 0..self.n_classes;
        let precision = |c| if decided[c] == 0 { 1.0 } else { held(c)[c] / decided[c] as f64 };
        let missed = |k: usize| classes().filter(|&c| c != k).map(|c| held(c)[k]).sum::<f64>();
        Outcome {
            decided: decided.iter().sum::<usize>() as f64 / POINTS as f64,
            precision: classes().map(precision).collect(),
            miss_rate: classes().map(|k| missed(k) / self.mass[k]).collect(),
        }
    }

    /// The share that can be decided under these promises by whoever knows the population: one
    /// threshold for the misses, and as many of the points above it as the precision allows.
    pub fn best(&self, promises: &Promises) -> f64 {
        let all = |least: f64| -> Vec<usize> {
            let decided = |c: usize| {
                let least = if promises.may_miss(c) { least } else { 0.0 };
                let Predicted { confidences, held } = &self.predicted[c];
                let most = confidences.partition_point(|&p| p >= least);
                let precise = |n: &usize| match promises.precision_of(c) {
                    Some(share) => *n == 0 || held[*n][c] / *n as f64 >= share,
                    None => true,
                };
                (0..=most).rev().find(precise).unwrap_or(0)
            };
            (0..self.n_classes).map(decided).collect()
        };
        let is_kept = |least: f64| {
            let outcome = self.outcome(&Thresholds::Same(least));
            (0..self.n_classes)
                .all(|k| promises.miss_rate_of(k).is_none_or(|most| outcome.miss_rate[k] <= most))
        };
        let (mut broken, mut kept) = (0.0, 1.0 + f64::EPSILON);
        if is_kept(broken) {
            kept = broken;
        }
        for _ in 0..60 {
            let middle = (broken + kept) / 2.0;
            if is_kept(middle) { kept = middle } else { broken = middle }
        }
        self.outcome_of(&all(kept)).decided
    }
}

/// Rows like those of [`KnownClasses::new`], calibrated, hardly two of equal confidence: their
/// probabilities and their classes.
pub fn fresh_rows(
    shares: &[f64],
    separation: f64,
    rows: usize,
    seed: u64,
) -> (Vec<Vec<f64>>, Vec<u32>) {
    let mut random = Random::new(seed);
    let row = |_| {
        let (class, told) = random.row(shares, separation);
        (told, class as u32)
    };
    (0..rows).map(row).unzip()
}

/// True if everything promised holds.
pub fn holds(outcome: &Outcome, promises: &Promises) -> bool {
    let classes = || 0..outcome.precision.len();
    let precise = |c| promises.precision_of(c).is_none_or(|least| outcome.precision[c] >= least);
    let found = |k| promises.miss_rate_of(k).is_none_or(|most| outcome.miss_rate[k] <= most);
    classes().all(precise) && classes().all(found)
}

fn normalised(weights: impl Iterator<Item = f64>) -> Vec<f64> {
    let weights: Vec<f64> = weights.collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Box and Muller's method.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// The class of a row, and the true probabilities of a row with its scores.
    fn row(&mut self, shares: &[f64], separation: f64) -> (usize, Vec<f64>) {
        let class = self.choice(shares);
        let mut score = |k| self.normal() + if k == class { separation } else { 0.0 };
        // The normal densities of two classes differ by such factors only.
        let weights: Vec<f64> = shares
            .iter()
            .enumerate()
            .map(|(k, share)| share * (separation * score(k)).exp())
            .collect();
        (class, normalised(weights.into_iter()))
    }

    fn choice(&mut self, shares: &[f64]) -> usize {
        let mut left = self.unit();
        for (index, share) in shares.iter().enumerate() {
            left -= share;
            if left < 0.0 {
                return index;
            }
        }
        shares.len() - 1
    }
}
