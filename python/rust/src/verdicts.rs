//! Verdict policies and the Bayes error.

use crate::errors::to_python;
use crate::interrupt::interruptible;
use crate::labelled::TrainingSet;
use crate::labels;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ternwood::bayes_error::BayesError;
use ternwood::verdict::{
    self, Advice, CalibrationSource, ConfidencePolicy, VerdictRecord, VerdictRule,
};
use ternwood::{ClassName, Model, Recipe, VerdictPolicy};

/// How far the probabilities of any classifier may be from probabilities: some are computed in
/// single precision, with many classes.
const ROUNDING: f64 = 1e-3;

/// What a classifier of any kind says of rows that it has not seen, and the truth: any Python
/// object with these attributes.
#[derive(FromPyObject)]
pub(crate) struct CalibrationRows<'py> {
    /// Where the rows stand in the caller's data, for errors.
    numbers: PyReadonlyArray1<'py, i64>,
    probabilities: PyReadonlyArray2<'py, f64>,
    class_ids: PyReadonlyArray1<'py, u32>,
}

/// The rule of a policy, as in a model file.
pub(crate) fn rule(json: &Bound<'_, PyAny>) -> PyResult<VerdictRule> {
    serde_json::from_str(&json.extract::<String>()?)
        .map_err(|error| PyValueError::new_err(format!("not a rule for verdicts: {error}")))
}

/// A policy in words, as JSON unless zones decide, and what speaks against it.
pub(crate) type Described = (String, Option<String>, Vec<String>);

/// The policy of a model.
pub(crate) fn described(model: &Model) -> Described {
    let classes = model.schema().classes();
    describe(model.verdict(), Some(model.recipe()), classes, false)
}

/// `weighted` says that a classifier that is not a model has class weights.
fn describe(
    policy: &VerdictPolicy,
    recipe: Option<&Recipe>,
    classes: &[ClassName],
    weighted: bool,
) -> Described {
    let confidence = policy.as_confidence();
    let achieved = confidence.and_then(ConfidencePolicy::achieved);
    let report = achieved.map(|achieved| achieved.report(classes)).unwrap_or_default();
    let tallies = achieved.map_or(&[][..], |achieved| achieved.classes());
    let record = VerdictRecord { policy, recipe, classes, tallies };
    let mut advice: Vec<String> = record.advice().iter().map(ToString::to_string).collect();
    let is_cost = confidence.is_some_and(|p| matches!(p.rule(), VerdictRule::Cost { .. }));
    if weighted && is_cost {
        advice.push(Advice::ClassWeights.to_string());
    }
    let json = |policy| serde_json::to_string(policy).expect("plain data is always JSON");
    (format!("{policy}\n{report}").trim_end().to_owned(), confidence.map(json), advice)
}

/// A policy, as in a model file.
pub(crate) fn policy(json: &Bound<'_, PyAny>) -> PyResult<ConfidencePolicy> {
    serde_json::from_str(&json.extract::<String>()?)
        .map_err(|error| PyValueError::new_err(format!("not a verdict policy: {error}")))
}

/// The policy for `rule` of a classifier that is not a model, set with `rows`. `cross_fitted` says
/// that other fits of the classifier answered the rows, `weighted` that it has class weights.
#[pyfunction]
pub(crate) fn verdict_policy(
    py: Python<'_>,
    rows: CalibrationRows<'_>,
    class_names: Vec<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = rule)] rule: VerdictRule,
    cross_fitted: bool,
    weighted: bool,
) -> PyResult<Described> {
    let classes = class_names.iter().map(labels::from_python).collect::<PyResult<Vec<_>>>()?;
    let source =
        if cross_fitted { CalibrationSource::CrossFitted } else { CalibrationSource::HeldOut };
    let (numbers, class_ids) = (rows.numbers.as_slice()?, rows.class_ids.as_slice()?);
    let probabilities = rows.probabilities.as_slice()?;
    check_probabilities(probabilities, numbers, classes.len())?;
    py.detach(|| {
        let rows = verdict::CalibrationRows::new(probabilities, class_ids, classes.len(), source)?;
        Ok(describe(&rows.policy(rule)?.into(), None, &classes, weighted))
    })
    .map_err(to_python)
}

/// The library trusts its own probabilities; those of others are checked.
fn check_probabilities(probabilities: &[f64], numbers: &[i64], n_classes: usize) -> PyResult<()> {
    for (row, number) in probabilities.chunks_exact(n_classes.max(1)).zip(numbers) {
        let sum: f64 = row.iter().sum();
        // Written so that NaN is refused too.
        let valid = row.iter().all(|p| (-ROUNDING..=1.0 + ROUNDING).contains(p))
            && (1.0 - ROUNDING..=1.0 + ROUNDING).contains(&sum);
        if !valid {
            return Err(PyValueError::new_err(format!(
                "The class probabilities of row {number} are {}: they must be from 0 to 1 and sum \
                 to 1; look at the predict_proba of the estimator",
                shown(row)
            )));
        }
    }
    Ok(())
}

/// The first few probabilities, and their sum.
fn shown(row: &[f64]) -> String {
    const SHOWN: usize = 5;
    let mut first: Vec<String> = row.iter().take(SHOWN).map(f64::to_string).collect();
    if row.len() > SHOWN {
        first.push("...".to_owned());
    }
    format!("[{}], which sum to {}", first.join(", "), row.iter().sum::<f64>())
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
