//! What makes a row undecided, and what no classifier could get right.

use crate::errors::to_python;
use crate::interrupt::interruptible;
use crate::training::TrainingSet;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ternwood::calibrate::{self, BayesError, CalibrationRows};
use ternwood::{CancelToken, ConfidencePolicy, Model, VerdictPolicy, VerdictRule};

/// The rule of a policy, as it stands in a model file.
pub(crate) fn rule(json: &Bound<'_, PyAny>) -> PyResult<VerdictRule> {
    serde_json::from_str(&json.extract::<String>()?)
        .map_err(|error| PyValueError::new_err(format!("not a rule for verdicts: {error}")))
}

/// The model with a verdict policy for `rule`, set with `data`: rows of the training, if
/// `cross_fit`. Without rows only a cost will do.
pub(crate) fn calibrated(
    py: Python<'_>,
    model: &Model,
    rule: VerdictRule,
    data: Option<(TrainingSet<'_>, bool)>,
    threads: usize,
) -> PyResult<Model> {
    let Some((data, cross_fit)) = data else {
        let VerdictRule::Cost { cost_ratio } = rule else {
            return Err(PyValueError::new_err("only a cost can do without rows"));
        };
        let policy = ConfidencePolicy::of_cost_ratio(cost_ratio).map_err(to_python)?;
        return model.clone().with_verdict(policy).map_err(to_python);
    };
    rule.check().map_err(to_python)?;
    let (data, workers) = (data.dataset()?, data.workers(threads)?);
    let cancel = CancelToken::new();
    let work = || {
        let rows = if cross_fit {
            CalibrationRows::cross_fitted(model, &data, (&workers, &cancel))
        } else {
            CalibrationRows::held_out(model, &data, &workers)
        };
        model.clone().with_verdict(rows?.policy(rule)?)
    };
    interruptible(py, &cancel, work)?.map_err(to_python)
}

/// The policy in words, and as JSON unless zones decide.
pub(crate) fn described(model: &Model) -> (String, Option<String>) {
    let VerdictPolicy::Confidence(policy) = model.verdict() else {
        return (model.verdict().to_string(), None);
    };
    let achieved = policy.achieved().map(|achieved| achieved.report(model.classes()));
    let words = format!("{policy}\n{}", achieved.unwrap_or_default());
    let json = serde_json::to_string(policy).expect("plain data is always JSON");
    (words.trim_end().to_owned(), Some(json))
}

/// The factor for all zones that flags a share of the rows, and the share that it flags.
pub(crate) fn zone_scale(
    py: Python<'_>,
    model: &Model,
    data: &TrainingSet<'_>,
    flag_rate: f64,
    threads: usize,
) -> PyResult<(f64, f64)> {
    let (data, workers) = (data.dataset()?, data.workers(threads)?);
    let scale =
        py.detach(|| calibrate::zone_scale_for_flag_rate(model, &data, flag_rate, &workers));
    scale.map(|scale| (scale.factor, scale.flag_rate)).map_err(to_python)
}

/// The interval of the Bayes error, from nearest neighbours.
#[pyfunction]
pub(crate) fn bayes_error(
    py: Python<'_>,
    data: TrainingSet<'_>,
    threads: usize,
) -> PyResult<(f64, f64)> {
    let (data, workers) = (data.dataset()?, data.workers(threads)?);
    let cancel = CancelToken::new();
    let bayes = interruptible(py, &cancel, || BayesError::of(&data, &workers, &cancel))?;
    bayes.map(|bayes| (bayes.lower, bayes.upper)).map_err(to_python)
}
