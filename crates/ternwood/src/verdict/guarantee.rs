//! A guaranteed decided accuracy, by testing thresholds in a fixed order.

use super::binomial::binomial_cdf;
use super::policy::VerdictRule;
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::ConfidenceRanking;

/// Finds the lowest confidence threshold from which on predictions are right with a probability
/// of at least `accuracy`. This claim is false with a probability of at most `1 - confidence`.
///
/// Fixed-sequence testing (*Learn then Test*): thresholds are fixed without looking at the labels
/// and tested from the strictest on. A threshold with `k` errors among its `n` decided rows
/// passes iff
///
/// ```text
/// P(Binomial(n, 1 - accuracy) <= k) <= 1 - confidence
/// ```
///
/// that is, iff so few errors would be unlikely if the accuracy were not reached. Testing stops at
/// the first failure and takes the last threshold that passed. Each threshold is tested only if
/// all before it passed, so no correction for multiple tests is needed.
///
/// The thresholds are the calibration confidences in descending order, every `max(1, N / 100)`th
/// of the `N` rows and the last, rows of equal confidence together. The sequence starts at the
/// first that decides at least `max(3 n_min, N / 5)` rows ([`fewest_rows`] is `n_min`), or at
/// the last, which decides all of them, if there are fewer. Starting with only a few rows would
/// fail at once.
///
/// Use it if a guarantee is worth some coverage; a [budget](VerdictRule::Budget) or a
/// [cost](VerdictRule::Cost) guarantees nothing. Costs O(N log N).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuaranteeTest {
    accuracy: f64,
    confidence: f64,
}

/// `n_min = ceil(ln(1 - confidence) / ln accuracy)`: with fewer rows not even zero errors pass
/// the test, and nothing can be guaranteed. 59 for 95 % at 95 % confidence, 299 for 99 %.
#[must_use]
pub fn fewest_rows(accuracy: f64, confidence: f64) -> usize {
    ((1.0 - confidence).ln() / accuracy.ln()).ceil() as usize
}

/// A threshold of the sequence, and what it decides.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    threshold: f64,
    decided: usize,
    wrong: usize,
}

impl GuaranteeTest {
    /// A test for this guarantee.
    ///
    /// # Errors
    /// A number that is not between 0 and 1.
    pub fn new(accuracy: f64, confidence: f64) -> Result<Self> {
        VerdictRule::Guarantee { accuracy, confidence }.check()?;
        Ok(Self { accuracy, confidence })
    }

    /// True if `wrong` errors among `decided` rows are few enough.
    #[must_use]
    pub fn passes(&self, decided: usize, wrong: usize) -> bool {
        binomial_cdf(decided, wrong, 1.0 - self.accuracy) <= 1.0 - self.confidence
    }

    /// The threshold, found on rows that the model was not trained on.
    ///
    /// # Errors
    /// Lists of different lengths, a confidence that is NaN, too few rows, or no threshold that
    /// passes.
    pub fn threshold(&self, confidences: &[f64], correct: &[bool]) -> Result<f64> {
        let needed = fewest_rows(self.accuracy, self.confidence);
        let ranking = ConfidenceRanking::new(confidences, correct)?;
        if ranking.n_rows() < needed.max(1) {
            let (accuracy, confidence, found) = (self.accuracy, self.confidence, ranking.n_rows());
            return Err(ErrorKind::TooFewRows { accuracy, confidence, needed, found }.into());
        }
        let mut passed = None;
        for step in sequence(&ranking, needed) {
            if !self.passes(step.decided, step.wrong) {
                return passed.ok_or_else(|| self.refusal(ranking.n_rows(), step));
            }
            passed = Some(step.threshold);
        }
        passed.ok_or_else(|| ErrorKind::NoRows.into())
    }

    fn refusal(&self, rows: usize, Step { decided, wrong, .. }: Step) -> Error {
        // The first step decides enough rows for zero errors to pass.
        let allowed = (0..wrong).rev().find(|&k| self.passes(decided, k)).unwrap_or(0);
        let (accuracy, confidence) = (self.accuracy, self.confidence);
        ErrorKind::NoGuarantee { accuracy, confidence, rows, decided, wrong, allowed }.into()
    }
}

/// The thresholds to test, strictest first. They do not depend on the labels.
fn sequence(ranking: &ConfidenceRanking, fewest: usize) -> impl Iterator<Item = Step> {
    let rows = ranking.n_rows();
    let stride = (rows / 100).max(1);
    let start = fewest.saturating_mul(3).max(rows / 5).min(rows);
    let (mut decided, mut wrong) = (0, 0);
    ranking.groups().iter().filter_map(move |group| {
        let before = decided;
        decided += group.rows;
        wrong += group.errors;
        let on_grid = decided / stride > before / stride || decided == rows;
        let step = Step { threshold: group.confidence, decided, wrong };
        (on_grid && decided >= start).then_some(step)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of falling confidence; those at the given ranks are wrong.
    fn ranked(n: usize, wrong: &[usize]) -> (Vec<f64>, Vec<bool>) {
        let confidences = (0..n).map(|rank| 1.0 - rank as f64 / (2 * n) as f64).collect();
        (confidences, (0..n).map(|rank| !wrong.contains(&rank)).collect())
    }

    fn steps(confidences: &[f64], fewest: usize) -> Vec<usize> {
        let correct = vec![true; confidences.len()];
        let ranking = ConfidenceRanking::new(confidences, &correct).unwrap();
        sequence(&ranking, fewest).map(|step| step.decided).collect()
    }

    #[test]
    fn the_numbers_of_rows_without_an_error() {
        // ln 0.05 / ln 0.95 = 58.4, ln 0.05 / ln 0.99 = 298.07, ln 0.1 / ln 0.5 = 3.3.
        assert_eq!(fewest_rows(0.95, 0.95), 59);
        assert_eq!(fewest_rows(0.99, 0.95), 299);
        assert_eq!(fewest_rows(0.5, 0.9), 4);
        for (accuracy, confidence) in [(0.95, 0.95), (0.99, 0.95), (0.8, 0.99), (0.5, 0.9)] {
            let n = fewest_rows(accuracy, confidence);
            let test = GuaranteeTest::new(accuracy, confidence).unwrap();
            assert!(test.passes(n, 0) && !test.passes(n - 1, 0), "{accuracy} {confidence}");
        }
    }

    #[test]
    fn the_sequence_is_every_hundredth_row_from_where_it_may_pass() {
        // 1050 rows: every 10th, from max(3 * 5, 210) on, and the last.
        let (confidences, _) = ranked(1050, &[]);
        let mut expected: Vec<usize> = (21..=105).map(|i| 10 * i).collect();
        assert_eq!(steps(&confidences, 5), expected);
        // 1055 rows: 211 is a fifth, so the first on the grid decides 220; the last decides all.
        let (confidences, _) = ranked(1055, &[]);
        expected = (22..=105).map(|i| 10 * i).chain([1055]).collect();
        assert_eq!(steps(&confidences, 5), expected);
        // Few rows: every one, from 3 * 5 on; too few for that: all of them at once.
        let (confidences, _) = ranked(17, &[]);
        assert_eq!(steps(&confidences, 5), [15, 16, 17]);
        assert_eq!(steps(&confidences, 6), [17]);
    }

    #[test]
    fn tied_rows_are_decided_together() {
        // 4 rows at 0.9, 6 at 0.8, 2 at 0.7.
        let confidences = [vec![0.9; 4], vec![0.8; 6], vec![0.7; 2]].concat();
        assert_eq!(steps(&confidences, 1), [4, 10, 12]);
        assert_eq!(steps(&confidences, 2), [10, 12]);
    }

    #[test]
    fn the_last_that_passed_is_taken_and_the_first_failure_ends_it() {
        // 80 % at 80 %: n_min = ceil(ln 0.2 / ln 0.8) = 8, so it starts at 24 rows.
        let test = GuaranteeTest::new(0.8, 0.8).unwrap();
        // Rows 31, 32, ... are wrong until it fails; from row 60 on all are right again, and at
        // 100 rows with 10 errors it would pass: too late.
        let wrong: Vec<usize> = (30..40).collect();
        let (confidences, correct) = ranked(100, &wrong);
        let last = (30..=40).take_while(|&n| test.passes(n, n - 30)).last().unwrap();
        assert!((31..40).contains(&last), "{last}");
        assert!(test.passes(100, 10));
        assert_eq!(test.threshold(&confidences, &correct).unwrap(), confidences[last - 1]);
    }

    #[test]
    fn without_enough_rows_the_error_has_the_numbers() {
        let test = GuaranteeTest::new(0.95, 0.95).unwrap();
        let (confidences, correct) = ranked(58, &[]);
        let error = test.threshold(&confidences, &correct).unwrap_err();
        let kind = error.kind();
        assert!(matches!(kind, ErrorKind::TooFewRows { needed: 59, found: 58, .. }), "{error}");
        assert!(error.to_string().contains("from 58 calibration rows: at least 59"), "{error}");
        let (confidences, correct) = ranked(59, &[]);
        assert_eq!(test.threshold(&confidences, &correct), Ok(confidences[58]));
    }

    #[test]
    fn with_too_many_errors_the_error_has_the_numbers() {
        let test = GuaranteeTest::new(0.95, 0.95).unwrap();
        let (confidences, correct) = ranked(200, &[3, 5, 8, 13, 21, 34, 55, 89]);
        let error = test.threshold(&confidences, &correct).unwrap_err();
        // Every second row, from 3 * 59 = 177 on: at 178, of which 8.9 were wrong at 95 %.
        let &ErrorKind::NoGuarantee { rows: 200, decided: 178, wrong: 8, allowed, .. } =
            error.kind()
        else {
            panic!("{error}")
        };
        assert!(test.passes(178, allowed) && !test.passes(178, allowed + 1), "{allowed}");
    }
}
