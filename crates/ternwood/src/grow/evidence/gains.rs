//! The gains of a node's candidate thresholds.

use super::present_rows::{Aside, PresentRows};
use super::split_evidence::SplitEvidence;
use crate::grow::search::scorer::{Score, SplitScorer};
use crate::grow::search::{Purity, midpoint};
use crate::recipe::Criterion;

/// A candidate threshold and its gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The threshold.
    pub threshold: f64,
    /// The impurity decrease of a split there.
    pub gain: f64,
}

/// A cut between two distinct values of the column.
struct Cut<'a> {
    left: &'a [f64],
    rows: [usize; 2],
    between: [f64; 2],
}

impl Cut<'_> {
    fn threshold(&self) -> f64 {
        midpoint(self.between[0], self.between[1])
    }
}

impl SplitEvidence<'_> {
    /// Class counts of missing values, left and right of every threshold.
    pub(crate) fn missing_counts(&self) -> Option<[Vec<f64>; 2]> {
        let PresentRows { tally, aside, .. } = self.present();
        let aside = aside.as_ref()?;
        let present_and_left = tally.counts.iter().zip(&aside.left);
        let right = aside.counts.iter().zip(present_and_left).map(|(all, (p, l))| all - p - l);
        Some([aside.left.clone(), right.collect()])
    }

    fn aside(&self) -> Option<&Aside> {
        self.present().aside.as_ref()
    }

    /// The class counts that gains are measured on.
    fn gain_counts(&self) -> &[f64] {
        self.aside().map_or(&self.node.tally.counts, |aside| &aside.counts)
    }

    /// The number of rows that gains are measured on.
    pub(super) fn gain_rows(&self) -> usize {
        self.aside().map_or(self.node.rows.len(), |aside| aside.rows)
    }

    /// The factor on gains.
    fn gain_share(&self) -> f64 {
        self.aside().map_or(1.0, |aside| aside.share)
    }

    /// Class counts and rows left of the lowest threshold: missing values that go left.
    fn always_left(&self) -> (Vec<f64>, usize) {
        match self.aside() {
            Some(aside) => (aside.left.clone(), aside.left_rows),
            None => (vec![0.0; self.n_classes()], 0),
        }
    }

    /// The split's own gain and weights by any criterion.
    pub(crate) fn score(&self, criterion: Criterion) -> Score {
        let (mut left, _) = self.always_left();
        left.iter_mut().zip(&self.summary().left_counts).for_each(|(sum, count)| *sum += count);
        let score = self.scorer(criterion).score(&left);
        Score { gain: self.gain_share() * score.gain, ..score }
    }

    /// All legal candidate thresholds with their gains, ascending.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        self.candidates_with_gain(f64::NEG_INFINITY)
    }

    /// The legal candidate thresholds with a gain of at least `gain`, ascending.
    ///
    /// Purity, which is cheap, rules out most candidates; only the others are scored.
    pub(crate) fn candidates_with_gain(&self, gain: f64) -> Vec<Candidate> {
        let mut scorer = self.scorer(self.criterion());
        let purity = Purity::new(self.criterion(), self.training.class_factors());
        let (counts, share) = (self.gain_counts(), self.gain_share());
        let min_purity = purity.of_gain(gain / share, counts) - purity.tolerance(counts);
        let mut candidates = Vec::new();
        self.for_each_cut(|cut| {
            if purity.of(cut.left, counts) < min_purity {
                return;
            }
            let score = scorer.score(cut.left);
            let found = share * score.gain;
            if found >= gain
                && self.rules.limits.allow(cut.rows, [score.left_weight, score.right_weight])
            {
                candidates.push(Candidate { threshold: cut.threshold(), gain: found });
            }
        });
        candidates
    }

    /// The lowest and the highest legal candidate threshold with a gain of at least `gain`.
    pub(crate) fn outermost_with_gain(&self, gain: f64) -> Option<(f64, f64)> {
        let Some(by_bin) = self.rows_by_bin() else {
            let candidates = self.candidates_with_gain(gain);
            return Some((candidates.first()?.threshold, candidates.last()?.threshold));
        };
        let purity = Purity::new(self.criterion(), self.training.class_factors());
        let (counts, share) = (self.gain_counts(), self.gain_share());
        let min_purity = purity.of_gain(gain / share, counts) - purity.tolerance(counts);
        let (always_left, rows_always_left) = self.always_left();
        let bins = by_bin.bins_with_purity(purity, counts, always_left, min_purity);
        let mut scorer = self.scorer(self.criterion());
        let mut in_bin = |(bin, left): &(usize, Vec<f64>)| {
            let mut left_rows = rows_always_left + by_bin.n_rows(0..*bin);
            let mut left = left.clone();
            let mut thresholds = Vec::new();
            for pair in by_bin.sorted_with_next(*bin).windows(2) {
                left[pair[0].1 as usize] += 1.0;
                left_rows += 1;
                if pair[0].0 == pair[1].0 {
                    continue;
                }
                let score = scorer.score(&left);
                let rows = [left_rows, self.gain_rows() - left_rows];
                if share * score.gain >= gain
                    && self.rules.limits.allow(rows, [score.left_weight, score.right_weight])
                {
                    thresholds.push(midpoint(pair[0].0, pair[1].0));
                }
            }
            thresholds
        };
        let low = bins.iter().find_map(|bin| in_bin(bin).first().copied())?;
        let high = bins.iter().rev().find_map(|bin| in_bin(bin).last().copied())?;
        Some((low, high))
    }

    /// Calls `f` with every cut between two distinct values, ascending.
    fn for_each_cut(&self, mut f: impl FnMut(Cut<'_>)) {
        let entries = self.entries();
        let n_rows: usize = self.gain_rows();
        let (mut left, mut left_rows) = self.always_left();
        for pair in entries.windows(2) {
            left[pair[0].class as usize] += pair[0].count;
            left_rows += pair[0].rows as usize;
            if pair[0].value < pair[1].value {
                let (rows, between) =
                    ([left_rows, n_rows - left_rows], [pair[0].value, pair[1].value]);
                f(Cut { left: &left, rows, between });
            }
        }
    }

    /// A scorer for splits of this node.
    pub(crate) fn scorer(&self, criterion: Criterion) -> SplitScorer<'_> {
        SplitScorer::new(criterion, self.training.class_factors(), self.gain_counts())
    }
}
