//! The library's metrics; a figure that is not defined is NaN.

use crate::errors::to_python;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ternwood::calibrate::BayesError;
use ternwood::metrics::{self, ChowComparison, ConfidenceRanking, Costs, VerdictCounts};
use ternwood::{ClassTally, ConfusionMatrix, Evaluation, Verdict};

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

/// Coverage, decided recall and decided precision of every class.
#[pyfunction]
pub(crate) fn class_tallies(
    truth: Ids<'_>,
    predicted: Ids<'_>,
    decided: Flags<'_>,
    n_classes: usize,
) -> PyResult<Vec<(f64, f64, f64)>> {
    let verdicts = verdicts(&decided)?;
    let tallies = ClassTally::count(truth.as_slice()?, predicted.as_slice()?, &verdicts, n_classes);
    let rates = |tally: &ClassTally| {
        (or_nan(tally.coverage()), or_nan(tally.recall()), or_nan(tally.precision()))
    };
    Ok(tallies.map_err(to_python)?.iter().map(rates).collect())
}

/// Accuracy of as many rows as are decided, chosen by confidence; `correct` belongs to whoever
/// is confident.
#[pyfunction]
pub(crate) fn chow_accuracy(
    decided: Flags<'_>,
    confidence: Scores<'_>,
    correct: Flags<'_>,
) -> PyResult<f64> {
    let verdicts = verdicts(&decided)?;
    let ids = vec![0; verdicts.len()];
    let counts = VerdictCounts::new(&ids, &ids, &verdicts).map_err(to_python)?;
    let ranking = ConfidenceRanking::new(confidence.as_slice()?, correct.as_slice()?);
    let comparison = ranking.and_then(|ranking| ChowComparison::new(&counts, &ranking));
    Ok(or_nan(comparison.map_err(to_python)?.chow_accuracy))
}

/// What deciding a share of the rows with this accuracy costs per row.
#[pyfunction]
pub(crate) fn cost_at_rates(
    cost_undecided: f64,
    cost_wrong: f64,
    coverage: f64,
    decided_accuracy: f64,
) -> PyResult<f64> {
    let costs = Costs::new(cost_undecided, cost_wrong).map_err(to_python)?;
    // Where nothing is decided there is no accuracy, and no error.
    let accuracy = if coverage == 0.0 { 1.0 } else { decided_accuracy };
    Ok(costs.at(coverage, accuracy))
}

/// Flags per unavoidable error, for the interval `[lower, upper]` of the Bayes error.
#[pyfunction]
pub(crate) fn flags_per_error(undecided_rate: f64, lower: f64, upper: f64) -> (f64, f64) {
    let [least, most] = BayesError::new(lower, upper).flags_per_error(undecided_rate);
    (or_nan(least), or_nan(most))
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
