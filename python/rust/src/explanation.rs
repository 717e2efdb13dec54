//! One row's path through the tree, copied for Python.

use crate::deciding::DecidingValue;
use pyo3::prelude::*;
use ternwood::tree::{Cut, Test};
use ternwood::{model, predict};

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
    steps: Vec<Step>,
    hinges: Vec<Hinge>,
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
    /// The tests on the path, one dict each.
    #[getter]
    fn steps(&self) -> Vec<Step> {
        self.steps.clone()
    }

    /// The unsure tests that matter most, one dict each.
    #[getter]
    fn hinges(&self) -> Vec<Hinge> {
        self.hinges.clone()
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
