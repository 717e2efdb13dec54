//! Breiman's twonorm and ringnorm: two normal classes in 20 dimensions.

use crate::random::Random;
use ternwood::Dataset;

const DIMENSIONS: usize = 20;

/// The mean of a class in every dimension, up to its sign: both tasks have their means at a
/// distance of 2 from the origin, `2 / sqrt(20)` in each dimension.
fn offset() -> f64 {
    2.0 / (DIMENSIONS as f64).sqrt()
}

/// The error of the best possible classifier of [`twonorm`]: along the line between the means,
/// 2 standard deviations to either side of the border, `Phi(-2)`.
pub const TWONORM_BAYES_ERROR: f64 = 0.022_750_131_948_179_21;

/// The error of the best possible classifier of [`ringnorm`].
///
/// It decides for the inner class within a ball around `4/3 a`; in units of each class's own
/// deviation the squared distance to its centre is noncentral chi-square. See the test for
/// the arithmetic.
pub const RINGNORM_BAYES_ERROR: f64 = 0.012_396_608_103_172_7;

/// Two equally likely classes of unit covariance, with means `a` and `-a`.
#[must_use]
pub fn twonorm(rows: usize, seed: u64) -> Dataset {
    two_classes(rows, seed, [(offset(), 1.0), (-offset(), 1.0)])
}

/// Two equally likely classes: a wide one (mean 0, covariance 4) around a narrow one (mean `a`,
/// unit covariance).
#[must_use]
pub fn ringnorm(rows: usize, seed: u64) -> Dataset {
    two_classes(rows, seed, [(0.0, 2.0), (offset(), 1.0)])
}

/// Rows of two classes, each with its mean and deviation in every dimension.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `P(X <= x)` of a chi-square number of `2 m` degrees of freedom: 1 minus the probability
    /// that a Poisson number of mean `x / 2` is below `m`.
    fn chi_square(m: usize, x: f64) -> f64 {
        let mut term = (-x / 2.0).exp();
        let mut below = 0.0;
        for k in 0..m {
            below += term;
            term *= x / 2.0 / (k as f64 + 1.0);
        }
        1.0 - below
    }

    /// The same, noncentral: `2 m + 2 j` degrees with `j` Poisson of mean `centre / 2`.
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
    fn ringnorms_best_error_by_noncentral_chi_square() {
        // Inner class iff |x - a|^2 - |x|^2 / 4 < 40 ln 2, that is, with |a|^2 = 4 and the square
        // completed, iff |x - 4/3 a|^2 < (40 ln 2 + 4/3) / (3/4).
        let border = (40.0 * 2f64.ln() + 4.0 / 3.0) / 0.75;
        // Inner rows lie at a distance of |a| / 3 from its centre: 4/9 squared; outer rows, in
        // units of their deviation 2, at 2/3 |a|: 16/9 squared.
        let inner_missed = 1.0 - noncentral(10, 4.0 / 9.0, border);
        let outer_taken = noncentral(10, 16.0 / 9.0, border / 4.0);
        let error = (inner_missed + outer_taken) / 2.0;
        assert!((error - RINGNORM_BAYES_ERROR).abs() < 1e-9, "{error}");
    }

    /// How often a rule that is told the row is wrong.
    fn error_of(data: &Dataset, class: impl Fn(&[f64]) -> u32) -> f64 {
        let rows = data.n_rows();
        let wrong = (0..rows).filter(|&row| class(&data.columns().row(row)) != data.labels()[row]);
        wrong.count() as f64 / rows as f64
    }

    #[test]
    fn the_best_classifiers_err_as_often_as_it_is_said() {
        // Standard errors: sqrt(0.0228 * 0.977 / 40000) = 0.00075, and 0.00056.
        let data = twonorm(40_000, 1);
        let error = error_of(&data, |row| u32::from(row.iter().sum::<f64>() < 0.0));
        assert!((error - TWONORM_BAYES_ERROR).abs() < 3.0 * 0.00075, "{error}");
        let data = ringnorm(40_000, 2);
        let squares = |row: &[f64], centre: f64| -> f64 {
            row.iter().map(|x| (x - centre) * (x - centre)).sum()
        };
        let border = 40.0 * 2f64.ln();
        let inner = |row: &[f64]| squares(row, offset()) - squares(row, 0.0) / 4.0 < border;
        let error = error_of(&data, |row| u32::from(inner(row)));
        assert!((error - RINGNORM_BAYES_ERROR).abs() < 3.0 * 0.00056, "{error}");
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(twonorm(30, 1), twonorm(30, 1));
        assert_ne!(twonorm(30, 1), twonorm(30, 2));
        assert_ne!(ringnorm(30, 1), ringnorm(30, 2));
    }
}
