//! The best split so far, and what can still beat it.

use super::{NO_GAIN, SearchRules, SideLimits};
use crate::grow::target::{Measure, Scorer, Tally, Target};
use crate::tree::Missing;

/// A candidate split of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate<P> {
    /// The published gain.
    pub(crate) gain: f64,
    pub(crate) feature: u32,
    pub(crate) rank: Rank,
    /// Where missing values go.
    pub(crate) missing: Missing,
    /// The number of rows left of the threshold, missing values apart.
    pub(crate) left_rows: usize,
    pub(crate) place: Place<P>,
}

/// The place of a candidate among all of a node: of equal gains the first wins.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Rank {
    /// The place of its feature.
    order: u32,
    /// The axis on which categories are compared.
    pub(crate) axis: u32,
    /// True if the split only separates what is present from what is missing.
    pub(crate) separates_missing: bool,
    /// The place of its threshold: lower ones first, or higher ones.
    threshold: i64,
    missing_right: bool,
}

/// The place of a candidate's threshold: `P` is how the search at work knows that of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Place<P> {
    Number(P),
    /// Between two positions on the axis of the categories.
    OnAxis([f64; 2]),
}

/// What the candidates of one pass over a feature have in common.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Entrant {
    pub(crate) feature: Contender,
    pub(crate) axis: u32,
    /// Where missing values go; `Unknown` if the node has none.
    pub(crate) missing: Missing,
    pub(crate) missing_rows: usize,
}

/// A feature, and what decides ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Contender {
    pub(crate) feature: u32,
    /// The place among all features of the node: of equal gains the first wins.
    pub(crate) order: u32,
    /// True if of equal thresholds the highest wins, not the lowest.
    pub(crate) highest_first: bool,
}

impl Entrant {
    /// For a feature without missing values.
    pub(crate) fn complete(feature: Contender) -> Self {
        Self { feature, ..Self::default() }
    }
}

impl<P> Candidate<P> {
    /// Larger gain first, then lower rank.
    pub(crate) fn beats(&self, other: &Self) -> bool {
        self.gain > other.gain || (self.gain == other.gain && self.rank < other.rank)
    }
}

/// The better of two optional candidates.
pub(crate) fn better<P>(a: Option<Candidate<P>>, b: Option<Candidate<P>>) -> Option<Candidate<P>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.beats(&a) { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// A node whose splits are compared.
pub(crate) struct Contest<'a, T: Target> {
    pub(crate) measure: &'a T::Measure,
    pub(crate) limits: SideLimits,
    node: &'a T::Tally,
    /// The sums of the rows that splits are about: those of the node, or of a part of them.
    pub(crate) sums: &'a [T::Sum],
    pub(crate) n_rows: usize,
    /// Whether a split without gain may win, if there is no better.
    zero_gain_splits: bool,
    /// Factor on all gains: less than 1 if the contest is about a part of the node's rows.
    share: f64,
    /// The part of all gains that is owed to chance, and does not count.
    chance: f64,
}

impl<T: Target> Clone for Contest<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Target> Copy for Contest<'_, T> {}

impl<'a, T: Target> Contest<'a, T> {
    /// Among the splits of a node.
    pub(crate) fn new(rules: &SearchRules<'a, T>, node: &'a T::Tally) -> Self {
        Self {
            measure: rules.training.measure(),
            limits: rules.limits,
            node,
            sums: node.sums(),
            n_rows: node.n_rows(),
            zero_gain_splits: rules.zero_gain_splits,
            share: 1.0,
            chance: 0.0,
        }
    }

    /// The impurity of some or all rows of the node.
    pub(crate) fn impurity(&self, sums: &[T::Sum]) -> f64 {
        self.measure.impurity(sums, self.node)
    }

    /// The same contest among splits of which a part of the gain is owed to chance.
    pub(crate) fn with_chance(self, chance: f64) -> Self {
        Self { chance, ..self }
    }

    /// The best split of a part of the node's rows, the others being unknown at it. Its gain
    /// counts in proportion to the part's weight.
    pub(crate) fn of_part<P: Copy>(
        &self,
        sums: &[T::Sum],
        n_rows: usize,
        enter: impl FnOnce(Contest<'_, T>, &mut Leader<'_, T, P>),
    ) -> Option<Candidate<P>> {
        let share = self.measure.weight(sums) / self.measure.weight(self.sums);
        let part = Contest { sums, n_rows, share, ..*self };
        let mut leader = Leader::new(part);
        enter(part, &mut leader);
        leader.finish().0
    }
}

/// The best split of a node so far, over all features searched.
///
/// Purity, which is cheap, ranks the candidates. Those within rounding of the best are compared
/// by the published gain, so that even accidental ties are broken as published.
pub(crate) struct Leader<'a, T: Target, P> {
    contest: Contest<'a, T>,
    entrant: Entrant,
    scorer: <T::Measure as Measure<T>>::Scorer<'a>,
    tolerance: f64,
    /// The best purity so far. A split that falls short by more than the tolerance cannot win.
    best_purity: f64,
    best: Option<Candidate<P>>,
}

impl<'a, T: Target, P: Copy> Leader<'a, T, P> {
    pub(crate) fn new(contest: Contest<'a, T>) -> Self {
        // Gains that count as 0 are apart by up to the tolerance, and by rounding.
        let slack = if contest.zero_gain_splits { 2.0 } else { 1.0 };
        Self {
            contest,
            entrant: Entrant::default(),
            scorer: contest.measure.scorer(contest.sums),
            tolerance: slack * contest.measure.tolerance(contest.sums),
            best_purity: f64::NEG_INFINITY,
            best: None,
        }
    }

    /// Starts from a best purity that is already known.
    pub(crate) fn with_best_purity(mut self, best_purity: f64) -> Self {
        self.best_purity = best_purity;
        self
    }

    /// Says what the candidates that follow have in common.
    pub(crate) fn set_entrant(&mut self, entrant: Entrant) {
        self.entrant = entrant;
    }

    /// The purity below which no split can win.
    #[inline]
    pub(crate) fn floor(&self) -> f64 {
        self.best_purity - self.tolerance
    }

    /// The shortfall from the best purity beyond which a split cannot win.
    pub(crate) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Enters a split unless its purity rules it out.
    #[inline]
    pub(crate) fn offer(&mut self, left: &[T::Sum], left_rows: usize, place: Place<P>) {
        let purity = self.contest.measure.purity(left, self.contest.sums);
        if purity >= self.floor() {
            self.enter(purity, left, left_rows, place);
        }
    }

    /// Enters a split whose purity is at or above the [`floor`](Self::floor).
    #[cold]
    pub(crate) fn enter(
        &mut self,
        purity: f64,
        left: &[T::Sum],
        left_rows: usize,
        place: Place<P>,
    ) {
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
    pub(crate) fn finish(self) -> (Option<Candidate<P>>, f64) {
        (self.best, self.best_purity)
    }
}
