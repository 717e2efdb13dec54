//! Conversion of class labels between Python and the library; their type is kept.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use ternwood::ClassName;

/// A Python `bool`, `int`, `float` or `str` as the name of a class.
pub(crate) fn from_python(label: &Bound<'_, PyAny>) -> PyResult<ClassName> {
    // Bool before int: in Python a bool is an int.
    if label.is_instance_of::<PyBool>() {
        Ok(ClassName::Boolean(label.extract()?))
    } else if label.is_instance_of::<PyInt>() {
        label.extract().map(ClassName::Integer).map_err(|_| {
            PyValueError::new_err(format!("class label {label} does not fit into 64 bits"))
        })
    } else if label.is_instance_of::<PyFloat>() {
        Ok(ClassName::Float(label.extract()?))
    } else if label.is_instance_of::<PyString>() {
        Ok(ClassName::Text(label.extract()?))
    } else {
        Err(PyTypeError::new_err("a class label is a bool, an int, a float or a str"))
    }
}

/// The name of a class as a Python value of its original type.
pub(crate) fn to_python<'py>(py: Python<'py>, name: &ClassName) -> PyResult<Bound<'py, PyAny>> {
    Ok(match name {
        ClassName::Boolean(value) => PyBool::new(py, *value).to_owned().into_any(),
        ClassName::Integer(value) => value.into_pyobject(py)?.into_any(),
        ClassName::Float(value) => PyFloat::new(py, *value).into_any(),
        ClassName::Text(value) => PyString::new(py, value).into_any(),
    })
}
