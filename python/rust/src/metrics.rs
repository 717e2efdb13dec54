//! The library's metrics; an undefined metric is NaN.

use crate::errors::to_python;
use crate::interrupt::interruptible;
use crate::labelled::TrainingSet;
use crate::verdicts::costs;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ternwood::Verdict;
use ternwood::bayes_error::BayesError;
use ternwood::metrics::{
    self, CartAnswers, ClassTally, ConfidenceRanking, ConfusionMatrix, Costs, Figures,
};
use ternwood::verdict::CostMatrix;

type Ids<'py> = PyReadonlyArray1<'py, u32>;
type Flags<'py> = PyReadonlyArray1<'py, bool>;
type Scores<'py> = PyReadonlyArray1<'py, f64>;
type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// Predictions and true labels: any Python object with these attributes. None adds no metrics.
#[derive(FromPyObject)]
pub(crate) struct Answers<'py> {
    truth: Ids<'py>,
    predicted: Ids<'py>,
    decided: Flags<'py>,
    confidence: Option<Scores<'py>>,
    zone_distance: Option<Scores<'py>>,
    cart: Option<Cart<'py>>,
}

/// The predictions of the tree without zones on the same rows.
#[derive(FromPyObject)]
struct Cart<'py> {
    predicted: Ids<'py>,
    confidence: Scores<'py>,
}

fn or_nan(figure: Option<f64>) -> f64 {
    figure.unwrap_or(f64::NAN)
}

fn verdicts(decided: &Flags<'_>) -> PyResult<Vec<Verdict>> {
    Ok(decided.as_slice()?.iter().map(|&decided| Verdict::decided_if(decided)).collect())
}

fn slice<'a>(scores: Option<&'a Scores<'_>>) -> PyResult<Option<&'a [f64]>> {
    Ok(scores.map(PyReadonlyArray1::as_slice).transpose()?)
}

impl Answers<'_> {
    fn figures(&self, costs: Option<&Costs>) -> PyResult<Figures> {
        let verdicts = verdicts(&self.decided)?;
        let own = metrics::Answers {
            classes: self.predicted.as_slice()?,
            verdicts: &verdicts,
            confidences: slice(self.confidence.as_ref())?,
            distributions: None,
            zone_distances: slice(self.zone_distance.as_ref())?,
        };
        let cart = match &self.cart {
            Some(cart) => Some(CartAnswers {
                classes: cart.predicted.as_slice()?,
                confidences: cart.confidence.as_slice()?,
            }),
            None => None,
        };
        Figures::new(self.truth.as_slice()?, &own, cart.as_ref(), costs).map_err(to_python)
    }
}

/// All metrics of predictions with verdicts that the arguments allow: `cart_accuracy` if nothing
/// else is known of the tree without zones, the `costs` of a flag and of a decided error, and an
/// interval for the Bayes error.
#[pyfunction]
#[pyo3(signature = (answers, *, cart_accuracy=None, costs=None, bayes_error=None))]
pub(crate) fn figures<'py>(
    py: Python<'py>,
    answers: Answers<'py>,
    cart_accuracy: Option<f64>,
    costs: Option<(f64, f64)>,
    bayes_error: Option<(f64, f64)>,
) -> PyResult<Bound<'py, PyDict>> {
    let costs =
        costs.map(|(flag, error)| Costs::new(flag, error)).transpose().map_err(to_python)?;
    let mut figures = answers.figures(costs.as_ref())?;
    if let Some(accuracy) = cart_accuracy {
        figures = figures.with_efficiency(accuracy);
    }
    let (counts, rates) = (figures.counts, figures.rates);
    let dict = PyDict::new(py);
    dict.set_item("rows", counts.rows())?;
    dict.set_item("decided", counts.decided())?;
    dict.set_item("undecided", counts.undecided())?;
    let (confident, beside_cart) = (answers.confidence.is_some(), answers.cart.is_some());
    let priced = costs.is_some();
    let known = [
        (true, "accuracy", rates.accuracy),
        (true, "undecided_rate", rates.undecided_rate),
        (true, "decided_accuracy", rates.decided_accuracy),
        (true, "undecided_accuracy", rates.undecided_accuracy),
        (true, "decided_f1", rates.decided_f1),
        (confident, "aurc", figures.aurc),
        (confident, "chow_accuracy", figures.chow),
        (answers.zone_distance.is_some(), "aurc_zone", figures.aurc_zone),
        (beside_cart, "aurc_cart", figures.aurc_cart),
        (beside_cart, "chow_cart_accuracy", figures.chow_cart),
        (beside_cart || cart_accuracy.is_some(), "efficiency", figures.efficiency),
        (priced, "expected_cost", figures.cost),
        (priced && confident, "chow_cost", figures.cost_chow),
        (priced && beside_cart, "chow_cart_cost", figures.cost_chow_cart),
    ];
    for (_, name, figure) in known.into_iter().filter(|&(is_known, ..)| is_known) {
        dict.set_item(name, or_nan(figure))?;
    }
    if let Some((lower, upper)) = bayes_error {
        let flags = BayesError::new(lower, upper).flags_per_error(or_nan(rates.undecided_rate));
        dict.set_item("u_over_b", (or_nan(flags[0]), or_nan(flags[1])))?;
    }
    Ok(dict)
}

/// Row counts by true class, and by predicted class or review.
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

/// Counts and rates of every class, by class id.
#[pyfunction]
pub(crate) fn class_tallies<'py>(
    py: Python<'py>,
    truth: Ids<'py>,
    predicted: Ids<'py>,
    decided: Flags<'py>,
    n_classes: usize,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let verdicts = verdicts(&decided)?;
    let tallies = ClassTally::count(truth.as_slice()?, predicted.as_slice()?, &verdicts, n_classes);
    let of_class = |tally: &ClassTally| {
        let dict = PyDict::new(py);
        dict.set_item("rows", tally.rows)?;
        dict.set_item("decided_right", tally.decided_right)?;
        dict.set_item("decided_wrong", tally.decided - tally.decided_right)?;
        dict.set_item("review", tally.rows - tally.decided)?;
        dict.set_item("coverage", or_nan(tally.coverage()))?;
        dict.set_item("decided_recall", or_nan(tally.recall()))?;
        dict.set_item("decided_precision", or_nan(tally.precision()))?;
        Ok(dict)
    };
    tallies.map_err(to_python)?.iter().map(of_class).collect()
}

/// The mean cost per row, by a matrix of costs.
#[pyfunction]
pub(crate) fn mean_cost(
    answers: Answers<'_>,
    #[pyo3(from_py_with = costs)] costs: CostMatrix,
) -> PyResult<f64> {
    let verdicts = verdicts(&answers.decided)?;
    let (truth, predicted) = (answers.truth.as_slice()?, answers.predicted.as_slice()?);
    costs.mean_cost(truth, predicted, &verdicts).map(or_nan).map_err(to_python)
}

fn ranking(confidence: &Scores<'_>, correct: &Flags<'_>) -> PyResult<ConfidenceRanking> {
    ConfidenceRanking::new(confidence.as_slice()?, correct.as_slice()?).map_err(to_python)
}

/// Coverages, risks and thresholds, from the highest confidence down.
#[pyfunction]
pub(crate) fn risk_coverage_curve<'py>(
    py: Python<'py>,
    confidence: Scores<'py>,
    correct: Flags<'py>,
) -> PyResult<(Floats<'py>, Floats<'py>, Floats<'py>)> {
    let points = ranking(&confidence, &correct)?.curve();
    let array = |of: fn(&metrics::RiskCoveragePoint) -> f64| {
        points.iter().map(of).collect::<Vec<f64>>().into_pyarray(py)
    };
    Ok((array(|point| point.coverage), array(|point| point.risk), array(|point| point.threshold)))
}

/// The area under the risk-coverage curve.
#[pyfunction]
pub(crate) fn aurc(confidence: Scores<'_>, correct: Flags<'_>) -> PyResult<f64> {
    Ok(or_nan(ranking(&confidence, &correct)?.aurc()))
}

/// Accuracy among the most confident share of the rows.
#[pyfunction]
pub(crate) fn accuracy_at_coverage(
    confidence: Scores<'_>,
    correct: Flags<'_>,
    coverage: f64,
) -> PyResult<f64> {
    let accuracy = ranking(&confidence, &correct)?.accuracy_at_coverage(coverage);
    accuracy.map(or_nan).map_err(to_python)
}

// The Bayes error.

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
