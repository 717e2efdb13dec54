//! Whether a classifier still holds for new rows.

use crate::errors::to_python;
use crate::verdicts::{self, CountedUncovered};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use ternwood::check::RowsCheck;
use ternwood::{Verdict, VerdictPolicy};

/// A check in words and as JSON.
pub(crate) type Checked = (String, String);

pub(crate) fn checked(check: &RowsCheck) -> Checked {
    (check.to_string(), serde_json::to_string(check).expect("plain data is always JSON"))
}

/// Compare the class ids and verdicts of new rows, and their true classes if there are any, with
/// what a verdict policy promised and achieved. `policy` is written as in a model file; `uncovered`
/// is None if the training table is not known.
#[pyfunction]
pub(crate) fn check_verdicts(
    #[pyo3(from_py_with = verdicts::policy)] policy: VerdictPolicy,
    class_names: Vec<Bound<'_, PyAny>>,
    answers: PyReadonlyArray1<'_, u32>,
    decided: PyReadonlyArray1<'_, bool>,
    truth: Option<PyReadonlyArray1<'_, u32>>,
    uncovered: Option<CountedUncovered>,
    level: f64,
) -> PyResult<Checked> {
    let classes = verdicts::named(&class_names)?;
    let verdicts: Vec<Verdict> =
        decided.as_slice()?.iter().map(|&decided| Verdict::decided_if(decided)).collect();
    let truth = truth.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let found = (answers.as_slice()?, &verdicts[..]);
    let uncovered = uncovered.map(verdicts::uncovered_rows).transpose()?;
    let check = RowsCheck::of_verdicts(&policy, &classes, found, truth, uncovered, level);
    check.map(|check| checked(&check)).map_err(to_python)
}
