//! The library's errors as Python exceptions, worded like scikit-learn's.

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use ternwood::{Error, ErrorKind};

/// The exception a Python caller should see.
pub(crate) fn to_python(error: Error) -> PyErr {
    match error.kind() {
        ErrorKind::NotFinite { column, column_index, row, .. } => PyValueError::new_err(format!(
            "Input X contains infinity or a value too large for dtype('float64').\nThe first is in \
             row {row}, column '{column}' (index {column_index}); drop such rows, or replace the \
             values by NaN if they are unknown"
        )),
        ErrorKind::MissingValue { column, column_index, row } => PyValueError::new_err(format!(
            "Input X contains NaN.\nThe first missing value is in row {row}, column '{column}' \
             (index {column_index}); drop such rows, fill in the values, for example with \
             sklearn.impute.SimpleImputer, or fit with missing='learn'"
        )),
        ErrorKind::TrainedOn { .. } => PyValueError::new_err(format!(
            "{error} with cv=5 in place of cv='prefit'; if you know that they are new, check_training_rows=False skips this test"
        )),
        ErrorKind::Checksum { .. } => {
            PyValueError::new_err(format!("{error} with accept_edited=True"))
        }
        ErrorKind::Threads { .. } => PyOSError::new_err(error.to_string()),
        ErrorKind::Cancelled => PyKeyboardInterrupt::new_err(()),
        _ => PyValueError::new_err(error.to_string()),
    }
}
