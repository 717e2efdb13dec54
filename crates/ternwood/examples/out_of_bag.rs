//! How often promises from out-of-bag rows are broken, where the truth is known, beside the same promises
//! from held-out rows. Prints a page in Markdown:
//!
//! ```text
//! cargo run --release -p ternwood --example out_of_bag > runs/choosing/out_of_bag.md
//! ```

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::f64::consts::TAU;
use ternwood::stats::exact_interval;
use ternwood::verdict::{CalibrationRows, VerdictRule};
use ternwood::{
    Columns, Dataset, Exec, Feature, Learner, Matrix, Predictions, Recipe, Result, Schema,
};

/// Forests of a line.
const REPETITIONS: u64 = 200;
/// The same where every promise is wrong: nothing else tells how often a wrong one is made.
const REPETITIONS_AT_THE_LIMIT: u64 = 1000;
const ACCURACY: f64 = 0.9;
/// From which rows, and with which confidence. The stricter ones tell what caution would cost.
const PROMISES: [(&str, f64); 4] =
    [("out of bag", 0.95), ("out of bag", 0.975), ("out of bag", 0.99), ("held out", 0.95)];
/// Their classes are not drawn: they count with the true probabilities, which tells as much as several times
/// as many rows.
const FRESH_ROWS: usize = 4_000;

/// Random numbers with a seed.
struct Random(Xoshiro256PlusPlus);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// From 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }

    /// A class with these probabilities.
    fn class(&mut self, shares: &[f64]) -> usize {
        let mut left = self.unit();
        let found = shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        found.unwrap_or(shares.len() - 1)
    }
}

/// Rows whose class probabilities are known.
struct Known {
    name: &'static str,
    n_features: usize,
    n_classes: usize,
    repetitions: u64,
    /// Draws the features of a row and says how probable each class is there.
    row: fn(&mut Random) -> (Vec<f64>, Vec<f64>),
}

/// Drawn rows, with the true probabilities of their classes.
struct Drawn {
    data: Dataset,
    truth: Vec<Vec<f64>>,
}

impl Known {
    fn all() -> [Self; 4] {
        let usual = |name, n_features, n_classes, row| Self {
            name,
            n_features,
            n_classes,
            repetitions: REPETITIONS,
            row,
        };
        let limit = usual("just not good enough", 3, 2, not_good_enough);
        [
            usual("two normals", 6, 2, two_normals),
            usual("noisy checkerboard", 4, 2, checkerboard),
            usual("three classes, one of 10 %", 4, 3, three_classes),
            Self { repetitions: REPETITIONS_AT_THE_LIMIT, ..limit },
        ]
    }

    fn draw(&self, rows: usize, seed: u64) -> Result<Drawn> {
        let mut random = Random::new(seed);
        let (mut values, mut classes, mut truth) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rows {
            let (features, shares) = (self.row)(&mut random);
            values.extend(features);
            classes.push(random.class(&shares) as u32);
            truth.push(shares);
        }
        let features = (0..self.n_features).map(|i| Feature::number(format!("x{i}"))).collect();
        let names = (0..self.n_classes as i64).map(Into::into).collect();
        let columns = Columns::from_rows(&values, self.n_features)?;
        let data = Dataset::with_schema(columns, classes, Schema::new(features, names)?)?;
        Ok(Drawn { data, truth })
    }
}

/// The probabilities of classes with these shares, whose features are normal around these centres.
fn normals(random: &mut Random, shares: &[f64], centres: &[&[f64]]) -> (Vec<f64>, Vec<f64>) {
    let class = random.class(shares);
    let x: Vec<f64> = centres[class].iter().map(|centre| centre + random.normal()).collect();
    let density = |centre: &[f64]| {
        let squares: f64 = x.iter().zip(centre).map(|(x, centre)| (x - centre).powi(2)).sum();
        (-squares / 2.0).exp()
    };
    let joint: Vec<f64> = shares.iter().zip(centres).map(|(share, c)| share * density(c)).collect();
    let total: f64 = joint.iter().sum();
    (x, joint.iter().map(|joint| joint / total).collect())
}

/// The best possible accuracy is 84 %.
fn two_normals(random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    normals(random, &[0.5, 0.5], &[&[-0.41; 6], &[0.41; 6]])
}

fn three_classes(random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let centres: [&[f64]; 3] = [&[0.0; 4], &[1.5, 1.5, 0.0, 0.0], &[0.0, 1.5, 1.5, 0.0]];
    normals(random, &[0.6, 0.3, 0.1], &centres)
}

/// Three by three fields of two features, the upper ones noisier; two more features mean nothing.
fn checkerboard(random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..4).map(|_| random.unit()).collect();
    let field = [x[0], x[1]].map(|x| (3.0 * x) as usize);
    let right = [0.97, 0.92, 0.75][field[1]];
    let even = (field[0] + field[1]) % 2 == 0;
    (x, if even { vec![right, 1.0 - right] } else { vec![1.0 - right, right] })
}

/// The hardest case: nobody can be right in 90 of 100, so every promise is broken, but only just.
fn not_good_enough(random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..3).map(|_| random.unit()).collect();
    let right = ACCURACY - 1e-9;
    let shares = if x[0] < 0.5 { vec![right, 1.0 - right] } else { vec![1.0 - right, right] };
    (x, shares)
}

/// What became of a promise: the share that it decides, and how often that is right in truth.
struct Promised {
    decided: f64,
    accuracy: f64,
}

/// Promises with calibration rows, and measures with fresh rows; `None` if it is refused.
fn promise(
    rows: &CalibrationRows,
    confidence: f64,
    fresh: &Drawn,
    answers: &Predictions,
) -> Option<Promised> {
    let rule = VerdictRule::Guarantee { accuracy: ACCURACY, confidence };
    let policy = rows.policy(rule).ok()?;
    let (mut decided, mut right) = (0, 0.0);
    for (row, truth) in fresh.truth.iter().enumerate() {
        let class = answers.classes()[row];
        if policy.thresholds().decide(class, answers.distribution(row)[class as usize]) {
            decided += 1;
            right += truth[class as usize];
        }
    }
    let accuracy = if decided == 0 { 1.0 } else { right / f64::from(decided) };
    Some(Promised { decided: f64::from(decided) / fresh.truth.len() as f64, accuracy })
}

/// One forest, and its promises from out-of-bag rows, and from as many held-out rows.
fn forest(known: &Known, rows: usize, seed: u64, exec: &Exec) -> Result<[Option<Promised>; 4]> {
    let training = known.draw(rows, 3 * seed)?.data;
    let mut recipe = Recipe::forest();
    recipe.params.seed = seed;
    let fit = Learner::from_recipe(recipe)?.fit_watched(&training, exec, &|_| ())?;
    let unseen = fit.out_of_bag.expect("a forest with bootstrap");
    let unseen = unseen.calibration_rows(training.labels(), training.schema().classes())?;
    let held_out = known.draw(unseen.n_rows(), 3 * seed + 1)?.data;
    let held_out = fit.model.calibration_rows(&held_out, exec)?;
    let fresh = known.draw(FRESH_ROWS, 3 * seed + 2)?;
    let answers = fit.model.predict(Matrix::from(fresh.data.columns()), exec)?;
    Ok(PROMISES.map(|(source, confidence)| {
        let rows = if source == "held out" { &held_out } else { &unseen };
        promise(rows, confidence, &fresh, &answers)
    }))
}

/// A line of the table.
fn line(
    known: &Known,
    rows: usize,
    (source, confidence): (&str, f64),
    promised: &[Option<Promised>],
) -> String {
    let made: Vec<&Promised> = promised.iter().flatten().collect();
    let broken = made.iter().filter(|promised| promised.accuracy < ACCURACY).count();
    let [low, high] = exact_interval(broken, promised.len(), 0.95).expect("there are repetitions");
    let mean = |of: fn(&Promised) -> f64| match made.len() {
        0 => "–".to_owned(),
        n => format!("{:.3}", made.iter().map(|promised| of(promised)).sum::<f64>() / n as f64),
    };
    let worst = made.iter().map(|promised| promised.accuracy).reduce(f64::min);
    format!(
        "| {} | {rows} | {} | {source} | {:.1} % | {} | {broken}: {:.1} % ({:.1} to {:.1}) | {} | {} | {} |",
        known.name,
        promised.len(),
        100.0 * (1.0 - confidence),
        promised.len() - made.len(),
        100.0 * broken as f64 / promised.len() as f64,
        100.0 * low,
        100.0 * high,
        mean(|promised| promised.accuracy),
        worst.map_or_else(|| "–".to_owned(), |worst| format!("{worst:.3}")),
        mean(|promised| promised.decided),
    )
}

const HEAD: &str = "\
# Promises from out-of-bag rows, where the truth is known

Forests of 100 trees (`Recipe::forest()`) promise that decided rows are right in 90 of 100: from their out-of-bag rows, by
which their scale and exponent were chosen too, with 95, 97.5 and 99 % confidence, and from as many rows held out, which
nothing has seen, with 95 %. Each line counts 200 or 1,000 forests, each grown on rows of its own. A promise is *broken* if the true
accuracy of the rows that the whole forest decides is below 90 %: it is measured with 4,000 fresh rows whose class
probabilities are known. In brackets the exact 95 % interval, to compare with the share *allowed*. *Decided accuracy*, *the
lowest*, and the share *decided* are those of the promises that were made. On *just not good enough* nobody can be right in 90
of 100, only in 89.9999999, so every promise made is broken, as often as the test allows. Out of bag the test is made with
half of the risk that the promise may take.

| data | training rows | forests | promised from | allowed | refused | broken | decided accuracy | the lowest | decided |
|---|---:|---:|---|---:|---:|---:|---:|---:|---:|";

#[expect(clippy::print_stdout, reason = "the page is what the example is for")]
fn main() -> Result<()> {
    let exec = Exec::with_threads(2)?;
    println!("{HEAD}");
    for known in Known::all() {
        for rows in [1000, 3000] {
            let mut promised = PROMISES.map(|_| Vec::new());
            for seed in 0..known.repetitions {
                let of_forest = forest(&known, rows, seed, &exec)?;
                promised.iter_mut().zip(of_forest).for_each(|(all, one)| all.push(one));
            }
            for (promise, promised) in PROMISES.into_iter().zip(&promised) {
                println!("{}", line(&known, rows, promise, promised));
            }
        }
    }
    Ok(())
}
