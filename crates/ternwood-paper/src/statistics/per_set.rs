//! From folds to data sets: means over folds, skipping undefined values.

use crate::method::Method;
use crate::raw::RawRow;
use crate::results::Results;
use std::collections::BTreeMap;
use ternwood::metrics::Figures;

/// The results of every method on one data set: means over its folds.
#[derive(Debug, Clone, PartialEq)]
pub struct SetFigures {
    /// OpenML id; 0 for generated data.
    pub openml_id: u32,
    /// Its name.
    pub dataset: String,
    /// The number of rows.
    pub rows: usize,
    /// The mean number of training rows per fold.
    pub training_rows: f64,
    of_methods: BTreeMap<Method, Figures>,
}

impl SetFigures {
    /// The data sets of the results, in order.
    #[must_use]
    pub fn all(results: &Results) -> Vec<Self> {
        let rows: Vec<&RawRow> = results.rows().collect();
        rows.chunk_by(|a, b| a.set() == b.set()).map(Self::of_rows).collect()
    }

    /// One data set with only some of its folds, for an interrupted run.
    #[must_use]
    pub fn of_folds(results: &Results, dataset: &str, folds: &[u8]) -> Option<Self> {
        let wanted = |row: &&RawRow| row.unit.dataset == dataset && folds.contains(&row.unit.fold);
        let rows: Vec<&RawRow> = results.rows().filter(wanted).collect();
        (!rows.is_empty()).then(|| Self::of_rows(&rows))
    }

    fn of_rows(rows: &[&RawRow]) -> Self {
        let mut by_method: BTreeMap<Method, Vec<Figures>> = BTreeMap::new();
        for row in rows {
            by_method.entry(row.method).or_default().push(row.figures);
        }
        let unit = &rows[0].unit;
        let folds = by_method.values().next().map_or(1, Vec::len) as f64;
        let of_cart = rows.iter().filter(|row| row.method == rows[0].method);
        let training: usize = of_cart.map(|row| row.training_rows).sum();
        Self {
            openml_id: unit.openml_id,
            dataset: unit.dataset.clone(),
            rows: rows[0].rows + rows[0].training_rows,
            training_rows: training as f64 / folds,
            of_methods: by_method
                .into_iter()
                .map(|(method, folds)| (method, Figures::mean(&folds)))
                .collect(),
        }
    }

    /// The results of a method.
    #[must_use]
    pub fn of(&self, method: Method) -> Figures {
        self.of_methods.get(&method).copied().unwrap_or_default()
    }

    /// The accuracy of plain CART.
    #[must_use]
    pub fn cart(&self) -> Option<f64> {
        self.of(Method::CART).rates.accuracy
    }
}
