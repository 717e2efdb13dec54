//! Explanations of predictions, as data. `words` puts them into sentences.
//!
//! - `hinges`: the tests that a prediction depends on most;
//! - `forest_row`: why a forest is unsure;
//! - `alternatives`: what it would answer with other values.

mod forest_row;
mod hinges;

pub use forest_row::Alternative;
pub use forest_row::{ExplainedForestRow, UnsureFeature};
pub use hinges::{Hinge, Outcome};

use super::{DecidingValue, SingleTree};
use crate::error::Result;
use crate::predict::Explanation;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The explanation of one row's prediction. Prints as a short report.
#[derive(Debug, Clone)]
pub struct ExplainedRow<'m> {
    pub(crate) model: SingleTree<'m>,
    pub(crate) row: Vec<f64>,
    pub(crate) explanation: Explanation,
    /// The predicted class: the model's policy may answer with another than the most probable.
    pub(crate) class: u32,
    /// Names of the row's categories that the model does not know, and what could not be read, by
    /// feature.
    pub(crate) unseen: BTreeMap<usize, String>,
    /// Searched for when first needed.
    deciding: OnceLock<Vec<DecidingValue>>,
}

impl<'m> ExplainedRow<'m> {
    pub(super) fn new(model: SingleTree<'m>, row: &[f64]) -> Result<Self> {
        model.check_row(row)?;
        let mut explanation = model.walker().explain(row);
        let (class, verdict) = model.judge(row, &explanation.distribution, explanation.verdict);
        explanation.verdict = verdict;
        let (row, unseen, deciding) = (row.to_vec(), BTreeMap::new(), OnceLock::new());
        Ok(Self { model, row, explanation, class, unseen, deciding })
    }

    /// The same explanation with the name of a category that the model does not know, or the text
    /// that could not be read: a row of numbers cannot have it.
    #[must_use]
    pub fn with_unseen(mut self, feature: usize, name: impl Into<String>) -> Self {
        self.unseen.insert(feature, name.into());
        self
    }

    /// The tests, leaves and probabilities behind the text. The verdict follows the model's
    /// policy.
    #[must_use]
    pub fn explanation(&self) -> &Explanation {
        &self.explanation
    }

    /// The predicted class, by id.
    #[must_use]
    pub fn class(&self) -> u32 {
        self.class
    }

    /// What the model answers.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let Explanation { distribution, verdict, .. } = &self.explanation;
        Outcome { distribution: distribution.clone(), class: self.class, verdict: *verdict }
    }

    /// The values of single features that would decide the row: see
    /// [`Model::deciding_values`](crate::Model::deciding_values).
    #[must_use]
    pub fn would_decide(&self) -> &[DecidingValue] {
        // The row was checked when this was made.
        self.deciding.get_or_init(|| self.model.deciding_values(&self.row).unwrap_or_default())
    }
}
