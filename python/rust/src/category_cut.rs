//! The cut of a categorical test, copied for Python.

use pyo3::prelude::*;
use ternwood::Model;
use ternwood::dataset::Feature;
use ternwood::tree::{self, Axis, CategoryPlace, CategorySides, Test};

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
