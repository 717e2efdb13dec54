//! The best split so far, and who may still beat it.

use super::SideLimits;
use super::purity::Purity;
use crate::grow::search::scorer::SplitScorer;

/// A split of a node, by what stands on its left.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// By the published expression.
    pub(super) gain: f64,
    pub(super) feature: u32,
    /// How many rows go left: within a feature, the order of thresholds.
    pub(super) left_rows: usize,
    pub(super) place: Place,
}

/// Where the threshold of a candidate is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// Between two values.
    Between([f64; 2]),
    /// After a bin and before the next one that has rows.
    AfterBin(u16),
}

impl Candidate {
    /// Larger gain first, then lower feature, then lower threshold.
    pub(super) fn beats(&self, other: &Self) -> bool {
        let comes_first = || (self.feature, self.left_rows) < (other.feature, other.left_rows);
        self.gain > other.gain || (self.gain == other.gain && comes_first())
    }
}

/// The better of two candidates that may be absent.
pub(super) fn better(a: Option<Candidate>, b: Option<Candidate>) -> Option<Candidate> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.beats(&a) { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// A node whose splits are compared.
#[derive(Clone, Copy)]
pub(super) struct Contest<'a> {
    pub(super) purity: Purity<'a>,
    pub(super) limits: SideLimits,
    /// Class counts of the node, before class weights.
    pub(super) counts: &'a [f64],
    pub(super) n_rows: usize,
}

/// The race for the best split of a node, feature by feature.
///
/// Candidates are ranked by purity, which is quick; those within rounding of the best are
/// compared again by the published expression, so that even accidental ties fall as published.
pub(super) struct Leader<'a> {
    contest: Contest<'a>,
    feature: u32,
    scorer: SplitScorer<'a>,
    tolerance: f64,
    /// The best purity seen; what falls short of it by more than the tolerance cannot win.
    best_purity: f64,
    best: Option<Candidate>,
}

impl<'a> Leader<'a> {
    pub(super) fn new(contest: Contest<'a>) -> Self {
        let Purity { criterion, class_factors } = contest.purity;
        Self {
            contest,
            feature: 0,
            scorer: SplitScorer::new(criterion, class_factors, contest.counts),
            tolerance: contest.purity.tolerance(contest.counts),
            best_purity: f64::NEG_INFINITY,
            best: None,
        }
    }

    /// Splits below this purity are out of the race from the start.
    pub(super) fn starting_at(mut self, best_purity: f64) -> Self {
        self.best_purity = best_purity;
        self
    }

    /// From now on candidates are splits of this feature.
    pub(super) fn turn_to(&mut self, feature: u32) {
        self.feature = feature;
    }

    /// The purity below which nothing can win any more.
    #[inline]
    pub(super) fn floor(&self) -> f64 {
        self.best_purity - self.tolerance
    }

    /// By how much a purity must fall short of the best to be out of the race.
    pub(super) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Enters a split whose purity is at or above the [`floor`](Self::floor).
    #[cold]
    pub(super) fn enter(&mut self, purity: f64, left: &[f64], left_rows: usize, place: Place) {
        let score = self.scorer.score(left);
        let rows = [left_rows, self.contest.n_rows - left_rows];
        if !self.contest.limits.allow(rows, [score.left_weight, score.right_weight]) {
            return;
        }
        self.best_purity = self.best_purity.max(purity);
        if score.gain > 0.0 {
            let candidate = Candidate { gain: score.gain, feature: self.feature, left_rows, place };
            if self.best.as_ref().is_none_or(|best| candidate.beats(best)) {
                self.best = Some(candidate);
            }
        }
    }

    /// The winner, and the best purity of any legal split.
    pub(super) fn finish(self) -> (Option<Candidate>, f64) {
        (self.best, self.best_purity)
    }
}
