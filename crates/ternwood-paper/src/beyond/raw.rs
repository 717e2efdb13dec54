//! The raw figures: one row per data set, fold, depth, method and seed, in a file that is complete
//! at every moment.

use crate::error::{Error, Result};
use crate::results::write_whole;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The methods compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Plain CART with smoothed leaves.
    Cart,
    /// Spread zones with automatic scale, leaves by EM.
    Calibrated,
    /// A random forest from another library, with its defaults; it has no depth.
    Forest,
    /// The same with at least five rows in every leaf.
    ForestLeaf5,
    /// Extremely randomised trees from another library.
    ExtraTrees,
    /// A forest of ternary trees.
    TernaryForest,
    /// The same without zones and exponent.
    CrispForest,
    /// Calibrated, on codes of categories and medians in place of missing values.
    Codes,
    /// Calibrated, on codes of categories; missing values stay missing.
    CodesMissing,
    /// Calibrated, on tables as they are.
    Native,
    /// The same with missing values unknown at every test.
    Unknown,
    /// Calibrated, with the readable depth, on tables as they are.
    Readable,
    /// The same with the best depth.
    BestDepth,
}

impl Method {
    const ALL: [Self; 13] = [
        Self::Cart,
        Self::Calibrated,
        Self::Forest,
        Self::ForestLeaf5,
        Self::ExtraTrees,
        Self::TernaryForest,
        Self::CrispForest,
        Self::Codes,
        Self::CodesMissing,
        Self::Native,
        Self::Unknown,
        Self::Readable,
        Self::BestDepth,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::Cart => "cart",
            Self::Calibrated => "calibrated",
            Self::Forest => "forest",
            Self::ForestLeaf5 => "forest_leaf_5",
            Self::ExtraTrees => "extra_trees",
            Self::TernaryForest => "ternary_forest",
            Self::CrispForest => "crisp_forest",
            Self::Codes => "codes",
            Self::CodesMissing => "codes_missing",
            Self::Native => "native",
            Self::Unknown => "unknown",
            Self::Readable => "readable",
            Self::BestDepth => "best_depth",
        }
    }
}

/// The results of one method on the test part of one fold.
#[derive(Debug, Clone, PartialEq)]
pub struct BeyondRow {
    /// OpenML id of the data set.
    pub openml_id: u32,
    /// Its name.
    pub dataset: String,
    /// The fold.
    pub fold: u8,
    /// The maximum depth of the tree, as given or as chosen; 0 for a forest.
    pub depth: u32,
    /// The method.
    pub method: Method,
    /// The seed of the inner folds; 0 if nothing is random.
    pub seed: u64,
    /// The number of test rows.
    pub rows: usize,
    /// Accuracy.
    pub accuracy: f64,
    /// Area under the risk-coverage curve.
    pub aurc: f64,
    /// Log-loss, with probabilities clipped at 1e-6.
    pub log_loss: f64,
    /// The chosen scale; 0 for CART.
    pub zone_scale: f64,
    /// The chosen category error, if the data have categories.
    pub category_error: Option<f64>,
    /// The log-loss of the training rows out of bag, of a forest.
    pub out_of_bag_log_loss: Option<f64>,
    /// The number of leaves, where depths are compared.
    pub leaves: Option<usize>,
}

const COLUMNS: [&str; 13] = [
    "openml_id",
    "dataset",
    "fold",
    "depth",
    "method",
    "seed",
    "rows",
    "accuracy",
    "aurc",
    "log_loss",
    "zone_scale",
    "category_error",
    "out_of_bag_log_loss",
];

/// The last column, of files whose rows have leaves.
const LEAVES: &str = "leaves";

impl BeyondRow {
    fn fields(&self) -> Vec<String> {
        let mut fields = vec![
            self.openml_id.to_string(),
            self.dataset.clone(),
            self.fold.to_string(),
            self.depth.to_string(),
            self.method.as_str().to_owned(),
            self.seed.to_string(),
            self.rows.to_string(),
            self.accuracy.to_string(),
            self.aurc.to_string(),
            self.log_loss.to_string(),
            self.zone_scale.to_string(),
            self.category_error.map_or_else(String::new, |error| error.to_string()),
            self.out_of_bag_log_loss.map_or_else(String::new, |loss| loss.to_string()),
        ];
        fields.extend(self.leaves.map(|leaves| leaves.to_string()));
        fields
    }

    fn from_record(record: &csv::StringRecord) -> Result<Self, String> {
        fn parsed<T: std::str::FromStr>(
            record: &csv::StringRecord,
            at: usize,
        ) -> Result<T, String> {
            let text = record.get(at).unwrap_or_default();
            let name = COLUMNS.get(at).unwrap_or(&LEAVES);
            text.parse().map_err(|_| format!("{name} is '{text}'"))
        }
        let optional = |record: &csv::StringRecord, at: usize| match record.get(at) {
            None | Some("") => Ok(None),
            Some(_) => parsed(record, at).map(Some),
        };
        let method: String = parsed(record, 4)?;
        let method = Method::ALL.into_iter().find(|known| known.as_str() == method);
        Ok(Self {
            openml_id: parsed(record, 0)?,
            dataset: parsed(record, 1)?,
            fold: parsed(record, 2)?,
            depth: parsed(record, 3)?,
            method: method.ok_or("there is no such method")?,
            seed: parsed(record, 5)?,
            rows: parsed(record, 6)?,
            accuracy: parsed(record, 7)?,
            aurc: parsed(record, 8)?,
            log_loss: parsed(record, 9)?,
            zone_scale: parsed(record, 10)?,
            category_error: optional(record, 11)?,
            out_of_bag_log_loss: optional(record, 12)?,
            leaves: record.get(COLUMNS.len()).map(|_| parsed(record, COLUMNS.len())).transpose()?,
        })
    }
}

/// A fold of a data set.
type Unit = (u32, u8);

/// Rows kept in a growing file.
#[derive(Debug)]
pub struct BeyondFile {
    path: PathBuf,
    units: BTreeMap<Unit, Vec<BeyondRow>>,
}

impl BeyondFile {
    /// Reads a file; an absent one has no rows.
    ///
    /// # Errors
    /// The file cannot be read or is malformed.
    pub fn open(path: &Path) -> Result<Self> {
        let mut units: BTreeMap<Unit, Vec<BeyondRow>> = BTreeMap::new();
        match fs::read_to_string(path) {
            Ok(text) => {
                for row in read_rows(path, &text)? {
                    units.entry((row.openml_id, row.fold)).or_default().push(row);
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => return Err(Error::Read { path: path.to_owned(), source }),
        }
        Ok(Self { path: path.to_owned(), units })
    }

    /// True if a fold of a data set is done.
    #[must_use]
    pub fn has(&self, openml_id: u32, fold: u8) -> bool {
        self.units.contains_key(&(openml_id, fold))
    }

    /// The number of folds that are done.
    #[must_use]
    pub fn n_folds(&self) -> usize {
        self.units.len()
    }

    /// The number of data sets of which some fold is done.
    #[must_use]
    pub fn n_data_sets(&self) -> usize {
        let ids: BTreeSet<u32> = self.units.keys().map(|&(openml_id, _)| openml_id).collect();
        ids.len()
    }

    /// All rows, by data set and fold.
    #[must_use]
    pub fn rows(&self) -> Vec<BeyondRow> {
        self.units.values().flatten().cloned().collect()
    }

    /// Adds the rows of a fold and saves everything: to a file beside it, which is then renamed.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, rows: Vec<BeyondRow>) -> Result<()> {
        for row in rows {
            self.units.entry((row.openml_id, row.fold)).or_default().push(row);
        }
        write_whole(&self.path, |out| {
            let mut writer = csv::Writer::from_writer(out);
            let has_leaves = self.units.values().flatten().any(|row| row.leaves.is_some());
            let header = COLUMNS.into_iter().chain(has_leaves.then_some(LEAVES));
            writer.write_record(header).map_err(std::io::Error::other)?;
            for row in self.units.values().flatten() {
                writer.write_record(row.fields()).map_err(std::io::Error::other)?;
            }
            writer.flush()
        })
    }
}

fn read_rows(path: &Path, text: &str) -> Result<Vec<BeyondRow>> {
    let complaint = |line, problem| Error::Line { path: path.to_owned(), line, problem };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| complaint(1, error.to_string()))?;
    if header.iter().ne(COLUMNS) && header.iter().ne(COLUMNS.into_iter().chain([LEAVES])) {
        return Err(complaint(1, format!("the columns should be {}", COLUMNS.join(","))));
    }
    let rows = reader.records().enumerate().map(|(index, record)| {
        let record = record.map_err(|error| complaint(index + 2, error.to_string()))?;
        BeyondRow::from_record(&record).map_err(|problem| complaint(index + 2, problem))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_complete_after_every_fold() {
        complete_after_every_fold(None);
        complete_after_every_fold(Some(17));
    }

    fn complete_after_every_fold(leaves: Option<usize>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("raw.csv");
        let row = |fold, aurc, category_error| BeyondRow {
            openml_id: 37,
            dataset: "dia, betes".to_owned(),
            fold,
            depth: 4,
            method: Method::Calibrated,
            seed: 42,
            rows: 154,
            accuracy: 0.1 + 0.2,
            aurc,
            log_loss: 1.0 / 3.0,
            zone_scale: 0.8,
            category_error,
            out_of_bag_log_loss: category_error.map(|error| error / 3.0),
            leaves,
        };
        let mut file = BeyondFile::open(&path).unwrap();
        file.add(vec![row(1, 0.5, None)]).unwrap();
        file.add(vec![row(0, 1e-9, Some(4.0))]).unwrap();
        let again = BeyondFile::open(&path).unwrap();
        assert_eq!(again.rows(), [row(0, 1e-9, Some(4.0)), row(1, 0.5, None)]);
        assert!(again.has(37, 1) && !again.has(37, 2));
        assert_eq!((again.n_folds(), again.n_data_sets()), (2, 1));
        fs::write(&path, "a,b\n").unwrap();
        let error = BeyondFile::open(&path).unwrap_err().to_string();
        assert!(error.contains("line 1: the columns should be openml_id,"), "{error}");
    }
}
