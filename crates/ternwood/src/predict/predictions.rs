//! Predictions for many rows with their verdicts, and the memory they are written to.

use crate::dataset::check_length;
use crate::error::Result;
use std::fmt;

/// Class, distribution and verdict of every row.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    n_classes: usize,
    classes: Vec<u32>,
    distributions: Vec<f64>,
    verdicts: Vec<Verdict>,
}

impl Predictions {
    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.classes.len()
    }

    /// The number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The class of every row: the most probable one, the lowest id on ties; where costs decide, the
    /// one of the least expected cost.
    #[must_use]
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The class probabilities of one row.
    #[must_use]
    pub fn distribution(&self, row: usize) -> &[f64] {
        &self.distributions[row * self.n_classes..][..self.n_classes]
    }

    /// The class probabilities of all rows, row by row.
    #[must_use]
    pub fn distributions(&self) -> &[f64] {
        &self.distributions
    }

    /// The verdict of every row.
    #[must_use]
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// The confidence of every row: its largest class probability.
    #[must_use]
    pub fn confidences(&self) -> Vec<f64> {
        self.distributions.chunks_exact(self.n_classes).map(largest).collect()
    }

    /// The same predictions with the class and the verdict that `judge` gives for every
    /// distribution.
    #[must_use]
    pub(crate) fn judged_by(mut self, judge: impl Fn(&[f64]) -> (u32, Verdict)) -> Self {
        let rows = self.distributions.chunks_exact(self.n_classes);
        for ((class, verdict), row) in self.classes.iter_mut().zip(&mut self.verdicts).zip(rows) {
            (*class, *verdict) = judge(row);
        }
        self
    }

    /// The same predictions, undecided where `is_covered` is false.
    #[must_use]
    pub(crate) fn flagged_unless(mut self, is_covered: &[bool]) -> Self {
        for (verdict, _) in
            self.verdicts.iter_mut().zip(is_covered).filter(|(_, covered)| !**covered)
        {
            *verdict = Verdict::Undecided;
        }
        self
    }

    /// Blank predictions, to be written through [`slots`](Self::slots).
    pub(crate) fn blank(n_rows: usize, n_classes: usize) -> Self {
        Self {
            n_classes,
            classes: vec![0; n_rows],
            distributions: vec![0.0; n_rows * n_classes],
            verdicts: vec![Verdict::Decided; n_rows],
        }
    }

    pub(crate) fn slots<'a>(&'a mut self, labels: &'a [u32]) -> PredictionSlots<'a, u32, Verdict> {
        PredictionSlots {
            labels,
            classes: &mut self.classes,
            distributions: &mut self.distributions,
            verdicts: &mut self.verdicts,
        }
    }

    /// The classes, the distributions row by row, and the verdicts.
    #[must_use]
    pub fn into_parts(self) -> (Vec<u32>, Vec<f64>, Vec<Verdict>) {
        (self.classes, self.distributions, self.verdicts)
    }
}

fn largest(distribution: &[f64]) -> f64 {
    distribution.iter().copied().fold(0.0, f64::max)
}

/// Memory that a caller provides for predictions, such as arrays of another language.
///
/// Classes are written as their label in `labels`, verdicts as any type that a [`Verdict`]
/// converts into.
#[derive(Debug)]
pub struct PredictionSlots<'a, L, V> {
    /// The label to write for each class.
    pub labels: &'a [L],
    /// One label per row.
    pub classes: &'a mut [L],
    /// The class probabilities, row by row.
    pub distributions: &'a mut [f64],
    /// One verdict per row.
    pub verdicts: &'a mut [V],
}

impl<L, V> PredictionSlots<'_, L, V> {
    pub(crate) fn check(&self, n_rows: usize, n_classes: usize) -> Result<()> {
        for (what, found, expected) in [
            ("labels", self.labels.len(), n_classes),
            ("classes", self.classes.len(), n_rows),
            ("probabilities", self.distributions.len(), n_rows * n_classes),
            ("verdicts", self.verdicts.len(), n_rows),
        ] {
            check_length(&format!("the memory for {what}"), found, expected, "what the rows need")?;
        }
        Ok(())
    }

    /// Replaces classes and verdicts by those that `judge` gives for every distribution.
    pub(crate) fn judge_by(&mut self, judge: impl Fn(&[f64]) -> (u32, Verdict))
    where
        L: Copy,
        V: From<Verdict>,
    {
        let rows = self.distributions.chunks_exact(self.labels.len());
        for ((class, verdict), row) in self.classes.iter_mut().zip(&mut *self.verdicts).zip(rows) {
            let (id, judged) = judge(row);
            *class = self.labels[id as usize];
            *verdict = judged.into();
        }
    }
}

/// Whether a prediction is reliable, by the model's [policy](crate::verdict::VerdictPolicy): a row is
/// decided if it met no uncertainty zone on its path, or if its probability is high enough, or if an
/// answer is expected to cost less than a review; and if the training table [covers](crate::model::Coverage) it.
///
/// A verdict qualifies a prediction and never withholds it: an undecided row has a class like
/// any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// To be looked at again; by zones: the row was within at least one (*boundary-uncertain*).
    Undecided,
    /// Reliable; by zones: the row was within none.
    Decided,
}

impl Verdict {
    /// `Decided` iff the condition holds.
    #[must_use]
    pub fn decided_if(condition: bool) -> Self {
        if condition { Self::Decided } else { Self::Undecided }
    }

    /// True for `Decided`.
    #[must_use]
    pub fn is_decided(self) -> bool {
        self == Self::Decided
    }

    /// True for `Undecided`.
    #[must_use]
    pub fn is_undecided(self) -> bool {
        self == Self::Undecided
    }

    /// `"decided"` or `"undecided"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decided => "decided",
            Self::Undecided => "undecided",
        }
    }
}

/// True for `Decided`.
impl From<Verdict> for bool {
    fn from(verdict: Verdict) -> Self {
        verdict.is_decided()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
