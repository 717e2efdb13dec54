//! Breiman's waveforms: noisy mixtures of two of three waves.

use crate::random::Random;
use ternwood::Dataset;

/// The Bayes error of [`waveform`], with or without noise columns. It has no closed form. Breiman
/// and others (*Classification and Regression Trees*, 1984) give 0.14; classifying a million rows
/// by their exact posterior gave the value here, give or take 0.0003.
pub const WAVEFORM_BAYES_ERROR: f64 = 0.1331;

/// The number of columns that depend on the class.
const WAVE: usize = 21;

/// The two waves that the rows of each class mix.
const MIXED: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// The peaks of the three triangular waves, which are 6 high and reach 6 to each side.
const PEAKS: [f64; 3] = [11.0, 15.0, 7.0];

fn wave(wave: usize, column: usize) -> f64 {
    (6.0 - (column as f64 + 1.0 - PEAKS[wave]).abs()).max(0.0)
}

/// Three equally likely classes. Each row mixes two waves in proportions `u` and `1 - u`, `u`
/// uniform, plus standard normal noise in each of the 21 columns.
#[must_use]
pub fn waveform(rows: usize, seed: u64) -> Dataset {
    rows_of::<WAVE>(rows, seed)
}

/// [`waveform`] with 19 additional noise columns.
#[must_use]
pub fn waveform_with_noise(rows: usize, seed: u64) -> Dataset {
    rows_of::<40>(rows, seed)
}

fn rows_of<const D: usize>(rows: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let row = |_| {
        let class = ((3.0 * random.unit()) as usize).min(2);
        let share = random.unit();
        let (first, second) = MIXED[class];
        let mean = |column: usize| {
            if column >= WAVE {
                return 0.0;
            }
            share * wave(first, column) + (1.0 - share) * wave(second, column)
        };
        let values: [f64; D] = std::array::from_fn(|column| random.normal(mean(column), 1.0));
        (values, class as u32)
    };
    let rows: Vec<([f64; D], u32)> = (0..rows).map(row).collect();
    let names: [String; D] = std::array::from_fn(|column| format!("x{}", column + 1));
    crate::dataset(&rows, names, &["0", "1", "2"])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The density of a row given its class, up to a common factor: the mean over `u` of the normal
    /// density, by Simpson's rule.
    fn likelihood(row: &[f64], class: usize) -> f64 {
        const STEPS: usize = 64;
        let (first, second) = MIXED[class];
        let density = |share: f64| {
            let squares: f64 = (0..WAVE)
                .map(|column| {
                    let mean = share * wave(first, column) + (1.0 - share) * wave(second, column);
                    (row[column] - mean) * (row[column] - mean)
                })
                .sum();
            (-0.5 * squares).exp()
        };
        let weight = |step| match step {
            0 | STEPS => 1.0,
            step if step % 2 == 1 => 4.0,
            _ => 2.0,
        };
        (0..=STEPS).map(|step| weight(step) * density(step as f64 / STEPS as f64)).sum()
    }

    fn estimated_bayes_error(rows: usize) -> f64 {
        let data = waveform(rows, 1);
        let wrong = (0..rows).filter(|&row| {
            let values = data.columns().row(row);
            let likelihoods = [0, 1, 2].map(|class| likelihood(&values, class));
            let truth = data.labels()[row] as usize;
            likelihoods.iter().any(|&other| other > likelihoods[truth])
        });
        wrong.count() as f64 / rows as f64
    }

    #[test]
    fn the_optimal_classifier_reaches_the_bayes_error() {
        // One standard error of the estimate is sqrt(0.14 * 0.86 / 20000) = 0.0025.
        let error = estimated_bayes_error(20_000);
        assert!((error - WAVEFORM_BAYES_ERROR).abs() < 3.0 * 0.0025, "{error}");
    }

    #[test]
    #[ignore = "how the constant was found: half a minute"]
    fn a_million_rows() {
        let error = estimated_bayes_error(1_000_000);
        assert!((error - WAVEFORM_BAYES_ERROR).abs() < 0.0001, "{error}");
    }

    #[test]
    fn waves_peak_as_defined_and_noise_has_no_peak() {
        assert_eq!([wave(0, 10), wave(0, 4), wave(0, 5)], [6.0, 0.0, 1.0]);
        assert_eq!([wave(1, 14), wave(2, 6)], [6.0, 6.0]);
        let data = waveform_with_noise(3000, 9);
        assert_eq!((data.n_features(), data.n_classes()), (40, 3));
        let mean = |column: usize| data.columns().column(column).iter().sum::<f64>() / 3000.0;
        // In column 15 the waves are at 2, 6 and 0, so the class means there are 4, 1 and 3.
        assert!((mean(14) - 8.0 / 3.0).abs() < 0.2, "{}", mean(14));
        assert!(mean(39).abs() < 0.06, "{}", mean(39));
    }
}
