//! The library's defaults, which the Python package reads instead of repeating them.

use pyo3::prelude::*;
use ternwood::{Recipe, ZoneKind};

const ALWAYS: &str = "plain data is always JSON";

/// The recipe of the paper's method, as JSON.
#[pyfunction]
pub(crate) fn paper_recipe() -> String {
    serde_json::to_string(&Recipe::default()).expect(ALWAYS)
}

/// The recipe of the best probabilities of a single tree, as JSON.
#[pyfunction]
pub(crate) fn calibrated_recipe() -> String {
    serde_json::to_string(&Recipe::calibrated()).expect(ALWAYS)
}

/// The recipe of a forest, as JSON.
#[pyfunction]
pub(crate) fn forest_recipe() -> String {
    serde_json::to_string(&Recipe::forest()).expect(ALWAYS)
}

/// Every kind of zones with its default settings, as JSON.
#[pyfunction]
pub(crate) fn zone_kinds() -> String {
    serde_json::to_string(&ZoneKind::all()).expect(ALWAYS)
}
