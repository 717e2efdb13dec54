//! The binomial distribution function.

/// `P(Binomial(n, p) <= k)`: the probability of at most `k` errors in `n` rows, if each is wrong
/// with probability `p`.
///
/// ```text
/// sum over i = 0..k of  C(n, i) p^i (1 - p)^(n - i)
/// ```
///
/// The sum is exact up to rounding: each term is computed from the one before, and all are
/// positive, so nothing cancels. It is kept as a number times a power of two, so that `(1 - p)^n`
/// may be far below the smallest float. Costs O(k); the relative error is at most about
/// `(4 k + n |ln(1 - p)|)` times 1e-16.
///
/// ```
/// use ternwood::verdict::binomial_cdf;
///
/// // No error in 2 rows: 0.9 * 0.9; at most one in 2: 1 - 0.1 * 0.1.
/// assert!((binomial_cdf(2, 0, 0.1) - 0.81).abs() < 1e-15);
/// assert!((binomial_cdf(2, 1, 0.1) - 0.99).abs() < 1e-15);
/// ```
///
/// # Panics
/// If `p` is not between 0 and 1.
#[must_use]
pub fn binomial_cdf(n: usize, k: usize, p: f64) -> f64 {
    assert!((0.0..=1.0).contains(&p), "a probability is from 0 to 1, not {p}");
    if k >= n || p == 0.0 {
        return 1.0;
    }
    if p == 1.0 {
        return 0.0;
    }
    let odds = p / (1.0 - p);
    // Both in units of (1 - p)^n 2^exponent.
    let (mut term, mut sum, mut exponent) = (1.0, 1.0, 0);
    for i in 0..k {
        term *= (n - i) as f64 / (i + 1) as f64 * odds;
        sum += term;
        if sum > LARGE {
            term /= LARGE;
            sum /= LARGE;
            exponent += LARGE_EXPONENT;
        }
    }
    let logarithm = n as f64 * (-p).ln_1p() + f64::from(exponent) * std::f64::consts::LN_2;
    (sum.ln() + logarithm).exp().min(1.0)
}

const LARGE_EXPONENT: i32 = 400;
const LARGE: f64 = f64::from_bits((1023 + LARGE_EXPONENT as u64) << 52);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_a_power_of_two() {
        assert_eq!(LARGE, 2f64.powi(LARGE_EXPONENT));
    }

    #[test]
    fn the_ends_are_certain() {
        assert_eq!(binomial_cdf(5, 5, 0.3), 1.0);
        assert_eq!(binomial_cdf(5, 9, 0.3), 1.0);
        assert_eq!(binomial_cdf(5, 2, 0.0), 1.0);
        assert_eq!(binomial_cdf(5, 4, 1.0), 0.0);
        assert_eq!(binomial_cdf(0, 0, 0.5), 1.0);
    }

    #[test]
    fn by_hand() {
        // Three fair coins, at most one head: 4 of 8.
        assert!((binomial_cdf(3, 1, 0.5) - 0.5).abs() < 1e-15);
        // The smallest numbers of rows without error for 95 % and for 99 %, at 95 %.
        assert!(binomial_cdf(59, 0, 0.05) <= 0.05 && binomial_cdf(58, 0, 0.05) > 0.05);
        assert!(binomial_cdf(299, 0, 0.01) <= 0.05 && binomial_cdf(298, 0, 0.01) > 0.05);
    }

    #[test]
    fn it_is_symmetric_in_success_and_failure() {
        for (n, k, p) in [(30, 4, 0.2), (1000, 480, 0.5), (5000, 30, 0.01)] {
            let sum = binomial_cdf(n, k, p) + binomial_cdf(n, n - k - 1, 1.0 - p);
            assert!((sum - 1.0).abs() < 1e-11, "{n} {k} {p}: {sum}");
        }
    }
}
