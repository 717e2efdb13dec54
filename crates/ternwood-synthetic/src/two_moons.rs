//! Two interleaving half circles.

use crate::random::Random;
use std::f64::consts::PI;
use ternwood::Dataset;

/// Two moons: class `upper` on a half circle around (0, 0), class `lower` on one around (1, 0.5)
/// that opens upwards, both with normal noise. Classes alternate.
#[must_use]
pub fn two_moons(rows: usize, noise: f64, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let rows: Vec<([f64; 2], u32)> = (0..rows)
        .map(|row| {
            let class = (row % 2) as u32;
            let angle = PI * random.unit();
            let (x, y) = (libm::cos(angle), libm::sin(angle));
            let (x, y) = if class == 0 { (x, y) } else { (1.0 - x, 0.5 - y) };
            ([random.normal(x, noise), random.normal(y, noise)], class)
        })
        .collect();
    crate::dataset(&rows, ["x", "y"], &["upper", "lower"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_noise_every_row_lies_on_its_circle() {
        let data = two_moons(100, 0.0, 3);
        for (row, &class) in data.labels().iter().enumerate() {
            let values = data.columns().row(row);
            let (x, y) = (values[0], values[1]);
            let (x, y) = if class == 0 { (x, y) } else { (x - 1.0, y - 0.5) };
            assert!((x * x + y * y - 1.0).abs() < 1e-12, "row {row}");
            assert!(if class == 0 { y >= 0.0 } else { y <= 0.0 }, "row {row}");
        }
    }
}
