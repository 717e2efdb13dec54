//! The thresholds that keep promises class by class.
//!
//! A precision is tested threshold by threshold in a fixed order; miss rates by lowering one threshold for all
//! classes along a fixed path.

use super::calibration_rows::CalibrationRows;
use super::confidence::{Promises, Thresholds, midpoint_below};
use super::rows_needed::{fewest_rows, level_of_test, most_allowed, passes};
use crate::error::{Error, ErrorKind, Promised, Result};
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

/// Tests which confidence thresholds decide rows of which at least the share `right` is right.
/// Each of the two starts certifies a wrong threshold with a probability of at most `level`.
///
/// Fixed-sequence testing (*Learn then Test*): thresholds are fixed without looking at the labels
/// and tested from the strictest on. A threshold with `k` errors among its `n` decided rows
/// passes iff
///
/// ```text
/// P(Binomial(n, 1 - right) <= k) <= level
/// ```
///
/// that is, iff so few errors would be unlikely if the share were not reached. Testing stops at
/// the first failure. Each threshold is tested only if all before it passed, so no correction for
/// multiple tests is needed, and all that passed are certified.
///
/// The thresholds are the calibration confidences in descending order: every `max(1, N / 100)`th
/// of the `N` rows, the one that first decides `n_min` rows, and the last, rows of equal
/// confidence together. Starting with only a few rows would fail at once, so there are two
/// sequences: one starts where `max(N / 5, n_min)` rows are decided, one at `max(N / 2, n_min)`.
/// [`n_min`](super::rows_needed()) is the number of rows with which zero errors just pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SequenceTest {
    pub(super) right: f64,
    pub(super) level: f64,
}

/// A threshold, and what it decides.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    confidence: f64,
    /// The next lower confidence of a row, or the lowest possible one.
    next_lower: f64,
    decided: usize,
    wrong: usize,
}

/// The thresholds of calibration rows, strictest first. They do not depend on the labels.
pub(super) struct Ladder {
    steps: Vec<Step>,
    /// Indices of the steps that are tested whatever is promised.
    on_grid: Vec<usize>,
}

impl Ladder {
    /// Of rows with confidences of at least `lowest`.
    pub(super) fn new(ranking: &ConfidenceRanking, lowest: f64) -> Self {
        let rows = ranking.n_rows();
        let stride = (rows / 100).max(1);
        let (mut steps, mut on_grid) = (Vec::new(), Vec::new());
        let (mut decided, mut wrong) = (0, 0);
        let groups = ranking.groups();
        for (index, group) in groups.iter().enumerate() {
            let before = decided;
            decided += group.rows;
            wrong += group.errors;
            if decided / stride > before / stride || decided == rows {
                on_grid.push(index);
            }
            let next_lower = groups.get(index + 1).map_or(lowest, |next| next.confidence);
            steps.push(Step { confidence: group.confidence, next_lower, decided, wrong });
        }
        Self { steps, on_grid }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.steps.last().map_or(0, |step| step.decided)
    }

    /// The tested steps that decide at least `start` rows, if at least `fewest` must be.
    fn sequence(&self, start: usize, fewest: usize) -> impl Iterator<Item = &Step> {
        let first_enough = self.steps.partition_point(|step| step.decided < fewest);
        let split = self.on_grid.partition_point(|&index| index < first_enough);
        let (before, after) = self.on_grid.split_at(split);
        let after = if after.first() == Some(&first_enough) { &after[1..] } else { after };
        let indices = before.iter().copied().chain([first_enough]).chain(after.iter().copied());
        indices.filter_map(|index| self.steps.get(index)).filter(move |step| step.decided >= start)
    }

    /// The two sequences, if at least `fewest` rows must be decided.
    fn sequences(&self, fewest: usize) -> [impl Iterator<Item = &Step>; 2] {
        let rows = self.n_rows();
        [5, 2].map(|part| self.sequence((rows / part).max(fewest), fewest))
    }
}

impl SequenceTest {
    fn passes(&self, step: &Step) -> bool {
        passes(step.decided, step.wrong, 1.0 - self.right, self.level)
    }

    /// The lowest certified threshold from `least` on; `None` if all that passed are lower.
    ///
    /// # Errors
    /// Too few rows, or no step that passed.
    pub(super) fn lowest(
        &self,
        ladder: &Ladder,
        least: f64,
        promised: impl Fn() -> Promised,
        confidence: f64,
    ) -> Result<Option<f64>> {
        let certified = self.certified(ladder, promised, confidence)?;
        let lowest = certified.iter().rfind(|step| step.confidence >= least);
        Ok(lowest.map(|step| midpoint_below(step.confidence, step.next_lower).max(least)))
    }

    /// Every step that passed in either sequence, strictest first. Not empty.
    fn certified(
        &self,
        ladder: &Ladder,
        promised: impl Fn() -> Promised,
        confidence: f64,
    ) -> Result<Vec<Step>> {
        let fewest = fewest_rows(1.0 - self.right, self.level).unwrap_or(usize::MAX);
        let rows = ladder.n_rows();
        if rows < fewest {
            let (promised, needed, best) = (promised(), fewest, self.best(ladder));
            let found = rows;
            let kind = ErrorKind::TooFewRows { promised, confidence, needed, found, best };
            return Err(kind.into());
        }
        let mut certified: Vec<Step> = Vec::new();
        for sequence in ladder.sequences(fewest) {
            let passed = sequence.take_while(|step| self.passes(step));
            // The later start tests what the earlier one tests, too, if that comes so far.
            let beyond = certified.last().map_or(0, |step| step.decided);
            let new: Vec<Step> = passed.filter(|step| step.decided > beyond).copied().collect();
            certified.extend(new);
        }
        if certified.is_empty() {
            return Err(self.refusal(ladder, fewest, promised(), confidence));
        }
        Ok(certified)
    }

    fn refusal(
        &self,
        ladder: &Ladder,
        fewest: usize,
        promised: Promised,
        confidence: f64,
    ) -> Error {
        let [mut first, _] = ladder.sequences(fewest);
        let Some(&Step { decided, wrong, .. }) = first.next() else {
            return ErrorKind::NoRows.into();
        };
        let allowed = most_allowed(decided, 1.0 - self.right, self.level).unwrap_or(0);
        let (rows, best) = (ladder.n_rows(), self.best(ladder));
        ErrorKind::NoGuarantee { promised, confidence, rows, decided, wrong, allowed, best }.into()
    }

    /// The highest share below the promised one, in thousandths, for which some step passes.
    fn best(&self, ladder: &Ladder) -> Option<f64> {
        let thousandths = (1000.0 * self.right).ceil() as u32;
        let shares = (1..thousandths).rev().map(|share| f64::from(share) / 1000.0);
        shares.into_iter().find(|&right| {
            let test = Self { right, ..*self };
            let Some(fewest) = fewest_rows(1.0 - right, self.level) else { return false };
            let starts = ladder.sequences(fewest);
            fewest <= ladder.n_rows()
                && starts.into_iter().any(|mut steps| steps.next().is_some_and(|s| test.passes(s)))
        })
    }
}

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

    /// Rows of falling confidence; those at the given ranks are wrong.
    fn ranked(n: usize, wrong: &[usize]) -> Ladder {
        let confidences: Vec<f64> = (0..n).map(|rank| 1.0 - rank as f64 / (2 * n) as f64).collect();
        let correct: Vec<bool> = (0..n).map(|rank| !wrong.contains(&rank)).collect();
        Ladder::new(&ConfidenceRanking::new(&confidences, &correct).unwrap(), 0.5)
    }

    fn steps(ladder: &Ladder, fewest: usize) -> [Vec<usize>; 2] {
        ladder.sequences(fewest).map(|steps| steps.map(|step| step.decided).collect())
    }

    fn certified(test: &SequenceTest, ladder: &Ladder) -> Result<Vec<usize>> {
        let steps = test.certified(ladder, || Promised::Accuracy(test.right), 0.9)?;
        Ok(steps.iter().map(|step| step.decided).collect())
    }

    #[test]
    fn the_sequences_are_every_hundredth_row_from_where_they_may_pass() {
        // 1050 rows: every 10th, from max(n_min, 210) and max(n_min, 525) on, and the last.
        let tens = |from: usize| (from..=105).map(|i| 10 * i).collect::<Vec<_>>();
        assert_eq!(steps(&ranked(1050, &[]), 5), [tens(21), tens(53)]);
        // 1055 rows: 211 is a fifth, so the first on the grid decides 220; the last decides all.
        let with_last = |from| [tens(from), vec![1055]].concat();
        assert_eq!(steps(&ranked(1055, &[]), 5), [with_last(22), with_last(53)]);
        // n_min itself is on the grid.
        let from_n_min = [vec![301], tens(31)].concat();
        assert_eq!(steps(&ranked(1050, &[]), 301), [from_n_min, tens(53)]);
        // Few rows: every one.
        assert_eq!(steps(&ranked(8, &[]), 6), [vec![6, 7, 8], vec![6, 7, 8]]);
        assert_eq!(steps(&ranked(8, &[]), 8), [vec![8], vec![8]]);
    }

    #[test]
    fn tied_rows_are_decided_together() {
        // 4 rows at 0.9, 6 at 0.8, 2 at 0.7.
        let confidences = [vec![0.9; 4], vec![0.8; 6], vec![0.7; 2]].concat();
        let ranking = ConfidenceRanking::new(&confidences, &[true; 12]).unwrap();
        let ladder = Ladder::new(&ranking, 0.5);
        assert_eq!(steps(&ladder, 1), [vec![4, 10, 12], vec![10, 12]]);
        assert_eq!(steps(&ladder, 11), [vec![12], vec![12]]);
        // The stored threshold is halfway to the next lower one, and at last to the lowest possible
        // one; none is below what it must not be below.
        let test = SequenceTest { right: 0.5, level: 0.25 };
        for (least, expected) in [(0.8, 0.8), (0.75, 0.75), (0.71, 0.75), (0.7, 0.7), (0.0, 0.6)] {
            let found = test.lowest(&ladder, least, || Promised::Accuracy(0.5), 0.5).unwrap();
            assert!((found.unwrap() - expected).abs() < 1e-15, "from {least}: {found:?}");
        }
        assert_eq!(test.lowest(&ladder, 0.91, || Promised::Accuracy(0.5), 0.5), Ok(None));
    }

    #[test]
    fn the_first_failure_ends_a_sequence_and_the_later_start_has_its_own() {
        // 80 % at a level of 20 %: n_min = ceil(ln 0.2 / ln 0.8) = 8. The first sequence starts at
        // a fifth, 20 of 100 rows; the second at 50.
        let test = SequenceTest { right: 0.8, level: 0.2 };
        let pass = |rows, wrong| passes(rows, wrong, 1.0 - test.right, test.level);
        // Rows 31 to 40 are wrong: it fails somewhere there, and would pass again at 100.
        let wrong: Vec<usize> = (30..40).collect();
        let failure = (31..=40).find(|&n| !pass(n, n - 30)).unwrap();
        assert!(!pass(50, 10) && pass(100, 10));
        let expected: Vec<usize> = (20..failure).collect();
        assert_eq!(certified(&test, &ranked(100, &wrong)), Ok(expected.clone()));
        // With four of them fewer, the second start passes at 50 and goes on to the end.
        let wrong: Vec<usize> = (30..36).collect();
        assert!(pass(50, 6) && failure <= 36);
        let both = expected.into_iter().chain(50..=100).collect();
        assert_eq!(certified(&test, &ranked(100, &wrong)), Ok(both));
        // If the first sequence fails at once, the second may still pass.
        let wrong: Vec<usize> = (0..6).collect();
        assert_eq!(certified(&test, &ranked(100, &wrong)), Ok((50..=100).collect()));
    }

    #[test]
    fn without_enough_rows_the_error_has_the_numbers() {
        let test = SequenceTest { right: 0.95, level: 0.05 };
        let error = certified(&test, &ranked(58, &[])).unwrap_err();
        let &ErrorKind::TooFewRows { needed: 59, found: 58, best: Some(best), .. } = error.kind()
        else {
            panic!("{error}")
        };
        // 0.05^(1/58) = 0.9497: 58 rows without an error carry 94.9 %.
        assert_eq!(best, 0.949);
        assert!(error.to_string().contains("from 58 calibration rows: at least 59"), "{error}");
        assert_eq!(certified(&test, &ranked(59, &[])), Ok(vec![59]));
    }

    #[test]
    fn with_too_many_errors_the_error_has_the_numbers() {
        let test = SequenceTest { right: 0.95, level: 0.05 };
        let error = certified(&test, &ranked(200, &[3, 5, 8, 13, 21, 34, 55, 89])).unwrap_err();
        // n_min = 59 is more than a fifth of 200 rows; by then 7 are wrong, and none may be.
        let ErrorKind::NoGuarantee { rows: 200, decided: 59, wrong: 7, allowed: 0, best, .. } =
            error.kind()
        else {
            panic!("{error}")
        };
        // The best that a sequence starts with; one thousandth more would not do.
        let best = best.unwrap();
        assert!(best < 0.95, "{best}");
        let carries = |right| {
            certified(&SequenceTest { right, ..test }, &ranked(200, &[3, 5, 8, 13, 21, 34, 55, 89]))
                .is_ok()
        };
        assert!(carries(best) && !carries(best + 0.001), "{best}");
    }

    /// 500 healthy rows predicted rightly; of the ill, `found` are predicted ill, and the others
    /// healthy with these probabilities.
    fn ill_rows(found: usize, as_healthy: &[f64]) -> CalibrationRows {
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
        let threshold = miss_threshold(&ill_rows(393, &missed), &at_most(0.025)).unwrap();
        // The sixth is at 0.65, with the logit 0.619: the last step above it is 0.65.
        assert!((threshold - 1.0 / (1.0 + (-0.65f64).exp())).abs() < 1e-15, "{threshold}");
        // With two fewer everything is decided.
        let threshold = miss_threshold(&ill_rows(395, &missed[..5]), &at_most(0.025)).unwrap();
        assert_eq!(threshold, 0.0);
    }

    #[test]
    fn refusals_have_the_numbers() {
        // ln 0.1 / ln 0.99 = 229.1.
        let error = miss_threshold(&ill_rows(120, &[]), &at_most(0.01)).unwrap_err().to_string();
        assert_eq!(
            error,
            "a miss rate of 0.01 for class 'ill' cannot be promised with confidence 0.9 from 120 \
             calibration rows of it: at least 230 are needed, even if none of them were decided as \
             another class; give more rows, or promise less (these rows can carry 0.02)"
        );
        let certain = [1.0; 9];
        let error =
            miss_threshold(&ill_rows(391, &certain), &at_most(0.025)).unwrap_err().to_string();
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
