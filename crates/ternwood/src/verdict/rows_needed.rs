//! How many rows a promise needs.

use super::achieved::CalibrationSource;
use super::confidence::VerdictRule;
use crate::dataset::{ClassName, one_line};
use crate::error::{Promised, Result};
use crate::stats::binomial_cdf;

/// How many rows one promise needs.
#[derive(Debug, Clone, PartialEq)]
pub struct RowsNeeded {
    /// The promise.
    pub promised: Promised,
    /// The number of [these](Promised::counted) rows. `None` if no number is enough.
    pub rows: Option<usize>,
}

/// The level at which one test of a promise is made, if the promise may be wrong with `risk`: an
/// accuracy and a precision are tested along two sequences, which share it.
pub(super) fn level_of_test(promised: &Promised, risk: f64) -> f64 {
    match promised {
        Promised::Accuracy(_) | Promised::Precision { .. } => risk / 2.0,
        Promised::MissRate { .. } => risk,
    }
}

impl VerdictRule {
    /// How many rows each promise of this rule needs. A cost and a budget promise nothing, and need
    /// none.
    ///
    /// It is assumed that
    ///
    /// - the errors turn out to be the share `errors` of those that the promise allows: 0 for none,
    ///   0.5 for half as many. By chance there may be more;
    /// - [those rows](Promised::counted) are counted that the verdict decides, and for a miss rate
    ///   all rows of the class;
    /// - the rows come from `source`: promises from rows out of bag are tested with half of the risk.
    ///
    /// All promises share the risk as [`CalibrationRows::policy`](super::CalibrationRows::policy)
    /// shares it. With `errors = 0` it refuses fewer rows than these.
    ///
    /// ```
    /// use ternwood::ClassName;
    /// use ternwood::verdict::{CalibrationSource, Promises, VerdictRule};
    ///
    /// // At most 1 % of the ill ruled out, with 95 % confidence.
    /// let miss_rate = vec![None, Some(0.01)];
    /// let rule = VerdictRule::Promises(Promises { precision: vec![], miss_rate, confidence: 0.95 });
    /// let classes = ["healthy", "ill"].map(ClassName::from);
    /// let source = CalibrationSource::HeldOut;
    /// let rows = |errors| rule.rows_needed(&classes, errors, source).map(|needed| needed[0].rows);
    /// assert_eq!(rows(0.0)?, Some(299));
    /// assert_eq!(rows(0.5)?, Some(1182));
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number out of range, or promises for another number of classes.
    pub fn rows_needed(
        &self,
        classes: &[ClassName],
        errors: f64,
        source: CalibrationSource,
    ) -> Result<Vec<RowsNeeded>> {
        self.check()?;
        let needed = |promised, allowed: f64, risk| {
            let level = level_of_test(&promised, source.cautious(risk));
            RowsNeeded { promised, rows: rows_needed(allowed, errors * allowed, level) }
        };
        let promises = match self {
            Self::Cost { .. } | Self::Budget { .. } => return Ok(Vec::new()),
            &Self::Guarantee { accuracy, confidence } => {
                let promised = Promised::Accuracy(accuracy);
                return Ok(vec![needed(promised, 1.0 - accuracy, 1.0 - confidence)]);
            }
            Self::Promises(promises) => promises,
        };
        promises.check_classes(classes.len())?;
        let risk = promises.level();
        let mut all = Vec::new();
        for (id, name) in classes.iter().enumerate() {
            let class = one_line(&name.to_string()).into_owned();
            if let Some(share) = promises.precision_of(id) {
                let promised = Promised::Precision { class: class.clone(), share };
                all.push(needed(promised, 1.0 - share, risk));
            }
            if let Some(share) = promises.miss_rate_of(id) {
                all.push(needed(Promised::MissRate { class, share }, share, risk));
            }
        }
        Ok(all)
    }
}

/// True if `wrong` errors among `rows` are so few that they would be unlikely, with a probability
/// of at most `level`, if the share of errors were `allowed` or more.
pub(super) fn passes(rows: usize, wrong: usize, allowed: f64, level: f64) -> bool {
    binomial_cdf(rows, wrong, allowed) <= level
}

/// The most errors among `rows` that pass; `None` if not even zero do.
pub(super) fn most_allowed(rows: usize, allowed: f64, level: f64) -> Option<usize> {
    let fits = |wrong: usize| passes(rows, wrong, allowed, level);
    // With all rows wrong nothing passes.
    let (mut most, mut too_many) = (fits(0).then_some(0)?, rows);
    while most + 1 < too_many {
        let middle = most + (too_many - most) / 2;
        if fits(middle) { most = middle } else { too_many = middle }
    }
    Some(most)
}

/// The number of rows with which a share of errors of at most `allowed` can be promised, if a
/// share `expected` of them turns out to be wrong (rounded up to whole rows). `level` is how often
/// the promise may be wrong.
///
/// Which rows depends on the promise: rows decided as a class for its precision, rows of a class
/// for its miss rate. `None` if the expected share is not below the allowed one, or if more than
/// 10^15 rows are needed.
///
/// ```
/// use ternwood::verdict::rows_needed;
///
/// // 95 % right, at a level of 5 %: 59 rows if none of them is wrong, and 181 if 2 % are.
/// assert_eq!(rows_needed(0.05, 0.0, 0.05), Some(59));
/// assert_eq!(rows_needed(0.05, 0.02, 0.05), Some(181));
/// assert_eq!(rows_needed(0.05, 0.05, 0.05), None);
/// ```
///
/// # Panics
/// If `allowed` or `level` is not between 0 and 1.
#[must_use]
pub fn rows_needed(allowed: f64, expected: f64, level: f64) -> Option<usize> {
    let inside = |x: f64| 0.0 < x && x < 1.0;
    assert!(inside(allowed) && inside(level), "{allowed} and {level} are not between 0 and 1");
    if expected <= 0.0 {
        return fewest_rows(allowed, level);
    }
    if expected.is_nan() || expected >= allowed {
        return None;
    }
    // With `wrong` errors there are at most `wrong / expected` rows. That many pass from some
    // number of errors on, because the expected share is below the allowed one.
    let most_rows = |wrong: usize| (wrong as f64 / expected) as usize;
    let suffice = |wrong: usize| passes(most_rows(wrong), wrong, allowed, level);
    let mut enough = 1;
    while !suffice(enough) {
        enough = (2 * enough).min(MOST_ERRORS + 1);
        if enough > MOST_ERRORS {
            return None;
        }
    }
    let wrong = first(enough / 2, enough, suffice);
    let rows = first(most_rows(wrong - 1), most_rows(wrong), |n| passes(n, wrong, allowed, level));
    Some(rows)
}

/// Beyond so many errors a sum takes long, and nobody has the rows.
const MOST_ERRORS: usize = 1 << 24;

/// `n_min = ceil(ln level / ln(1 - allowed))`: with fewer rows not even zero errors pass.
/// `None` beyond 10^15.
pub(super) fn fewest_rows(allowed: f64, level: f64) -> Option<usize> {
    let rows = (level.ln() / (-allowed).ln_1p()).ceil();
    if rows.is_nan() || rows > 1e15 {
        return None;
    }
    // The quotient of logarithms is rounded; the test has the last word.
    let near = rows as usize;
    Some(first(near.saturating_sub(2), near + 1, |n| passes(n, 0, allowed, level)))
}

/// The first number above `below` that holds, if `holds` is monotone and `enough` holds.
fn first(mut below: usize, mut enough: usize, holds: impl Fn(usize) -> bool) -> usize {
    while below + 1 < enough {
        let middle = below + (enough - below) / 2;
        if holds(middle) { enough = middle } else { below = middle }
    }
    enough
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::verdict::{CalibrationRows, Promises};

    #[test]
    fn the_numbers_of_rows_without_an_error() {
        // ln 0.05 / ln 0.95 = 58.4, ln 0.05 / ln 0.99 = 298.07, ln 0.1 / ln 0.5 = 3.3.
        assert_eq!(fewest_rows(0.05, 0.05), Some(59));
        assert_eq!(fewest_rows(0.01, 0.05), Some(299));
        assert_eq!(fewest_rows(0.5, 0.1), Some(4));
        // ln 0.25 / ln 0.5 = 2: exactly at the level.
        assert_eq!(fewest_rows(0.5, 0.25), Some(2));
        assert_eq!(fewest_rows(0.999, 0.5), Some(1));
        assert_eq!(fewest_rows(1e-300, 0.05), None);
        for (allowed, level) in [(0.05, 0.05), (0.01, 0.05), (0.2, 0.01), (0.5, 0.1)] {
            let n = fewest_rows(allowed, level).unwrap();
            assert!(passes(n, 0, allowed, level) && !passes(n - 1, 0, allowed, level));
        }
    }

    #[test]
    fn with_errors_no_smaller_number_passes() {
        for (allowed, expected, level) in
            [(0.1, 0.05, 0.1), (0.05, 0.02, 0.05), (0.01, 0.004, 0.025), (0.5, 0.1, 0.2)]
        {
            let with_errors = |n: usize| {
                let wrong = (1..).find(|&k| (k as f64 / expected) as usize >= n).unwrap();
                passes(n, wrong, allowed, level)
            };
            let brute_force = (1..).find(|&n| with_errors(n));
            assert_eq!(rows_needed(allowed, expected, level), brute_force, "{allowed} {expected}");
        }
        assert_eq!(rows_needed(0.1, 0.2, 0.1), None);
        assert_eq!(rows_needed(0.1, f64::NAN, 0.1), None);
        assert_eq!(rows_needed(0.1, 0.1f64.next_down(), 0.1), None, "beyond all bounds");
    }

    #[test]
    fn promises_share_the_risk() {
        let classes = ["healthy", "ill"].map(ClassName::from);
        let promises = Promises {
            precision: vec![None, Some(0.9)],
            miss_rate: vec![None, Some(0.01)],
            confidence: 0.9,
        };
        let source = CalibrationSource::HeldOut;
        let needed = VerdictRule::Promises(promises).rows_needed(&classes, 0.0, source).unwrap();
        // A level of 5 % each; two sequences share it: ln 0.025 / ln 0.9 = 35.01.
        let class = "ill".to_owned();
        let precision = Promised::Precision { class: class.clone(), share: 0.9 };
        let miss_rate = Promised::MissRate { class, share: 0.01 };
        let expected = [(precision, 36), (miss_rate, 299)]
            .map(|(promised, rows)| RowsNeeded { promised, rows: Some(rows) });
        assert_eq!(needed, expected);
        // ln 0.025 / ln 0.95 = 71.9.
        let accuracy = VerdictRule::Guarantee { accuracy: 0.95, confidence: 0.95 };
        let rows = |errors, source| accuracy.rows_needed(&classes, errors, source).unwrap()[0].rows;
        assert_eq!(rows(0.0, source), Some(72));
        assert_eq!(rows(1.0, source), None);
        // With half of the risk: ln 0.0125 / ln 0.95 = 85.4.
        assert_eq!(rows(0.0, CalibrationSource::OutOfBag), Some(86));
        let budget = VerdictRule::Budget { flag_rate: 0.1 };
        assert_eq!(budget.rows_needed(&classes, 0.0, source).unwrap(), []);
    }

    /// `n` rows of two classes that are all answered rightly, with the same probability.
    fn perfect(n_healthy: usize, n_ill: usize, source: CalibrationSource) -> CalibrationRows {
        let truth = [vec![0; n_healthy], vec![1; n_ill]].concat();
        let of =
            |class: &u32| if *class == 0 { [0.999_999, 0.000_001] } else { [0.000_001, 0.999_999] };
        let distributions: Vec<f64> = truth.iter().flat_map(of).collect();
        let names = ["healthy", "ill"].map(ClassName::from);
        CalibrationRows::new(&distributions, &truth, &names, source).unwrap()
    }

    #[test]
    fn one_row_fewer_is_refused_with_the_same_number() {
        let classes = ["healthy", "ill"].map(ClassName::from);
        let mut rules = Vec::new();
        for confidence in [0.8, 0.95, 0.99] {
            for share in [0.6, 0.9, 0.97] {
                let both = |first, second| vec![first, second];
                let promises = |precision, miss_rate| {
                    VerdictRule::Promises(Promises { precision, miss_rate, confidence })
                };
                rules.push(VerdictRule::Guarantee { accuracy: share, confidence });
                rules.push(promises(both(None, Some(share)), vec![]));
                rules.push(promises(vec![], both(None, Some(1.0 - share))));
                let misses = both(Some(0.2), Some(1.0 - share));
                rules.push(promises(both(Some(0.7), Some(share)), misses));
            }
        }
        use CalibrationSource::{CrossFitted, HeldOut, HeldOutUntested, OutOfBag};
        for source in [HeldOut, HeldOutUntested, CrossFitted, OutOfBag] {
            for rule in &rules {
                let needed = rule.rows_needed(&classes, 0.0, source).unwrap();
                let most = |class: &str| {
                    let of_class = |promised: &Promised| match promised {
                        Promised::Accuracy(_) => class == "ill",
                        Promised::Precision { class: of, .. }
                        | Promised::MissRate { class: of, .. } => of == class,
                    };
                    let of = needed.iter().filter(|it| of_class(&it.promised));
                    of.filter_map(|it| it.rows).max().unwrap_or(0)
                };
                let [healthy, ill] = [most("healthy"), most("ill")];
                let enough = perfect(healthy, ill, source).policy(rule.clone());
                assert!(enough.is_ok(), "{rule} {source}: {enough:?}");
                let error = perfect(healthy, ill - 1, source).policy(rule.clone()).unwrap_err();
                let ErrorKind::TooFewRows { needed, found, .. } = error.kind() else {
                    panic!("{rule} {source}: {error}")
                };
                assert_eq!((*needed, *found), (ill, ill - 1), "{rule} {source}");
            }
        }
    }

    #[test]
    fn the_most_errors_are_the_last_that_pass() {
        for rows in [22, 23, 50, 400] {
            let by_scan = (0..rows).take_while(|&k| passes(rows, k, 0.1, 0.1)).last();
            assert_eq!(most_allowed(rows, 0.1, 0.1), by_scan, "{rows}");
        }
        assert_eq!(most_allowed(21, 0.1, 0.1), None);
    }
}
