//! Why a forest is unsure of a row, as data: how many trees are undecided, because of which features, and what the
//! forest answers with other values of them.
//!
//! A number moves to the typical edges of the zones it lies in, a category to the one with the least and the one with
//! the greatest probability. The answers are predictions of the whole forest, so they can be checked by predicting
//! the changed row.

use super::Outcome;
use crate::dataset::{Feature, FeatureKind, Matrix};
use crate::ensemble::Doubts;
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use crate::model::Model;
use crate::model::deciding::{DecidingValue, rounded};
use crate::predict::Verdict;
use crate::tree::{Digits, Test, Zone};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The explanation of a forest's prediction of one row. Prints as a short report.
#[derive(Debug, Clone)]
pub struct ExplainedForestRow<'m> {
    pub(crate) model: &'m Model,
    pub(crate) row: Vec<f64>,
    pub(crate) class: u32,
    pub(crate) distribution: Vec<f64>,
    pub(crate) verdict: Verdict,
    pub(crate) decided: Vec<usize>,
    pub(crate) undecided: usize,
    pub(crate) reasons: Vec<UnsureFeature>,
    /// Names of the row's categories that the model does not know, and what could not be read, by feature.
    pub(crate) unseen: BTreeMap<usize, String>,
    /// Searched for when first needed.
    deciding: OnceLock<Vec<DecidingValue>>,
}

/// A feature whose value some trees cannot place.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsureFeature {
    /// The feature, by index.
    pub feature: usize,
    /// How many trees are undecided because of it: those that have a test of it within whose zone the value
    /// lies, or which does not know the value.
    pub trees: usize,
    /// The row's value.
    pub value: f64,
    /// The median of the thresholds near which the value lies; `None` where none was compared with it.
    pub threshold: Option<f64>,
    /// The median half-width of their zones.
    pub half_width: Option<f64>,
    /// The number of these thresholds, over all trees.
    pub thresholds: usize,
    /// How many of them lie above the value.
    pub thresholds_above: usize,
    /// The zones of the tests that are unsure.
    zones: Vec<Zone>,
    /// A test that is typical of all that are unsure.
    pub(crate) typical: Test,
    /// The digits that people see of its threshold.
    pub(crate) digits: Option<Digits>,
}

impl<'m> ExplainedForestRow<'m> {
    pub(in crate::model) fn new(model: &'m Model, row: &[f64]) -> Result<Self> {
        let forest = model.forest()?;
        let found = row.len();
        if found != forest.n_features() {
            return Err(ErrorKind::ColumnCount { expected: forest.n_features(), found }.into());
        }
        let answer = model.predict(Matrix::row_major(row, found)?, &Exec::default())?;
        let Doubts { decided, tests } = Doubts::new(model.walkers(), row, forest.n_outputs());
        Ok(Self {
            model,
            row: row.to_vec(),
            class: answer.classes()[0],
            distribution: answer.distribution(0).to_vec(),
            verdict: answer.verdicts()[0],
            undecided: tests.iter().filter(|tests| !tests.is_empty()).count(),
            decided,
            reasons: reasons(&tests, row),
            unseen: BTreeMap::new(),
            deciding: OnceLock::new(),
        })
    }

    /// The same explanation with the name of a category that the model does not know, or the text that could
    /// not be read: a row of numbers cannot have it.
    #[must_use]
    pub fn with_unseen(mut self, feature: usize, name: impl Into<String>) -> Self {
        self.unseen.insert(feature, name.into());
        self
    }

    /// The model that answered.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The predicted class, by id.
    #[must_use]
    pub fn class(&self) -> u32 {
        self.class
    }

    /// The predicted class probabilities.
    #[must_use]
    pub fn distribution(&self) -> &[f64] {
        &self.distribution
    }

    /// The verdict, by the model's policy.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What the model answers.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let (distribution, class) = (self.distribution.clone(), self.class);
        Outcome { distribution, class, verdict: self.verdict }
    }

    /// The number of trees.
    #[must_use]
    pub fn n_trees(&self) -> usize {
        self.model.trees().len()
    }

    /// The number of trees that are undecided by their zones.
    #[must_use]
    pub fn undecided_trees(&self) -> usize {
        self.undecided
    }

    /// How many trees are decided for each class.
    #[must_use]
    pub fn decided_trees(&self) -> &[usize] {
        &self.decided
    }

    /// The features that make trees undecided, those of most trees first.
    #[must_use]
    pub fn reasons(&self) -> &[UnsureFeature] {
        &self.reasons
    }

    /// What the forest would answer with other values of a feature that makes trees undecided, all else unchanged.
    ///
    /// Of a number the typical lower and upper edge of the zones that it lies in, or where the training rows end; a
    /// side without such a value is left out. If the number is missing, the edges of the zones of the tests that do
    /// not know it. Of a category the two others with the least and the greatest probability of the predicted class.
    #[must_use]
    pub fn alternatives(&self, reason: &UnsureFeature) -> Vec<Alternative> {
        let of = (reason.feature, self.class as usize);
        alternatives(self.model, &self.row, of, &reason.zones)
    }

    /// The values of single features that would decide the row: see [`Model::deciding_values`].
    #[must_use]
    pub fn would_decide(&self) -> &[DecidingValue] {
        // The row was checked when this was made.
        self.deciding.get_or_init(|| self.model.deciding_values(&self.row).unwrap_or_default())
    }
}

/// The features of the tests that cannot place a row, those of most trees first, then in their order.
fn reasons(tests: &[Vec<&Test>], row: &[f64]) -> Vec<UnsureFeature> {
    let mut by_feature: BTreeMap<usize, (usize, Vec<&Test>)> = BTreeMap::new();
    for of_tree in tests {
        let mut counted = std::collections::BTreeSet::new();
        for test in of_tree {
            let feature = test.feature().index();
            let (trees, unsure) = by_feature.entry(feature).or_default();
            *trees += usize::from(counted.insert(feature));
            unsure.push(test);
        }
    }
    let reasons = by_feature.into_iter().map(|(feature, (trees, unsure))| {
        let zones: Vec<Zone> = unsure.iter().filter_map(|test| test.zone()).collect();
        let compared = if row[feature].is_nan() { &[][..] } else { &zones };
        let threshold = median(compared.iter().map(|zone| zone.threshold()));
        let half_width = median(compared.iter().map(|zone| zone.half_width()));
        let typical = threshold.zip(half_width).and_then(|(threshold, half_width)| {
            let test = Test::new(feature as u32, Zone::new(threshold, half_width).ok()?);
            // The last digit is worth at most half of the half-width.
            Some((test, Digits::of_half_width(0.5 * half_width, 1)))
        });
        let (typical, digits) = typical.unwrap_or_else(|| (unsure[0].clone(), None));
        let value = row[feature];
        let thresholds = compared.len();
        let thresholds_above = compared.iter().filter(|zone| zone.threshold() > value).count();
        UnsureFeature {
            feature,
            trees,
            value,
            threshold,
            half_width,
            thresholds,
            thresholds_above,
            zones,
            typical,
            digits,
        }
    });
    let mut reasons: Vec<UnsureFeature> = reasons.collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.trees));
    reasons
}

/// Another value of a feature, and what the model answers with it, all else unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// The value: a number, or the id of a category.
    pub value: f64,
    /// The class probabilities.
    pub distribution: Vec<f64>,
}

/// The alternatives to one value of a row. Of a number at most one below and one above, in this order; of a category at
/// most two others, by ascending probability of `class`.
pub(super) fn alternatives(
    model: &Model,
    row: &[f64],
    (feature, class): (usize, usize),
    zones: &[Zone],
) -> Vec<Alternative> {
    let described = &model.schema().features()[feature];
    match &described.kind {
        FeatureKind::Number | FeatureKind::Ordered(_) => {
            let range = model
                .training_rows()
                .and_then(|training| training.features().get(feature)?.range())
                .unwrap_or([f64::MIN, f64::MAX]);
            let sides = typical_sides(described, zones, row[feature], range);
            answers(model, row, feature, sides.into_iter().flatten().collect())
        }
        FeatureKind::Categories(names) => {
            let others = (0..names.len()).map(|id| id as f64).filter(|id| *id != row[feature]);
            let mut answers = answers(model, row, feature, others.collect());
            // Stable: of equal probabilities the first category comes first.
            answers.sort_by(|a, b| a.distribution[class].total_cmp(&b.distribution[class]));
            let greatest = answers.pop();
            answers.truncate(1);
            answers.extend(greatest);
            answers
        }
    }
}

/// What the model answers with each of these values in a row.
fn answers(model: &Model, row: &[f64], feature: usize, values: Vec<f64>) -> Vec<Alternative> {
    let mut rows = row.repeat(values.len());
    for (row, value) in rows.chunks_exact_mut(row.len()).zip(&values) {
        row[feature] = *value;
    }
    let answers =
        Matrix::row_major(&rows, row.len()).and_then(|rows| model.predict(rows, &Exec::default()));
    // The row was checked when it was explained, and every value is finite.
    let Ok(answers) = answers else { return Vec::new() };
    let distribution = |index| answers.distribution(index).to_vec();
    let alternative = |(index, value)| Alternative { value, distribution: distribution(index) };
    values.into_iter().enumerate().map(alternative).collect()
}

/// A value below and one above: the medians of the zones' edges, with few digits, within the range of the training
/// rows.
fn typical_sides(
    feature: &Feature,
    zones: &[Zone],
    value: f64,
    [least, greatest]: [f64; 2],
) -> [Option<f64>; 2] {
    let [Some(lower), Some(threshold), Some(upper)] = [Zone::lower, Zone::threshold, Zone::upper]
        .map(|edge| median(zones.iter().copied().map(edge)))
    else {
        return [None; 2];
    };
    let start = if value.is_nan() { threshold } else { value };
    let [lower, upper] = [lower, upper].map(|edge| edge.clamp(f64::MIN, f64::MAX));
    let [lower, upper] = match &feature.kind {
        FeatureKind::Ordered(names) => {
            let last = names.len().saturating_sub(1) as f64;
            [lower.floor().max(0.0), upper.ceil().min(last)]
        }
        FeatureKind::Number | FeatureKind::Categories(_) => {
            [lower, upper].map(|edge| rounded(&feature.notation, [start, edge], |_| true))
        }
    };
    let lower = lower.max(least);
    let upper = upper.min(greatest);
    [Some(lower).filter(|lower| *lower < start), Some(upper).filter(|upper| *upper > start)]
}

/// The lower median.
pub(super) fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len().saturating_sub(1) / 2).copied()
}
