//! Fitting rows in partitions: questions and answers are bytes, so that any engine can carry them.

use crate::errors::to_python;
use crate::interrupt::interruptible;
use crate::labelled::TrainingSet;
use crate::model::{Model, recipe};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ternwood::partitions::{self, Answer, Limits, Progress, Question};
use ternwood::{Columns, Exec, Recipe};

/// Some of the rows of a training set; maybe none. Pickled as its rows.
#[pyclass(frozen, module = "ternwood._ternwood")]
pub(crate) struct Partition(Mutex<partitions::Partition>);

/// Asks all partitions, and makes the model from their answers.
#[pyclass(frozen, module = "ternwood._ternwood")]
pub(crate) struct Coordinator(Mutex<partitions::Coordinator>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn exec(threads: usize) -> PyResult<Exec> {
    Exec::with_threads(threads).map_err(to_python)
}

#[pymethods]
impl Partition {
    /// Copy rows. All partitions name the same classes, features and categories.
    #[new]
    fn new(py: Python<'_>, data: TrainingSet<'_>, threads: usize) -> PyResult<Self> {
        let parts = data.parts()?;
        let (labels, weights) = (parts.class_ids(), parts.weights());
        let work = |exec: &Exec| {
            let columns = Columns::from(parts.matrix());
            let (labels, weights) = (labels.to_vec(), weights.map(<[f64]>::to_vec));
            partitions::Partition::new(columns, labels, weights, parts.schema(), exec)
        };
        interruptible(py, parts.exec(threads)?, work).map(|partition| Self(Mutex::new(partition)))
    }

    /// Read the bytes of a partition.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let partition = py.detach(|| partitions::Partition::from_bytes(bytes, &Exec::default()));
        partition.map(|partition| Self(Mutex::new(partition))).map_err(to_python)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| lock(&self.0).to_bytes()))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let from_bytes = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((from_bytes, (self.to_bytes(py),)))
    }

    /// The bytes of its rows; codes take about a quarter more.
    fn __sizeof__(&self) -> usize {
        lock(&self.0).n_bytes()
    }

    /// The number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        lock(&self.0).n_rows()
    }

    /// What the rows answer to a question.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        question: &[u8],
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let answer = interruptible(py, exec(threads)?, |exec| {
            let question = Question::from_bytes(question)?;
            Ok(lock(&self.0).answer(&question, exec)?.to_bytes())
        });
        Ok(PyBytes::new(py, &answer?))
    }
}

/// What several partitions answer together. Neither order nor grouping matters.
#[pyfunction]
pub(crate) fn merge_answers<'py>(
    py: Python<'py>,
    answers: Vec<Bound<'py, PyBytes>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let answers: Vec<&[u8]> = answers.iter().map(PyBytesMethods::as_bytes).collect();
    let merged = py.detach(|| {
        let read = answers.iter().map(|bytes| Answer::from_bytes(bytes));
        let read = read.collect::<ternwood::Result<Vec<Answer>>>()?;
        Ok(Answer::merge_all(read)?.to_bytes())
    });
    Ok(PyBytes::new(py, &merged.map_err(to_python)?))
}

#[pymethods]
impl Coordinator {
    /// Prepare a fit; `recipe` is JSON. Of `data` only names are read: it may have no rows.
    #[new]
    #[pyo3(signature = (data, recipe, *, fetched_rows = None, answer_bytes = None, bins = None))]
    fn new(
        data: TrainingSet<'_>,
        #[pyo3(from_py_with = recipe)] recipe: Recipe,
        fetched_rows: Option<u32>,
        answer_bytes: Option<u64>,
        bins: Option<u16>,
    ) -> PyResult<Self> {
        let usual = Limits::default();
        let limits = Limits {
            fetched_rows: fetched_rows.unwrap_or(usual.fetched_rows),
            answer_bytes: answer_bytes.unwrap_or(usual.answer_bytes),
            bins: bins.unwrap_or(usual.bins),
        };
        let coordinator = partitions::Coordinator::new(recipe, data.parts()?.schema(), limits);
        coordinator.map(|coordinator| Self(Mutex::new(coordinator))).map_err(to_python)
    }

    /// Go on from what was saved.
    #[staticmethod]
    fn load(py: Python<'_>, saved: &[u8]) -> PyResult<Self> {
        let loaded = py.detach(|| partitions::Coordinator::load(saved, &Exec::default()));
        loaded.map(|coordinator| Self(Mutex::new(coordinator))).map_err(to_python)
    }

    /// What has been decided, as bytes; to be loaded again before the tree is grown.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let saved = py.detach(|| lock(&self.0).save()).map_err(to_python)?;
        Ok(PyBytes::new(py, &saved))
    }

    /// The topic of the next question and its bytes; None when the model is ready.
    fn next_question<'py>(&self, py: Python<'py>) -> Option<(&'static str, Bound<'py, PyBytes>)> {
        let question = py.detach(|| {
            let question = lock(&self.0).next_question()?;
            Some((question.topic(), question.to_bytes()))
        });
        question.map(|(topic, bytes)| (topic, PyBytes::new(py, &bytes)))
    }

    /// Take the merged answer of all partitions.
    fn take(&self, py: Python<'_>, answer: &[u8], threads: usize) -> PyResult<()> {
        interruptible(py, exec(threads)?, |exec| {
            lock(&self.0).take(Answer::from_bytes(answer)?, exec)
        })
    }

    /// Questions answered, nodes so far, rows in unfinished nodes, and all rows.
    fn progress(&self) -> (u32, usize, Option<u64>, Option<u64>) {
        let Progress { rounds, nodes, open_rows, rows } = lock(&self.0).progress();
        (rounds, nodes, open_rows, rows)
    }

    /// The fitted model.
    fn model(&self) -> PyResult<Model> {
        let model = lock(&self.0).model().cloned();
        let unfinished = || PyValueError::new_err("the model is not ready: ask the next question");
        model.map(Model::from).ok_or_else(unfinished)
    }
}
