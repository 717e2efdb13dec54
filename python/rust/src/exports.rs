//! A model in other forms: rules, SQL, ONNX.

use crate::errors::to_python;
use crate::matrix::{matrix, to_predict};
use crate::model::Model;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ternwood::export::onnx::{self, OnnxOptions};
use ternwood::export::sql::{self, Dialect, SqlOptions};
use ternwood::rules::{Rules, Truth};

/// The rules of a tree, as JSON.
#[pyfunction]
pub(crate) fn rules(model: &Model) -> PyResult<String> {
    Ok(Rules::of(model.model.single_tree().map_err(to_python)?).to_json())
}

/// The truth of every rule for every row: 1, 0 for undecided, or -1.
#[pyfunction]
pub(crate) fn rule_truths<'py>(
    py: Python<'py>,
    model: &Model,
    x: PyReadonlyArray2<'py, f64>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<i8>>> {
    let rows = matrix(&x)?;
    let exec = to_predict(&rows, threads)?;
    let tree = model.model.single_tree().map_err(to_python)?;
    let (n_rules, truths) = py.detach(|| {
        let rules = Rules::of(tree);
        (rules.len(), rules.truths(rows, &exec))
    });
    let truths: Vec<i8> = truths.map_err(to_python)?.into_iter().map(number).collect();
    truths.into_pyarray(py).reshape([rows.n_rows(), n_rules])
}

fn number(truth: Truth) -> i8 {
    match truth {
        Truth::False => -1,
        Truth::Undecided => 0,
        Truth::True => 1,
    }
}

/// The model as a query over a table.
#[pyfunction]
pub(crate) fn to_sql(
    model: &Model,
    table: Vec<String>,
    dialect: &str,
    keys: Vec<String>,
    columns: Option<Vec<String>>,
) -> PyResult<String> {
    let dialect = Dialect::named(dialect).map_err(to_python)?;
    let options = SqlOptions { table, dialect, keys, columns };
    sql::to_sql(&model.model, &options).map_err(to_python)
}

/// The bytes of the model as an ONNX file.
#[pyfunction]
pub(crate) fn to_onnx<'py>(
    py: Python<'py>,
    model: &Model,
    force_large: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = OnnxOptions { force_large };
    let file = py.detach(|| onnx::to_onnx(&model.model, options)).map_err(to_python)?;
    Ok(PyBytes::new(py, &file))
}
