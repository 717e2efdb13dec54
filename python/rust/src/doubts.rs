//! Doubts about training data, for warnings.

use crate::labelled::TrainingSet;
use pyo3::prelude::*;
use ternwood::dataset::doubts::{self, Doubts, FeatureDoubt, TargetDoubt};

/// A kind of doubt, and the class ids it is about.
type OfTarget = (&'static str, Vec<usize>);

/// A feature, and the kind of doubt.
type OfFeature = (usize, &'static str);

/// What makes the target of training rows doubtful, and features by index.
#[pyfunction]
pub(crate) fn data_doubts(
    py: Python<'_>,
    data: TrainingSet<'_>,
) -> PyResult<(Option<OfTarget>, Vec<OfFeature>)> {
    let parts = data.parts()?;
    let (matrix, class_ids, weights) = (parts.matrix(), parts.class_ids(), parts.weights());
    let lengths = [class_ids.len(), weights.map_or(matrix.n_rows(), <[f64]>::len)];
    if lengths != [matrix.n_rows(); 2] {
        // Fitting reports this as an error.
        return Ok((None, Vec::new()));
    }
    let schema = parts.schema();
    let found = py.detach(|| Doubts::of(matrix, class_ids, weights, &schema));
    let features = found.features.into_iter().map(|(index, doubt)| (index, of_feature(doubt)));
    Ok((found.target.map(of_target), features.collect()))
}

/// What makes a target doubtful of which only the number of classes is known.
#[pyfunction]
pub(crate) fn target_doubt_of_totals(classes: usize, rows: usize) -> Option<OfTarget> {
    TargetDoubt::of_totals(classes, rows).map(of_target)
}

/// Whether a column has too many categories for its rows.
#[pyfunction]
pub(crate) fn has_many_categories(distinct: usize, rows: usize) -> bool {
    doubts::has_many_categories(distinct, rows)
}

fn of_target(doubt: TargetDoubt) -> OfTarget {
    match doubt {
        TargetDoubt::OneClass(class) => ("one_class", vec![class]),
        TargetDoubt::ManyClasses => ("many_classes", Vec::new()),
        TargetDoubt::SingleRow(classes) => ("single_row", classes),
    }
}

fn of_feature(doubt: FeatureDoubt) -> &'static str {
    match doubt {
        FeatureDoubt::RowNumbers(_) => "row_numbers",
        FeatureDoubt::GivesTargetAway => "gives_target_away",
        FeatureDoubt::ManyCategories => "many_categories",
    }
}
