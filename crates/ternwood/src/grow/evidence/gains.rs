//! The gains of a node's candidate thresholds.

use super::rows_by_bin::RowsByBin;
use super::split_evidence::SplitEvidence;
use super::split_evidence::{Aside, PresentRows};
use crate::grow::classes::SplitScorer;
use crate::grow::search::midpoint;
use crate::grow::target::{Score, Scorer};
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
        self.aside().map_or(self.node.tally.n_rows(), |aside| aside.rows)
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
        left.iter_mut().zip(&self.summary().left_sums).for_each(|(sum, count)| *sum += count);
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
        let purity = self.training.measure();
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
        let purity = self.training.measure();
        let (counts, share) = (self.gain_counts(), self.gain_share());
        let min_purity = purity.of_gain(gain / share, counts) - purity.tolerance(counts);
        let bins = by_bin.bins_with_purity(purity, counts, self.always_left().0, min_purity);
        let mut scorer = self.scorer(self.criterion());
        let mut in_bin = |at: usize, order: &mut dyn Iterator<Item = usize>| {
            let (bin, left) = &bins[at];
            let Some(candidates) = self.candidates_in_bin(by_bin, *bin, left.clone(), &mut scorer)
            else {
                by_bin.want(order.take(by_bin.ahead()).map(|at| bins[at].0));
                // Whatever: it will be asked again.
                return vec![f64::NAN];
            };
            let good = candidates.iter().filter(|candidate| candidate.gain >= gain);
            good.map(|candidate| candidate.threshold).collect()
        };
        let all = 0..bins.len();
        let low = all.clone().find_map(|at| in_bin(at, &mut (at..bins.len())).first().copied())?;
        let high = all.rev().find_map(|at| in_bin(at, &mut (0..at).rev()).last().copied())?;
        Some((low, high))
    }

    /// The ends of the unbroken run of legal candidates around the threshold that have a gain of at least
    /// `gain`.
    pub(crate) fn connected_with_gain(&self, gain: f64) -> (f64, f64) {
        let threshold = self.threshold();
        let (mut low, mut high) = (threshold, threshold);
        let Some(by_bin) = self.rows_by_bin() else {
            let candidates = self.candidates();
            let at = candidates.partition_point(|c| c.threshold < threshold);
            let is_good = |c: &&Candidate| c.gain >= gain;
            let (below, above) = candidates.split_at(at);
            low = below.iter().rev().take_while(is_good).last().map_or(low, |c| c.threshold);
            high = above.iter().take_while(is_good).last().map_or(high, |c| c.threshold);
            return (low, high);
        };
        let mut scorer = self.scorer(self.criterion());
        let is_filled = |bin: &usize| by_bin.n_rows(*bin..bin + 1) > 0;
        let at = by_bin.bin_of(threshold);
        let mut in_bin = |bin: usize, order: &mut dyn Iterator<Item = usize>| {
            let (mut left, _) = self.always_left();
            left.iter_mut().zip(by_bin.counts_below(bin)).for_each(|(sum, count)| *sum += count);
            let found = self.candidates_in_bin(by_bin, bin, left, &mut scorer);
            if found.is_none() {
                by_bin.want(order.filter(is_filled).take(by_bin.ahead()));
            }
            found
        };
        'below: for bin in (0..=at).rev().filter(is_filled) {
            let Some(candidates) = in_bin(bin, &mut (0..bin).rev()) else { break };
            for candidate in candidates.iter().rev().filter(|c| c.threshold < threshold) {
                if candidate.gain < gain {
                    break 'below;
                }
                low = candidate.threshold;
            }
        }
        'above: for bin in (at..by_bin.n_bins()).filter(is_filled) {
            let Some(candidates) = in_bin(bin, &mut (bin..by_bin.n_bins())) else { break };
            for candidate in candidates.iter().filter(|c| c.threshold > threshold) {
                if candidate.gain < gain {
                    break 'above;
                }
                high = candidate.threshold;
            }
        }
        (low, high)
    }

    /// The legal candidates between a value of a bin and the next value, ascending; `left` are the class
    /// counts left of the bin. `None` if the values are not at hand.
    fn candidates_in_bin(
        &self,
        by_bin: &RowsByBin<'_>,
        bin: usize,
        mut left: Vec<f64>,
        scorer: &mut SplitScorer<'_>,
    ) -> Option<Vec<Candidate>> {
        let mut left_rows = self.always_left().1 + by_bin.n_rows(0..bin);
        let mut candidates = Vec::new();
        for pair in by_bin.sorted_with_next(bin)?.windows(2) {
            left[pair[0].class as usize] += pair[0].count;
            left_rows += pair[0].rows as usize;
            if pair[0].value == pair[1].value {
                continue;
            }
            let score = scorer.score(&left);
            let rows = [left_rows, self.gain_rows() - left_rows];
            if self.rules.limits.allow(rows, [score.left_weight, score.right_weight]) {
                let threshold = midpoint(pair[0].value, pair[1].value);
                candidates.push(Candidate { threshold, gain: self.gain_share() * score.gain });
            }
        }
        Some(candidates)
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
