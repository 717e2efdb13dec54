//! What can go wrong with a collection.

use std::path::PathBuf;

/// A `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, and where.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The manifest or the folds are not what they should be.
    #[error("{} line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A data set contradicts its folds, or has none.
    #[error("data set {name}: {problem}")]
    DataSet {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] ternwood_table::Error),
    /// The engine refuses.
    #[error(transparent)]
    Engine(#[from] ternwood::Error),
}
