//! Errors of this crate.

use std::path::PathBuf;

/// A `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error and its location.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A folder is not a collection.
    #[error(
        "{}: there is no manifest.tsv, so this is no folder of data sets; \
         `ternwood-paper fetch` makes one", path.display()
    )]
    NoCollection {
        /// The folder.
        path: PathBuf,
    },
    /// A folder has none of the paper's tables.
    #[error("{}: there are no published numbers (no {expected}.tsv)", path.display())]
    NoPublished {
        /// The folder.
        path: PathBuf,
        /// One of the files expected.
        expected: &'static str,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Another run is writing to the folder.
    #[error("{}: another run is writing there; wait for it, or name another folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A file is malformed.
    #[error("{} line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A data set does not match its folds, or is unusable.
    #[error("data set {name}: {problem}")]
    DataSet {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A request to a server failed.
    #[error("{url}: {problem}")]
    Server {
        /// The requested address.
        url: String,
        /// What went wrong.
        problem: String,
    },
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] ternwood_table::Error),
    /// An error of the engine.
    #[error(transparent)]
    Engine(#[from] ternwood::Error),
}
