//! From a table to numbers, as published: category indices, f32 values, medians for missing cells.

use crate::error::{Error, Result};
use crate::folds;
use crate::standardise::FoldData;
use ternwood::{ClassName, Columns, Dataset, Feature, Labels, Schema};
use ternwood_table::{Column, Table, Values};

/// One data set, preprocessed but not standardised.
#[derive(Debug, Clone)]
pub struct PaperData {
    name: String,
    data: Dataset,
    folds: Vec<u8>,
}

impl PaperData {
    /// Preprocesses a table whose last column is the target. Without folds, makes our own.
    pub(crate) fn new(name: &str, table: Table, folds: Option<Vec<u8>>) -> Result<Self> {
        let complaint = |problem: String| Error::DataSet { name: name.to_owned(), problem };
        let n_rows = table.n_rows();
        let mut columns = table.into_columns();
        let Some(target) = columns.pop() else {
            return Err(complaint("it has no columns".to_owned()));
        };
        let (labels, classes) = class_labels(&target).map_err(complaint)?.into_parts();
        let folds = match folds {
            Some(folds) => folds,
            None => folds::our_own(&labels)?,
        };
        if folds.len() != n_rows {
            let given = folds.len();
            return Err(complaint(format!("it has {n_rows} rows, but folds for {given}")));
        }
        let mut values = Vec::with_capacity(n_rows * columns.len());
        let mut features = Vec::new();
        // Each column is freed once converted, since two copies of a large table may not fit.
        for column in columns {
            if let Some(numbers) = filled_numbers(&column) {
                values.extend(numbers);
                features.push(Feature::number(column.name()));
            }
        }
        let columns = Columns::from_columns(values, features.len())?;
        let data = Dataset::with_schema(columns, labels, Schema::new(features, classes)?)?;
        Ok(Self { name: name.to_owned(), data, folds })
    }

    /// Uses a data set as it is, with our own folds.
    pub(crate) fn from_dataset(name: &str, data: Dataset) -> Result<Self> {
        Ok(Self { name: name.to_owned(), folds: folds::our_own(data.labels())?, data })
    }

    /// The name of the data set.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The features that have values, not standardised, and the classes.
    #[must_use]
    pub fn dataset(&self) -> &Dataset {
        &self.data
    }

    /// The number of folds.
    #[must_use]
    pub fn n_folds(&self) -> u8 {
        folds::count(&self.folds)
    }

    /// The training and the test part of a fold, standardised on the training part.
    ///
    /// # Errors
    /// One of the parts has no rows.
    pub fn fold(&self, fold: u8) -> Result<FoldData> {
        let rows = 0..self.folds.len();
        let (test, train): (Vec<usize>, Vec<usize>) =
            rows.partition(|&row| self.folds[row] == fold);
        FoldData::new(&self.data, &train, &test)
    }
}

/// The numbers of a column as in the OpenML client's array: rounded to f32, with missing values
/// replaced by the median. `None` for a column without any value.
fn filled_numbers(column: &Column) -> Option<Vec<f64>> {
    let mut numbers: Vec<f64> = match column.values() {
        Values::Numeric(values) => values.iter().map(|&x| f64::from(x as f32)).collect(),
        Values::Nominal(nominal) => {
            let codes = nominal.codes().iter();
            codes.map(|code| code.map_or(f64::NAN, |code| code.index() as f64)).collect()
        }
    };
    let mut present: Vec<f64> = numbers.iter().copied().filter(|x| !x.is_nan()).collect();
    if present.is_empty() {
        return None;
    }
    if present.len() < numbers.len() {
        present.sort_by(f64::total_cmp);
        let half = present.len() / 2;
        let median = if present.len() % 2 == 1 {
            present[half]
        } else {
            (present[half - 1] + present[half]) / 2.0
        };
        numbers.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = median);
    }
    Some(numbers)
}

/// The published class ids: the declared index of a category, written as a string and ranked as
/// strings ('0' < '1' < '10' < '2'). This matters only for ties between classes.
fn class_labels(target: &Column) -> Result<Labels, String> {
    let Values::Nominal(nominal) = target.values() else {
        return Err(format!("its target '{}' is not nominal", target.name()));
    };
    let mut present: Vec<usize> =
        nominal.codes().iter().flatten().map(|code| code.index()).collect();
    present.sort_unstable();
    present.dedup();
    present.sort_by_key(ToString::to_string);
    let ids: Option<Vec<u32>> = nominal
        .codes()
        .iter()
        .map(|code| {
            let index = code.as_ref()?.index();
            present.iter().position(|&other| other == index).map(|id| id as u32)
        })
        .collect();
    let ids = ids.ok_or_else(|| format!("a row has no class in '{}'", target.name()))?;
    let names =
        present.iter().map(|&index| ClassName::Text(nominal.categories()[index].clone())).collect();
    Labels::from_ids(ids, names).map_err(|error| error.to_string())
}
