//! Forests of ternary trees on the data sets of at most 20,000 rows.

use super::ASIDE;
use super::raw::{BeyondFile, BeyondRow};
use super::trial::{SEEDS, Trial};
use crate::collection::{Collection, Entry};
use crate::error::Result;
use crate::standardise::FoldData;
use ternwood::Exec;

/// The maximum number of rows of a data set.
pub const FORESTS_MOST_ROWS: usize = 20_000;

/// Forests with every seed, with zones and exponent and without.
#[derive(Debug)]
pub struct ForestsRun<'a> {
    collection: &'a Collection,
    entries: Vec<&'a Entry>,
}

impl<'a> ForestsRun<'a> {
    /// The data sets, small files first; those set aside come last.
    #[must_use]
    pub fn new(collection: &'a Collection) -> Self {
        let is_small =
            |entry: &&Entry| collection.n_rows(entry).is_some_and(|rows| rows <= FORESTS_MOST_ROWS);
        let mut entries: Vec<&Entry> = collection.entries().iter().filter(is_small).collect();
        entries.sort_by_key(|entry| {
            (ASIDE.contains(&entry.name.as_str()), collection.file_size(entry))
        });
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
                let data = self.collection.load(entry)?;
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
    let trials =
        SEEDS.into_iter().flat_map(|seed| [Trial::forest(seed), Trial::crisp_forest(seed)]);
    trials.map(|trial| trial.measure(entry, fold, parts, exec)).collect()
}
