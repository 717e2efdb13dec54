//! Numpy matrices as the library's rows and columns, in either memory order.

use crate::errors::to_python;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ternwood::{Columns, Result, Rows, Workers};

/// A matrix of which every value is where its order says; the Python package sees to it that
/// there are no gaps.
///
/// It is read where it lies, also while other Python threads run. Like numpy itself, this takes
/// it that nobody writes to an array that is being computed with.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    values: &'a [f64],
    n_rows: usize,
    n_features: usize,
    by_column: bool,
}

impl<'a> Matrix<'a> {
    /// A view of a numpy array.
    ///
    /// # Errors
    /// The array has gaps.
    pub(crate) fn new(array: &'a PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let (&[n_rows, n_features], values) = (array.shape(), array.as_slice()) else {
            return Err(PyValueError::new_err("X must have two dimensions"));
        };
        let values = values.map_err(|_| PyValueError::new_err("X must be contiguous"))?;
        Ok(Self { values, n_rows, n_features, by_column: !array.is_c_contiguous() })
    }

    /// The values to predict from, where they lie.
    pub(crate) fn rows(self) -> Result<Rows<'a>> {
        if self.by_column {
            Rows::column_major(self.values, self.n_features)
        } else {
            Rows::row_major(self.values, self.n_features)
        }
    }

    /// The values to learn from, copied column by column.
    pub(crate) fn columns(self, workers: &Workers) -> Result<Columns> {
        if self.by_column {
            Columns::from_columns(self.values.to_vec(), self.n_features)
        } else {
            Columns::from_rows_with(self.values, self.n_features, workers)
        }
    }

    /// Threads to predict with: none for so few rows that starting them would cost more.
    pub(crate) fn workers_to_predict(self, threads: usize) -> PyResult<Workers> {
        workers(threads, self.n_rows >= 8192)
    }

    /// Threads to learn with: none for so few values that starting them would cost more.
    pub(crate) fn workers_to_learn(self, threads: usize) -> PyResult<Workers> {
        workers(threads, self.values.len() >= 8192)
    }
}

/// A pool for this call alone: a pool that outlived it would not survive a fork.
fn workers(threads: usize, worth_it: bool) -> PyResult<Workers> {
    if worth_it { Workers::new(threads).map_err(to_python) } else { Ok(Workers::single()) }
}
