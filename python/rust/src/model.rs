//! A fitted model, as Python sees it.

use crate::candidate::Candidate;
use crate::check::{Checked, checked};
use crate::errors::to_python;
use crate::explanation::ExplainedRow;
use crate::frame::{Frame, Unseen};
use crate::interrupt::interruptible;
use crate::labelled::{LabelledRows, TrainingSet};
use crate::labels;
use crate::matrix::{matrix, to_predict};
use crate::tree_arrays::tree_arrays;
use crate::verdicts;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadwriteArray1, PyReadwriteArray2,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyType};
use std::collections::BTreeSet;
use ternwood::bayes_error::zone_scale_for_flag_rate;
use ternwood::export::{SummaryOptions, TextOptions, is_readable, to_dot, to_summary, to_text};
use ternwood::model::SingleTree;
use ternwood::predict::PredictionSlots;
use ternwood::tree::NodeId;
use ternwood::verdict::Uncovered;
use ternwood::{Exec, Learner, Recipe, Tree, VerdictPolicy};
use ternwood_figures::{TreeFigure, ZoneFigure, tree_svg, zone_svg};

/// A fitted model. Made from the bytes of its file, and pickled as those.
#[pyclass(frozen, module = "ternwood._ternwood")]
pub(crate) struct Model {
    pub(crate) model: ternwood::Model,
    /// The tree as Python sees it, made on first use.
    tree: PyOnceLock<Py<PyAny>>,
}

/// A feature: its name, its categories unless it is a number, whether they are ordered, and what
/// replaces a missing value.
type Feature<'m> = (&'m str, Option<&'m [String]>, bool, Option<f64>);
/// The name of a feature, why its values are not covered, and in which rows.
type UncoveredFeature<'py> = (String, &'static str, Integers<'py>);
type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Integers<'py> = Bound<'py, PyArray1<i64>>;

/// Where predictions are written: any Python object with these attributes.
#[derive(FromPyObject)]
struct Slots<'py> {
    classes: PyReadwriteArray1<'py, i64>,
    probabilities: PyReadwriteArray2<'py, f64>,
    decided: PyReadwriteArray1<'py, bool>,
}

impl From<ternwood::Model> for Model {
    fn from(model: ternwood::Model) -> Self {
        Self { model, tree: PyOnceLock::new() }
    }
}

impl Model {
    fn single_tree(&self) -> PyResult<SingleTree<'_>> {
        self.model.single_tree().map_err(to_python)
    }
}

#[pymethods]
impl Model {
    /// Read a model from the bytes of its file, which must be as it was written unless edits are accepted.
    #[new]
    #[pyo3(signature = (file, accept_edited = false))]
    fn new(py: Python<'_>, file: &[u8], accept_edited: bool) -> PyResult<Self> {
        let read = || match accept_edited {
            true => ternwood::Model::from_edited(file).map(|(model, _)| model),
            false => ternwood::Model::from_bytes(file),
        };
        py.detach(read).map(Self::from).map_err(to_python)
    }

    /// A call of the class: also tools that trust no other pickles, such as skops, accept it.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>,)) {
        (slf.get_type(), (slf.borrow().to_bytes(slf.py()),))
    }

    /// Fit a model; `recipe` is JSON.
    #[staticmethod]
    #[pyo3(name = "fit", signature = (data, recipe, threads))]
    fn fit_in_python(
        py: Python<'_>,
        data: TrainingSet<'_>,
        #[pyo3(from_py_with = recipe)] recipe: Recipe,
        threads: usize,
    ) -> PyResult<Self> {
        let parts = data.parts()?;
        let learner = Learner::from_recipe(recipe).map_err(to_python)?;
        let exec = parts.exec(threads)?;
        interruptible(py, exec, |exec| learner.fit(parts.view(exec)?, exec)).map(Self::from)
    }

    /// The bytes of the model's file: JSON for a tree, safetensors for a forest.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| match self.model.ensemble().is_single() {
            false => self.model.to_safetensors(),
            true => self.model.to_json().into_bytes(),
        });
        PyBytes::new(py, &bytes)
    }

    /// The model as its JSON document.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.model.to_json())
    }

    /// The same model without anything about single training rows.
    fn private(&self) -> Self {
        self.model.clone().private().into()
    }

    /// What people record about the model, in the order in which it is shown.
    fn metadata(&self) -> Vec<(&str, &str)> {
        self.model.metadata().iter().collect()
    }

    /// The same for people: what each field is called, and its text on one line.
    fn metadata_in_words(&self) -> Vec<(String, String)> {
        self.model.metadata().in_words().collect()
    }

    /// The same model with these metadata changed; an empty text removes a field.
    fn with_metadata(&self, fields: Vec<(String, String)>) -> PyResult<Self> {
        let mut metadata = self.model.metadata().clone();
        for (name, text) in &fields {
            metadata.set(name, text).map_err(to_python)?;
        }
        Ok(self.model.clone().with_metadata(metadata).into())
    }

    /// The version of ternwood that fitted the model, if its file states it.
    fn ternwood_version(&self) -> Option<&str> {
        self.model.ternwood_version()
    }

    /// Raise an error if these rows were trained on; else say how far the model can tell.
    fn refuse_trained_on(
        &self,
        py: Python<'_>,
        rows: LabelledRows<'_>,
        threads: usize,
    ) -> PyResult<String> {
        let rows = rows.parts(self.model.schema())?;
        let work = |exec: &Exec| self.model.check_new(rows.view(exec)?, exec);
        let seen = interruptible(py, rows.exec(threads)?, work)?;
        Ok(seen.to_string())
    }

    /// Compare new rows, and their class ids if there are any, with those of training and
    /// calibration.
    fn check_rows(
        &self,
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        class_ids: Option<PyReadonlyArray1<'_, u32>>,
        level: f64,
        threads: usize,
    ) -> PyResult<Checked> {
        let rows = matrix(&x)?;
        let exec = to_predict(&rows, threads)?;
        let truth = class_ids.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let check = py.detach(|| self.model.check_rows(rows, truth, level, &exec));
        check.map(|check| checked(&check)).map_err(to_python)
    }

    /// The recipe as JSON, with the values that were chosen from the data.
    fn recipe(&self) -> String {
        serde_json::to_string(self.model.recipe()).expect("plain data is always JSON")
    }

    /// The class labels, by class id.
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let names = self.model.schema().classes().iter().map(|name| labels::to_python(py, name));
        PyList::new(py, names.collect::<PyResult<Vec<_>>>()?)
    }

    /// The names of the features.
    fn feature_names(&self) -> Vec<&str> {
        self.model.schema().features().iter().map(|feature| feature.name.as_str()).collect()
    }

    /// The features: name, categories or None, whether they are ordered, fill value or None.
    fn features(&self) -> Vec<Feature<'_>> {
        let features = self.model.schema().features().iter();
        let described = features.map(|feature| {
            let kind = &feature.kind;
            let categories = (!kind.is_number()).then(|| kind.names());
            (feature.name.as_str(), categories, kind.is_ordered(), feature.fill)
        });
        described.collect()
    }

    /// The rows of a frame as numbers, and their categories that the model does not know.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Unseen)> {
        frame.encode(py, self.model.schema(), threads)
    }

    /// The numbers of the features that some split tests.
    fn tested_features(&self) -> BTreeSet<usize> {
        self.model.trees().iter().flat_map(Tree::tested_features).collect()
    }

    /// Whether the data named its features.
    fn has_feature_names(&self) -> bool {
        self.model.schema().has_feature_names()
    }

    /// Classes, probabilities and verdicts of all rows, written into numpy arrays: for large ones
    /// numpy asks for huge pages, which are faster to fill. There is one label per class.
    fn predict(
        &self,
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        threads: usize,
        labels: Vec<i64>,
        mut into: Slots<'_>,
    ) -> PyResult<()> {
        let rows = matrix(&x)?;
        let exec = to_predict(&rows, threads)?;
        let mut slots = PredictionSlots {
            labels: &labels,
            classes: into.classes.as_slice_mut()?,
            distributions: into.probabilities.as_slice_mut()?,
            verdicts: into.decided.as_slice_mut()?,
        };
        py.detach(|| self.model.predict_into(rows, &mut slots, &exec)).map_err(to_python)
    }

    /// Class ids and probabilities of all rows by thresholds alone, as without zones.
    fn predict_crisp<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<(Integers<'py>, Bound<'py, PyArray2<f64>>)> {
        let rows = matrix(&x)?;
        let exec = to_predict(&rows, threads)?;
        let predictions = py.detach(|| self.model.predict_crisp(rows, &exec));
        let (classes, distributions, _) = predictions.map_err(to_python)?.into_parts();
        let shape = [classes.len(), self.model.schema().n_classes()];
        let classes: Vec<i64> = classes.into_iter().map(i64::from).collect();
        Ok((classes.into_pyarray(py), distributions.into_pyarray(py).reshape(shape)?))
    }

    /// The same model with this verdict policy: the JSON of a policy in a model file.
    fn with_policy(
        &self,
        #[pyo3(from_py_with = verdicts::policy)] policy: VerdictPolicy,
    ) -> PyResult<Self> {
        self.model.clone().with_verdict(policy).map(Self::from).map_err(to_python)
    }

    /// Which rows the verdict covers: whose values the training table could have had.
    fn covered<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let rows = matrix(&x)?;
        let exec = to_predict(&rows, threads)?;
        Ok(py.detach(|| self.model.coverage().covered(rows, &exec)).into_pyarray(py))
    }

    /// The uncovered rows, feature by feature: its name, the reason, and the numbers of the rows.
    fn uncovered_rows<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Vec<UncoveredFeature<'py>>> {
        let rows = matrix(&x)?;
        let found = py.detach(|| self.model.uncovered_by_feature(rows));
        let features = self.model.schema().features();
        let in_python = found.into_iter().map(|(feature, reason, rows)| {
            let rows: Vec<i64> = rows.into_iter().map(|row| row as i64).collect();
            (features[feature].name.clone(), reason.as_str(), rows.into_pyarray(py))
        });
        Ok(in_python.collect())
    }

    /// What becomes of uncovered rows: a word, as in a model file.
    fn uncovered(&self) -> &'static str {
        self.model.verdict().uncovered().as_str()
    }

    /// The same model with another treatment of uncovered rows.
    fn with_uncovered(
        &self,
        #[pyo3(from_py_with = verdicts::uncovered)] uncovered: Uncovered,
    ) -> PyResult<Self> {
        let policy = self.model.verdict().clone().with_uncovered(uncovered);
        policy
            .and_then(|policy| self.model.clone().with_verdict(policy))
            .map(Self::from)
            .map_err(to_python)
    }

    /// What makes a row undecided: in words, as JSON unless zones do, and what speaks against it.
    fn verdict(&self) -> verdicts::Described {
        verdicts::described(&self.model)
    }

    /// What speaks against the verdict about some of the classes, without figures.
    fn advice_about_classes(&self) -> Vec<String> {
        verdicts::advice_about_classes(&self.model)
    }

    /// The factor on all zones that flags about this share of the rows, and the share it flags.
    fn zone_scale_for_flag_rate(
        &self,
        py: Python<'_>,
        rows: LabelledRows<'_>,
        flag_rate: f64,
        threads: usize,
    ) -> PyResult<(f64, f64)> {
        let rows = rows.parts(self.model.schema())?;
        let work =
            |exec: &Exec| zone_scale_for_flag_rate(&self.model, rows.view(exec)?, flag_rate, exec);
        let scale = interruptible(py, rows.exec(threads)?, work)?;
        Ok((scale.factor, scale.flag_rate))
    }

    /// How far every row is from being undecided, in half-widths.
    fn zone_distance<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<Floats<'py>> {
        let rows = matrix(&x)?;
        let exec = to_predict(&rows, threads)?;
        let distances = py.detach(|| self.model.zone_distances(rows, &exec));
        Ok(distances.map_err(to_python)?.into_pyarray(py))
    }

    /// The leaf of every row.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<Integers<'py>> {
        let rows = matrix(&x)?;
        let exec = to_predict(&rows, threads)?;
        let leaves = py.detach(|| self.model.leaves(rows, &exec));
        Ok(node_numbers(leaves.map_err(to_python)?).into_pyarray(py))
    }

    /// The nodes every row passes, row by row, and where each row starts.
    fn decision_path<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<(Integers<'py>, Integers<'py>)> {
        let rows = matrix(&x)?;
        let paths = py.detach(|| self.model.paths(rows)).map_err(to_python)?;
        let starts: Vec<i64> = paths.starts.into_iter().map(|start| start as i64).collect();
        Ok((node_numbers(paths.nodes).into_pyarray(py), starts.into_pyarray(py)))
    }

    /// One row's path through the tree; `unseen` has its categories that the model does not
    /// know, with their features.
    fn explain(&self, row: Vec<f64>, unseen: Vec<(usize, String)>) -> PyResult<ExplainedRow> {
        let mut explained = self.model.explain(&row).map_err(to_python)?;
        for (feature, name) in unseen {
            explained = explained.with_unseen(feature, name);
        }
        Ok(ExplainedRow::new(&explained))
    }

    /// The tree: `make`, called with one array per node property, or what it returned before.
    fn tree<'py>(&self, make: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = make.py();
        let tree = self.tree.get_or_try_init(py, || {
            let arrays = tree_arrays(py, self.single_tree()?)?;
            make.call((), Some(&arrays)).map(Bound::unbind)
        })?;
        Ok(tree.bind(py).clone())
    }

    /// The factor on all half-widths, as given or as chosen.
    fn zone_scale(&self) -> f64 {
        self.model.recipe().params.zone.scale
    }

    /// The number of features considered at a node.
    fn max_features(&self) -> usize {
        self.model.recipe().params.max_features.of(self.model.schema().n_features())
    }

    /// The candidates of the inner cross-validation; none if nothing was chosen.
    fn choice(&self) -> Vec<Candidate> {
        let candidates = self.model.choice().map(|choice| choice.candidates.as_slice());
        candidates.unwrap_or_default().iter().map(Candidate::new).collect()
    }

    /// The index of the chosen candidate; 0 if nothing was chosen.
    fn chosen(&self) -> usize {
        let place = self.model.choice().and_then(|choice| choice.place_of(self.model.recipe()));
        place.unwrap_or(0)
    }

    /// What the depth with the lowest log-loss would gain: in words, that depth, its mean number of leaves, its
    /// log-loss, and the gain.
    fn depth_gain(&self) -> Option<(String, u32, f64, f64, f64)> {
        let gain = self.model.depth_gain()?;
        Some((gain.to_string(), gain.depth, gain.leaves, gain.log_loss, gain.gain))
    }

    /// The depth of the tree.
    fn depth(&self) -> PyResult<usize> {
        Ok(self.single_tree()?.tree().depth())
    }

    /// The number of leaves.
    fn n_leaves(&self) -> PyResult<usize> {
        Ok(self.single_tree()?.tree().n_leaves())
    }

    /// The impurity decrease due to each feature, as shares; of a forest the mean over its trees.
    fn importances<'py>(&self, py: Python<'py>) -> Floats<'py> {
        self.model.ensemble().importances().into_pyarray(py)
    }

    /// The effective alphas of minimal cost-complexity pruning, and the impurities.
    fn pruning_path<'py>(&self, py: Python<'py>) -> PyResult<(Floats<'py>, Floats<'py>)> {
        let tree = self.single_tree()?.tree();
        let path = py.detach(|| tree.pruning_path());
        Ok((path.alphas.into_pyarray(py), path.impurities.into_pyarray(py)))
    }

    /// The tree as indented text.
    #[pyo3(signature = (max_depth, width, all_categories))]
    fn export_text(
        &self,
        max_depth: Option<usize>,
        width: Option<usize>,
        all_categories: bool,
    ) -> PyResult<String> {
        let max_depth = max_depth.unwrap_or(usize::MAX);
        Ok(to_text(self.single_tree()?, TextOptions { max_depth, width, all_categories }))
    }

    /// The rules with the most rows as text; None if the tree is small enough to be read.
    #[pyo3(signature = (width))]
    fn summary_text(&self, width: Option<usize>) -> PyResult<Option<String>> {
        let model = self.single_tree()?;
        let options = SummaryOptions { width, ..SummaryOptions::default() };
        Ok((!is_readable(model.tree())).then(|| to_summary(model, options)))
    }

    /// The tree in Graphviz's language.
    fn export_dot(&self) -> PyResult<String> {
        Ok(to_dot(self.single_tree()?))
    }

    /// A picture of the tree, with histograms of `rows` if given.
    #[pyo3(signature = (rows, title, max_depth))]
    fn tree_svg(
        &self,
        py: Python<'_>,
        rows: Option<LabelledRows<'_>>,
        title: Option<String>,
        max_depth: Option<usize>,
    ) -> PyResult<String> {
        let schema = self.model.schema();
        let rows = rows.as_ref().map(|rows| rows.parts(schema)).transpose()?;
        let options = TreeFigure { title, max_depth, ..TreeFigure::default() };
        py.detach(|| {
            let data = rows.map(|rows| rows.view(&Exec::default())).transpose()?;
            tree_svg(&self.model, data, &options)
        })
        .map_err(to_python)
    }

    /// A picture of one split, with the rows that reach it.
    #[pyo3(signature = (rows, node, title))]
    fn zone_svg(
        &self,
        py: Python<'_>,
        rows: LabelledRows<'_>,
        node: u32,
        title: Option<String>,
    ) -> PyResult<String> {
        let rows = rows.parts(self.model.schema())?;
        let options = ZoneFigure { title, ..ZoneFigure::default() };
        py.detach(|| zone_svg(&self.model, rows.view(&Exec::default())?, NodeId(node), &options))
            .map_err(to_python)
    }
}

pub(crate) fn recipe(json: &Bound<'_, PyAny>) -> PyResult<Recipe> {
    serde_json::from_str(&json.extract::<String>()?)
        .map_err(|error| PyValueError::new_err(format!("not a recipe: {error}")))
}

pub(crate) fn node_numbers(nodes: Vec<NodeId>) -> Vec<i64> {
    nodes.into_iter().map(|node| i64::from(node.0)).collect()
}

/// Whether new categories of a column are to be expected, by the rows of each category and of the column.
#[pyfunction]
pub(crate) fn is_open_column(counts: Vec<u64>, rows: u64) -> bool {
    ternwood::model::is_open(&counts, rows)
}
