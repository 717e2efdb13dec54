//! The experiments of the paper, run again.
//!
//! - [`Collection`]: a folder of ARFF files with a manifest and the paper's folds.
//! - [`PaperData`]: one data set, preprocessed as published.
//! - [`FoldData`]: its training and test part for one fold, standardised on the training part.

mod collection;
mod error;
mod folds;
mod preprocess;
mod standardise;

pub use collection::{Collection, Entry};
pub use error::{Error, Result};
pub use preprocess::PaperData;
pub use standardise::FoldData;
