//! What a model that is a forest can do beyond a single tree.

use crate::errors::to_python;
use crate::interrupt::watched;
use crate::labelled::{LabelledRows, TrainingSet};
use crate::matrix::{matrix, to_predict};
use crate::model::{Model, node_numbers, recipe};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use ternwood::fit::{Fit, FitEvent, bags};
use ternwood::{Exec, Learner, Recipe};

type Matrix<'py> = Bound<'py, PyArray2<f64>>;
type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Integers<'py> = Bound<'py, PyArray1<i64>>;
/// Row numbers and class probabilities.
type OutOfBag<'py> = (Integers<'py>, Matrix<'py>);

/// Fit a forest; `recipe` is JSON. `progress` is called with the stage of the fit, the number of steps done and
/// that of all its steps, now and then, by the calling thread. Also returns training rows that some trees have not seen, by number, and what these
/// trees say of them: of all such rows if `all_out_of_bag`, else of those that something was chosen by.
#[pyfunction]
#[pyo3(signature = (data, recipe, threads, progress, *, all_out_of_bag))]
pub(crate) fn fit_forest<'py>(
    py: Python<'py>,
    data: TrainingSet<'py>,
    #[pyo3(from_py_with = recipe)] recipe: Recipe,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
    all_out_of_bag: bool,
) -> PyResult<(Model, Option<OutOfBag<'py>>)> {
    let parts = data.parts()?;
    let learner = Learner::from_recipe(recipe).map_err(to_python)?;
    let learner = if all_out_of_bag { learner.with_all_out_of_bag() } else { learner };
    let exec = parts.exec(threads)?;
    let state = Mutex::new((String::new(), 0, 0));
    let reached = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let watch = |event| match event {
        FitEvent::Begin { stage, steps } => *reached() = (stage.to_string(), 0, steps),
        FitEvent::Advance(steps) => reached().1 += steps,
    };
    let progress = progress.map(Bound::unbind);
    let tick = |py: Python<'_>| match &progress {
        Some(progress) => {
            let reached = reached().clone();
            progress.call1(py, reached).map(drop)
        }
        None => Ok(()),
    };
    let work = |exec: &Exec| learner.fit_watched(parts.view(exec)?, exec, &watch);
    let Fit { model, out_of_bag } = watched(py, exec, tick, work)?;
    let out_of_bag = out_of_bag.map(|found| {
        let rows: Vec<i64> = found.rows().iter().copied().map(i64::from).collect();
        let shape = [rows.len(), model.schema().n_classes()];
        let probabilities = found.distributions().to_vec().into_pyarray(py).reshape(shape)?;
        PyResult::Ok((rows.into_pyarray(py), probabilities))
    });
    Ok((model.into(), out_of_bag.transpose()?))
}

/// For every tree, how often each of its training rows was drawn.
#[pyfunction]
pub(crate) fn forest_bags<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
    rows: LabelledRows<'py>,
) -> PyResult<Vec<Bound<'py, PyArray1<u32>>>> {
    let rows = rows.parts(model.model.schema())?;
    let view = rows.view(&Exec::default()).map_err(to_python)?;
    let bags = bags(&model.model, view).map_err(to_python)?;
    Ok(bags.into_iter().map(|bag| bag.into_pyarray(py)).collect())
}

/// The number of trees.
#[pyfunction]
pub(crate) fn n_trees(model: PyRef<'_, Model>) -> usize {
    model.model.trees().len()
}

/// The exponent of the forest's answer; None if the mean of the trees is the answer.
#[pyfunction]
pub(crate) fn forest_exponent(model: PyRef<'_, Model>) -> Option<f64> {
    Some(model.model.ensemble().sharpening()?.exponent)
}

/// One tree of a forest, as a model of its own.
#[pyfunction]
pub(crate) fn tree_of_forest(model: PyRef<'_, Model>, index: usize) -> PyResult<Model> {
    let tree = model.model.tree_alone(index).map(Model::from);
    tree.ok_or_else(|| PyIndexError::new_err(format!("there is no tree {index}")))
}

/// The leaf of every row in every tree: an array per tree.
#[pyfunction]
pub(crate) fn apply_trees<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
    x: PyReadonlyArray2<'py, f64>,
    threads: usize,
) -> PyResult<Vec<Integers<'py>>> {
    let (rows, inner) = (matrix(&x)?, &model.model);
    let exec = to_predict(&rows, threads)?;
    let leaves = py.detach(|| inner.leaves_of_trees(rows, &exec)).map_err(to_python)?;
    Ok(leaves.into_iter().map(|leaves| node_numbers(leaves).into_pyarray(py)).collect())
}

/// The nodes that every row passes in a tree, row by row, and where each row starts.
type Paths<'py> = (Integers<'py>, Integers<'py>);

/// The paths of every row, an entry per tree; and the numbers of nodes of the trees.
#[pyfunction]
pub(crate) fn decision_paths<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
    x: PyReadonlyArray2<'py, f64>,
) -> PyResult<(Vec<Paths<'py>>, Vec<usize>)> {
    let (rows, inner) = (matrix(&x)?, &model.model);
    let paths = py.detach(|| inner.paths_of_trees(rows)).map_err(to_python)?;
    let arrays = paths.into_iter().map(|paths| {
        let starts: Vec<i64> = paths.starts.into_iter().map(|start| start as i64).collect();
        (node_numbers(paths.nodes).into_pyarray(py), starts.into_pyarray(py))
    });
    Ok((arrays.collect(), inner.trees().iter().map(ternwood::Tree::n_nodes).collect()))
}

/// Shares of trees decided for each class, shares of trees undecided, and the spread of the trees'
/// probabilities.
#[pyfunction]
pub(crate) fn disagreement<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
    x: PyReadonlyArray2<'py, f64>,
    threads: usize,
) -> PyResult<(Matrix<'py>, Floats<'py>, Floats<'py>)> {
    let (rows, inner) = (matrix(&x)?, &model.model);
    let exec = to_predict(&rows, threads)?;
    let found = py.detach(|| inner.disagreement(rows, &exec)).map_err(to_python)?;
    let shape = [found.undecided.len(), inner.schema().n_classes()];
    let votes = found.votes.into_pyarray(py).reshape(shape)?;
    Ok((votes, found.undecided.into_pyarray(py), found.spread.into_pyarray(py)))
}
