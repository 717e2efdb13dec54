//! The rows shown in a figure.

use crate::classes::class_names;
use std::borrow::Cow;
use std::sync::Arc;
use ternwood::{Columns, DatasetView, Error, ErrorKind, Exec, Feature, Matrix, Model, UNKNOWN};

/// Rows to draw, with the model's ids of classes and categories.
#[derive(Debug, Clone)]
pub(crate) struct DrawnRows<'a> {
    matrix: Matrix<'a>,
    /// The same values with other ids, where the data have other categories than the model.
    translated: Option<Columns>,
    labels: Cow<'a, [u32]>,
    weights: Option<&'a [f64]>,
}

impl<'a> DrawnRows<'a> {
    /// Matches the classes and categories of the data to those of the model by name.
    ///
    /// # Errors
    /// A different number of columns than the model's, or a class the model does not know.
    pub(crate) fn new(data: &DatasetView<'a>, model: &Model) -> Result<Self, Error> {
        let (found, expected) = (data.n_features(), model.schema().n_features());
        if found != expected {
            let (what, reason) = ("the list of columns".to_owned(), "the model's".to_owned());
            return Err(ErrorKind::Length { what, expected, found, reason }.into());
        }
        let (own, known) = (class_names(data.schema()), class_names(model.schema()));
        let mut labels = Cow::Borrowed(data.labels());
        if own != known {
            let ids: Vec<Option<usize>> =
                own.iter().map(|name| known.iter().position(|other| other == name)).collect();
            for (row, label) in labels.to_mut().iter_mut().enumerate() {
                let (id, classes) = (*label, known.len());
                let class = ids[id as usize].ok_or(ErrorKind::ClassId { row, id, classes })?;
                *label = class as u32;
            }
        }
        let translated = translated(data, model)?;
        Ok(Self { matrix: data.matrix(), translated, labels, weights: data.weights() })
    }

    fn matrix(&self) -> Matrix<'_> {
        self.translated.as_ref().map_or(self.matrix, Matrix::from)
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.matrix.n_rows()
    }

    /// A value; NaN if it is missing or cannot be read, which is the same in training.
    pub(crate) fn value(&self, row: usize, feature: usize) -> f64 {
        let value = self.matrix().value(row, feature);
        if value.is_nan() { f64::NAN } else { value }
    }

    /// The values of a feature that are not missing.
    pub(crate) fn present(&self, feature: usize) -> impl Iterator<Item = f64> {
        (0..self.n_rows()).map(move |row| self.value(row, feature)).filter(|x| !x.is_nan())
    }

    pub(crate) fn class(&self, row: usize) -> usize {
        self.labels[row] as usize
    }

    /// True if the row has a weight above zero.
    pub(crate) fn counts(&self, row: usize) -> bool {
        self.weights.is_none_or(|weights| weights[row] > 0.0)
    }

    /// The rows as a data set with the model's classes.
    pub(crate) fn view(&self, model: &Model) -> Result<DatasetView<'_>, Error> {
        let schema = Arc::clone(model.schema());
        let data = DatasetView::new(self.matrix(), &self.labels, schema, &Exec::default())?;
        match self.weights {
            Some(weights) => data.with_weights(weights),
            None => Ok(data),
        }
    }
}

/// The values with the model's ids, if some category has another id in the data. A category that
/// the model does not know gets an id that it does not know either, or an unknown rank.
fn translated(data: &DatasetView<'_>, model: &Model) -> Result<Option<Columns>, Error> {
    let pairs = || data.schema().features().iter().zip(model.schema().features());
    let differs = |(own, known): (&Feature, &Feature)| {
        let (own, known) = (own.kind.names(), known.kind.names());
        !own.is_empty() && !known.is_empty() && own != known
    };
    if !pairs().any(differs) {
        return Ok(None);
    }
    let mut values = Vec::with_capacity(data.n_rows() * data.n_features());
    for (feature, pair) in pairs().enumerate() {
        let column = (0..data.n_rows()).map(|row| data.matrix().value(row, feature));
        if !differs(pair) {
            values.extend(column);
            continue;
        }
        let (own, known) = (pair.0.kind.names(), pair.1.kind.names());
        let unseen = if pair.1.kind.is_ordered() { UNKNOWN } else { known.len() as f64 };
        let id = |name: &String| known.iter().position(|other| other == name);
        let ids: Vec<f64> =
            own.iter().map(|name| id(name).map_or(unseen, |id| id as f64)).collect();
        let translate = |x: f64| match ids.get(x as usize) {
            _ if x.is_nan() => x,
            Some(id) => *id,
            None => unseen,
        };
        values.extend(column.map(translate));
    }
    Columns::from_columns(values, data.n_features()).map(Some)
}
