//! From a table to numbers: as published, or as the table is.

use crate::collection;
use crate::error::{Error, Result};
use std::sync::Arc;
use ternwood::{ClassName, Columns, Dataset, Feature, Labels, Schema};
use ternwood_table::{Column, Table, Values};

/// What becomes of the cells of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As published: category indices as numbers, values rounded to f32, the column's median (of
    /// all rows) for missing cells, and folds standardised on their training part.
    Published,
    /// Category indices as numbers, but missing cells stay missing.
    Codes,
    /// As they are: categories, numbers and missing values.
    Native,
}

/// One data set, preprocessed but not standardised.
#[derive(Debug, Clone)]
pub struct PaperData {
    name: String,
    data: Dataset,
    folds: Vec<u8>,
    encoding: Encoding,
}

impl PaperData {
    /// Preprocesses a table whose last column is the target. Without folds, makes our own.
    pub(crate) fn new(
        name: &str,
        table: Table,
        folds: Option<Vec<u8>>,
        encoding: Encoding,
    ) -> Result<Self> {
        let complaint = |problem: String| Error::DataSet { name: name.to_owned(), problem };
        let n_rows = table.n_rows();
        let mut columns = table.into_columns();
        let Some(target) = columns.pop() else {
            return Err(complaint("it has no columns".to_owned()));
        };
        let (labels, classes) = class_labels(&target).map_err(complaint)?.into_parts();
        let folds = match folds {
            Some(folds) => folds,
            None => collection::own_folds(&labels)?,
        };
        if folds.len() != n_rows {
            let given = folds.len();
            return Err(complaint(format!("it has {n_rows} rows, but folds for {given}")));
        }
        let mut values = Vec::with_capacity(n_rows * columns.len());
        let mut features = Vec::new();
        // Each column is freed once converted, since two copies of a large table may not fit.
        for column in columns {
            let encoded = match encoding {
                Encoding::Published => filled_numbers(&column),
                Encoding::Codes => Some((numbers(&column), Feature::number(column.name()))),
                Encoding::Native => Some((numbers(&column), native_feature(&column))),
            };
            if let Some((numbers, feature)) = encoded {
                values.extend(numbers);
                features.push(feature);
            }
        }
        let columns = Columns::from_columns(values, features.len())?;
        let data = Dataset::with_schema(columns, labels, Schema::new(features, classes)?)?;
        Ok(Self { name: name.to_owned(), data, folds, encoding })
    }

    /// Uses a data set as it is, with our own folds.
    pub(crate) fn from_dataset(name: &str, data: Dataset) -> Result<Self> {
        let folds = collection::own_folds(data.labels())?;
        Ok(Self { name: name.to_owned(), data, folds, encoding: Encoding::Published })
    }

    /// The same with at most `most` rows, evenly spaced in the file. Each keeps its fold.
    pub(crate) fn cut_to(self, most: usize) -> Result<Self> {
        let n_rows = self.folds.len();
        if n_rows <= most {
            return Ok(self);
        }
        let kept: Vec<usize> = (0..most).map(|index| index * n_rows / most).collect();
        let folds = kept.iter().map(|&row| self.folds[row]).collect();
        Ok(Self { data: self.data.select(&kept)?, folds, ..self })
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
        collection::fold_count(&self.folds)
    }

    /// The training and the test part of a fold; as published, they are standardised on the
    /// training part.
    ///
    /// # Errors
    /// One of the parts has no rows.
    pub fn fold(&self, fold: u8) -> Result<FoldData> {
        let rows = 0..self.folds.len();
        let (test, train): (Vec<usize>, Vec<usize>) =
            rows.partition(|&row| self.folds[row] == fold);
        match self.encoding {
            Encoding::Published => FoldData::new(&self.data, &train, &test),
            Encoding::Codes | Encoding::Native => {
                Ok(FoldData { train: self.data.select(&train)?, test: self.data.select(&test)? })
            }
        }
    }
}

/// The numbers of a column as in the OpenML client's array: rounded to f32, with missing values
/// replaced by the median. `None` for a column without any value.
fn filled_numbers(column: &Column) -> Option<(Vec<f64>, Feature)> {
    let mut numbers: Vec<f64> =
        numbers(column).into_iter().map(|number| f64::from(number as f32)).collect();
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
    Some((numbers, Feature::number(column.name())))
}

/// The numbers of a column, or the indices of its categories; NaN for a missing cell.
fn numbers(column: &Column) -> Vec<f64> {
    match column.values() {
        Values::Numeric(values) => values.clone(),
        Values::Nominal(nominal) => {
            let codes = nominal.codes().iter();
            codes.map(|code| code.map_or(f64::NAN, |code| code.index() as f64)).collect()
        }
    }
}

/// A nominal column has the categories that the file declares.
fn native_feature(column: &Column) -> Feature {
    match column.values() {
        Values::Numeric(_) => Feature::number(column.name()),
        Values::Nominal(nominal) => Feature::categories(column.name(), nominal.categories()),
    }
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

// The training and the test part of a fold, standardised on the training part.

/// One fold of a data set, ready for the engine.
#[derive(Debug, Clone)]
pub struct FoldData {
    /// The training part.
    pub train: Dataset,
    /// The test part, with the same class ids as the training part.
    pub test: Dataset,
}

impl FoldData {
    /// The number of rows of both parts.
    pub(crate) fn n_rows(&self) -> usize {
        self.train.n_rows() + self.test.n_rows()
    }

    pub(crate) fn new(data: &Dataset, train: &[usize], test: &[usize]) -> Result<Self> {
        let n_features = data.n_features();
        let mut train_values = Vec::with_capacity(train.len() * n_features);
        let mut test_values = Vec::with_capacity(test.len() * n_features);
        for feature in 0..n_features {
            let column = data.columns().column(feature);
            let scale = Scale::of(train.iter().map(|&row| column[row]));
            train_values.extend(train.iter().map(|&row| scale.apply(column[row])));
            test_values.extend(test.iter().map(|&row| scale.apply(column[row])));
        }
        let part = |values: Vec<f64>, rows: &[usize]| -> Result<Dataset> {
            let labels = rows.iter().map(|&row| data.labels()[row]).collect();
            let columns = Columns::from_columns(values, n_features)?;
            Ok(Dataset::with_schema(columns, labels, Arc::clone(data.schema()))?)
        };
        Ok(Self { train: part(train_values, train)?, test: part(test_values, test)? })
    }
}

/// `z = (x - mean) / deviation`, in the published order of operations: sums in row order,
/// population variance, constant columns divided by 1.
struct Scale {
    mean: f64,
    deviation: f64,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (mut sum, mut n) = (0.0, 0.0);
        for value in values.clone() {
            sum += value;
            n += 1.0;
        }
        let mean = sum / n;
        let squares = values.fold(0.0, |squares, value| squares + (value - mean) * (value - mean));
        let deviation = (squares / n).sqrt();
        Self { mean, deviation: if deviation == 0.0 { 1.0 } else { deviation } }
    }

    fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternwood::dataset::FeatureKind;

    /// Six rows; the last column is the target.
    fn table() -> Table {
        let word = |word| (word != "?").then_some(word);
        let columns = vec![
            Column::numeric("size", vec![1.0, 0.1, 5.0, f64::NAN, 7.0, 9.0]),
            Column::text("ward", ["B", "A", "?", "C", "A", "B"].map(word)),
            Column::numeric("empty", vec![f64::NAN; 6]),
            Column::text("class", ["no", "yes", "no", "yes", "no", "yes"].map(word)),
        ];
        Table::from_columns(columns).unwrap()
    }

    fn encoded(encoding: Encoding) -> PaperData {
        PaperData::new("patients", table(), Some(vec![0, 0, 0, 1, 1, 1]), encoding).unwrap()
    }

    /// Missing cells as `None`, to be compared.
    fn column(data: &Dataset, index: usize) -> Vec<Option<f64>> {
        let cells = data.columns().column(index).iter();
        cells.map(|&cell| (!cell.is_nan()).then_some(cell)).collect()
    }

    #[test]
    fn published_cells_are_numbers_and_medians() {
        let published = encoded(Encoding::Published);
        let data = published.dataset();
        assert_eq!(data.n_features(), 2, "a column without values is dropped");
        let rounded = f64::from(0.1f32);
        assert_eq!(column(data, 0), [1.0, rounded, 5.0, 5.0, 7.0, 9.0].map(Some));
        assert!(column(data, 1).iter().all(Option::is_some));
        assert!(data.schema().features()[1].kind.is_number());
    }

    #[test]
    fn native_cells_stay_as_they_are() {
        for (encoding, are_categories) in [(Encoding::Native, true), (Encoding::Codes, false)] {
            let native = encoded(encoding);
            let data = native.dataset();
            let present = [Some(1.0), Some(0.1), Some(5.0), None, Some(7.0), Some(9.0)];
            assert_eq!(column(data, 0), present);
            assert_eq!(column(data, 2), [None; 6]);
            let ward = &data.schema().features()[1];
            assert_eq!(matches!(ward.kind, FeatureKind::Categories(_)), are_categories);
            assert_eq!(column(data, 1)[2], None);
            // The parts of a fold are the same cells, not standardised.
            let fold = native.fold(1).unwrap();
            assert_eq!(column(&fold.train, 0), present[..3]);
            assert_eq!(column(&fold.test, 0), present[3..]);
        }
    }

    #[test]
    fn rows_kept_are_evenly_spaced_and_keep_their_folds() {
        let cut = encoded(Encoding::Native).cut_to(4).unwrap();
        // Rows 0, 1, 3 and 4.
        assert_eq!(column(cut.dataset(), 0), [Some(1.0), Some(0.1), None, Some(7.0)]);
        assert_eq!(cut.folds, [0, 0, 1, 1]);
        assert_eq!(encoded(Encoding::Native).cut_to(6).unwrap().folds.len(), 6);
    }

    #[test]
    fn a_column_gets_mean_0_and_deviation_1() {
        // Mean 4, deviations -2 0 2: population variance 8 / 3.
        let scale = Scale::of([2.0, 4.0, 6.0].into_iter());
        assert_eq!(scale.apply(4.0), 0.0);
        assert_eq!(scale.apply(6.0), 2.0 / (8.0f64 / 3.0).sqrt());
        assert_eq!(Scale::of([7.0, 7.0].into_iter()).apply(9.0), 2.0);
    }
}
