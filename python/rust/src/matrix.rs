//! Views of numpy matrices for the library, and the number of threads worth starting for them.

use crate::errors::to_python;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ternwood::{Exec, Matrix};

/// Work on fewer rows or values than this finishes before threads have started.
const WORTH_THREADS: usize = 8192;

/// A view of a numpy array in either memory order. The Python package ensures that the array
/// is contiguous.
///
/// It is read in place, even while other Python threads run. Like numpy itself, this expects that
/// nobody writes to an array during a computation.
///
/// # Errors
/// The array is not contiguous.
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

/// The number of threads worth starting to read so many values.
pub(crate) fn threads_for(size: usize, threads: usize) -> usize {
    if size < WORTH_THREADS { 1 } else { threads }
}

/// A pool for this call alone: a pool that outlived it would not survive a fork.
fn exec(threads: usize, size: usize) -> PyResult<Exec> {
    if size < WORTH_THREADS {
        return Ok(Exec::default());
    }
    Exec::with_threads(threads).map_err(to_python)
}
