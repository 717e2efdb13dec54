//! The readable tree, which is the default, against the tree of the best depth.

use super::raw::{BeyondFile, BeyondRow, Method};
use super::tables::TABLES_MOST_ROWS;
use super::trial::{SEEDS, Trial};
use crate::collection::{Collection, Entry};
use crate::error::Result;
use crate::preprocess::Encoding;
use crate::standardise::FoldData;
use ternwood::Exec;

/// Both trees on all data sets, with categories and missing values as they are in the files.
#[derive(Debug)]
pub struct DepthsRun<'a> {
    collection: &'a Collection,
    entries: Vec<&'a Entry>,
}

impl<'a> DepthsRun<'a> {
    /// All data sets, small files first.
    #[must_use]
    pub fn new(collection: &'a Collection) -> Self {
        let mut entries: Vec<&Entry> = collection.entries().iter().collect();
        entries.sort_by_key(|entry| collection.file_size(entry));
        Self { collection, entries }
    }

    /// The number of data sets.
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
            let folds: Vec<u8> = (0..self.collection.n_folds(entry))
                .filter(|&fold| !file.has(entry.openml_id, fold))
                .collect();
            if !folds.is_empty() {
                let table = self.collection.read(entry)?;
                let data = self.collection.encode(entry, table, Encoding::Native)?;
                let data = data.cut_to(TABLES_MOST_ROWS)?;
                for fold in folds {
                    file.add(measure(entry, fold, &data.fold(fold)?, exec)?)?;
                }
            }
            done();
        }
        Ok(())
    }
}

fn measure(entry: &Entry, fold: u8, parts: &FoldData, exec: &Exec) -> Result<Vec<BeyondRow>> {
    let trials = [Method::Readable, Method::BestDepth].map(|it| Trial::of_depth(it, SEEDS[0]));
    trials.into_iter().map(|trial| trial.measure(entry, fold, parts, exec)).collect()
}
