//! Breiman's twonorm and ringnorm: two normal classes in 20 dimensions.

use crate::random::Random;
use ternwood::Dataset;

const DIMENSIONS: usize = 20;

/// Each coordinate of the mean `a`: `2 / sqrt(20)`, so that `a` lies 2 from the origin.
fn offset() -> f64 {
    2.0 / (DIMENSIONS as f64).sqrt()
}

/// The Bayes error of [`twonorm`]: `Phi(-2)`, since each mean lies 2 standard deviations from the
/// decision boundary.
pub const TWONORM_BAYES_ERROR: f64 = 0.022_750_131_948_179_21;

/// The Bayes error of [`ringnorm`].
///
/// The Bayes classifier chooses the inner class within a ball around `4/3 a`. In units of each
/// class's own deviation, the squared distance to the ball's centre is noncentral chi-square. See
/// the test for the arithmetic.
pub const RINGNORM_BAYES_ERROR: f64 = 0.012_396_608_103_172_7;

/// Two equally likely classes of unit covariance, with means `a` and `-a`; every coordinate of `a`
/// is `2 / sqrt(20)`.
#[must_use]
pub fn twonorm(rows: usize, seed: u64) -> Dataset {
    two_classes(rows, seed, [(offset(), 1.0), (-offset(), 1.0)])
}

/// Two equally likely classes: a wide one (mean 0, covariance 4) around a narrow one (mean `a` as
/// in [`twonorm`], unit covariance).
#[must_use]
pub fn ringnorm(rows: usize, seed: u64) -> Dataset {
    two_classes(rows, seed, [(0.0, 2.0), (offset(), 1.0)])
}

/// Rows of two classes, each with the same mean and deviation in every dimension.
fn two_classes(rows: usize, seed: u64, classes: [(f64, f64); 2]) -> Dataset {
    let mut random = Random::new(seed);
    let row = |_| {
        let class = usize::from(random.unit() >= 0.5);
        let (mean, deviation) = classes[class];
        let values: [f64; DIMENSIONS] = std::array::from_fn(|_| random.normal(mean, deviation));
        (values, class as u32)
    };
    let rows: Vec<_> = (0..rows).map(row).collect();
    let names: [String; DIMENSIONS] = std::array::from_fn(|column| format!("x{}", column + 1));
    crate::dataset(&rows, names, &["0", "1"])
}

// One feature, two normal classes: the simplest data without a clean split.

/// Equal numbers of rows of two normal classes with a common deviation: `A` has the first mean, `B`
/// the second. Classes alternate.
#[must_use]
pub fn overlapping_normals(rows: usize, means: [f64; 2], deviation: f64, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let row = |row: usize| ([random.normal(means[row % 2], deviation)], (row % 2) as u32);
    let rows: Vec<([f64; 1], u32)> = (0..rows).map(row).collect();
    crate::dataset(&rows, ["x"], &["A", "B"])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `P(X <= x)` for a chi-square variable with `2 m` degrees of freedom: 1 minus the probability
    /// that a Poisson variable with mean `x / 2` is below `m`.
    fn chi_square(m: usize, x: f64) -> f64 {
        let mut term = (-x / 2.0).exp();
        let mut below = 0.0;
        for k in 0..m {
            below += term;
            term *= x / 2.0 / (k as f64 + 1.0);
        }
        1.0 - below
    }

    /// The noncentral version: `2 m + 2 j` degrees of freedom, `j` Poisson with mean `centre / 2`.
    fn noncentral(m: usize, centre: f64, x: f64) -> f64 {
        let mut weight = (-centre / 2.0).exp();
        (0..60)
            .map(|j| {
                let part = weight * chi_square(m + j, x);
                weight *= centre / 2.0 / (j as f64 + 1.0);
                part
            })
            .sum()
    }

    #[test]
    fn ringnorm_bayes_error_by_noncentral_chi_square() {
        // Inner class iff |x - a|^2 - |x|^2 / 4 < 40 ln 2, that is, with |a|^2 = 4 and the square
        // completed, iff |x - 4/3 a|^2 < (40 ln 2 + 4/3) / (3/4).
        let border = (40.0 * 2f64.ln() + 4.0 / 3.0) / 0.75;
        // The inner mean lies |a| / 3 from the ball's centre: 4/9 squared. The outer mean, in units
        // of its deviation 2, lies 2/3 |a| away: 16/9 squared.
        let inner_missed = 1.0 - noncentral(10, 4.0 / 9.0, border);
        let outer_taken = noncentral(10, 16.0 / 9.0, border / 4.0);
        let error = (inner_missed + outer_taken) / 2.0;
        assert!((error - RINGNORM_BAYES_ERROR).abs() < 1e-9, "{error}");
    }

    /// The error rate of a classification rule.
    fn error_rate(data: &Dataset, class: impl Fn(&[f64]) -> u32) -> f64 {
        let rows = data.n_rows();
        let wrong = (0..rows).filter(|&row| class(&data.columns().row(row)) != data.labels()[row]);
        wrong.count() as f64 / rows as f64
    }

    #[test]
    fn optimal_rules_reach_the_bayes_errors() {
        // Standard errors: sqrt(0.0228 * 0.977 / 40000) = 0.00075, and 0.00056.
        let data = twonorm(40_000, 1);
        let error = error_rate(&data, |row| u32::from(row.iter().sum::<f64>() < 0.0));
        assert!((error - TWONORM_BAYES_ERROR).abs() < 3.0 * 0.00075, "{error}");
        let data = ringnorm(40_000, 2);
        let squares = |row: &[f64], centre: f64| -> f64 {
            row.iter().map(|x| (x - centre) * (x - centre)).sum()
        };
        let border = 40.0 * 2f64.ln();
        let inner = |row: &[f64]| squares(row, offset()) - squares(row, 0.0) / 4.0 < border;
        let error = error_rate(&data, |row| u32::from(inner(row)));
        assert!((error - RINGNORM_BAYES_ERROR).abs() < 3.0 * 0.00056, "{error}");
    }

    #[test]
    fn the_seed_determines_the_data() {
        assert_eq!(twonorm(30, 1), twonorm(30, 1));
        assert_ne!(twonorm(30, 1), twonorm(30, 2));
        assert_ne!(ringnorm(30, 1), ringnorm(30, 2));
    }

    #[test]
    fn classes_have_the_given_means() {
        let data = overlapping_normals(10_000, [5.0, 9.0], 1.5, 3);
        for (class, mean) in [(0, 5.0), (1, 9.0)] {
            let column = data.columns().column(0);
            let own = column.iter().skip(class).step_by(2).sum::<f64>() / 5000.0;
            // Three standard errors: 3 * 1.5 / sqrt(5000) = 0.064.
            assert!((own - mean).abs() < 0.064, "{own}");
        }
    }
}
