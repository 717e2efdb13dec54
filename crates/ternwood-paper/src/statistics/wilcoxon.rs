//! Wilcoxon's signed-rank test, one-sided, as the paper uses it.

use super::normal::upper_tail;

/// What the test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// Differences that are not 0.
    pub n: usize,
    /// The sum of the ranks of positive differences.
    pub positive_ranks: f64,
    /// The probability of so large a sum if positive and negative differences were alike.
    pub p_value: f64,
}

/// Largest number of differences whose exact distribution is used, as in scipy.
const EXACT: usize = 50;

/// Tests whether differences tend to be greater than 0.
///
/// Differences of 0 are dropped, tied sizes get the mean of their ranks. With at most 50
/// differences, none of them 0 and none tied, the distribution of the rank sum is exact;
/// otherwise it is taken as normal, its variance corrected for ties, without a correction for
/// continuity. Missing if every difference is 0 or none is given.
///
/// ```
/// // All ten differences positive: one of 2^10 equally likely patterns of signs.
/// let differences: Vec<f64> = (1..=10).map(f64::from).collect();
/// let found = ternwood_paper::wilcoxon_greater(&differences).unwrap();
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

/// `P(sum >= least)` where each of the ranks `1..=n` counts with probability 1/2.
fn exact_tail(n: usize, least: usize) -> f64 {
    let most = n * (n + 1) / 2;
    // Probabilities rather than numbers of patterns: those would outgrow an f64's whole numbers.
    let mut of_sum = vec![0.0; most + 1];
    of_sum[0] = 1.0;
    for rank in 1..=n {
        for sum in (0..=most).rev() {
            let without = of_sum[sum];
            let with = if sum >= rank { of_sum[sum - rank] } else { 0.0 };
            of_sum[sum] = 0.5 * (without + with);
        }
    }
    of_sum[least..].iter().sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_differences_by_hand() {
        // Sizes 1, 2, 3 with signs + - +: positive ranks 1 + 3 = 4. Of the 8 patterns the sums
        // 4, 5, 6 are reached by {1,3}, {2,3}, {1,2,3}: 3 of 8.
        let found = wilcoxon_greater(&[1.0, -2.0, 3.0]).unwrap();
        assert_eq!(found, Wilcoxon { n: 3, positive_ranks: 4.0, p_value: 3.0 / 8.0 });
    }

    #[test]
    fn ties_share_their_ranks_and_zeros_are_dropped() {
        // Sizes 1, 1, 2: ranks 1.5, 1.5, 3; positive 1.5 + 3 = 4.5, mean 3.
        // Variance (3 * 4 * 7 - 0.5 * (8 - 2)) / 24 = 81 / 24.
        let found = wilcoxon_greater(&[1.0, 0.0, -1.0, 2.0]).unwrap();
        assert_eq!((found.n, found.positive_ranks), (3, 4.5));
        assert_eq!(found.p_value, upper_tail(1.5 / (81f64 / 24.0).sqrt()));
    }

    #[test]
    fn nothing_to_compare_is_missing() {
        assert_eq!(wilcoxon_greater(&[]), None);
        assert_eq!(wilcoxon_greater(&[0.0, 0.0]), None);
    }
}
