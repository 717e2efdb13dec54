//! The library's metrics; a figure that is not defined is NaN.

use crate::errors::to_python;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ternwood::metrics;
use ternwood::{ConfusionMatrix, Evaluation, Verdict};

type Ids<'py> = PyReadonlyArray1<'py, u32>;
type Flags<'py> = PyReadonlyArray1<'py, bool>;
type Scores<'py> = PyReadonlyArray1<'py, f64>;
type Floats<'py> = Bound<'py, PyArray1<f64>>;

fn or_nan(figure: Option<f64>) -> f64 {
    figure.unwrap_or(f64::NAN)
}

fn verdicts(decided: &Flags<'_>) -> PyResult<Vec<Verdict>> {
    Ok(decided.as_slice()?.iter().map(|&decided| Verdict::decided_if(decided)).collect())
}

/// All counts and rates of predictions with verdicts.
#[pyfunction]
pub(crate) fn evaluation<'py>(
    py: Python<'py>,
    truth: Ids<'py>,
    predicted: Ids<'py>,
    decided: Flags<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let verdicts = verdicts(&decided)?;
    let evaluation = Evaluation::new(truth.as_slice()?, predicted.as_slice()?, &verdicts);
    let Evaluation { counts, rates, .. } = evaluation.map_err(to_python)?;
    let dict = PyDict::new(py);
    dict.set_item("rows", counts.rows())?;
    dict.set_item("decided", counts.decided())?;
    dict.set_item("undecided", counts.undecided())?;
    dict.set_item("accuracy", or_nan(rates.accuracy))?;
    dict.set_item("undecided_rate", or_nan(rates.undecided_rate))?;
    dict.set_item("decided_accuracy", or_nan(rates.decided_accuracy))?;
    dict.set_item("undecided_accuracy", or_nan(rates.undecided_accuracy))?;
    dict.set_item("decided_f1", or_nan(rates.decided_f1))?;
    Ok(dict)
}

/// What each flagged share buys over the plain tree.
#[pyfunction]
pub(crate) fn efficiency(decided_accuracy: f64, cart_accuracy: f64, undecided_rate: f64) -> f64 {
    or_nan(metrics::efficiency(decided_accuracy, cart_accuracy, undecided_rate))
}

/// Rows by true class, and by predicted class or review.
#[pyfunction]
pub(crate) fn confusion_matrix<'py>(
    py: Python<'py>,
    truth: Ids<'py>,
    predicted: Ids<'py>,
    decided: Flags<'py>,
    n_classes: usize,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let verdicts = verdicts(&decided)?;
    let matrix =
        ConfusionMatrix::new(truth.as_slice()?, predicted.as_slice()?, &verdicts, n_classes)
            .map_err(to_python)?;
    let counts: Vec<i64> = matrix.rows().flatten().map(|&count| count as i64).collect();
    counts.into_pyarray(py).reshape([n_classes, n_classes + 1])
}

/// Coverages, risks and thresholds, from the highest confidence down.
#[pyfunction]
pub(crate) fn risk_coverage_curve<'py>(
    py: Python<'py>,
    confidence: Scores<'py>,
    correct: Flags<'py>,
) -> PyResult<(Floats<'py>, Floats<'py>, Floats<'py>)> {
    let points = metrics::risk_coverage_curve(confidence.as_slice()?, correct.as_slice()?)
        .map_err(to_python)?;
    let array = |of: fn(&metrics::RiskCoveragePoint) -> f64| {
        points.iter().map(of).collect::<Vec<f64>>().into_pyarray(py)
    };
    Ok((array(|point| point.coverage), array(|point| point.risk), array(|point| point.threshold)))
}

/// The area under the risk-coverage curve.
#[pyfunction]
pub(crate) fn aurc(confidence: Scores<'_>, correct: Flags<'_>) -> PyResult<f64> {
    metrics::aurc(confidence.as_slice()?, correct.as_slice()?).map(or_nan).map_err(to_python)
}

/// Accuracy among the most confident share of the rows.
#[pyfunction]
pub(crate) fn accuracy_at_coverage(
    confidence: Scores<'_>,
    correct: Flags<'_>,
    coverage: f64,
) -> PyResult<f64> {
    metrics::accuracy_at_coverage(confidence.as_slice()?, correct.as_slice()?, coverage)
        .map(or_nan)
        .map_err(to_python)
}
