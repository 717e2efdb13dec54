//! A promised share of right answers, by testing thresholds in a fixed order.

use super::rows_needed::{fewest_rows, most_allowed, passes};
use super::thresholds::midpoint_below;
use crate::error::{Error, ErrorKind, Promised, Result};
use crate::metrics::ConfidenceRanking;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
