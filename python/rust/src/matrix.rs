//! Numpy matrices as the library's, where they lie, and the threads that are worth it for them.

use crate::errors::to_python;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ternwood::{Exec, Matrix};

/// Work on fewer rows or values than this is done before threads have started.
const WORTH_THREADS: usize = 8192;

/// A view of a numpy array in either memory order. The Python package sees to it that the array
/// has no gaps.
///
/// It is read where it lies, also while other Python threads run. Like numpy itself, this
/// expects that nobody writes to an array that is being computed with.
///
/// # Errors
/// The array has gaps.
pub(crate) fn matrix<'a>(array: &'a PyReadonlyArray2<'_, f64>) -> PyResult<Matrix<'a>> {
    let n_features = array.shape()[1];
    let values = array.as_slice().map_err(|_| PyValueError::new_err("X must be contiguous"))?;
    let matrix = if array.is_c_contiguous() {
        Matrix::row_major(values, n_features)
    } else {
        Matrix::column_major(values, n_features)
    };
    matrix.map_err(to_python)
}

/// Threads to predict with.
pub(crate) fn to_predict(matrix: &Matrix<'_>, threads: usize) -> PyResult<Exec> {
    exec(threads, matrix.n_rows())
}

/// Threads to learn with.
pub(crate) fn to_learn(matrix: &Matrix<'_>, threads: usize) -> PyResult<Exec> {
    exec(threads, matrix.n_rows() * matrix.n_features())
}

/// A pool for this call alone: a pool that outlived it would not survive a fork.
fn exec(threads: usize, size: usize) -> PyResult<Exec> {
    if size < WORTH_THREADS {
        return Ok(Exec::default());
    }
    Exec::with_threads(threads).map_err(to_python)
}
