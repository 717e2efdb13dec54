//! The page of a model.

use crate::errors::to_python;
use crate::interrupt::interruptible;
use crate::labelled::LabelledRows;
use crate::model::Model;
use pyo3::prelude::*;
use ternwood::Exec;
use ternwood_page::Page;

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
