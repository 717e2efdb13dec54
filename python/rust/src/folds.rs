//! Folds for classifiers of any kind.

use crate::errors::to_python;
use crate::matrix::matrix;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use ternwood::{DatasetView, Exec, Resampler, Schema, check};

/// The fold of every row, dealt by what rows hold, so that their order does not matter; without `x`,
/// which has no infinite values, shuffled. Folds are stratified by class.
#[pyfunction]
pub(crate) fn stratified_folds<'py>(
    py: Python<'py>,
    x: Option<PyReadonlyArray2<'py, f64>>,
    class_ids: PyReadonlyArray1<'py, u32>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    n_folds: u32,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    const SEED: u64 = 0;
    let class_ids = class_ids.as_slice()?;
    let weights = sample_weight.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let rows = x.as_ref().map(matrix).transpose()?;
    let folds = py.detach(|| {
        let Some(rows) = rows else {
            return Resampler::of_classes(class_ids).folds(n_folds, SEED);
        };
        let n_classes = class_ids.iter().max().map_or(0, |&largest| largest + 1);
        let classes = (0..n_classes).map(|id| i64::from(id).into()).collect();
        let schema = Schema::unnamed(rows.n_features(), classes)?;
        let view = DatasetView::new(rows, class_ids, schema, &Exec::default())?;
        let view = weights.map_or(Ok(view.clone()), |weights| view.with_weights(weights))?;
        Resampler::new(view).folds(n_folds, SEED)
    });
    Ok(folds.map_err(to_python)?.of_rows().to_vec().into_pyarray(py))
}

/// True if folds, each given by its wrong answers and its rows, err more differently than chance allows.
#[pyfunction]
pub(crate) fn folds_differ(folds: Vec<[u64; 2]>) -> bool {
    check::folds_differ(&folds) <= check::USUAL_FOLD_LEVEL
}
