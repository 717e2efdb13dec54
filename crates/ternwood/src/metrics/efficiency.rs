//! The accuracy that flags gain, and flags per unavoidable error.

/// `eta = (DecAcc - Acc_CART) / u`: the gain in decided accuracy over the plain tree, which
/// flags nothing, per share of rows flagged.
///
/// If the overall accuracy equals CART's, `eta = DecAcc - AccU`. `None` if `u` is 0 or a
/// number is not finite.
#[must_use]
pub fn efficiency(decided_accuracy: f64, cart_accuracy: f64, undecided_rate: f64) -> Option<f64> {
    quotient(decided_accuracy - cart_accuracy, undecided_rate)
}

/// `U/B = u / Bayes error`: flags per unavoidable error. Near 1, about as many rows are flagged
/// as even the best classifier would get wrong.
///
/// `None` if the Bayes error is 0 or a number is not finite.
#[must_use]
pub fn u_over_b(undecided_rate: f64, bayes_error: f64) -> Option<f64> {
    quotient(undecided_rate, bayes_error)
}

fn quotient(dividend: f64, divisor: f64) -> Option<f64> {
    let quotient = dividend / divisor;
    (divisor > 0.0 && quotient.is_finite()).then_some(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // (0.875 - 0.75) / 0.25 = 0.5, all exact in binary.
        assert_eq!(efficiency(0.875, 0.75, 0.25), Some(0.5));
        assert_eq!(efficiency(0.5, 0.75, 0.5), Some(-0.5));
        assert_eq!(u_over_b(0.21, 0.14), Some(0.21 / 0.14));
        assert_eq!(u_over_b(0.0, 0.14), Some(0.0));
    }

    #[test]
    fn division_by_nothing_is_missing() {
        assert_eq!(efficiency(0.9, 0.8, 0.0), None);
        assert_eq!(efficiency(f64::NAN, 0.8, 0.1), None);
        assert_eq!(u_over_b(0.1, 0.0), None);
        assert_eq!(u_over_b(0.1, -0.5), None);
        assert_eq!(u_over_b(f64::INFINITY, 0.5), None);
    }
}
