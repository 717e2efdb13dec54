//! Encodings of a data set's features, made when a tree first needs them and shared by all trees.

use super::search::binned::{BinnedColumns, Tuning};
use super::search::ranked::RankedColumns;
use super::training::Features;
use crate::error::Result;
use crate::exec::Exec;
use std::sync::{Arc, OnceLock};

/// Bins and ranks of all rows of a data set. They depend neither on parameters nor on the rows that a tree
/// grows on.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    bins: OnceLock<Arc<BinnedColumns>>,
    ranks: OnceLock<Arc<RankedColumns>>,
}

impl Prepared {
    /// The bins of these features, always the same ones.
    ///
    /// # Errors
    /// Only if cancelled.
    pub(super) fn bins(
        &self,
        features: &Features<'_>,
        tuning: Tuning,
        exec: &Exec,
    ) -> Result<Arc<BinnedColumns>> {
        shared(&self.bins, || BinnedColumns::new(features, tuning, exec))
    }

    /// The ranks of these features, always the same ones.
    ///
    /// # Errors
    /// Only if cancelled.
    pub(super) fn ranks(&self, features: &Features<'_>, exec: &Exec) -> Result<Arc<RankedColumns>> {
        shared(&self.ranks, || RankedColumns::new(features, exec))
    }
}

/// What is there, or what is made now. Two threads may make it at the same time: waiting for each other, they
/// could wait forever, as both may need the threads of one pool.
fn shared<T>(made: &OnceLock<Arc<T>>, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
    if let Some(made) = made.get() {
        return Ok(Arc::clone(made));
    }
    let new = Arc::new(make()?);
    Ok(Arc::clone(made.get_or_init(|| new)))
}
