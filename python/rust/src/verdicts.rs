//! Verdict policies and the Bayes error.

use crate::interrupt::interruptible;
use crate::labelled::{Parts, TrainingSet};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ternwood::bayes_error::BayesError;
use ternwood::fit::cross_fitted_rows;
use ternwood::verdict::VerdictRule;
use ternwood::{Exec, Model, VerdictPolicy};

/// The rule of a policy, as in a model file.
pub(crate) fn rule(json: &Bound<'_, PyAny>) -> PyResult<VerdictRule> {
    serde_json::from_str(&json.extract::<String>()?)
        .map_err(|error| PyValueError::new_err(format!("not a rule for verdicts: {error}")))
}

/// The model with a verdict policy for `rule`, set with `rows`; with `cross_fit`, the training
/// rows.
pub(crate) fn calibrated(
    model: &Model,
    rule: VerdictRule,
    rows: &Parts<'_>,
    cross_fit: bool,
    exec: &Exec,
) -> ternwood::Result<Model> {
    rule.check()?;
    let data = rows.view(exec)?;
    let rows = if cross_fit {
        cross_fitted_rows(model, data, exec)
    } else {
        model.calibration_rows(data, exec)
    };
    model.clone().with_verdict(rows?.policy(rule)?)
}

/// The policy in words, and as JSON unless zones decide.
pub(crate) fn described(model: &Model) -> (String, Option<String>) {
    let VerdictPolicy::Confidence(policy) = model.verdict() else {
        return (model.verdict().to_string(), None);
    };
    let achieved = policy.achieved().map(|achieved| achieved.report(model.schema().classes()));
    let words = format!("{policy}\n{}", achieved.unwrap_or_default());
    let json = serde_json::to_string(policy).expect("plain data is always JSON");
    (words.trim_end().to_owned(), Some(json))
}

/// The interval of the Bayes error, from nearest neighbours.
#[pyfunction]
pub(crate) fn bayes_error(
    py: Python<'_>,
    data: TrainingSet<'_>,
    threads: usize,
) -> PyResult<(f64, f64)> {
    let parts = data.parts()?;
    let exec = parts.exec(threads)?;
    let bayes = interruptible(py, exec, |exec| BayesError::of(parts.view(exec)?, exec))?;
    Ok((bayes.lower, bayes.upper))
}
