//! The report on verdicts that a person can sign.

use crate::errors::to_python;
use crate::labels;
use crate::verdicts::{self, CountedUncovered};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use ternwood::{Verdict, VerdictPolicy};
use ternwood_figures::VerdictReport;

/// Answers and verdicts beside the truth: any Python object with these attributes.
#[derive(FromPyObject)]
pub(crate) struct Judged<'py> {
    truth: PyReadonlyArray1<'py, u32>,
    predicted: PyReadonlyArray1<'py, u32>,
    decided: PyReadonlyArray1<'py, bool>,
}

/// Names and values.
type Facts = Vec<(String, String)>;

/// The report as HTML; `set_here` if the verdict was set with these rows. `about` is about the
/// data and the model. `policy` is one as in a model file; `uncovered` is None if the training
/// table is not known.
#[pyfunction]
#[pyo3(signature = (rows, class_names, policy, title, *, about, notes, uncovered, set_here))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn verdict_report(
    rows: Judged<'_>,
    class_names: Vec<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = verdicts::policy)] policy: VerdictPolicy,
    title: &str,
    about: [Facts; 2],
    notes: Vec<String>,
    uncovered: Option<CountedUncovered>,
    set_here: bool,
) -> PyResult<String> {
    let classes = class_names.iter().map(labels::from_python).collect::<PyResult<Vec<_>>>()?;
    let (truth, predicted) = (rows.truth.as_slice()?, rows.predicted.as_slice()?);
    let verdicts = rows.decided.as_slice()?.iter().map(|&decided| Verdict::decided_if(decided));
    let judged = truth.iter().zip(predicted).zip(verdicts);
    let judged = judged.map(|((&truth, &predicted), verdict)| (truth, predicted, verdict));
    let uncovered = uncovered.map(verdicts::uncovered_rows).transpose()?;
    let report = VerdictReport::new(title, &policy, &classes, judged).map_err(to_python)?;
    let report = report.with_uncovered(uncovered);
    let report = if set_here { report.set_on_these_rows() } else { report };
    let [data, model] = about;
    Ok(report.with_data(data).with_model(model).with_notes(notes).html())
}
