//! Other values of one feature that would decide an undecided row.
//!
//! - `search`: the nearest number that decides, exactly;
//! - `rounded`: the same with few digits.

mod rounded;
mod search;

pub(super) use rounded::rounded;

use super::{Model, Outcome};
use crate::dataset::Matrix;
use crate::error::Result;
use crate::exec::Exec;
use search::Search;

/// Another value of one feature with which an undecided row would be decided.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidingValue {
    /// The feature, by index.
    pub feature: usize,
    /// The value: a number, or the id of a category. A number has few digits: it lies further from the row's
    /// value than [`nearest`](Self::nearest), by at most a tenth of the way or a thousandth of its size. Dates are
    /// whole days or seconds.
    pub value: f64,
    /// The number nearest to the row's that decides, in this direction. Of a category the value itself.
    pub nearest: f64,
    /// What the model answers with the value.
    pub outcome: Outcome,
}

impl Model {
    /// The values of single features that would decide an undecided row, all else unchanged: of a number the nearest
    /// below and above the row's, of a category every one that the model knows. Empty for a decided row.
    ///
    /// The search is exact. The model decides with every value that is returned, and with no nearer number by a
    /// margin of more than 1e-12: in probability, or for cost policies in shares of the largest difference between
    /// costs. Closer than that, rounding decides. If the row's number is missing, the search starts from the
    /// threshold of the first test of the feature that the row can reach, of a forest from the median of those. A gap
    /// is no deciding value. A search of more than 20,000 intervals ends without a value; no fitted model needs so
    /// many.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn deciding_values(&self, row: &[f64]) -> Result<Vec<DecidingValue>> {
        if self.outcome(row)?.verdict.is_decided() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let uncovered = self.uncovered_in(row);
        for feature in self.tested_features() {
            // No value covers what other features lack.
            if uncovered.iter().any(|(other, _)| *other != feature) {
                continue;
            }
            if self.schema.features()[feature].kind.is_number() {
                found.extend(self.deciding_numbers(row, feature)?);
            } else {
                found.extend(self.deciding_categories(row, feature)?);
            }
        }
        Ok(found)
    }

    fn deciding_numbers(&self, row: &[f64], feature: usize) -> Result<Vec<DecidingValue>> {
        let mut search = Search::new(self, row, feature);
        let start = search.start();
        let notation = &self.schema.features()[feature].notation;
        let mut found = Vec::new();
        for nearest in search.nearest()? {
            let class = search.answer(nearest)?.class;
            let value = rounded(notation, [start, nearest], |x| {
                search.answer(x).is_ok_and(|it| it.verdict.is_decided() && it.class == class)
            });
            let outcome = search.answer(value)?;
            found.push(DecidingValue { feature, value, nearest, outcome });
        }
        Ok(found)
    }

    fn deciding_categories(&self, row: &[f64], feature: usize) -> Result<Vec<DecidingValue>> {
        let categories = self.schema.features()[feature].kind.names().len();
        let mut rows = Vec::with_capacity(categories * row.len());
        for category in 0..categories {
            rows.extend_from_slice(row);
            rows[category * row.len() + feature] = category as f64;
        }
        let answers = self.predict(Matrix::row_major(&rows, row.len())?, &Exec::default())?;
        let deciding = (0..categories).filter(|&it| answers.verdicts()[it].is_decided());
        let found = deciding.map(|category| {
            let value = category as f64;
            let outcome = Outcome {
                distribution: answers.distribution(category).to_vec(),
                class: answers.classes()[category],
                verdict: answers.verdicts()[category],
            };
            DecidingValue { feature, value, nearest: value, outcome }
        });
        Ok(found.collect())
    }

    /// What the model answers for one row.
    fn outcome(&self, row: &[f64]) -> Result<Outcome> {
        let answer = self.predict(Matrix::row_major(row, row.len())?, &Exec::default())?;
        Ok(Outcome {
            distribution: answer.distribution(0).to_vec(),
            class: answer.classes()[0],
            verdict: answer.verdicts()[0],
        })
    }
}
