//! Exact tests and intervals: the binomial distribution, and comparisons of two samples.

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
/// use ternwood::stats::binomial_cdf;
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

/// The Clopper-Pearson interval for a share of which `part` of `whole` rows were seen: it contains
/// the true share with a probability of at least `confidence`. `None` without rows.
///
/// ```
/// use ternwood::stats::exact_interval;
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

// Exact tests of two samples: Fisher's, by the hypergeometric distribution, and one of ranges.

/// Fisher's exact test: the probability of a table as unlikely as this one or less, if the rows of
/// both samples come from the same source.
pub(crate) fn fisher(new: [u64; 2], before: [u64; 2]) -> f64 {
    let table = Hypergeometric::new(new, before);
    let found = table.logarithms[table.at] + 1e-7;
    table.sum(|index| table.logarithms[index] <= found)
}

/// Fisher's exact test to one side: the probability of this many of the new rows or more.
pub(crate) fn fisher_more(new: [u64; 2], before: [u64; 2]) -> f64 {
    let table = Hypergeometric::new(new, before);
    table.sum(|index| index >= table.at)
}

/// How many of the new rows are among those that have it, given how many there are in all.
struct Hypergeometric {
    /// Logarithms of probabilities, up to a constant, from the least possible number on.
    logarithms: Vec<f64>,
    /// Where the number that was found is.
    at: usize,
}

impl Hypergeometric {
    fn new([part, whole]: [u64; 2], [before_part, before_whole]: [u64; 2]) -> Self {
        // A model file may claim any number of rows.
        let having = part.saturating_add(before_part);
        let others = (whole - part).saturating_add(before_whole - before_part);
        let (least, most) = (whole.saturating_sub(others), whole.min(having));
        let mut logarithms = vec![0.0];
        for number in least..most {
            let up = (having - number) as f64 * (whole - number) as f64;
            let down = (number + 1) as f64 * (others as f64 + (number + 1) as f64 - whole as f64);
            logarithms.push(logarithms[logarithms.len() - 1] + (up / down).ln());
        }
        Self { logarithms, at: (part - least) as usize }
    }

    fn sum(&self, counts: impl Fn(usize) -> bool) -> f64 {
        let largest = self.logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weight = |logarithm: &f64| (logarithm - largest).exp();
        let all: f64 = self.logarithms.iter().map(weight).sum();
        let counted = self.logarithms.iter().enumerate().filter(|(index, _)| counts(*index));
        (counted.map(|(_, logarithm)| weight(logarithm)).sum::<f64>() / all).min(1.0)
    }
}

/// The probability that `outside` or more of `new` rows are outside the range of `before` others
/// from the same source.
///
/// If no two values are equal, every order of all of them is as likely. The new ones fall into the
/// `before + 1` gaps between and around the others, of which two are outside. Equal values make it
/// less likely.
pub(crate) fn outside_range(outside: usize, new: usize, before: u64) -> f64 {
    if outside == 0 || before < 2 {
        return 1.0;
    }
    let (mut weight, mut all, mut tail) = (1.0, 0.0, 0.0);
    for number in 0..=new {
        all += weight;
        if number >= outside {
            tail += weight;
        }
        let (rest, n) = ((new - number) as f64, number as f64);
        weight *= (n + 2.0) / (n + 1.0) * rest / (rest + (before - 2) as f64);
    }
    tail / all
}

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

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn fishers_tea() {
        // 3 of 4 cups against 1 of 4: (16 + 1) / 70; both sides: 34 / 70.
        close(fisher_more([3, 4], [1, 4]), 17.0 / 70.0);
        close(fisher([3, 4], [1, 4]), 34.0 / 70.0);
        close(fisher([4, 4], [0, 4]), 2.0 / 70.0);
        close(fisher_more([0, 4], [3, 4]), 1.0);
    }

    #[test]
    fn large_tables_neither_overflow_nor_vanish() {
        close(fisher_more([0, 1_000_000], [5, 10]), 1.0);
        assert!(fisher([500_000, 1_000_000], [500_000, 1_000_000]) > 0.99);
        assert!(fisher([3, 10], [u64::MAX / 2, u64::MAX]) > 0.1);
        assert_eq!(fisher_more([10, 10], [u64::MAX, u64::MAX]), 1.0);
        let far = fisher([9_000, 10_000], [1_000, 10_000]);
        assert!((0.0..1e-200).contains(&far), "{far}");
    }

    #[test]
    fn the_ends_of_a_range() {
        // One new value among 3 others: outside with 2 of 4.
        close(outside_range(1, 1, 3), 0.5);
        // Two new values among 2 others, both outside: not one inside. Of the 6 orders of new and
        // old ones, nnoo, noon and oonn.
        close(outside_range(2, 2, 2), 0.5);
        close(outside_range(1, 2, 2), 5.0 / 6.0);
        close(outside_range(0, 9, 5), 1.0);
        close(outside_range(3, 9, 1), 1.0);
        assert!(outside_range(20, 1000, 1000) < 1e-4);
    }
}
