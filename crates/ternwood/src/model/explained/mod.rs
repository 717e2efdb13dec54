//! An explanation in words, with the names of features and classes.
//!
//! - `hinges`: the tests that a prediction depends on most;
//! - `sentence`: the reason for a verdict;
//! - `report`: the tests and leaves, line by line;
//! - `forest_row`: why a forest is unsure;
//! - `judged`: what the policy says of an answer.

mod forest_row;
mod hinges;
mod judged;
mod report;
mod sentence;

pub use forest_row::{ExplainedForestRow, UnsureFeature};
pub use hinges::{Hinge, Outcome};

use super::SingleTree;
use crate::dataset::Matrix;
use crate::error::{ErrorKind, Result};
use crate::predict::{Explanation, Step};
use crate::recipe::MissingValues;
use crate::tree::{TestedValue, class_in_words};
use judged::Judged;
use std::collections::BTreeMap;

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
    unseen: BTreeMap<u32, String>,
}

impl<'m> ExplainedRow<'m> {
    pub(super) fn new(model: SingleTree<'m>, row: &[f64]) -> Result<Self> {
        let expected = model.tree().n_features();
        if row.len() != expected {
            return Err(ErrorKind::ColumnCount { expected, found: row.len() }.into());
        }
        let mut buffer = Vec::new();
        let block = Matrix::row_major(row, expected)?.block(0..1, &mut buffer);
        block.check(model.missing_allowed()).map_err(|error| model.name_column(error))?;
        let mut explanation = model.walker().explain(row);
        let (class, verdict) =
            model.verdict().judge(&explanation.distribution, explanation.verdict);
        explanation.verdict = verdict;
        Ok(Self { model, row: row.to_vec(), explanation, class, unseen: BTreeMap::new() })
    }

    /// The same explanation with the name of a category that the model does not know, or the text
    /// that could not be read: a row of numbers cannot have it.
    #[must_use]
    pub fn with_unseen(mut self, feature: usize, name: impl Into<String>) -> Self {
        self.unseen.insert(feature as u32, name.into());
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
            value: step.value,
            unseen: self.unseen.get(&step.test.feature().0).map(String::as_str),
            rows: step.rows,
            fewest_rows: params.min_samples_category,
            learns_missing: params.missing != MissingValues::Unknown,
        }
    }
}
