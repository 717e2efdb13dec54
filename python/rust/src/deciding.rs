//! Values that would decide a row, copied for Python.

use pyo3::prelude::*;
use ternwood::model;

/// Another value of one feature, with the names of its fields in Python.
#[derive(Clone, IntoPyObject)]
pub(crate) struct DecidingValue {
    feature: usize,
    value: f64,
    nearest: f64,
    class_id: u32,
    probability: f64,
}

impl DecidingValue {
    pub(crate) fn new(found: &model::DecidingValue) -> Self {
        let class_id = found.outcome.class;
        let probability = found.outcome.distribution[class_id as usize];
        let &model::DecidingValue { feature, value, nearest, .. } = found;
        Self { feature, value, nearest, class_id, probability }
    }
}
