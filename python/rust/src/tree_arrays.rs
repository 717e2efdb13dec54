//! A tree as one numpy array per node property, with scikit-learn's markers for leaves.

use crate::explanation::threshold;
use numpy::ndarray::Dimension;
use numpy::{Element, IntoPyArray, PyArray, PyArrayMethods, PyFixedUnicode};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use ternwood::dataset::Feature;
use ternwood::model::SingleTree;
use ternwood::tree::{self, Axis, CategoryPlace, CategorySides, Cut, Missing, NodeId, Split, Test};
use ternwood::{Model, Tree};

const NO_CHILD: i64 = -1;
const NO_FEATURE: i64 = -2;
const NO_THRESHOLD: f64 = -2.0;

/// The arrays by name. They are read-only, because all callers share them.
pub(crate) fn tree_arrays<'py>(
    py: Python<'py>,
    model: SingleTree<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let tree = model.tree();
    let arrays = Arrays { py, tree, dict: PyDict::new(py) };
    let child = |id: Option<NodeId>| id.map_or(NO_CHILD, |id| id.0.into());
    arrays.of_splits("feature", NO_FEATURE, |split| split.test.feature().0.into())?;
    arrays.of_splits("kind", word("leaf"), |split| word(kind(split)))?;
    arrays.of_splits("threshold", NO_THRESHOLD, |split| threshold(&split.test))?;
    arrays.of_splits("half_width", 0.0, half_width)?;
    arrays.of_splits("missing", word(""), |split| word(missing(split)))?;
    arrays.of_splits("children_left", NO_CHILD, |split| child(Some(split.left)))?;
    arrays.of_splits("children_middle", NO_CHILD, |split| child(split.middle))?;
    arrays.of_splits("children_right", NO_CHILD, |split| child(Some(split.right)))?;
    arrays.of_nodes("n_node_samples", |id| i64::from(tree.rows(id)))?;
    arrays.of_nodes("weighted_n_node_samples", |id| tree.weight(id))?;
    arrays.of_nodes("n_within", |id| i64::from(tree.rows_within(id)))?;
    arrays.of_nodes("impurity", |id| tree.impurity(id))?;
    let values: Vec<f64> = tree.ids().flat_map(|id| tree.values(id)).copied().collect();
    let values = values.into_pyarray(py).reshape([tree.n_nodes(), 1, tree.n_classes()])?;
    arrays.set("value", &values)?;
    let cut = |id| {
        let split = tree.node(id).as_split();
        split.and_then(|split| CategoryCut::of(&split.test, &model))
    };
    arrays
        .dict
        .set_item("categories", PyTuple::new(py, tree.ids().map(cut).collect::<Vec<_>>())?)?;
    arrays.set("n_classes", &vec![tree.n_classes() as i64].into_pyarray(py))?;
    arrays.dict.set_item("max_depth", tree.depth())?;
    arrays.dict.set_item("n_leaves", tree.n_leaves())?;
    arrays.dict.set_item("n_features", tree.n_features())?;
    Ok(arrays.dict)
}

fn kind(split: &Split) -> &'static str {
    match split.test.cut() {
        Cut::Threshold { .. } => "threshold",
        Cut::Categories(_) => "categories",
        Cut::Present => "present",
    }
}

/// NaN for categories: each has its own half-width.
fn half_width(split: &Split) -> f64 {
    match split.test.cut() {
        Cut::Threshold { zone, .. } => zone.half_width(),
        Cut::Categories(_) => f64::NAN,
        Cut::Present => 0.0,
    }
}

fn missing(split: &Split) -> &'static str {
    match split.test.missing() {
        Missing::Left => "left",
        Missing::Right => "right",
        Missing::Unknown => "unknown",
    }
}

/// A short word for an array of words.
fn word(text: &str) -> PyFixedUnicode<10> {
    let mut letters = [0; 10];
    letters.iter_mut().zip(text.chars()).for_each(|(letter, c)| *letter = c.into());
    letters.into()
}

struct Arrays<'py, 't> {
    py: Python<'py>,
    tree: &'t Tree,
    dict: Bound<'py, PyDict>,
}

impl Arrays<'_, '_> {
    fn of_nodes<T: Element>(&self, name: &str, property: impl Fn(NodeId) -> T) -> PyResult<()> {
        let values: Vec<T> = self.tree.ids().map(property).collect();
        self.set(name, &values.into_pyarray(self.py))
    }

    fn set<T: Element, D: Dimension>(
        &self,
        name: &str,
        array: &Bound<'_, PyArray<T, D>>,
    ) -> PyResult<()> {
        array.readwrite().make_nonwriteable();
        self.dict.set_item(name, array)
    }

    fn of_splits<T: Element + Copy>(
        &self,
        name: &str,
        of_leaf: T,
        of_split: impl Fn(&Split) -> T,
    ) -> PyResult<()> {
        self.of_nodes(name, |id| self.tree.node(id).as_split().map_or(of_leaf, &of_split))
    }
}

// The cut of a categorical test, copied for Python.

/// How a split separates the categories of a feature.
#[pyclass(frozen, get_all, module = "ternwood._ternwood")]
pub(crate) struct CategoryCut {
    /// A category's position is the sum of its class shares, each times its number here.
    axis: Vec<f64>,
    /// Positions up to the threshold go left.
    threshold: f64,
    /// The number of standard errors within which a category cannot be told from the threshold.
    category_error: f64,
    /// The categories that the node saw.
    names: Vec<String>,
    /// Their training rows at the node.
    rows: Vec<u32>,
    /// Their positions on the axis.
    positions: Vec<f64>,
    /// The standard errors of the positions.
    standard_errors: Vec<f64>,
    /// The categories on the left of the cut, those with the most rows first.
    left: Vec<String>,
    /// Those that cannot be told from the cut; they are on one of its sides as well.
    unsure: Vec<String>,
    /// Those on the right of the cut.
    right: Vec<String>,
}

impl CategoryCut {
    /// The cut of a test; `None` for a test of numbers.
    pub(crate) fn of(test: &Test, model: &Model) -> Option<Self> {
        let cut = test.categories()?;
        let feature = &model.schema().features()[test.feature().0 as usize];
        let CategorySides { left, unsure, right } = test.category_sides(model.schema());
        let names = |ids: Vec<u32>| ids.into_iter().map(|id| name(feature, id)).collect();
        let places = cut.places();
        Some(Self {
            axis: direction(cut, model.schema().n_classes()),
            threshold: cut.threshold(),
            category_error: cut.error(),
            names: places.iter().map(|place| name(feature, place.category)).collect(),
            rows: of_places(places, |place| place.rows),
            positions: of_places(places, |place| place.position),
            standard_errors: of_places(places, |place| place.standard_error),
            left: names(left),
            unsure: names(unsure),
            right: names(right),
        })
    }
}

#[pymethods]
impl CategoryCut {
    fn __repr__(&self) -> String {
        let [left, right] = [&self.left, &self.right].map(|names| names.join(", "));
        format!("<CategoryCut: {left} | {right}>")
    }
}

fn of_places<T>(places: &[CategoryPlace], part: impl Fn(&CategoryPlace) -> T) -> Vec<T> {
    places.iter().map(part).collect()
}

fn name(feature: &Feature, id: u32) -> String {
    feature.kind.names()[id as usize].clone()
}

/// One number per class; the share of a single class is a 1 among zeros.
fn direction(cut: &tree::CategoryCut, n_classes: usize) -> Vec<f64> {
    match cut.axis() {
        Axis::Direction(direction) => direction.clone(),
        Axis::ClassShare(class) => {
            (0..n_classes).map(|id| if id == *class as usize { 1.0 } else { 0.0 }).collect()
        }
    }
}
