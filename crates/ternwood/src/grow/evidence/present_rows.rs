//! The rows of a node whose value is present. Estimators see only these; the gains they read keep
//! missing values on their side.

use crate::dataset::Column;
use crate::grow::classes::{ClassTraining, Classes, Tally};
use crate::grow::search::NodeToSplit;
use crate::tree::{Missing, Test};
use std::borrow::Cow;

/// The rows of a node whose value is present, and their classes.
pub(super) struct PresentRows<'a> {
    pub(super) rows: Cow<'a, [u32]>,
    pub(super) tally: Cow<'a, Tally>,
    /// The other rows, if any.
    pub(super) aside: Option<Aside>,
}

/// What gains are measured on, if some values are missing.
pub(super) struct Aside {
    /// Rows and class counts left of every threshold: missing values that go left.
    pub(super) left_rows: usize,
    pub(super) left: Vec<f64>,
    /// Rows and class counts that gains are measured on: all of the node, unless missing values
    /// are unknown.
    pub(super) rows: usize,
    pub(super) counts: Vec<f64>,
    /// The share of the node's weight in these.
    pub(super) share: f64,
}

impl<'a> PresentRows<'a> {
    pub(super) fn new(
        training: &ClassTraining<'_>,
        column: Column<'_>,
        node: NodeToSplit<'a, Classes>,
        test: &Test,
    ) -> Self {
        let is_missing = |row: &u32| column.at(*row as usize).is_nan();
        if !(training.has_missing(test.feature().0) && node.rows.iter().any(is_missing)) {
            let (rows, tally) = (Cow::Borrowed(node.rows), Cow::Borrowed(node.tally));
            return Self { rows, tally, aside: None };
        }
        let (missing, present): (Vec<u32>, Vec<u32>) =
            node.rows.iter().copied().partition(is_missing);
        let missing = training.tally(&missing);
        Self { rows: Cow::Owned(present), ..Self::elsewhere(training, node.tally, &missing, test) }
    }

    /// The same of rows that are elsewhere, of which some have no value.
    pub(super) fn elsewhere(
        training: &ClassTraining<'_>,
        node: &'a Tally,
        missing: &Tally,
        test: &Test,
    ) -> Self {
        let aside = || Aside::new(training, node, missing, test.missing());
        Self {
            rows: Cow::Borrowed(&[]),
            tally: Cow::Owned(node.without(missing)),
            aside: (missing.n_rows() > 0).then(aside),
        }
    }
}

impl Aside {
    /// For rows of a node of which some have no value.
    fn new(training: &ClassTraining<'_>, node: &Tally, missing: &Tally, side: Missing) -> Self {
        let weight = |counts: &[f64]| training.weighted(counts).iter().sum::<f64>();
        let nothing = || vec![0.0; node.counts.len()];
        let (left_rows, left) = match side {
            Missing::Left => (missing.n_rows(), missing.counts.clone()),
            Missing::Right | Missing::Unknown => (0, nothing()),
        };
        if side != Missing::Unknown {
            let (rows, counts) = (node.n_rows(), node.counts.clone());
            return Self { left_rows, left, rows, counts, share: 1.0 };
        }
        let present = node.without(missing);
        let share = weight(&present.counts) / weight(&node.counts);
        Self { left_rows, left, rows: present.n_rows(), counts: present.counts, share }
    }
}
