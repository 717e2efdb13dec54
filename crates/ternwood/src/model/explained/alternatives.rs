//! What a forest would answer with other values of a feature that makes its trees undecided.
//!
//! A number moves to the typical edges of the zones it lies in, a category to the one with the least and the one with
//! the greatest probability. The answers are predictions of the whole forest, so they can be checked by predicting
//! the changed row.

use crate::dataset::{Feature, FeatureKind, Matrix};
use crate::exec::Exec;
use crate::model::Model;
use crate::model::deciding::rounded;
use crate::tree::Zone;

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
