//! Wilcoxon's signed-rank test, one-sided.

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// The number of nonzero differences.
    pub n: usize,
    /// The sum of the ranks of positive differences.
    pub positive_ranks: f64,
    /// The probability of a sum at least this large under the null hypothesis.
    pub p_value: f64,
}

/// The maximum number of differences for the exact distribution, as in scipy.
const EXACT: usize = 50;

/// Tests whether differences tend to be greater than 0.
///
/// Differences of 0 are dropped; tied absolute values get the mean of their ranks. With at most 50
/// differences, none of them 0 and none tied, the distribution of the rank sum is exact. Otherwise
/// it is approximated by a normal, with the variance corrected for ties and no continuity
/// correction. Missing if every difference is 0 or none is given.
///
/// ```
/// // All ten differences positive: one of 2^10 equally likely sign patterns.
/// let differences: Vec<f64> = (1..=10).map(f64::from).collect();
/// let found = ternwood::stats::wilcoxon_greater(&differences).unwrap();
/// assert_eq!((found.n, found.positive_ranks, found.p_value), (10, 55.0, 1.0 / 1024.0));
/// ```
#[must_use]
pub fn wilcoxon_greater(differences: &[f64]) -> Option<Wilcoxon> {
    let mut sizes: Vec<(f64, bool)> = differences
        .iter()
        .filter(|difference| **difference != 0.0)
        .map(|&difference| (difference.abs(), difference > 0.0))
        .collect();
    let n = sizes.len();
    if n == 0 {
        return None;
    }
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut before, mut positive_ranks, mut tie_correction) = (0, 0.0, 0.0);
    for tied in sizes.chunk_by(|a, b| a.0 == b.0) {
        let t = tied.len() as f64;
        let rank = before as f64 + (t + 1.0) / 2.0;
        positive_ranks += rank * tied.iter().filter(|(_, positive)| *positive).count() as f64;
        tie_correction += t * t * t - t;
        before += tied.len();
    }
    let untied = tie_correction == 0.0 && n == differences.len();
    let p_value = if untied && n <= EXACT {
        exact_tail(n, positive_ranks as usize)
    } else {
        let n = n as f64;
        let mean = n * (n + 1.0) / 4.0;
        let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - 0.5 * tie_correction) / 24.0;
        upper_tail((positive_ranks - mean) / variance.sqrt())
    };
    Some(Wilcoxon { n, positive_ranks, p_value })
}

/// `P(sum >= min_sum)` if each of the ranks `1..=n` counts with probability 1/2.
fn exact_tail(n: usize, min_sum: usize) -> f64 {
    let max_sum = n * (n + 1) / 2;
    // Probabilities, since the number of patterns can exceed the integers an f64 holds exactly.
    let mut of_sum = vec![0.0; max_sum + 1];
    of_sum[0] = 1.0;
    for rank in 1..=n {
        for sum in (0..=max_sum).rev() {
            let without = of_sum[sum];
            let with = if sum >= rank { of_sum[sum - rank] } else { 0.0 };
            of_sum[sum] = 0.5 * (without + with);
        }
    }
    of_sum[min_sum..].iter().sum::<f64>().min(1.0)
}

/// `P(Z > z)` of the standard normal distribution, accurate in both tails: half the complementary error function of `z / sqrt 2`.
fn upper_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_differences_by_hand() {
        // Absolute values 1, 2, 3 with signs + - +: positive ranks 1 + 3 = 4. Of the 8 patterns,
        // {1,3}, {2,3} and {1,2,3} reach the sums 4, 5 and 6: 3 of 8.
        let found = wilcoxon_greater(&[1.0, -2.0, 3.0]).unwrap();
        assert_eq!(found, Wilcoxon { n: 3, positive_ranks: 4.0, p_value: 3.0 / 8.0 });
    }

    #[test]
    fn ties_share_their_ranks_and_zeros_are_dropped() {
        // Absolute values 1, 1, 2: ranks 1.5, 1.5, 3; positive 1.5 + 3 = 4.5, mean 3.
        // Variance (3 * 4 * 7 - 0.5 * (8 - 2)) / 24 = 81 / 24.
        let found = wilcoxon_greater(&[1.0, 0.0, -1.0, 2.0]).unwrap();
        assert_eq!((found.n, found.positive_ranks), (3, 4.5));
        assert_eq!(found.p_value, upper_tail(1.5 / (81f64 / 24.0).sqrt()));
    }

    #[test]
    fn without_nonzero_differences_there_is_no_result() {
        assert_eq!(wilcoxon_greater(&[]), None);
        assert_eq!(wilcoxon_greater(&[0.0, 0.0]), None);
    }

    #[test]
    fn tails_match_known_values() {
        assert_eq!(upper_tail(0.0), 0.5);
        assert!((upper_tail(1.959_963_984_540_054) - 0.025).abs() < 1e-15);
        assert!((upper_tail(-1.0) + upper_tail(1.0) - 1.0).abs() < 1e-15);
    }
}
