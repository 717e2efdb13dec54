//! The experiments of the paper, reproduced.
//!
//! - [`Collection`]: a folder of ARFF files with a manifest and the paper's folds.
//! - [`PaperData`]: one data set, preprocessed as published.
//! - [`FoldData`]: its training and test part for one fold, standardised on the training part.
//! - [`Run`]: every [`Method`] on every fold of every [`Subject`], into a [`ResultsFile`] that
//!   stays complete if the run is killed, so that the next one resumes it.
//! - `Fetch`: downloads a collection (feature `fetch`).
//! - [`tables`]: the [`Results`] in the shape of the paper's tables, beside the [`Published`]
//!   numbers; [`Agreement`] counts the digits that agree.

#![forbid(unsafe_code)]

pub mod beyond;
mod collection;
mod error;
#[cfg(feature = "fetch")]
mod fetch;
mod figures;
mod method;
mod preprocess;
mod published;
mod published_bootstrap;
mod report;
mod results;
mod run;
mod statistics;
mod subject;
mod tables;

pub use collection::{Collection, CollectionName, Entry, expected, not_listed};
pub use error::{Error, Result};
#[cfg(feature = "fetch")]
pub use fetch::{Fetch, Fetched};
pub use figures::{Figure, figures};
pub use method::{DEPTH, Estimator, Method, SEED, measure};
pub use preprocess::{FoldData, PaperData};
pub use published::Published;
pub use report::{SUMMARY, TABLES, make_folder, write_file, write_tables};
pub use results::{COLUMNS, RAW, RawRow, Results, ResultsFile, Unit};
pub use run::{Failure, Run};
pub use statistics::{SetFigures, WinTieLoss, mean, sample_deviation};
pub use subject::{Generated, Subject};
pub use tables::{Agreement, Basis, Cell, Disagreement, Table, Value, tables};
