//! Counts of uncovered rows, by feature and reason.

use super::Model;
use super::coverage::NotCovered;
use crate::dataset::Matrix;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// How many of some rows are [uncovered](super::Coverage), and which values make them so.
///
/// Prints the values as a list: "new category of ward (3 rows), no value of age (1 row)".
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UncoveredRows {
    /// All rows.
    pub whole: usize,
    /// The number of uncovered rows.
    pub part: usize,
    /// By feature and reason, the most frequent first. A row counts once for each of its uncovered
    /// values.
    pub values: Vec<UncoveredValues>,
}

/// Rows with an uncovered value in one feature, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UncoveredValues {
    /// The name of the feature.
    pub feature: String,
    /// Why the value is not covered.
    #[serde(serialize_with = "as_name")]
    pub reason: NotCovered,
    /// The number of rows.
    pub rows: usize,
}

fn as_name<S: Serializer>(reason: &NotCovered, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.as_str())
}

impl NotCovered {
    /// The name in files and in Python.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::Category => "new_category",
            Self::Unreadable => "unreadable",
        }
    }

    /// The reason with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Gap, Self::Category, Self::Unreadable].into_iter().find(|it| it.as_str() == name)
    }

    /// "no value", "new category" or "unreadable value".
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Gap => "no value",
            Self::Category => "new category",
            Self::Unreadable => "unreadable value",
        }
    }
}

impl UncoveredRows {
    /// `part` of `whole` rows are uncovered, because of these values.
    #[must_use]
    pub fn new(whole: usize, part: usize, mut values: Vec<UncoveredValues>) -> Self {
        values.retain(|it| it.rows > 0);
        // A stable sort: features with as many rows stay in their order.
        values.sort_by_key(|it| std::cmp::Reverse(it.rows));
        Self { whole, part, values }
    }
}

impl Model {
    /// Which rows are uncovered, and why, feature by feature: row numbers in ascending order. Rows
    /// that the policy [judges](crate::verdict::Uncovered::Judge) like all others are included.
    #[must_use]
    pub fn uncovered_by_feature(&self, rows: Matrix<'_>) -> Vec<(usize, NotCovered, Vec<usize>)> {
        let mut found = Vec::new();
        for feature in self.coverage().features() {
            let column = rows.column(feature.index as u32).of(0..rows.n_rows());
            let problems: Vec<(usize, NotCovered)> = column
                .enumerate()
                .filter_map(|(row, x)| Some((row, feature.problem(x)?)))
                .collect();
            for reason in [NotCovered::Gap, NotCovered::Category, NotCovered::Unreadable] {
                let of = problems.iter().filter(|(_, it)| *it == reason);
                let of: Vec<usize> = of.map(|(row, _)| *row).collect();
                if !of.is_empty() {
                    found.push((feature.index, reason, of));
                }
            }
        }
        found
    }

    /// How many rows are uncovered, and which values make them so. Rows that the policy
    /// [judges](crate::verdict::Uncovered::Judge) like all others count too.
    #[must_use]
    pub fn uncovered_rows(&self, rows: Matrix<'_>) -> UncoveredRows {
        let found = self.uncovered_by_feature(rows);
        let any: BTreeSet<usize> = found.iter().flat_map(|(_, _, rows)| rows).copied().collect();
        let values = found.into_iter().map(|(feature, reason, rows)| UncoveredValues {
            feature: self.schema().features()[feature].name.clone(),
            reason,
            rows: rows.len(),
        });
        UncoveredRows::new(rows.n_rows(), any.len(), values.collect())
    }
}
