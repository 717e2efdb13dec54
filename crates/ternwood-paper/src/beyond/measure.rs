//! All methods on one fold.

use super::raw::{BeyondFile, BeyondRow, Method};
use super::trial::{SEEDS, Trial};
use super::{ASIDE, MOST_ROWS};
use crate::collection::{Collection, Entry};
use crate::error::Result;
use crate::standardise::FoldData;
use ternwood::Exec;

/// The depths compared.
pub const DEPTHS: [u32; 2] = [4, 8];

/// What to run.
#[derive(Debug)]
pub struct BeyondRun<'a> {
    collection: &'a Collection,
    entries: Vec<&'a Entry>,
}

impl<'a> BeyondRun<'a> {
    /// All data sets of at most 12,000 rows; those set aside come last.
    #[must_use]
    pub fn new(collection: &'a Collection) -> Self {
        let small = |entry: &&Entry| collection.n_rows(entry).is_some_and(|rows| rows <= MOST_ROWS);
        let mut entries: Vec<&Entry> = collection.entries().iter().filter(small).collect();
        entries.sort_by_key(|entry| ASIDE.contains(&entry.name.as_str()));
        Self { collection, entries }
    }

    /// The number of folds still to be computed.
    #[must_use]
    pub fn folds_left(&self, file: &BeyondFile) -> usize {
        let folds = |entry: &&Entry| {
            let folds = 0..self.collection.n_folds(entry);
            folds.filter(|&fold| !file.has(entry.openml_id, fold)).count()
        };
        self.entries.iter().map(folds).sum()
    }

    /// Computes every fold missing from `file`; `done` is called after each.
    ///
    /// # Errors
    /// A data set cannot be read, or the results cannot be saved.
    pub fn run(&self, file: &mut BeyondFile, exec: &Exec, mut done: impl FnMut()) -> Result<()> {
        for entry in &self.entries {
            let mut folds = 0..self.collection.n_folds(entry);
            if folds.all(|fold| file.has(entry.openml_id, fold)) {
                continue;
            }
            let data = self.collection.load(entry)?;
            for fold in 0..data.n_folds() {
                if !file.has(entry.openml_id, fold) {
                    file.add(measure(entry, fold, &data.fold(fold)?, exec)?)?;
                    done();
                }
            }
        }
        Ok(())
    }
}

/// The rows of one fold: CART at both depths, and the calibrated tree at both with every seed.
fn measure(entry: &Entry, fold: u8, parts: &FoldData, exec: &Exec) -> Result<Vec<BeyondRow>> {
    let trials = DEPTHS.into_iter().flat_map(|depth| {
        let calibrated = SEEDS.map(|seed| Trial::calibrated(Method::Calibrated, depth, seed));
        std::iter::once(Trial::cart(depth)).chain(calibrated)
    });
    trials.map(|trial| trial.measure(entry, fold, parts, exec)).collect()
}
