//! Rows ranked by confidence, and the risk at every coverage.

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

/// One point of a risk-coverage curve: the rows of at least this confidence are decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskCoveragePoint {
    /// The share of rows decided.
    pub coverage: f64,
    /// The share of errors among them.
    pub risk: f64,
    /// The lowest confidence among them.
    pub threshold: f64,
}

impl ConfidenceRanking {
    /// The risk-coverage curve: a point per distinct confidence, from the highest down.
    ///
    /// Rows of equal confidence are decided together or not at all, so a threshold exists for
    /// every point. The last point has coverage 1 and the overall error. Empty without rows.
    #[must_use]
    pub fn curve(&self) -> Vec<RiskCoveragePoint> {
        let (mut rows, mut errors) = (0, 0);
        let points = self.groups().iter().map(|group| {
            rows += group.rows;
            errors += group.errors;
            RiskCoveragePoint {
                coverage: rows as f64 / self.n_rows() as f64,
                risk: errors as f64 / rows as f64,
                threshold: group.confidence,
            }
        });
        points.collect()
    }

    /// AURC, the area under the risk-coverage curve: the mean over `k = 1..n` of the error among
    /// the `k` most confident rows. Lower is better. `None` without rows.
    ///
    /// Tied rows contribute the mean over all their orders, so the result does not depend on the
    /// order of rows. A group of `m` rows with `e` errors, after `r` more confident rows with `E`
    /// errors, has on average `j e / m` errors in its first `j` rows, and so contributes
    ///
    /// ```text
    /// sum over j = 1..m of  (E + j e / m) / (r + j)
    /// ```
    ///
    /// to the sum, which is finally divided by `n`. If all rows tie, AURC is the error rate.
    #[must_use]
    pub fn aurc(&self) -> Option<f64> {
        let (mut rows, mut errors, mut sum) = (0, 0, 0.0);
        for group in self.groups() {
            let group_risk = group.errors as f64 / group.rows as f64;
            for j in 1..=group.rows {
                sum += (errors as f64 + j as f64 * group_risk) / (rows + j) as f64;
            }
            rows += group.rows;
            errors += group.errors;
        }
        (rows > 0).then(|| sum / rows as f64)
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

    fn ranking(confidence: &[f64], correct: &[bool]) -> ConfidenceRanking {
        ConfidenceRanking::new(confidence, correct).unwrap()
    }

    #[test]
    fn curve_by_hand() {
        let confidence = [0.6, 0.9, 0.6, 0.8, 0.6];
        let correct = [true, true, false, false, true];
        let points = ranking(&confidence, &correct).curve();
        let point = |coverage, risk, threshold| RiskCoveragePoint { coverage, risk, threshold };
        // 1 row, no error; 2 rows, 1 error; then the three at 0.6 at once: 5 rows, 2 errors.
        assert_eq!(points, [point(0.2, 0.0, 0.9), point(0.4, 0.5, 0.8), point(1.0, 0.4, 0.6)]);
    }

    #[test]
    fn aurc_without_ties_by_hand() {
        // Errors at ranks 2 and 4: (0/1 + 1/2 + 1/3 + 2/4) / 4 = (4/3) / 4 = 1/3.
        let aurc = ranking(&[0.9, 0.8, 0.7, 0.6], &[true, false, true, false]).aurc().unwrap();
        assert!((aurc - 1.0 / 3.0).abs() < 1e-15, "{aurc}");
    }

    #[test]
    fn aurc_with_ties_by_hand() {
        // One sure row, then two tied ones of which one is wrong. Orders of the tie:
        // wrong first: (0/1 + 1/2 + 1/3) / 3; wrong last: (0/1 + 0/2 + 1/3) / 3.
        // Mean: (1/4 + 1/3) / 3 = 7/36.
        for correct in [[true, true, false], [true, false, true]] {
            let aurc = ranking(&[0.9, 0.5, 0.5], &correct).aurc().unwrap();
            assert!((aurc - 7.0 / 36.0).abs() < 1e-15, "{aurc}");
        }
    }

    #[test]
    fn if_all_tie_the_area_is_the_error_rate() {
        // (0 + j 1/4) / (0 + j) = 1/4 at every j.
        assert_eq!(ranking(&[0.5; 4], &[true, true, false, true]).aurc(), Some(0.25));
    }

    #[test]
    fn without_rows_there_is_no_curve_and_no_area() {
        assert_eq!(ranking(&[], &[]).curve(), []);
        assert_eq!(ranking(&[], &[]).aurc(), None);
    }
}
