//! Promised miss rates, by lowering one threshold for all classes along a fixed path.

use super::calibration_rows::CalibrationRows;
use super::promises::Promises;
use super::rows_needed::{fewest_rows, most_allowed, passes};
use crate::error::{Error, ErrorKind, Promised, Result};

/// The rows of a class with a promised miss rate.
struct Required {
    class: usize,
    miss_rate: f64,
    rows: usize,
    /// The confidences of those that are predicted as another class, descending.
    predicted_otherwise: Vec<f64>,
}

/// The lowest threshold of the path at which all promised miss rates are certified.
///
/// The path is fixed without looking at the rows: `1 / (1 + exp(-s))` for `s = 12, 11.95, ...` down
/// to where every row is decided, and 0. Misses only become more on the way, and testing stops at
/// the first failure, so what passed last is certified for all classes at once.
///
/// # Errors
/// Too few rows of a class, or too many missed even at the first threshold.
pub(super) fn miss_threshold(rows: &CalibrationRows, promises: &Promises) -> Result<f64> {
    let level = rows.level(promises);
    let required: Vec<Required> = (0..rows.n_classes())
        .filter_map(|class| Some(Required::new(rows, class, promises.miss_rate_of(class)?)))
        .collect();
    for class in &required {
        class.check_rows(rows, promises)?;
    }
    let mut passed = None;
    for threshold in path(rows.n_classes()) {
        let failed = required
            .iter()
            .find(|class| !passes(class.rows, class.missed(threshold), class.miss_rate, level));
        if let Some(failed) = failed {
            return passed.ok_or_else(|| failed.refusal(threshold, rows, promises));
        }
        passed = Some(threshold);
    }
    passed.ok_or_else(|| ErrorKind::NoRows.into())
}

/// The thresholds, strictest first.
fn path(n_classes: usize) -> impl Iterator<Item = f64> {
    // With all classes equally probable the confidence is 1 / K, and its logit -ln(K - 1).
    let last = -((n_classes.max(2) - 1) as f64).ln();
    let logits = (0..).map(|step| f64::from(240 - step) / 20.0);
    logits.take_while(move |&s| s >= last).map(|s| 1.0 / (1.0 + (-s).exp())).chain([0.0])
}

impl Required {
    fn new(rows: &CalibrationRows, class: usize, miss_rate: f64) -> Self {
        let of_class = || rows.iter().filter(|row| row.truth as usize == class);
        // An uncovered row is never decided.
        let missed = of_class().filter(|row| row.covered && row.predicted as usize != class);
        let mut predicted_otherwise: Vec<f64> = missed.map(|row| row.confidence).collect();
        predicted_otherwise.sort_unstable_by(|a, b| b.total_cmp(a));
        Self { class, miss_rate, rows: of_class().count(), predicted_otherwise }
    }

    /// The number of rows decided as another class.
    fn missed(&self, threshold: f64) -> usize {
        self.predicted_otherwise.partition_point(|&confidence| confidence >= threshold)
    }

    fn promised(&self, rows: &CalibrationRows) -> Promised {
        Promised::MissRate { class: rows.class_name(self.class), share: self.miss_rate }
    }

    fn check_rows(&self, rows: &CalibrationRows, promises: &Promises) -> Result<()> {
        let needed = fewest_rows(self.miss_rate, rows.level(promises)).unwrap_or(usize::MAX);
        if self.rows >= needed {
            return Ok(());
        }
        let (promised, confidence, found) = (self.promised(rows), promises.confidence, self.rows);
        let strictest = path(rows.n_classes()).next().unwrap_or(1.0);
        let best = self.best(strictest, rows.level(promises));
        Err(ErrorKind::TooFewRows { promised, confidence, needed, found, best }.into())
    }

    fn refusal(&self, threshold: f64, rows: &CalibrationRows, promises: &Promises) -> Error {
        let (missed, level) = (self.missed(threshold), rows.level(promises));
        ErrorKind::TooManyMissed {
            promised: self.promised(rows),
            confidence: promises.confidence,
            rows: self.rows,
            missed,
            allowed: most_allowed(self.rows, self.miss_rate, level).unwrap_or(0),
            threshold,
            best: self.best(threshold, level),
        }
        .into()
    }

    /// The lowest miss rate above the promised one, in thousandths, that passes at the threshold.
    fn best(&self, threshold: f64, level: f64) -> Option<f64> {
        let missed = self.missed(threshold);
        let rates = ((1000.0 * self.miss_rate).floor() as u32 + 1..1000)
            .map(|rate| f64::from(rate) / 1000.0);
        rates.into_iter().find(|&rate| passes(self.rows, missed, rate, level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ClassName;
    use crate::verdict::CalibrationSource;

    /// 500 healthy rows predicted rightly; of the ill, `found` are predicted ill, and the others
    /// healthy with these probabilities.
    fn rows(found: usize, as_healthy: &[f64]) -> CalibrationRows {
        let healthy = vec![0.9; 500];
        let ill = [vec![0.1; found], as_healthy.to_vec()].concat();
        let truth: Vec<u32> = healthy.iter().map(|_| 0).chain(ill.iter().map(|_| 1)).collect();
        let distributions: Vec<f64> =
            healthy.iter().chain(&ill).flat_map(|&p| [p, 1.0 - p]).collect();
        let names = ["healthy", "ill"].map(ClassName::from);
        CalibrationRows::new(&distributions, &truth, &names, CalibrationSource::HeldOut).unwrap()
    }

    fn at_most(miss_rate: f64) -> Promises {
        Promises { precision: vec![], miss_rate: vec![None, Some(miss_rate)], confidence: 0.9 }
    }

    #[test]
    fn the_path_leads_from_near_certainty_to_everything() {
        let two: Vec<f64> = path(2).collect();
        // s = 12 to 0 in steps of 0.05, and 0.
        assert_eq!(two.len(), 242);
        assert!((two[0] - 0.999_993_9).abs() < 1e-7 && two[240] == 0.5 && two[241] == 0.0);
        assert!(two.windows(2).all(|pair| pair[0] > pair[1]));
        // ln(1 / 3) = -1.0986: the last step is -1.05.
        let four: Vec<f64> = path(4).collect();
        assert_eq!(four.len(), 240 + 21 + 2);
        assert!((four[261] - 1.0 / (1.0 + 1.05f64.exp())).abs() < 1e-15);
        assert_eq!(path(1).last(), Some(0.0));
    }

    #[test]
    fn the_threshold_lies_above_the_misses_that_are_too_many() {
        // Of 400 ill rows 2.5 % may be missed at a level of 10 %: up to 5.
        assert_eq!(most_allowed(400, 0.025, 0.1), Some(5));
        let missed = [0.95, 0.93, 0.91, 0.85, 0.75, 0.65, 0.62];
        let threshold = miss_threshold(&rows(393, &missed), &at_most(0.025)).unwrap();
        // The sixth is at 0.65, with the logit 0.619: the last step above it is 0.65.
        assert!((threshold - 1.0 / (1.0 + (-0.65f64).exp())).abs() < 1e-15, "{threshold}");
        // With two fewer everything is decided.
        let threshold = miss_threshold(&rows(395, &missed[..5]), &at_most(0.025)).unwrap();
        assert_eq!(threshold, 0.0);
    }

    #[test]
    fn refusals_have_the_numbers() {
        // ln 0.1 / ln 0.99 = 229.1.
        let error = miss_threshold(&rows(120, &[]), &at_most(0.01)).unwrap_err().to_string();
        assert_eq!(
            error,
            "a miss rate of 0.01 for class 'ill' cannot be promised with confidence 0.9 from 120 \
             calibration rows of it: at least 230 are needed, even if none of them were decided as \
             another class; give more rows, or promise less (these rows can carry 0.02)"
        );
        let certain = [1.0; 9];
        let error = miss_threshold(&rows(391, &certain), &at_most(0.025)).unwrap_err().to_string();
        assert!(
            error.contains("9 of 400 calibration rows of it are decided as another class even"),
            "{error}"
        );
        assert!(
            error.contains("at most 5 may be; promise less (these rows can carry 0.036)"),
            "{error}"
        );
    }
}
