//! The experiments of the paper, run again.
//!
//! - [`Collection`]: a folder of ARFF files with a manifest and the paper's folds.
//! - [`PaperData`]: one data set, preprocessed as published.
//! - [`FoldData`]: its training and test part for one fold, standardised on the training part.
//! - [`Run`]: every [`Method`] on every fold of every [`Subject`], into a [`ResultsFile`] that a
//!   killed run leaves complete and the next one resumes.

pub mod beyond;
mod collection;
mod error;
mod expected;
mod folds;
mod generated;
mod measure;
mod method;
mod preprocess;
mod raw;
mod results;
mod run;
mod standardise;
mod subject;

pub use collection::{Collection, CollectionName, Entry};
pub use error::{Error, Result};
pub use expected::{expected, not_listed};
pub use generated::Generated;
pub use measure::{DEPTH, SEED};
pub use method::Method;
pub use preprocess::PaperData;
pub use raw::{Beside, COLUMNS, RawRow, Unit};
pub use results::{RAW, Results, ResultsFile};
pub use run::{Failure, Run};
pub use standardise::FoldData;
pub use subject::Subject;
