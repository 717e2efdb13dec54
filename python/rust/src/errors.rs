//! The library's errors as Python exceptions, worded like scikit-learn's.

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use ternwood::{Error, ErrorKind};

/// The exception a Python caller should see.
pub(crate) fn to_python(error: Error) -> PyErr {
    match error.kind() {
        ErrorKind::NotFinite { column, column_index, row, value } => {
            let found = if value.is_nan() {
                "NaN"
            } else {
                "infinity or a value too large for dtype('float64')"
            };
            PyValueError::new_err(format!(
                "Input X contains {found}.\nThe first is in row {row}, column '{column}' (index \
                 {column_index}); drop such rows or fill in the values, for example with \
                 sklearn.impute.SimpleImputer"
            ))
        }
        ErrorKind::Threads { .. } => PyOSError::new_err(error.to_string()),
        ErrorKind::Cancelled => PyKeyboardInterrupt::new_err(()),
        _ => PyValueError::new_err(error.to_string()),
    }
}
