//! One row's path through the tree, copied for Python.

use pyo3::prelude::*;
use ternwood::{model, predict};

/// A test: node, feature, value, threshold, half-width, side, whether the zone counts, share.
type Step = (u32, u32, f64, f64, f64, &'static str, bool, f64);

/// One row's path through the tree.
#[pyclass(frozen, module = "ternwood._ternwood")]
pub(crate) struct ExplainedRow {
    report: String,
    /// Why the row is undecided, in one sentence; None for a decided row.
    #[pyo3(get)]
    sentence: Option<String>,
    /// The predicted class, by id.
    #[pyo3(get)]
    class_id: u32,
    /// The class probabilities.
    #[pyo3(get)]
    probabilities: Vec<f64>,
    /// 1 for a decided row, 0 for an undecided one.
    #[pyo3(get)]
    verdict: i8,
    steps: Vec<Step>,
    /// The leaves reached, with their weights in the prediction.
    #[pyo3(get)]
    leaves: Vec<(u32, f64)>,
}

impl ExplainedRow {
    pub(crate) fn new(row: &model::ExplainedRow<'_>) -> Self {
        let explanation = row.explanation();
        let step = |step: &predict::Step| {
            let (node, feature) = (step.node.0, step.test.feature().0);
            let (threshold, half_width) = step
                .test
                .zone()
                .map_or((f64::NAN, 0.0), |zone| (zone.threshold(), zone.half_width()));
            let (value, side) = (step.value, step.side.as_str());
            (node, feature, value, threshold, half_width, side, step.zone_counts, step.share)
        };
        Self {
            report: row.to_string(),
            sentence: row.sentence(),
            class_id: row.class(),
            probabilities: explanation.distribution.clone(),
            verdict: explanation.verdict as i8,
            steps: explanation.steps.iter().map(step).collect(),
            leaves: explanation.leaves.iter().map(|leaf| (leaf.leaf.0, leaf.share)).collect(),
        }
    }
}

#[pymethods]
impl ExplainedRow {
    /// The tests on the path: node, feature, value, threshold, half-width, side, whether the
    /// zone counts, share of the row.
    #[getter]
    fn steps(&self) -> Vec<Step> {
        self.steps.clone()
    }

    fn __str__(&self) -> &str {
        &self.report
    }
}
