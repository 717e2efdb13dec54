//! The data sets of an experiment: stored or generated.

use crate::collection::{Collection, Entry};
use crate::error::Result;
use crate::method::SEED;
use crate::preprocess::PaperData;
use crate::results::Unit;
use ternwood_synthetic::{
    RINGNORM_BAYES_ERROR, TWONORM_BAYES_ERROR, WAVEFORM_BAYES_ERROR, ringnorm, twonorm, waveform,
    waveform_with_noise,
};

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
            Self::Generated(_) => crate::collection::FOLDS,
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

// Breiman's tasks from our own generators: no files needed, and the Bayes errors are known.

/// A generated data set of the same size as the paper's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generated {
    /// Waveforms with 19 noise columns, as in the paper's file.
    Waveform40,
    /// Waveforms alone: 21 columns, as in the paper's text.
    Waveform21,
    /// Two normal classes.
    Twonorm,
    /// A normal class around another.
    Ringnorm,
}

impl Generated {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Waveform40, Self::Waveform21, Self::Twonorm, Self::Ringnorm];

    /// The name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Waveform40 => "generated-waveform-40",
            Self::Waveform21 => "generated-waveform-21",
            Self::Twonorm => "generated-twonorm",
            Self::Ringnorm => "generated-ringnorm",
        }
    }

    /// The Bayes error.
    #[must_use]
    pub fn bayes_error(self) -> f64 {
        match self {
            Self::Waveform40 | Self::Waveform21 => WAVEFORM_BAYES_ERROR,
            Self::Twonorm => TWONORM_BAYES_ERROR,
            Self::Ringnorm => RINGNORM_BAYES_ERROR,
        }
    }

    /// Generates the data, with our own stratified folds.
    ///
    /// # Errors
    /// Does not fail in practice, but the engine validates its data.
    pub fn data(self) -> Result<PaperData> {
        let data = match self {
            Self::Waveform40 => waveform_with_noise(5000, SEED),
            Self::Waveform21 => waveform(5000, SEED),
            Self::Twonorm => twonorm(7400, SEED),
            Self::Ringnorm => ringnorm(7400, SEED),
        };
        PaperData::from_dataset(self.name(), data)
    }
}
