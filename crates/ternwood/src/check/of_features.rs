//! Are the values those of training?

use super::comparison::{Before, Compared, Comparison};
use crate::dataset::{Feature, Matrix, is_unknown_value};
use crate::model::Model;
use crate::stats::{fisher_more, outside_range};
use crate::training::{FeatureValues, TrainingRows};
use crate::tree::Tree;
use std::collections::BTreeSet;

/// Compares the features that some tree tests: others have no part in its answers.
pub(super) fn compare_features(
    model: &Model,
    training: &TrainingRows,
    rows: Matrix<'_>,
) -> Vec<Comparison> {
    let tested: BTreeSet<usize> = model.trees().iter().flat_map(Tree::tested_features).collect();
    tested
        .into_iter()
        .flat_map(|index| {
            let (feature, values) =
                (&model.schema().features()[index], &training.features()[index]);
            let column: Vec<f64> = rows.column(index as u32).of(0..rows.n_rows()).collect();
            of_feature(feature, values, training, &column)
        })
        .collect()
}

fn of_feature(
    feature: &Feature,
    values: &FeatureValues,
    training: &TrainingRows,
    column: &[f64],
) -> Vec<Comparison> {
    let Feature { name, kind, .. } = feature;
    let (n_rows, n_training) = (column.len(), training.rows());
    let count = |is: &dyn Fn(f64) -> bool| column.iter().filter(|&&value| is(value)).count();
    let compare = |of: Compared, found: usize, before: u64| {
        let p_value = fisher_more([found as u64, n_rows as u64], [before, n_training]);
        let before = Before::Rows { part: before, whole: n_training };
        Comparison::new(of, [found, n_rows], before, p_value)
    };
    let counts = values.counts();
    // In a private model 0 means fewer than ten rows.
    let fewest = u64::from(!training.is_private());
    let is_known =
        |id: f64| id >= 0.0 && counts.get(id as usize).is_some_and(|&count| count >= fewest);
    let is_new = |value: f64| !kind.is_number() && !value.is_nan() && !is_known(value);
    let unknown = count(&|value| is_unknown_value(value) || is_new(value));
    // A category that one row has was unknown to all others.
    let singles = counts.iter().filter(|&&count| count == fewest).count() as u64;
    let missing = count(&|value| value.is_nan() && !is_unknown_value(value));
    let mut all = vec![
        compare(Compared::Unknown { feature: name.clone() }, unknown, singles),
        compare(Compared::Missing { feature: name.clone() }, missing, values.missing()),
    ];
    if let Some(range @ [low, high]) = values.range() {
        let outside = count(&|value| value < low || value > high);
        let present = n_rows - unknown - missing;
        let before = n_training.saturating_sub(values.missing());
        let p_value = outside_range(outside, present, before);
        let notation = feature.notation.clone();
        let of = Compared::Outside { feature: name.clone(), range, notation };
        let before = Before::Rows { part: 0, whole: before };
        all.push(Comparison::new(of, [outside, present], before, p_value));
    }
    all
}
