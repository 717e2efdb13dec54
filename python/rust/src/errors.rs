//! The library's errors as Python exceptions, worded as scikit-learn words them.

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

/// [`to_python`] with the user's name of the column instead of the default one.
pub(crate) fn with_column_name(error: Error, names: Option<&[String]>) -> PyErr {
    match (error.kind(), names) {
        (&ErrorKind::NotFinite { column_index, row, value, .. }, Some(names)) => {
            let column = names[column_index].clone();
            to_python(ErrorKind::NotFinite { column, column_index, row, value }.into())
        }
        _ => to_python(error),
    }
}
