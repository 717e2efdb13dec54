//! The risk-coverage curve: the error as less confident rows are decided too.

use super::ConfidenceRanking;

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
