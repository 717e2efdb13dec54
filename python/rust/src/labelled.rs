//! Rows with labels, in numpy's memory.

use crate::errors::to_python;
use crate::labels;
use crate::matrix;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use ternwood::dataset::FeatureKind;
use ternwood::dataset::notation::Notation;
use ternwood::{DatasetView, Exec, Matrix, Schema};

/// Rows with their classes and weights: any Python object with these attributes.
#[derive(FromPyObject)]
pub(crate) struct LabelledRows<'py> {
    x: PyReadonlyArray2<'py, f64>,
    class_ids: PyReadonlyArray1<'py, u32>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
}

/// Training rows: any Python object with these attributes.
#[derive(FromPyObject)]
pub(crate) struct TrainingSet<'py> {
    rows: LabelledRows<'py>,
    class_names: Vec<Bound<'py, PyAny>>,
    feature_names: Option<Vec<String>>,
    /// None if all features are numbers.
    kinds: Option<Vec<Kind>>,
    /// The name of the column of labels.
    target: Option<String>,
}

/// What the values of a feature mean: any Python object with these attributes.
#[derive(FromPyObject)]
struct Kind {
    /// None for numbers.
    categories: Option<Vec<String>>,
    ordered: bool,
    /// How numbers are written, as JSON; None for plain numbers.
    notation: Option<String>,
}

/// The parts of a data set, without Python objects. Nothing is copied.
#[derive(Clone)]
pub(crate) struct Parts<'a> {
    matrix: Matrix<'a>,
    class_ids: &'a [u32],
    weights: Option<&'a [f64]>,
    schema: Arc<Schema>,
}

impl LabelledRows<'_> {
    /// The parts of a data set with this schema.
    pub(crate) fn parts(&self, schema: &Arc<Schema>) -> PyResult<Parts<'_>> {
        Ok(Parts {
            matrix: matrix::matrix(&self.x)?,
            class_ids: self.class_ids.as_slice()?,
            weights: self.sample_weight.as_ref().map(PyReadonlyArray1::as_slice).transpose()?,
            schema: Arc::clone(schema),
        })
    }
}

impl TrainingSet<'_> {
    /// The parts of a data set with the names and kinds given.
    pub(crate) fn parts(&self) -> PyResult<Parts<'_>> {
        let n_features = matrix::matrix(&self.rows.x)?.n_features();
        let classes = self.class_names.iter().map(labels::from_python).collect::<PyResult<_>>()?;
        let mut schema = Schema::unnamed(n_features, classes).map_err(to_python)?;
        if let Some(kinds) = &self.kinds {
            schema = schema.with_kinds(kinds.iter().map(Kind::of_feature)).map_err(to_python)?;
            let notations = kinds.iter().map(Kind::notation).collect::<PyResult<Vec<_>>>()?;
            schema = schema.with_notations(notations).map_err(to_python)?;
        }
        if let Some(names) = &self.feature_names {
            schema = schema.with_feature_names(names).map_err(to_python)?;
        }
        if let Some(target) = &self.target {
            schema = schema.with_target(target).map_err(to_python)?;
        }
        self.rows.parts(&Arc::new(schema))
    }
}

impl Kind {
    fn of_feature(&self) -> FeatureKind {
        match self.categories.clone() {
            None => FeatureKind::Number,
            Some(names) if self.ordered => FeatureKind::Ordered(names),
            Some(names) => FeatureKind::Categories(names),
        }
    }
}

impl Kind {
    fn notation(&self) -> PyResult<Notation> {
        let Some(text) = &self.notation else { return Ok(Notation::default()) };
        serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

impl<'a> Parts<'a> {
    pub(crate) fn matrix(&self) -> Matrix<'a> {
        self.matrix
    }

    pub(crate) fn class_ids(&self) -> &'a [u32] {
        self.class_ids
    }

    pub(crate) fn weights(&self) -> Option<&'a [f64]> {
        self.weights
    }

    pub(crate) fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    /// Threads for work on these rows.
    pub(crate) fn exec(&self, threads: usize) -> PyResult<Exec> {
        matrix::to_learn(&self.matrix, threads)
    }

    /// The checked data set.
    ///
    /// # Errors
    /// As [`DatasetView::new`] and [`DatasetView::with_weights`].
    pub(crate) fn view(&self, exec: &Exec) -> ternwood::Result<DatasetView<'a>> {
        let schema = Arc::clone(&self.schema);
        let data = DatasetView::new(self.matrix, self.class_ids, schema, exec)?;
        match self.weights {
            Some(weights) => data.with_weights(weights),
            None => Ok(data),
        }
    }
}
