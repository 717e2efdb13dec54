//! How far the fit of a forest is, for progress bars.

use std::fmt;

/// A part of the fit of a forest that takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FitStage {
    /// Growing the trees.
    Trees,
    /// Choosing scale and exponent by the answers of trees that have not seen a row.
    Choice,
    /// Counting the training rows within the zones.
    RowsWithin,
    /// Predicting training rows by the trees that have not seen them.
    OutOfBag,
}

impl fmt::Display for FitStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Trees => "growing trees",
            Self::Choice => "choosing zone scale and exponent",
            Self::RowsWithin => "counting rows within zones",
            Self::OutOfBag => "predicting out-of-bag rows",
        })
    }
}

/// What a fit reports while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitEvent {
    /// A stage begins, which has this many steps of about the same length. Stages follow one another.
    Begin {
        /// The stage.
        stage: FitStage,
        /// The number of its steps.
        steps: u64,
    },
    /// This many more steps of the stage are done.
    Advance(u64),
}

/// Reports the events of a fit. Steps are reported by the threads that do them.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a>(pub(super) &'a (dyn Fn(FitEvent) + Sync));

impl Watch<'_> {
    pub(super) fn begin(&self, stage: FitStage, steps: usize) {
        (self.0)(FitEvent::Begin { stage, steps: steps as u64 });
    }

    pub(super) fn advance(&self, steps: usize) {
        (self.0)(FitEvent::Advance(steps as u64));
    }
}
