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
    /// A folder is not a collection.
    #[error(
        "{}: there is no manifest.tsv, so this is no folder of data sets; \
         `ternwood paper fetch` makes one", path.display()
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
        /// A file that could be there.
        expected: &'static str,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Another run writes to the folder.
    #[error("{}: another run is writing there; wait for it, or name another folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A file is not what it should be.
    #[error("{} line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A data set contradicts its folds, or cannot be used.
    #[error("data set {name}: {problem}")]
    DataSet {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A server does not give what was asked for.
    #[error("{url}: {problem}")]
    Server {
        /// What was asked for.
        url: String,
        /// What came instead.
        problem: String,
    },
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] ternwood_table::Error),
    /// The engine refuses.
    #[error(transparent)]
    Engine(#[from] ternwood::Error),
}
