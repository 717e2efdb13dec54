//! Breiman's tasks from our own generators: no files needed, and the Bayes errors are known.

use crate::error::Result;
use crate::measure::SEED;
use crate::preprocess::PaperData;
use ternwood_synthetic::{
    RINGNORM_BAYES_ERROR, TWONORM_BAYES_ERROR, WAVEFORM_BAYES_ERROR, ringnorm, twonorm, waveform,
    waveform_with_noise,
};

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
