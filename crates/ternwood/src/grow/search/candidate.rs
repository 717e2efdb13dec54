//! The best split so far, and what can still beat it.

use super::SideLimits;
use super::purity::Purity;
use crate::grow::search::scorer::SplitScorer;

/// A candidate split of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// The published gain.
    pub(super) gain: f64,
    pub(super) feature: u32,
    /// The number of rows that go left. Orders the thresholds of a feature.
    pub(super) left_rows: usize,
    pub(super) place: Place,
}

/// The place of a candidate's threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// Between two values.
    Between([f64; 2]),
    /// After the last left row of the sorted column.
    AfterLeftRows,
    /// Between a bin and the next non-empty one.
    AfterBin(u16),
}

impl Candidate {
    /// Larger gain first, then lower feature, then lower threshold.
    pub(super) fn beats(&self, other: &Self) -> bool {
        let comes_first = || (self.feature, self.left_rows) < (other.feature, other.left_rows);
        self.gain > other.gain || (self.gain == other.gain && comes_first())
    }
}

/// The better of two optional candidates.
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

/// The best split of a node so far, over all features searched.
///
/// Purity, which is cheap, ranks the candidates. Those within rounding of the best are compared
/// by the published gain, so that even accidental ties are broken as published.
pub(super) struct Leader<'a> {
    contest: Contest<'a>,
    feature: u32,
    scorer: SplitScorer<'a>,
    tolerance: f64,
    /// The best purity so far. A split that falls short by more than the tolerance cannot win.
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

    /// Starts from a best purity that is already known.
    pub(super) fn with_best_purity(mut self, best_purity: f64) -> Self {
        self.best_purity = best_purity;
        self
    }

    /// Sets the feature of the candidates that follow.
    pub(super) fn set_feature(&mut self, feature: u32) {
        self.feature = feature;
    }

    /// The purity below which no split can win.
    #[inline]
    pub(super) fn floor(&self) -> f64 {
        self.best_purity - self.tolerance
    }

    /// The shortfall from the best purity beyond which a split cannot win.
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
