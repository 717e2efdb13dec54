//! A fitted model in Python's hands.

use crate::errors::to_python;
use crate::explanation::ExplainedRow;
use crate::labels;
use crate::matrix::Matrix;
use crate::training::{TrainingSet, recipe};
use crate::verdicts;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyReadwriteArray1,
    PyReadwriteArray2,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use ternwood::export::{TextOptions, to_dot, to_text};
use ternwood::{Node, NodeId, PredictionSlots, Tree, VerdictPolicy, VerdictRule, Walker};
use ternwood_figures::{TreeFigure, ZoneFigure, tree_svg, zone_svg};

/// A fitted model. Made from its JSON document, and pickled as that document.
#[pyclass(frozen, module = "ternwood._ternwood")]
pub(crate) struct Model(ternwood::Model);

/// Depths, scales and log-losses.
type Candidates = (Vec<Option<u32>>, Vec<f64>, Vec<f64>);
type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Integers<'py> = Bound<'py, PyArray1<i64>>;
type PredictInto<'py> =
    (PyReadwriteArray1<'py, i64>, PyReadwriteArray2<'py, f64>, PyReadwriteArray1<'py, i8>);

#[pymethods]
impl Model {
    /// Read a model from its JSON document.
    #[new]
    fn new(py: Python<'_>, json: &str) -> PyResult<Self> {
        py.detach(|| ternwood::Model::from_json(json)).map(Self).map_err(to_python)
    }

    fn __getnewargs__(&self, py: Python<'_>) -> (String,) {
        (self.to_json(py),)
    }

    /// Fit a model; `recipe` is JSON.
    #[staticmethod]
    #[pyo3(name = "fit", signature = (data, recipe, threads))]
    fn fit_in_python(
        py: Python<'_>,
        data: TrainingSet<'_>,
        #[pyo3(from_py_with = recipe_of)] recipe: ternwood::Recipe,
        threads: usize,
    ) -> PyResult<Self> {
        data.fit(py, recipe, threads).map(Self)
    }

    /// The model as its JSON document.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_json())
    }

    /// The class labels, by class id.
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let names = self.0.classes().iter().map(|name| labels::to_python(py, name));
        PyList::new(py, names.collect::<PyResult<Vec<_>>>()?)
    }

    /// The names of the features.
    fn feature_names(&self) -> Vec<&str> {
        self.0.features().iter().map(|feature| feature.name.as_str()).collect()
    }

    /// Whether the features had names.
    fn has_named_features(&self) -> bool {
        self.0.has_named_features()
    }

    /// Classes, probabilities and verdicts of all rows, written into arrays of numpy's: for large
    /// ones it asks for large pages of memory, which are quicker to fill. There is one label per
    /// class.
    fn predict(
        &self,
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        threads: usize,
        labels: Vec<i64>,
        into: PredictInto<'_>,
    ) -> PyResult<()> {
        let matrix = Matrix::new(&x)?;
        let workers = matrix.workers_to_predict(threads)?;
        let (mut classes, mut distributions, mut verdicts) = into;
        let mut slots = PredictionSlots {
            labels: &labels,
            classes: classes.as_slice_mut()?,
            distributions: distributions.as_slice_mut()?,
            verdicts: verdicts.as_slice_mut()?,
        };
        py.detach(|| self.0.predict_into(matrix.rows()?, &workers, &mut slots)).map_err(to_python)
    }

    /// Class ids and probabilities of all rows by the thresholds alone: of the tree without zones.
    fn predict_crisp<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<(Integers<'py>, Bound<'py, PyArray2<f64>>)> {
        let matrix = Matrix::new(&x)?;
        let workers = matrix.workers_to_predict(threads)?;
        let predictions = py.detach(|| {
            let walker = Walker::new(self.0.tree(), ternwood::Routing::Crisp)?;
            walker.predict(matrix.rows()?, &workers)
        });
        let (classes, distributions, _) = predictions.map_err(to_python)?.into_parts();
        let shape = [classes.len(), self.0.classes().len()];
        let classes: Vec<i64> = classes.into_iter().map(i64::from).collect();
        Ok((classes.into_pyarray(py), distributions.into_pyarray(py).reshape(shape)?))
    }

    /// The same model, undecided within zones.
    fn with_zone_verdict(&self) -> PyResult<Self> {
        self.0.clone().with_verdict(VerdictPolicy::Zone).map(Self).map_err(to_python)
    }

    /// The same model, undecided by `rule`: the JSON of a rule in a model file. With `data` it
    /// is set with these rows; `cross_fit` says that the model was trained on them.
    #[pyo3(signature = (rule, data, cross_fit, threads))]
    fn with_verdict(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = verdicts::rule)] rule: VerdictRule,
        data: Option<TrainingSet<'_>>,
        cross_fit: bool,
        threads: usize,
    ) -> PyResult<Self> {
        let data = data.map(|data| (data, cross_fit));
        verdicts::calibrated(py, &self.0, rule, data, threads).map(Self)
    }

    /// What makes a row undecided: in words, and as JSON unless zones do.
    fn verdict(&self) -> (String, Option<String>) {
        verdicts::described(&self.0)
    }

    /// The factor for all zones that flags this share of the rows, and the share it flags.
    fn zone_scale_for_flag_rate(
        &self,
        py: Python<'_>,
        data: TrainingSet<'_>,
        flag_rate: f64,
        threads: usize,
    ) -> PyResult<(f64, f64)> {
        verdicts::zone_scale(py, &self.0, &data, flag_rate, threads)
    }

    /// How far every row is from being undecided, in half-widths.
    fn zone_distance<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<Floats<'py>> {
        let matrix = Matrix::new(&x)?;
        let workers = matrix.workers_to_predict(threads)?;
        let distances = py.detach(|| self.0.zone_distances(matrix.rows()?, &workers));
        Ok(distances.map_err(to_python)?.into_pyarray(py))
    }

    /// The leaf of every row.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<Integers<'py>> {
        let matrix = Matrix::new(&x)?;
        let workers = matrix.workers_to_predict(threads)?;
        let leaves = py.detach(|| self.0.leaves(matrix.rows()?, &workers));
        Ok(node_numbers(leaves.map_err(to_python)?).into_pyarray(py))
    }

    /// The nodes every row passes, one row after the other, and where each row begins.
    fn decision_path<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<(Integers<'py>, Integers<'py>)> {
        let matrix = Matrix::new(&x)?;
        let paths = py.detach(|| self.0.paths(matrix.rows()?));
        let (nodes, starts) = paths.map_err(to_python)?;
        let starts: Vec<i64> = starts.into_iter().map(|start| start as i64).collect();
        Ok((node_numbers(nodes).into_pyarray(py), starts.into_pyarray(py)))
    }

    /// One row's way through the tree.
    fn explain(&self, row: Vec<f64>) -> PyResult<ExplainedRow> {
        self.0.explain(&row).map(|explained| ExplainedRow::new(&explained)).map_err(to_python)
    }

    /// The tree as one array per property of a node.
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        arrays(py, self.0.tree())
    }

    /// The factor of all half-widths, as given or as chosen.
    fn zone_scale(&self) -> f64 {
        self.0.params().zone.scale
    }

    /// The most tests on a path, as given or as chosen.
    fn max_depth(&self) -> Option<u32> {
        self.0.params().max_depth
    }

    /// Depths, scales and log-losses of the candidates, if a choice was made.
    fn choice(&self) -> Option<Candidates> {
        let candidates = &self.0.choice()?.candidates;
        let depths = candidates.iter().map(|candidate| candidate.max_depth).collect();
        let scales = candidates.iter().map(|candidate| candidate.zone_scale).collect();
        Some((depths, scales, candidates.iter().map(|candidate| candidate.log_loss).collect()))
    }

    /// The tests on the longest path.
    fn depth(&self) -> usize {
        self.0.tree().depth()
    }

    /// How many leaves there are.
    fn n_leaves(&self) -> usize {
        self.0.tree().n_leaves()
    }

    /// The impurity each feature removed, as shares.
    fn importances<'py>(&self, py: Python<'py>) -> Floats<'py> {
        self.0.tree().importances().into_pyarray(py)
    }

    /// The complexity prices of minimal cost-complexity pruning, and the impurities.
    fn pruning_path<'py>(&self, py: Python<'py>) -> (Floats<'py>, Floats<'py>) {
        let path = py.detach(|| self.0.tree().pruning_path());
        (path.alphas.into_pyarray(py), path.impurities.into_pyarray(py))
    }

    /// The tree as indented text.
    fn export_text(&self, max_depth: usize) -> String {
        to_text(&self.0, TextOptions { max_depth })
    }

    /// The tree in Graphviz's language.
    fn export_dot(&self) -> String {
        to_dot(&self.0)
    }

    /// A picture of the tree, with histograms of `data` if given.
    #[pyo3(signature = (data, title, max_depth))]
    fn tree_svg(
        &self,
        py: Python<'_>,
        data: Option<TrainingSet<'_>>,
        title: Option<String>,
        max_depth: Option<usize>,
    ) -> PyResult<String> {
        let data = data.as_ref().map(TrainingSet::dataset).transpose()?;
        let options = TreeFigure { title, max_depth, ..TreeFigure::default() };
        py.detach(|| tree_svg(&self.0, data.as_ref(), &options)).map_err(to_python)
    }

    /// A picture of one split, with the rows of `data` that reach it.
    #[pyo3(signature = (data, node, title))]
    fn zone_svg(
        &self,
        py: Python<'_>,
        data: TrainingSet<'_>,
        node: u32,
        title: Option<String>,
    ) -> PyResult<String> {
        let data = data.dataset()?;
        let options = ZoneFigure { title, ..ZoneFigure::default() };
        py.detach(|| zone_svg(&self.0, &data, NodeId(node), &options)).map_err(to_python)
    }
}

fn recipe_of(json: &Bound<'_, PyAny>) -> PyResult<ternwood::Recipe> {
    recipe(&json.extract::<String>()?)
}

fn node_numbers(nodes: Vec<NodeId>) -> Vec<i64> {
    nodes.into_iter().map(|node| i64::from(node.0)).collect()
}

/// scikit-learn's marks for what a leaf has not.
const NO_CHILD: i64 = -1;
const NO_FEATURE: i64 = -2;
const NO_THRESHOLD: f64 = -2.0;

fn arrays<'py>(py: Python<'py>, tree: &Tree) -> PyResult<Bound<'py, PyDict>> {
    let split = |id| match tree.node(id) {
        Node::Split(split) => Some(split),
        Node::Leaf => None,
    };
    let integers = |property: &dyn Fn(NodeId) -> i64| {
        tree.ids().map(property).collect::<Vec<_>>().into_pyarray(py)
    };
    let floats = |property: &dyn Fn(NodeId) -> f64| {
        tree.ids().map(property).collect::<Vec<_>>().into_pyarray(py)
    };
    let child = |id: Option<NodeId>| id.map_or(NO_CHILD, |id| i64::from(id.0));
    let values: Vec<f64> = tree.ids().flat_map(|id| tree.distribution(id)).copied().collect();
    let value = values.into_pyarray(py).reshape([tree.n_nodes(), tree.n_classes()])?;

    let dict = PyDict::new(py);
    dict.set_item(
        "feature",
        integers(&|id| split(id).map_or(NO_FEATURE, |split| split.feature.0.into())),
    )?;
    dict.set_item(
        "threshold",
        floats(&|id| split(id).map_or(NO_THRESHOLD, |split| split.zone.threshold())),
    )?;
    dict.set_item(
        "half_width",
        floats(&|id| split(id).map_or(0.0, |split| split.zone.half_width())),
    )?;
    dict.set_item("children_left", integers(&|id| child(split(id).map(|split| split.left))))?;
    dict.set_item(
        "children_middle",
        integers(&|id| child(split(id).and_then(|split| split.middle))),
    )?;
    dict.set_item("children_right", integers(&|id| child(split(id).map(|split| split.right))))?;
    dict.set_item("n_node_samples", integers(&|id| tree.rows(id).into()))?;
    dict.set_item("weighted_n_node_samples", floats(&|id| tree.weight(id)))?;
    dict.set_item("n_within", integers(&|id| tree.rows_within(id).into()))?;
    dict.set_item("impurity", floats(&|id| tree.impurity(id)))?;
    dict.set_item("value", value)?;
    Ok(dict)
}
