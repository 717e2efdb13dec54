//! The second step: why the verdict does not cover the row, if it does not.

use super::dialect::Dialect;
use super::input::{UNSEEN, input_name};
use super::query::{Columns, Query};
use super::{Writer, key_name};
use crate::dataset::one_line;
use crate::error::Result;
use crate::model::CoveredFeature;
use crate::verdict::Uncovered;

/// 0 for a covered row, else the number of the first reason why it is not.
pub(super) const UNCOVERED: &str = "uncovered";

/// A way in which a row may be uncovered.
struct Reason {
    /// True of rows that are.
    condition: String,
    words: String,
}

impl Writer<'_> {
    /// True if the query must tell which rows are covered.
    pub(super) fn tells_covered(self) -> bool {
        let is_judged = self.model.verdict().uncovered() == Uncovered::Judge;
        !is_judged && !self.reasons().is_empty()
    }

    pub(super) fn coverage(self, query: &mut Query) -> Result<()> {
        if !self.tells_covered() {
            return Ok(());
        }
        let mut columns = Columns::default();
        (0..self.options.keys.len()).for_each(|key| columns.carry(&key_name(key)));
        self.model.tested_features().into_iter().for_each(|f| columns.carry(&input_name(f)));
        let case =
            |(number, reason): (usize, Reason)| format!(" WHEN {} THEN {number}", reason.condition);
        let cases: String = (1..).zip(self.reasons()).map(case).collect();
        columns.add(UNCOVERED, &format!("CASE{cases} ELSE 0 END"));
        query.step("coverage", &columns)
    }

    fn reasons(self) -> Vec<Reason> {
        let features = self.model.coverage().features();
        features.iter().flat_map(|feature| self.reasons_of(feature)).collect()
    }

    fn reasons_of(self, feature: &CoveredFeature) -> Vec<Reason> {
        let x = input_name(feature.index);
        let name = one_line(&self.model.schema().features()[feature.index].name).into_owned();
        let mut reasons = Vec::new();
        let mut add = |condition: String, words: String| reasons.push(Reason { condition, words });
        if !feature.gaps {
            add(format!("{x} IS NULL"), format!("the training table had no gaps in {name}"));
        }
        match (&feature.categories, self.options.dialect.unreadable()) {
            (Some(_), _) if feature.open => {}
            (Some(categories), _) => {
                let absent = (0..).zip(categories).filter(|(_, covered)| !**covered);
                let ids: Vec<String> = [UNSEEN.to_string()]
                    .into_iter()
                    .chain(absent.map(|(id, _): (usize, _)| id.to_string()))
                    .collect();
                let words = format!("the training table had no such {name}");
                add(format!("{x} IN ({})", ids.join(", ")), words);
            }
            (None, Some(marker)) => {
                add(format!("{x} = {marker}"), format!("{name} cannot be read"));
            }
            (None, None) => {}
        }
        reasons
    }

    /// Why a row is not covered, in words that do not depend on its values; empty if it is.
    pub(super) fn uncovered_in_words(self) -> String {
        let case = |(number, reason): (usize, Reason)| {
            format!(
                " WHEN {number} THEN {}",
                Dialect::text(&format!("not covered: {}", reason.words))
            )
        };
        let cases: String = (1..).zip(self.reasons()).map(case).collect();
        format!("CASE {UNCOVERED}{cases} ELSE '' END")
    }
}
