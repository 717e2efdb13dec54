//! An explanation in words, with the names of features and classes.
//!
//! - `hinges`: the tests that a prediction depends on most;
//! - `sentence`: the reason for a verdict, and what would decide the row;
//! - `report`: the tests and leaves, line by line;
//! - `forest_row`: why a forest is unsure;
//! - `alternatives`: what it would answer with other values;
//! - `judged`: what the policy says of an answer.

mod alternatives;
mod forest_row;
mod hinges;
mod judged;
mod report;
mod sentence;

pub use alternatives::Alternative;
pub use forest_row::{ExplainedForestRow, UnsureFeature};
pub use hinges::{Hinge, Outcome};

use super::{DecidingValue, SingleTree};
use crate::error::Result;
use crate::predict::{Explanation, Step};
use crate::recipe::MissingValues;
use crate::tree::{TestedValue, class_in_words};
use judged::Judged;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The explanation of one row's prediction. Prints as a short report.
#[derive(Debug, Clone)]
pub struct ExplainedRow<'m> {
    model: SingleTree<'m>,
    row: Vec<f64>,
    explanation: Explanation,
    /// The predicted class: the model's policy may answer with another than the most probable.
    class: u32,
    /// Names of the row's categories that the model does not know, and what could not be read, by
    /// feature.
    unseen: BTreeMap<usize, String>,
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

    /// Why the policy does not cover the row: "the training table had no gaps in income". `None` if
    /// it does, or if it judges such rows like all others.
    #[must_use]
    pub fn not_covered(&self) -> Option<String> {
        self.model.not_covered(&self.row, &self.unseen)
    }

    fn judged(&self) -> Judged<'_> {
        let distribution = &self.explanation.distribution;
        Judged { model: self.model.model(), distribution, class: self.class }
    }

    fn class_in_words(&self, class: u32) -> String {
        class_in_words(self.model.schema(), class)
    }

    fn tested<'a>(&'a self, step: &'a Step) -> TestedValue<'a> {
        let params = &self.model.recipe().params;
        TestedValue {
            test: &step.test,
            schema: self.model.schema(),
            meaning: self.model.zone_meaning(),
            value: step.value,
            unseen: self.unseen.get(&step.test.feature().index()).map(String::as_str),
            rows: step.rows,
            fewest_rows: params.min_samples_category,
            learns_missing: params.missing != MissingValues::Unknown,
        }
    }
}
