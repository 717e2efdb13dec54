//! Tables as they are against codes and medians: the calibrated tree of depth 4 on both.

use super::raw::{BeyondFile, BeyondRow, Method};
use super::trial::{SEEDS, Trial};
use crate::collection::{Collection, Entry};
use crate::error::Result;
use crate::preprocess::Encoding;
use crate::standardise::FoldData;
use ternwood::Exec;
use ternwood::recipe::MissingValues;
use ternwood_table::{Table, Values};

/// The depth of the trees.
pub const TABLES_DEPTH: u32 = 4;

/// Larger data sets are cut to this many rows, evenly spaced in the file.
pub const TABLES_MOST_ROWS: usize = 20_000;

/// Trees on the data sets with nominal features or missing values. Every data set is measured on codes
/// and medians and as it is; one with missing values also on codes with missing values, and with
/// missing values unknown at every test.
#[derive(Debug)]
pub struct TablesRun<'a> {
    collection: &'a Collection,
    entries: Vec<&'a Entry>,
}

impl<'a> TablesRun<'a> {
    /// All data sets, small files first: which have nominal features or missing values is known
    /// once they are read.
    #[must_use]
    pub fn new(collection: &'a Collection) -> Self {
        let mut entries: Vec<&Entry> = collection.entries().iter().collect();
        entries.sort_by_key(|entry| collection.file_size(entry));
        Self { collection, entries }
    }

    /// The number of data sets to read.
    #[must_use]
    pub fn n_data_sets(&self) -> usize {
        self.entries.len()
    }

    /// Computes every fold missing from `file`; `done` is called after each data set.
    ///
    /// # Errors
    /// A data set cannot be read, or the results cannot be saved.
    pub fn run(&self, file: &mut BeyondFile, exec: &Exec, mut done: impl FnMut()) -> Result<()> {
        for entry in &self.entries {
            let missing: Vec<u8> = (0..self.collection.n_folds(entry))
                .filter(|&fold| !file.has(entry.openml_id, fold))
                .collect();
            if !missing.is_empty() {
                self.run_folds(entry, &missing, file, exec)?;
            }
            done();
        }
        Ok(())
    }

    fn run_folds(
        &self,
        entry: &Entry,
        folds: &[u8],
        file: &mut BeyondFile,
        exec: &Exec,
    ) -> Result<()> {
        let table = self.collection.read(entry)?;
        let has_missing = table.missing_cells() > 0;
        if !has_missing && !has_nominal_features(&table) {
            return Ok(());
        }
        let encoded = |encoding| {
            self.collection.encode(entry, table.clone(), encoding)?.cut_to(TABLES_MOST_ROWS)
        };
        let mut methods = vec![
            (Method::Codes, encoded(Encoding::Published)?),
            (Method::Native, encoded(Encoding::Native)?),
        ];
        if has_missing {
            methods.push((Method::CodesMissing, encoded(Encoding::Codes)?));
            methods.push((Method::Unknown, encoded(Encoding::Native)?));
        }
        for &fold in folds {
            let mut rows = Vec::new();
            for (method, data) in &methods {
                rows.extend(measure(entry, *method, fold, &data.fold(fold)?, exec)?);
            }
            file.add(rows)?;
        }
        Ok(())
    }
}

/// A method on one fold with every seed.
fn measure(
    entry: &Entry,
    method: Method,
    fold: u8,
    parts: &FoldData,
    exec: &Exec,
) -> Result<Vec<BeyondRow>> {
    let trials = SEEDS.into_iter().map(|seed| {
        Trial::calibrated(method, TABLES_DEPTH, seed).with_params(|params| {
            if method == Method::Unknown {
                params.missing = MissingValues::Unknown;
            }
        })
    });
    trials.map(|trial| trial.measure(entry, fold, parts, exec)).collect()
}

/// True if a column other than the last, the target, is nominal.
fn has_nominal_features(table: &Table) -> bool {
    let features = table.columns().split_last().map_or(&[][..], |(_, features)| features);
    features.iter().any(|column| matches!(column.values(), Values::Nominal(_)))
}
