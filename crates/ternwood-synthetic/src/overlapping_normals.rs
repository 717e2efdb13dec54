//! One feature, two normal classes: the simplest data without a clean split.

use crate::random::Random;
use ternwood::Dataset;

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
