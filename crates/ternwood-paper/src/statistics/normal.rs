//! The upper tail of the standard normal distribution.

/// `P(Z > z)`, accurate in both tails: half the complementary error function of `z / sqrt 2`.
pub(super) fn upper_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_match_known_values() {
        assert_eq!(upper_tail(0.0), 0.5);
        assert!((upper_tail(1.959_963_984_540_054) - 0.025).abs() < 1e-15);
        assert!((upper_tail(-1.0) + upper_tail(1.0) - 1.0).abs() < 1e-15);
    }
}
