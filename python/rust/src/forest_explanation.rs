//! Why a forest is unsure of a row, copied for Python.

use crate::deciding::DecidingValue;
use crate::errors::to_python;
use crate::model::Model;
use pyo3::prelude::*;
use ternwood::model;
use ternwood_figures::UnsureTreesFigure;

/// A feature that makes trees undecided, with the names of its fields in Python.
#[derive(Clone, IntoPyObject)]
struct UnsureFeature {
    feature: usize,
    trees: usize,
    value: f64,
    threshold: Option<f64>,
    half_width: Option<f64>,
    thresholds: usize,
    thresholds_above: usize,
    words: String,
    effect: Option<String>,
    alternatives: Vec<Alternative>,
}

/// Another value of a feature, with the names of its fields in Python.
#[derive(Clone, IntoPyObject)]
struct Alternative {
    value: f64,
    probabilities: Vec<f64>,
}

/// What the trees of a forest say of a row.
#[pyclass(frozen, module = "ternwood._ternwood")]
pub(crate) struct ExplainedForestRow {
    report: String,
    /// Why the row is undecided, or decided although trees are not; None if all trees are decided.
    #[pyo3(get)]
    sentence: Option<String>,
    /// How many trees are undecided, and because of what.
    #[pyo3(get)]
    of_trees: String,
    /// The predicted class, by id.
    #[pyo3(get)]
    class_id: u32,
    /// The class probabilities.
    #[pyo3(get)]
    probabilities: Vec<f64>,
    /// True for a decided row.
    #[pyo3(get)]
    decided: bool,
    /// The number of trees.
    #[pyo3(get)]
    n_trees: usize,
    /// The number of trees that are undecided.
    #[pyo3(get)]
    undecided_trees: usize,
    /// The number of trees decided for each class.
    #[pyo3(get)]
    decided_trees: Vec<usize>,
    reasons: Vec<UnsureFeature>,
    would_decide: Vec<DecidingValue>,
}

impl Alternative {
    fn new(alternative: model::Alternative) -> Self {
        let model::Alternative { value, distribution } = alternative;
        Self { value, probabilities: distribution }
    }
}

impl ExplainedForestRow {
    fn new(row: &model::ExplainedForestRow<'_>) -> Self {
        let reason = |reason: &model::UnsureFeature| UnsureFeature {
            feature: reason.feature,
            trees: reason.trees,
            value: reason.value,
            threshold: reason.threshold,
            half_width: reason.half_width,
            thresholds: reason.thresholds,
            thresholds_above: reason.thresholds_above,
            words: row.in_words(reason),
            effect: row.effect(reason),
            alternatives: row.alternatives(reason).into_iter().map(Alternative::new).collect(),
        };
        Self {
            report: row.to_string(),
            sentence: row.sentence(),
            of_trees: row.of_trees(),
            class_id: row.class(),
            probabilities: row.distribution().to_vec(),
            decided: row.verdict().is_decided(),
            n_trees: row.n_trees(),
            undecided_trees: row.undecided_trees(),
            decided_trees: row.decided_trees().to_vec(),
            reasons: row.reasons().iter().map(reason).collect(),
            would_decide: row.would_decide().iter().map(DecidingValue::new).collect(),
        }
    }
}

#[pymethods]
impl ExplainedForestRow {
    /// The features that make trees undecided, one dict each.
    #[getter]
    fn reasons(&self) -> Vec<UnsureFeature> {
        self.reasons.clone()
    }

    /// The values of single features that would decide the row, one dict each.
    #[getter]
    fn would_decide(&self) -> Vec<DecidingValue> {
        self.would_decide.clone()
    }

    fn __str__(&self) -> &str {
        &self.report
    }
}

/// What the trees of a forest say of one row; `unseen` has its categories that the model does not know, with
/// their features.
#[pyfunction]
pub(crate) fn explain_forest(
    model: PyRef<'_, Model>,
    row: Vec<f64>,
    unseen: Vec<(usize, String)>,
) -> PyResult<ExplainedForestRow> {
    Ok(ExplainedForestRow::new(&explained(&model, &row, unseen)?))
}

/// A picture of the same.
#[pyfunction]
pub(crate) fn unsure_trees_svg(
    model: PyRef<'_, Model>,
    row: Vec<f64>,
    unseen: Vec<(usize, String)>,
    title: Option<String>,
) -> PyResult<String> {
    let explained = explained(&model, &row, unseen)?;
    Ok(ternwood_figures::unsure_trees_svg(&explained, &UnsureTreesFigure { title }))
}

fn explained<'m>(
    model: &'m Model,
    row: &[f64],
    unseen: Vec<(usize, String)>,
) -> PyResult<model::ExplainedForestRow<'m>> {
    let explained = model.model.explain_forest(row).map_err(to_python)?;
    Ok(unseen.into_iter().fold(explained, |it, (feature, name)| it.with_unseen(feature, name)))
}
