//! Verdict policies and the Bayes error.

use crate::interrupt::interruptible;
use crate::labelled::TrainingSet;
use pyo3::prelude::*;
use ternwood::bayes_error::BayesError;
use ternwood::{Model, VerdictPolicy};

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
