//! Which rows the training table says something about, and how many do not, by feature and reason.

use super::Model;
use crate::dataset::{Column, Feature, FeatureKind, Matrix, Schema, is_unknown_value};
use crate::exec::Exec;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;
use std::ops::Range;

/// Tells rows that the training table says something about from rows that are *uncovered*.
///
/// A row is uncovered if, in a feature that some test looks at, it has
///
/// - a gap where the training table had none,
/// - a category that the training table never had, or
/// - a value that could not be read.
///
/// A new category is no reason where new categories are to be expected: see [`is_open`].
///
/// Made from the schema of a [`Model`](super::Model) and the features that it tests. Exports write
/// down the same rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    features: Vec<CoveredFeature>,
}

/// A tested feature, and which of its values are covered.
#[derive(Debug, Clone, PartialEq)]
pub struct CoveredFeature {
    /// The feature, by index.
    pub index: usize,
    /// True if a gap is covered.
    pub gaps: bool,
    /// By category id, whether it is covered; `None` for numbers.
    pub categories: Option<Vec<bool>>,
    /// True if categories that the training table never had are covered too.
    pub open: bool,
}

/// Whether new categories of a column are to be expected, as of tail numbers of aircraft or of street names.
///
/// The share of training rows whose category no other row has estimates the share of new rows with a new category
/// (Good and Turing). A column is open if that share is above 2 % and rests on at least 20 rows. `counts` has the
/// rows of each category; the column has `rows` rows, those with gaps included.
#[must_use]
pub fn is_open(counts: &[u64], rows: u64) -> bool {
    let single = counts.iter().filter(|&&count| count == 1).count() as u64;
    single >= 20 && 50 * single > rows
}

/// Why a value is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotCovered {
    /// It is missing, and the training table had no gaps in this feature.
    Gap,
    /// The training table never had this category.
    Category,
    /// It could not be read.
    Unreadable,
}

/// Rows per block: the columns of a block stay in the cache in either memory order.
const BLOCK: usize = 1024;

/// The fewest rows for which several threads pay off.
const WORTH_SHARING: usize = 32 * BLOCK;

impl Coverage {
    pub(super) fn new(schema: &Schema, tested: &BTreeSet<usize>) -> Self {
        let feature = |&index: &usize| CoveredFeature::new(index, &schema.features()[index]);
        Self { features: tested.iter().map(feature).collect() }
    }

    /// The tested features.
    #[must_use]
    pub fn features(&self) -> &[CoveredFeature] {
        &self.features
    }

    /// True if the row is covered.
    ///
    /// # Panics
    /// If the row has fewer values than the model has features.
    #[must_use]
    pub fn covers(&self, row: &[f64]) -> bool {
        self.uncovered(row).next().is_none()
    }

    /// The features whose value is not covered, and why.
    ///
    /// # Panics
    /// If the row has fewer values than the model has features.
    pub fn uncovered<'a>(
        &'a self,
        row: &'a [f64],
    ) -> impl Iterator<Item = (usize, NotCovered)> + 'a {
        let of =
            |feature: &CoveredFeature| Some((feature.index, feature.problem(row[feature.index])?));
        self.features.iter().filter_map(of)
    }

    /// Which rows are covered.
    #[must_use]
    pub fn covered(&self, rows: Matrix<'_>, exec: &Exec) -> Vec<bool> {
        let mut covered = vec![true; rows.n_rows()];
        self.for_each_uncovered(rows, &mut covered, exec, |covered| *covered = false);
        covered
    }

    /// Calls `mark` with the target of every row that is not covered.
    pub(super) fn for_each_uncovered<T: Send>(
        &self,
        rows: Matrix<'_>,
        targets: &mut [T],
        exec: &Exec,
        mark: impl Fn(&mut T) + Send + Sync,
    ) {
        let columns: Vec<(&CoveredFeature, Column<'_>)> =
            self.features.iter().map(|it| (it, rows.column(it.index as u32))).collect();
        let of_blocks = |first: usize, targets: &mut [T]| {
            for (block, targets) in targets.chunks_mut(BLOCK).enumerate() {
                let start = first + block * BLOCK;
                let range = start..start + targets.len();
                for (feature, column) in &columns {
                    if feature.may_miss_some(*column, range.clone()) {
                        let values = column.of(range.clone());
                        let uncovered = values.zip(&mut *targets);
                        let uncovered = uncovered.filter(|(x, _)| feature.problem(*x).is_some());
                        uncovered.for_each(|(_, target)| mark(target));
                    }
                }
            }
        };
        if rows.n_rows() < WORTH_SHARING {
            return of_blocks(0, targets);
        }
        let length = rows.n_rows().div_ceil(exec.threads()).next_multiple_of(BLOCK);
        let parts = targets.chunks_mut(length).enumerate().collect();
        let _: Vec<()> = exec.map(parts, |(part, targets)| of_blocks(part * length, targets));
    }
}

impl CoveredFeature {
    fn new(index: usize, feature: &Feature) -> Self {
        // A fill value is what training made of its gaps.
        let gaps = feature.gaps || feature.fill.is_some();
        let categories = match &feature.kind {
            FeatureKind::Number => None,
            FeatureKind::Categories(names) | FeatureKind::Ordered(names) => {
                let mut covered = vec![true; names.len()];
                feature.absent.iter().for_each(|&id| covered[id as usize] = feature.open);
                feature.fill.iter().for_each(|&id| covered[id as usize] = true);
                Some(covered)
            }
        };
        Self { index, gaps, categories, open: feature.open }
    }

    /// Why a value is not covered; `None` if it is.
    #[must_use]
    #[inline]
    pub fn problem(&self, x: f64) -> Option<NotCovered> {
        if x.is_nan() {
            return match (is_unknown_value(x), &self.categories) {
                (false, _) => (!self.gaps).then_some(NotCovered::Gap),
                (true, None) => Some(NotCovered::Unreadable),
                // The rank of a category that has none.
                (true, Some(_)) => (!self.open).then_some(NotCovered::Category),
            };
        }
        if self.open {
            return None;
        }
        let categories = self.categories.as_ref()?;
        let id = x as usize;
        let is_covered = id as f64 == x && categories.get(id).is_some_and(|&covered| covered);
        (!is_covered).then_some(NotCovered::Category)
    }

    /// False if all these values are covered, as a look at all of them together shows.
    fn may_miss_some(&self, column: Column<'_>, rows: Range<usize>) -> bool {
        // Without a branch per value.
        self.categories.is_some() || column.of(rows).fold(false, |any, x| any | x.is_nan())
    }
}

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
