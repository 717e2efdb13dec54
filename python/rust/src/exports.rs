//! A model in other forms: rules, SQL, ONNX.

use crate::errors::to_python;
use crate::interrupt::interruptible;
use crate::labelled::LabelledRows;
use crate::matrix::{matrix, to_predict};
use crate::model::Model;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ternwood::Exec;
use ternwood::export::onnx::{self, OnnxOptions};
use ternwood::export::sql::{self, Dialect, SqlOptions};
use ternwood::rules::{Rules, Truth};
use ternwood_figures::{ImageFormat, converted};
use ternwood_page::Page;

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

// Figures in other formats than SVG.

/// An SVG document as a PDF document, or as pixels.
#[pyfunction]
pub(crate) fn convert_figure<'py>(
    py: Python<'py>,
    svg: &str,
    as_pdf: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let format = if as_pdf { ImageFormat::Pdf } else { ImageFormat::Png };
    let bytes = py.detach(|| converted(svg, format));
    let bytes = bytes.map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}

// The page of a model.

/// The page as HTML, with labelled rows to choose the verdict by if given. `facts` are further names and
/// values on the model card.
#[pyfunction]
#[pyo3(signature = (model, rows, title, facts, threads))]
pub(crate) fn page_html(
    py: Python<'_>,
    model: PyRef<'_, Model>,
    rows: Option<LabelledRows<'_>>,
    title: Option<String>,
    facts: Vec<(String, String)>,
    threads: usize,
) -> PyResult<String> {
    let model = &model.model;
    let mut page = Page::new(model).map_err(to_python)?.with_facts(facts);
    if let Some(title) = title {
        page = page.with_title(title);
    }
    let Some(rows) = &rows else { return py.detach(|| page.html()).map_err(to_python) };
    let rows = rows.parts(model.schema())?;
    let work = |exec: &Exec| page.with_evaluation(rows.view(exec)?, exec)?.html();
    interruptible(py, rows.exec(threads)?, work)
}
