//! The thresholds that keep promises class by class.

use super::calibration_rows::CalibrationRows;
use super::miss_path::miss_threshold;
use super::promises::Promises;
use super::rows_needed::level_of_test;
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
    let predicted = rows.iter().filter(|row| row.covered && row.predicted as usize == class);
    let (confidences, correct): (Vec<f64>, Vec<bool>) =
        predicted.map(|row| (row.confidence, row.is_right())).unzip();
    let ranking = ConfidenceRanking::new(&confidences, &correct)?;
    let ladder = Ladder::new(&ranking, rows.lowest_confidence());
    let promised = || Promised::Precision { class: rows.class_name(class), share: precision };
    let level = level_of_test(&promised(), rows.level(promises));
    let test = SequenceTest { right: precision, level };
    test.lowest(&ladder, least, promised, promises.confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ClassName;
    use crate::verdict::CalibrationSource;

    /// Rows of class 1 of which four are missed: predicted as class 2 with 0.875. Everything else
    /// is predicted rightly; rows of class 2 with these two probabilities.
    fn rows(of_second: [f64; 2]) -> CalibrationRows {
        let second = |p: f64| [(1.0 - p) / 2.0, (1.0 - p) / 2.0, p];
        let groups = [
            (0, [0.75, 0.125, 0.125], 40),
            (1, [0.125, 0.75, 0.125], 90),
            (1, [0.0625, 0.0625, 0.875], 4),
            (2, second(of_second[0]), 60),
            (2, second(of_second[1]), 60),
        ];
        let rows = groups.iter().flat_map(|&(class, p, n)| std::iter::repeat_n((class, p), n));
        let truth: Vec<u32> = rows.clone().map(|(class, _)| class).collect();
        let distributions: Vec<f64> = rows.flat_map(|(_, p)| p).collect();
        let names = ["a", "b", "c"].map(ClassName::from);
        CalibrationRows::new(&distributions, &truth, &names, CalibrationSource::HeldOut).unwrap()
    }

    fn thresholds(
        rows: &CalibrationRows,
        precision: [Option<f64>; 3],
        miss_rate: [Option<f64>; 3],
    ) -> [Option<f64>; 3] {
        let [precision, miss_rate] = [precision, miss_rate].map(|list| list.to_vec());
        let promises = Promises { precision, miss_rate, confidence: 0.9 };
        let thresholds = promised_thresholds(rows, &promises).unwrap();
        [0, 1, 2].map(|class| thresholds.of(class))
    }

    #[test]
    fn each_kind_of_promise_alone() {
        let rows = rows([0.9375, 0.8125]);
        // Four of 94 missed ones are too many, so the threshold is the last step above 0.875: the
        // logit of 0.875 is ln 7 = 1.9459, and that of the step 1.95.
        let of_misses = 1.0 / (1.0 + (-1.95f64).exp());
        let found = thresholds(&rows, [None; 3], [None, Some(0.0625), None]);
        assert_eq!(found, [Some(of_misses), Some(0.0), Some(of_misses)]);
        // All 124 rows predicted c may be decided, 4 of them wrongly. Nothing lower was seen, so
        // the threshold is halfway to 1/3.
        let found = thresholds(&rows, [None, None, Some(0.75)], [None; 3]);
        let halfway = (0.8125 + 1.0 / 3.0) / 2.0;
        assert!(found[0] == Some(0.0) && found[1] == Some(0.0), "nothing is promised of them");
        assert!((found[2].unwrap() - halfway).abs() < 1e-15, "{found:?}");
    }

    #[test]
    fn together_the_higher_one_counts_and_only_what_passed() {
        let (precision, miss_rate) = ([Some(0.75), None, Some(0.75)], [None, Some(0.0625), None]);
        let of_misses = 1.0 / (1.0 + (-1.95f64).exp());
        // Of class c the rows at 0.9375 are decided, from halfway to 0.875 on, which is above the
        // threshold of the misses. Class a has passed at 0.75 only: too low.
        let found = thresholds(&rows([0.9375, 0.8125]), precision, miss_rate);
        assert_eq!(found, [None, Some(0.0), Some((0.9375 + 0.875) / 2.0)]);
        // Halfway from 0.8757 to 0.875 would be too low for the misses.
        let found = thresholds(&rows([0.8757, 0.8125]), precision, miss_rate);
        assert_eq!(found, [None, Some(0.0), Some(of_misses)]);
    }
}
