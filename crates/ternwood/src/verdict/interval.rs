//! Exact intervals for shares.

use super::binomial::binomial_cdf;

/// The Clopper-Pearson interval for a share of which `part` of `whole` rows were seen: it contains
/// the true share with a probability of at least `confidence`. `None` without rows.
///
/// ```
/// use ternwood::verdict::exact_interval;
///
/// // 0 of 59: the upper end is 1 - 0.025^(1/59).
/// let [low, high] = exact_interval(0, 59, 0.95).unwrap();
/// assert_eq!(low, 0.0);
/// assert!((high - 0.0606).abs() < 1e-4, "{high}");
/// ```
///
/// # Panics
/// If `part` is more than `whole`, or `confidence` is not between 0 and 1.
#[must_use]
pub fn exact_interval(part: usize, whole: usize, confidence: f64) -> Option<[f64; 2]> {
    assert!(part <= whole, "{part} of {whole} rows");
    assert!(0.0 < confidence && confidence < 1.0, "{confidence} is not between 0 and 1");
    let level = (1.0 - confidence) / 2.0;
    (whole > 0)
        .then(|| [1.0 - upper_end(whole - part, whole, level), upper_end(part, whole, level)])
}

/// The share with which at most `part` of `whole` rows have the probability `level`.
fn upper_end(part: usize, whole: usize, level: f64) -> f64 {
    if part == whole {
        return 1.0;
    }
    let (mut low, mut high) = (part as f64 / whole as f64, 1.0);
    // Halved until the ends are neighbours, or as good as.
    for _ in 0..60 {
        let middle = low + (high - low) / 2.0;
        if binomial_cdf(whole, part, middle) > level { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_by_hand() {
        // One of one: the lower end is 0.025, as P(1 of 1 | p) = p.
        let [low, high] = exact_interval(1, 1, 0.95).unwrap();
        assert!((low - 0.025).abs() < 1e-12 && high == 1.0, "{low} {high}");
        // 1 of 2 at 90 %: P(at most 1 | p) = 1 - p^2 = 0.05, so the upper end is sqrt(0.95).
        let [low, high] = exact_interval(1, 2, 0.9).unwrap();
        assert!((high - 0.95f64.sqrt()).abs() < 1e-12, "{high}");
        assert!((low - (1.0 - 0.95f64.sqrt())).abs() < 1e-12, "{low}");
        assert_eq!(exact_interval(0, 0, 0.9), None);
    }

    #[test]
    fn each_end_just_fails_the_test_of_a_promise() {
        for (part, whole) in [(3, 40), (50, 120), (7, 5000)] {
            let [low, high] = exact_interval(part, whole, 0.9).unwrap();
            assert!((binomial_cdf(whole, part, high) - 0.05).abs() < 1e-9);
            assert!((binomial_cdf(whole, whole - part, 1.0 - low) - 0.05).abs() < 1e-9);
        }
    }
}
