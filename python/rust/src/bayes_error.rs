//! The Bayes error.

use crate::interrupt::interruptible;
use crate::labelled::TrainingSet;
use pyo3::prelude::*;
use ternwood::bayes_error::BayesError;

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
