//! Rows ranked by confidence, with ties as one group.
//!
//! Trees produce many ties: all rows of a leaf have the same confidence. A metric that depends
//! on the order of tied rows depends on how the file happens to be sorted. So rows are kept as
//! groups of equal confidence, with their size and number of errors. Averaged over all orders
//! of a group of `m` rows with `e` errors, its first `j` rows have `j e / m` errors.

use super::share;
use crate::dataset::check_length;
use crate::error::{ErrorKind, Result, parameter};

/// Rows ordered by confidence, most confident first, with tied rows as one group.
///
/// Gives the risk-coverage curve, its area, and the accuracy at any coverage. The confidence
/// may be any score that is higher for more certain rows, such as the largest class
/// probability, or the zone distance, which is infinite for rows that no zone can reach.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfidenceRanking {
    groups: Vec<TieGroup>,
    n_rows: usize,
}

/// Rows of equal confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TieGroup {
    pub(crate) confidence: f64,
    pub(crate) rows: usize,
    pub(crate) errors: usize,
}

impl ConfidenceRanking {
    /// Orders rows by `confidence`; `correct` says which predictions are right
    /// ([`correctness`](super::correctness)).
    ///
    /// # Errors
    /// Lists of different lengths, or a confidence that is NaN.
    pub fn new(confidence: &[f64], correct: &[bool]) -> Result<Self> {
        check_length(
            "the list of confidences",
            confidence.len(),
            correct.len(),
            "one per prediction",
        )?;
        if let Some(row) = confidence.iter().position(|value| value.is_nan()) {
            let (what, value) = ("confidence".to_owned(), confidence[row]);
            let allowed = "a number, finite or infinite";
            return Err(ErrorKind::Score { what, row, value, allowed }.into());
        }
        // Adding 0 turns -0.0 into 0.0, so that both tie.
        let mut rows: Vec<(f64, bool)> =
            confidence.iter().map(|value| value + 0.0).zip(correct.iter().copied()).collect();
        rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let groups = rows
            .chunk_by(|a, b| a.0 == b.0)
            .map(|group| TieGroup {
                confidence: group[0].0,
                rows: group.len(),
                errors: group.iter().filter(|(_, correct)| !correct).count(),
            })
            .collect();
        Ok(Self { groups, n_rows: rows.len() })
    }

    /// The accuracy over all rows; `None` without rows.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        let errors: usize = self.groups.iter().map(|group| group.errors).sum();
        share(self.n_rows() - errors, self.n_rows())
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The groups, most confident first.
    pub(crate) fn groups(&self) -> &[TieGroup] {
        &self.groups
    }

    /// Accuracy among the most confident fraction `coverage` of the rows. `None` at coverage 0
    /// and without rows.
    ///
    /// With `k = coverage * n`, groups of equal confidence that lie entirely within the first `k`
    /// rows count in full. Of the group across the cut-off, `m` rows with `e` errors, the part
    /// that fits counts with the group's mean error `e / m`: the mean over all orders of tied
    /// rows. A fractional `k` takes part of a row in the same way.
    ///
    /// # Errors
    /// A coverage outside of [0, 1].
    pub fn accuracy_at_coverage(&self, coverage: f64) -> Result<Option<f64>> {
        if !(0.0..=1.0).contains(&coverage) {
            return Err(parameter("coverage", coverage, "a number from 0 to 1"));
        }
        Ok(self.accuracy_of_most_confident(coverage * self.n_rows as f64))
    }

    /// Accuracy among the `k` most confident rows; a group that fits only in part counts in
    /// proportion. `k` may be fractional: the result is continuous in it, so that
    /// `0.29 * 100 = 28.999999999999996` does no harm.
    ///
    /// For integer `k` the result is a single division of two integers, and so equals any other
    /// accuracy with the same quotient: comparisons of accuracies rely on it.
    pub(super) fn accuracy_of_most_confident(&self, k: f64) -> Option<f64> {
        let (mut seen, mut correct) = (0, 0);
        for group in &self.groups {
            let group_correct = group.rows - group.errors;
            if (seen + group.rows) as f64 > k {
                let fits = k - seen as f64;
                let rows = group.rows as f64;
                // (correct + fits * group_correct / rows) / k, over one denominator.
                let numerator = correct as f64 * rows + fits * group_correct as f64;
                return (k > 0.0).then(|| (numerator / (rows * k)).min(1.0));
            }
            seen += group.rows;
            correct += group_correct;
        }
        share(correct, seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIDENCE: [f64; 5] = [0.6, 0.9, 0.6, 0.8, 0.6];
    const CORRECT: [bool; 5] = [true, true, false, false, true];

    #[test]
    fn ties_stand_together() {
        let ranking = ConfidenceRanking::new(&CONFIDENCE, &CORRECT).unwrap();
        let group = |confidence, rows, errors| TieGroup { confidence, rows, errors };
        let expected = [group(0.9, 1, 0), group(0.8, 1, 1), group(0.6, 3, 1)];
        assert_eq!(ranking.groups(), expected);
        assert_eq!(ranking.n_rows(), 5);
    }

    #[test]
    fn zero_has_no_sign() {
        let ranking = ConfidenceRanking::new(&[-0.0, 0.0], &[true, false]).unwrap();
        assert_eq!(ranking.groups().len(), 1);
        assert!(ranking.groups()[0].confidence.is_sign_positive());
    }

    #[test]
    fn infinite_confidences_rank_first_and_last_and_tie_with_each_other() {
        let (sure, unsure) = (f64::INFINITY, f64::NEG_INFINITY);
        let confidence = [2.0, sure, unsure, sure, unsure];
        let ranking =
            ConfidenceRanking::new(&confidence, &[true, true, false, false, true]).unwrap();
        let groups: Vec<_> =
            ranking.groups().iter().map(|g| (g.confidence, g.rows, g.errors)).collect();
        assert_eq!(groups, [(sure, 2, 1), (2.0, 1, 0), (unsure, 2, 1)]);
        assert_eq!(ranking.accuracy_at_coverage(0.6).unwrap(), Some(2.0 / 3.0));
    }

    #[test]
    fn accuracy_at_coverage_by_hand() {
        let ranking = ConfidenceRanking::new(&CONFIDENCE, &CORRECT).unwrap();
        let at = |coverage| ranking.accuracy_at_coverage(coverage).unwrap();
        assert_eq!(at(0.2), Some(1.0)); // the row at 0.9
        assert_eq!(at(0.4), Some(0.5)); // and the wrong one at 0.8
        // Half way into the group of three (one error): k = 3.5, 1 + 1.5 * 2/3 = 2 right.
        assert_eq!(at(0.7), Some(2.0 / 3.5));
        assert_eq!(at(1.0), Some(0.6)); // everything: 3 of 5
        assert_eq!(at(0.1), Some(1.0)); // half of the best row
        assert_eq!(at(0.0), None);
        let empty = ConfidenceRanking::new(&[], &[]).unwrap();
        assert_eq!(empty.accuracy_at_coverage(0.5).unwrap(), None);
    }

    #[test]
    fn bad_input_is_an_error() {
        let error = ConfidenceRanking::new(&[0.5, f64::NAN], &[true, true]).unwrap_err();
        let message = "confidence of row 1 is NaN; allowed: a number, finite or infinite";
        assert_eq!(error.to_string(), message);
        let error = ConfidenceRanking::new(&[0.5], &[]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Length { .. }), "{error}");
        let ranking = ConfidenceRanking::new(&[0.5], &[true]).unwrap();
        for coverage in [-0.1, 1.1, f64::NAN] {
            let error = ranking.accuracy_at_coverage(coverage).unwrap_err();
            let kind = error.kind();
            assert!(matches!(kind, ErrorKind::Parameter { name: "coverage", .. }), "{error}");
        }
    }
}
