//! The thresholds that keep promises class by class.

use super::calibration_rows::CalibrationRows;
use super::miss_path::miss_threshold;
use super::promises::Promises;
use super::sequence::{Ladder, SequenceTest};
use super::thresholds::Thresholds;
use crate::error::{Promised, Result};
use crate::metrics::ConfidenceRanking;

/// The lowest thresholds at which all promises are certified.
///
/// - Where rows decided as a class may be misses, its threshold is at least that of the
///   [path](miss_threshold): a higher one has fewer misses.
/// - With a promised precision it is the least certified threshold from there on. A class that
///   has none is never decided: of a higher threshold's precision nothing is known.
/// - What no promise touches has the threshold 0.
///
/// # Errors
/// A promise that the rows cannot carry, or lists that do not fit the classes.
pub(super) fn promised_thresholds(
    rows: &CalibrationRows,
    promises: &Promises,
) -> Result<Thresholds> {
    promises.check()?;
    promises.check_classes(rows.n_classes())?;
    let any_misses = promises.miss_rate.iter().any(Option::is_some);
    let of_misses = if any_misses { miss_threshold(rows, promises)? } else { 0.0 };
    let threshold = |class: usize| {
        let least = if promises.may_miss(class) { of_misses } else { 0.0 };
        match promises.precision_of(class) {
            Some(precision) => with_precision(rows, class, precision, promises, least),
            None => Ok(Some(least)),
        }
    };
    Ok(Thresholds::by_class((0..rows.n_classes()).map(threshold).collect::<Result<_>>()?))
}

/// The least threshold from `least` on that is certified for a precision.
fn with_precision(
    rows: &CalibrationRows,
    class: usize,
    precision: f64,
    promises: &Promises,
    least: f64,
) -> Result<Option<f64>> {
    let predicted = rows.iter().filter(|row| row.predicted as usize == class);
    let (confidences, correct): (Vec<f64>, Vec<bool>) =
        predicted.map(|row| (row.confidence, row.is_right())).unzip();
    let ranking = ConfidenceRanking::new(&confidences, &correct)?;
    let ladder = Ladder::new(&ranking, rows.lowest_confidence());
    // Two sequences share what the promise may be wrong.
    let test = SequenceTest { right: precision, level: promises.level() / 2.0 };
    let promised = || Promised::Precision { class: rows.class_name(class), share: precision };
    let certified = test.certified(&ladder, promised, promises.confidence)?;
    let lowest = certified.iter().rfind(|step| step.confidence >= least);
    Ok(lowest.map(|step| step.threshold().max(least)))
}
