//! The data sets of an experiment: stored or generated.

use crate::collection::{Collection, Entry};
use crate::error::Result;
use crate::generated::Generated;
use crate::preprocess::PaperData;
use crate::raw::Unit;

/// A data set that can be loaded.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A file of a collection.
    Stored {
        /// The folder.
        collection: &'a Collection,
        /// Its line in the manifest.
        entry: &'a Entry,
    },
    /// Generated when needed.
    Generated(Generated),
}

impl Subject<'_> {
    /// The name of the data set.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Stored { entry, .. } => &entry.name,
            Self::Generated(generated) => generated.name(),
        }
    }

    /// OpenML id; 0 for generated data.
    #[must_use]
    pub fn openml_id(&self) -> u32 {
        match self {
            Self::Stored { entry, .. } => entry.openml_id,
            Self::Generated(_) => 0,
        }
    }

    /// Its units of work.
    #[must_use]
    pub fn units(&self) -> Vec<Unit> {
        let folds = match self {
            Self::Stored { collection, entry } => collection.n_folds(entry),
            Self::Generated(_) => crate::folds::COUNT,
        };
        let unit =
            |fold| Unit { openml_id: self.openml_id(), dataset: self.name().to_owned(), fold };
        (0..folds).map(unit).collect()
    }

    /// A rough measure of its work: the size of the file in bytes.
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Self::Stored { collection, entry } => collection.file_size(entry),
            Self::Generated(_) => 0,
        }
    }

    /// Reads and preprocesses it, or generates it.
    ///
    /// # Errors
    /// The file cannot be read or does not match its folds.
    pub fn load(&self) -> Result<PaperData> {
        match self {
            Self::Stored { collection, entry } => collection.load(entry),
            Self::Generated(generated) => generated.data(),
        }
    }
}
