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
    // Falls from above 0 to minus infinity as the share goes from that of the part to 1.
    let excess = |share: f64| at_most(whole, part, share).ln() - level.ln();
    let rows = whole as f64;
    let seen = part as f64 / rows;
    let (mut low, mut step) = (seen, (seen * (1.0 - seen) / rows).sqrt() + 1.0 / rows);
    while excess((low + step).min(1.0)) > 0.0 {
        (low, step) = (low + step, 2.0 * step);
    }
    let mut high = (low + step).min(1.0);
    let (mut above, mut below) = (excess(low), excess(high));
    // False position; an end that stays is weighed less (the Illinois rule). A sum costs as many
    // steps as there are rows in the part, so there should be few of them.
    while high - low > 1e-12 * high {
        let chord = low + (high - low) * above / (above - below);
        let inside = low < chord && chord < high;
        let middle = if inside { chord } else { low + (high - low) / 2.0 };
        if middle <= low || middle >= high {
            break; // The ends are neighbours.
        }
        let found = excess(middle);
        if found.abs() < 1e-12 {
            return middle;
        }
        if found > 0.0 {
            (low, above, below) = (middle, found, below / 2.0);
        } else {
            (high, below, above) = (middle, found, above / 2.0);
        }
    }
    high
}

/// [`binomial_cdf`], from the shorter of its two sums. The levels of intervals are not so small
/// that the difference from 1 would matter.
fn at_most(whole: usize, part: usize, share: f64) -> f64 {
    if part < whole / 2 {
        return binomial_cdf(whole, part, share);
    }
    1.0 - binomial_cdf(whole, whole - part - 1, 1.0 - share)
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
    fn both_sums_and_extreme_shares_agree() {
        for (part, whole) in [(0, 1), (1, 3), (499, 500), (1, 100_000), (60_000, 100_000)] {
            let [low, high] = exact_interval(part, whole, 0.999).unwrap();
            let [other_low, other_high] = exact_interval(whole - part, whole, 0.999).unwrap();
            assert!((low - (1.0 - other_high)).abs() < 1e-12, "{part} of {whole}");
            assert!((high - (1.0 - other_low)).abs() < 1e-12, "{part} of {whole}");
            assert!(part == whole || (binomial_cdf(whole, part, high) - 0.0005).abs() < 1e-9);
            assert!(part == 0 || low > 0.0);
        }
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
