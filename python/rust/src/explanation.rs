//! One row's path through the tree, copied for Python.

use crate::errors::to_python;
use crate::model::Model;
use pyo3::prelude::*;
use ternwood::tree::{Cut, Test};
use ternwood::{model, predict};
use ternwood_figures::UnsureTreesFigure;

/// One test on the path, with the names of its fields in Python.
#[derive(Clone, IntoPyObject)]
struct Step {
    node: u32,
    feature: u32,
    value: f64,
    position: f64,
    threshold: f64,
    half_width: f64,
    side: &'static str,
    zone_counts: bool,
    unknown: bool,
    share: f64,
}

/// What the model would answer.
#[derive(Clone, IntoPyObject)]
struct Outcome {
    class_id: u32,
    probabilities: Vec<f64>,
    decided: bool,
}

/// A test that matters, by its index among the steps, and both outcomes.
#[derive(Clone, IntoPyObject)]
struct Hinge {
    step: usize,
    below: Outcome,
    above: Outcome,
}

/// One row's path through the tree.
#[pyclass(frozen, module = "ternwood._ternwood")]
pub(crate) struct ExplainedRow {
    report: String,
    /// Why the row is undecided, and what would decide it; None for a decided row.
    #[pyo3(get)]
    sentence: Option<String>,
    /// The predicted class, by id.
    #[pyo3(get)]
    class_id: u32,
    /// The class probabilities.
    #[pyo3(get)]
    probabilities: Vec<f64>,
    /// True for a decided row.
    #[pyo3(get)]
    decided: bool,
    /// The tests on the path, one dict each.
    #[pyo3(get)]
    steps: Vec<Step>,
    /// The unsure tests that matter most, one dict each.
    #[pyo3(get)]
    hinges: Vec<Hinge>,
    /// The values of single features that would decide the row, one dict each.
    #[pyo3(get)]
    would_decide: Vec<DecidingValue>,
    /// The leaves reached, with their weights in the prediction.
    #[pyo3(get)]
    leaves: Vec<(u32, f64)>,
}

impl ExplainedRow {
    pub(crate) fn new(row: &model::ExplainedRow<'_>) -> Self {
        let explanation = row.explanation();
        let step = |step: &predict::Step| {
            let place = step.test.zone_and_position(step.value);
            Step {
                node: step.node.0,
                feature: step.test.feature().0,
                value: step.value,
                position: place.map_or(f64::NAN, |(_, position)| position),
                threshold: threshold(&step.test),
                half_width: place.map_or(f64::NAN, |(zone, _)| zone.half_width()),
                side: step.side.as_str(),
                zone_counts: step.zone_counts,
                unknown: step.is_unknown(),
                share: step.share,
            }
        };
        let outcome = |outcome: model::Outcome| Outcome {
            class_id: outcome.class,
            probabilities: outcome.distribution,
            decided: outcome.verdict.is_decided(),
        };
        let hinge = |model::Hinge { step, below, above }| Hinge {
            step,
            below: outcome(below),
            above: outcome(above),
        };
        Self {
            report: row.to_string(),
            sentence: row.sentence(),
            class_id: row.class(),
            probabilities: explanation.distribution.clone(),
            decided: explanation.verdict.is_decided(),
            steps: explanation.steps.iter().map(step).collect(),
            hinges: row.hinges().into_iter().map(hinge).collect(),
            would_decide: row.would_decide().iter().map(DecidingValue::new).collect(),
            leaves: explanation.leaves.iter().map(|leaf| (leaf.leaf.0, leaf.share)).collect(),
        }
    }
}

/// The threshold of a test: of numbers, or on the axis of categories. NaN if it has none.
pub(crate) fn threshold(test: &Test) -> f64 {
    match test.cut() {
        Cut::Threshold { zone, .. } => zone.threshold(),
        Cut::Categories(cut) => cut.threshold(),
        Cut::Present => f64::NAN,
    }
}

#[pymethods]
impl ExplainedRow {
    fn __str__(&self) -> &str {
        &self.report
    }
}

// Why a forest is unsure of a row, copied for Python.

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
    /// The features that make trees undecided, one dict each.
    #[pyo3(get)]
    reasons: Vec<UnsureFeature>,
    /// The values of single features that would decide the row, one dict each.
    #[pyo3(get)]
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

// Values that would decide a row, copied for Python.

/// Another value of one feature, with the names of its fields in Python.
#[derive(Clone, IntoPyObject)]
pub(crate) struct DecidingValue {
    feature: usize,
    value: f64,
    nearest: f64,
    class_id: u32,
    probability: f64,
}

impl DecidingValue {
    pub(crate) fn new(found: &model::DecidingValue) -> Self {
        let class_id = found.outcome.class;
        let probability = found.outcome.distribution[class_id as usize];
        let &model::DecidingValue { feature, value, nearest, .. } = found;
        Self { feature, value, nearest, class_id, probability }
    }
}
