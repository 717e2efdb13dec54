//! The best split so far, and what can still beat it.

use super::purity::Purity;
use super::{NO_GAIN, SideLimits};
use crate::grow::search::scorer::SplitScorer;
use crate::tree::Missing;

/// A candidate split of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// The published gain.
    pub(super) gain: f64,
    pub(super) feature: u32,
    pub(super) rank: Rank,
    /// Where missing values go.
    pub(super) missing: Missing,
    /// The number of rows left of the threshold, missing values apart.
    pub(super) left_rows: usize,
    pub(super) place: Place,
}

/// The place of a candidate among all of a node: of equal gains the first wins.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Rank {
    /// The place of its feature.
    order: u32,
    /// The axis on which categories are compared.
    pub(super) axis: u32,
    /// True if the split only separates what is present from what is missing.
    pub(super) separates_missing: bool,
    /// The place of its threshold: lower ones first, or higher ones.
    threshold: i64,
    missing_right: bool,
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
    /// Between two neighbouring ranks.
    Ranks([u32; 2]),
    /// Between all ranks up to this one, and the others.
    AfterRank(u32),
    /// Between two positions on the axis of the categories.
    OnAxis([f64; 2]),
}

/// What the candidates of one pass over a feature have in common.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Entrant {
    pub(super) feature: Contender,
    pub(super) axis: u32,
    /// Where missing values go; `Unknown` if the node has none.
    pub(super) missing: Missing,
    pub(super) missing_rows: usize,
}

/// A feature, and what decides ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Contender {
    pub(super) feature: u32,
    /// The place among all features of the node: of equal gains the first wins.
    pub(super) order: u32,
    /// True if of equal thresholds the highest wins, not the lowest.
    pub(super) highest_first: bool,
}

impl Entrant {
    /// For a feature without missing values.
    pub(super) fn complete(feature: Contender) -> Self {
        Self { feature, ..Self::default() }
    }
}

impl Candidate {
    /// Larger gain first, then lower rank.
    pub(super) fn beats(&self, other: &Self) -> bool {
        self.gain > other.gain || (self.gain == other.gain && self.rank < other.rank)
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
    /// Whether a split without gain may win, if there is no better.
    pub(super) zero_gain_splits: bool,
    /// Factor on all gains: less than 1 if the contest is about a part of the node's rows.
    pub(super) share: f64,
    /// The part of all gains that is owed to chance, and does not count.
    pub(super) chance: f64,
}

impl<'a> Contest<'a> {
    /// The same contest among splits of which a part of the gain is owed to chance.
    pub(super) fn with_chance(self, chance: f64) -> Self {
        Self { chance, ..self }
    }

    /// The best split of a part of the node's rows, the others being unknown at it. Its gain
    /// counts in proportion to the part's weight.
    pub(super) fn of_part(
        &self,
        counts: &[f64],
        n_rows: usize,
        enter: impl FnOnce(Contest<'_>, &mut Leader<'_>),
    ) -> Option<Candidate> {
        let share = self.purity.weight(counts) / self.purity.weight(self.counts);
        let part = Contest { counts, n_rows, share, ..*self };
        let mut leader = Leader::new(part);
        enter(part, &mut leader);
        leader.finish().0
    }
}

/// The best split of a node so far, over all features searched.
///
/// Purity, which is cheap, ranks the candidates. Those within rounding of the best are compared
/// by the published gain, so that even accidental ties are broken as published.
pub(super) struct Leader<'a> {
    contest: Contest<'a>,
    entrant: Entrant,
    scorer: SplitScorer<'a>,
    tolerance: f64,
    /// The best purity so far. A split that falls short by more than the tolerance cannot win.
    best_purity: f64,
    best: Option<Candidate>,
}

impl<'a> Leader<'a> {
    pub(super) fn new(contest: Contest<'a>) -> Self {
        let Purity { criterion, class_factors } = contest.purity;
        // Gains that count as 0 are apart by up to the tolerance, and by rounding.
        let slack = if contest.zero_gain_splits { 2.0 } else { 1.0 };
        Self {
            contest,
            entrant: Entrant::default(),
            scorer: SplitScorer::new(criterion, class_factors, contest.counts),
            tolerance: slack * contest.purity.tolerance(contest.counts),
            best_purity: f64::NEG_INFINITY,
            best: None,
        }
    }

    /// Starts from a best purity that is already known.
    pub(super) fn with_best_purity(mut self, best_purity: f64) -> Self {
        self.best_purity = best_purity;
        self
    }

    /// Says what the candidates that follow have in common.
    pub(super) fn set_entrant(&mut self, entrant: Entrant) {
        self.entrant = entrant;
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

    /// Enters a split unless its purity rules it out.
    #[inline]
    pub(super) fn offer(&mut self, left: &[f64], left_rows: usize, place: Place) {
        let purity = self.contest.purity.of(left, self.contest.counts);
        if purity >= self.floor() {
            self.enter(purity, left, left_rows, place);
        }
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
        let mut gain = self.contest.share * (score.gain - self.contest.chance);
        if self.contest.zero_gain_splits && gain < NO_GAIN {
            gain = 0.0;
        }
        if gain > 0.0 || self.contest.zero_gain_splits {
            let Entrant { feature, axis, missing, missing_rows } = self.entrant;
            let Contender { feature, order, highest_first } = feature;
            let left_rows = left_rows - if missing == Missing::Left { missing_rows } else { 0 };
            let threshold = left_rows as i64;
            let rank = Rank {
                order,
                axis,
                separates_missing: missing == Missing::Right
                    && left_rows + missing_rows == self.contest.n_rows,
                threshold: if highest_first { -threshold } else { threshold },
                missing_right: missing == Missing::Right,
            };
            let candidate = Candidate { gain, feature, rank, missing, left_rows, place };
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
