//! From numpy arrays to a fitted model.

use crate::errors::{to_python, with_column_name};
use crate::interrupt::interruptible;
use crate::labels;
use crate::matrix::Matrix;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ternwood::{CancelToken, Dataset, DatasetView, Labels, Learner, Recipe, Workers};

/// What Python hands over to learn from: any object with these attributes.
#[derive(FromPyObject)]
pub(crate) struct TrainingSet<'py> {
    x: PyReadonlyArray2<'py, f64>,
    class_ids: PyReadonlyArray1<'py, u32>,
    class_names: Vec<Bound<'py, PyAny>>,
    feature_names: Option<Vec<String>>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
}

impl TrainingSet<'_> {
    /// The rows and labels to show in a picture.
    pub(crate) fn dataset(&self) -> PyResult<Dataset> {
        self.source()?
            .dataset(&Workers::single())
            .map_err(|error| with_column_name(error, self.feature_names.as_deref()))
    }

    /// Threads for work on these rows.
    pub(crate) fn workers(&self, threads: usize) -> PyResult<Workers> {
        Matrix::new(&self.x)?.workers_to_learn(threads)
    }

    /// Fits a model, outside the GIL; Ctrl-C stops it.
    pub(crate) fn fit(
        &self,
        py: Python<'_>,
        recipe: Recipe,
        threads: usize,
    ) -> PyResult<ternwood::Model> {
        let source = self.source()?;
        let workers = source.matrix.workers_to_learn(threads)?;
        let cancel = CancelToken::new();
        let learner = Learner::from_recipe(recipe).map_err(to_python)?;
        let learner = learner.workers(&workers).cancel_with(&cancel);
        let model = interruptible(py, &cancel, || learner.fit_view(&source.view(&workers)?))?
            .map_err(|error| with_column_name(error, self.feature_names.as_deref()))?;
        Ok(if self.feature_names.is_some() { model.with_named_features() } else { model })
    }

    fn source(&self) -> PyResult<Source<'_>> {
        let names = self.class_names.iter().map(labels::from_python).collect::<PyResult<_>>()?;
        let labels = Labels::from_ids(self.class_ids.as_slice()?.to_vec(), names);
        Ok(Source {
            matrix: Matrix::new(&self.x)?,
            labels: labels.map_err(to_python)?,
            weights: self.sample_weight.as_ref().map(PyReadonlyArray1::as_slice).transpose()?,
            feature_names: self.feature_names.clone(),
        })
    }
}

/// What a data set is made of, free of Python.
struct Source<'a> {
    matrix: Matrix<'a>,
    labels: Labels,
    weights: Option<&'a [f64]>,
    feature_names: Option<Vec<String>>,
}

impl Source<'_> {
    /// The data where numpy keeps them.
    fn view(&self, workers: &Workers) -> ternwood::Result<DatasetView<'_>> {
        let mut data = DatasetView::new(self.matrix.rows()?, &self.labels, workers)?;
        if let Some(names) = &self.feature_names {
            data = data.with_feature_names(names.clone())?;
        }
        match self.weights {
            Some(weights) => data.with_weights(weights),
            None => Ok(data),
        }
    }

    fn dataset(self, workers: &Workers) -> ternwood::Result<Dataset> {
        let mut data = Dataset::new_with(self.matrix.columns(workers)?, self.labels, workers)?;
        if let Some(names) = self.feature_names {
            data = data.with_feature_names(names)?;
        }
        match self.weights {
            Some(weights) => data.with_weights(weights),
            None => Ok(data),
        }
    }
}

/// A recipe from its JSON.
pub(crate) fn recipe(json: &str) -> PyResult<Recipe> {
    serde_json::from_str(json)
        .map_err(|error| PyValueError::new_err(format!("not a recipe: {error}")))
}
