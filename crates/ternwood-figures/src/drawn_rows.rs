//! The rows shown in a figure.

use crate::classes::class_names;
use std::borrow::Cow;
use std::sync::Arc;
use ternwood::{DatasetView, Error, ErrorKind, Exec, Matrix, Model};

/// Rows to draw, with the model's class ids.
#[derive(Debug, Clone)]
pub(crate) struct DrawnRows<'a> {
    matrix: Matrix<'a>,
    labels: Cow<'a, [u32]>,
    weights: Option<&'a [f64]>,
}

impl<'a> DrawnRows<'a> {
    /// Matches the classes of the data to those of the model by name.
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
        Ok(Self { matrix: data.matrix(), labels, weights: data.weights() })
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.matrix.n_rows()
    }

    pub(crate) fn value(&self, row: usize, feature: usize) -> f64 {
        self.matrix.value(row, feature)
    }

    /// The values of a feature, row by row.
    pub(crate) fn column(&self, feature: usize) -> impl Iterator<Item = f64> {
        (0..self.n_rows()).map(move |row| self.value(row, feature))
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
        let data = DatasetView::new(self.matrix, &self.labels, schema, &Exec::default())?;
        match self.weights {
            Some(weights) => data.with_weights(weights),
            None => Ok(data),
        }
    }
}
