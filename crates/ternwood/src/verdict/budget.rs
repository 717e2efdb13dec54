//! The thresholds for a budget of flags.

use super::thresholds::{midpoint_above, midpoint_below};

/// A threshold with at most `most` of the rows below it, and as many as that allows; fewer than all.
///
/// The rows with the confidence after the `most` lowest are decided, all that tie with it included.
/// The threshold is halfway to the next lower confidence, or to the `lowest` possible one.
pub(super) fn budget_threshold(confidences: &[f64], most: usize, lowest: f64) -> f64 {
    let mut sorted = confidences.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let confidence = sorted[most];
    let lower = sorted[..sorted.partition_point(|&other| other < confidence)].last();
    midpoint_below(confidence, lower.copied().unwrap_or(lowest))
}

/// No class is more probable than this without being the most probable one.
const LARGEST_OF_ANOTHER: f64 = 0.5;

/// A threshold with at most `most` of the probabilities above it, and as many as that allows. They
/// are those of the class to catch, of rows predicted as another.
///
/// The row with the probability after the `most` largest is decided, all that tie with it included.
/// The threshold is halfway to the next larger probability, or to the largest possible one. If the
/// budget is enough for all, it is 0: only rows without any probability of the class are decided.
pub(super) fn catch_threshold(probabilities: &[f64], most: usize) -> f64 {
    let mut sorted = probabilities.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some(&decided) = sorted.get(most) else { return 0.0 };
    let larger = sorted[..sorted.partition_point(|&other| other > decided)].last();
    midpoint_above(decided, larger.copied().unwrap_or(LARGEST_OF_ANOTHER))
}

/// The largest `k` with `k / n <= share` in floating-point arithmetic; below `n`, as the share is
/// below 1.
pub(super) fn affordable(n: usize, share: f64) -> usize {
    let fits = |k: usize| k as f64 / n as f64 <= share;
    // The product may be rounded up or down: 0.29 * 100 is below 29.
    let near = (share * n as f64) as usize;
    (near.saturating_sub(1)..=near + 1).rev().find(|&k| fits(k)).unwrap_or(0).min(n - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_affordable_is_the_largest_quotient_below() {
        for n in 1..=200 {
            for k in 0..n {
                let share = k as f64 / n as f64;
                assert_eq!(affordable(n, share), k, "{k} of {n}");
                if k > 0 {
                    assert_eq!(affordable(n, share.next_down()), k - 1, "less than {k} of {n}");
                }
            }
        }
        assert_eq!(affordable(100, 0.29), 29);
        assert_eq!(affordable(3, 1f64.next_down()), 2);
    }

    #[test]
    fn rows_to_catch_never_exceed_the_budget() {
        let probabilities = [0.25, 0.125, 0.375, 0.25, 0.0, 0.25];
        let threshold = |most| catch_threshold(&probabilities, most);
        assert_eq!(threshold(0), 0.4375, "halfway from 0.375 to the largest possible, 0.5");
        assert_eq!(threshold(1), 0.3125);
        // Three rows tie for the second place, and none of them is flagged.
        assert_eq!([threshold(2), threshold(3)], [0.3125; 2]);
        assert_eq!(threshold(4), 0.1875);
        assert_eq!(threshold(5), 0.0625);
        assert_eq!([threshold(6), threshold(7)], [0.0; 2], "enough for all");
        // Between neighbours there is nothing: the lower one is decided.
        let neighbours = [0.25, 0.25f64.next_up()];
        assert_eq!(catch_threshold(&neighbours, 1), 0.25);
        assert_eq!(catch_threshold(&[0.5], 0), 0.5);
        assert_eq!(catch_threshold(&[], 0), 0.0);
    }

    #[test]
    fn tied_rows_are_decided_rather_than_too_many_flagged() {
        let confidences = [0.625, 1.0, 0.625, 0.75, 0.625, 0.875];
        let threshold = |flag_rate| budget_threshold(&confidences, affordable(6, flag_rate), 0.5);
        // Half of 6 is 3: the three at 0.625 are flagged, and 0.75 is decided.
        assert_eq!(threshold(0.5), 0.6875);
        // A third is 2, but three rows tie for them: none is flagged.
        assert_eq!(threshold(0.34), 0.5625);
        assert_eq!(threshold(0.0), 0.5625);
        assert_eq!(threshold(0.9), 0.9375);
    }
}
