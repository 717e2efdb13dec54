//! Whether a forest will fit in memory.
//!
//! The trees of a forest are about equally large, so the first one tells how much all of them will need. It
//! alone is judged: which forests are refused does not depend on the number of threads.

use super::free_memory::free_memory;
use crate::error::{Error, ErrorKind, Result};
use crate::tree::Tree;
use std::sync::OnceLock;

/// The memory that a forest may need where the system does not tell how much is free: 64 GiB.
const MEMORY_LIMIT: u64 = 64 << 30;

/// The memory that a forest may need, unless something else is said: half of what is free. The other half is
/// for the file that is made of it.
pub(crate) fn memory_limit() -> u64 {
    free_memory().map_or(MEMORY_LIMIT, |bytes| bytes / 2)
}

/// Bytes of a node once more, as it is laid out for walking through it.
const WALKED: usize = 24;

/// Watches over the memory of a forest that is being grown.
pub(super) struct Size {
    n_trees: u32,
    n_rows: usize,
    limit: u64,
    refused: OnceLock<Error>,
}

impl Size {
    pub(super) fn new(n_trees: u32, n_rows: usize, limit: u64) -> Self {
        Self { n_trees, n_rows, limit, refused: OnceLock::new() }
    }

    /// Returns an error once the forest is known to be too large.
    pub(super) fn check(&self) -> Result<()> {
        self.refused.get().map_or(Ok(()), |refused| Err(refused.clone()))
    }

    /// Judges the forest by its first tree; passes any other.
    pub(super) fn judge(&self, number: u32, tree: &Tree) -> Result<()> {
        if number > 0 {
            return Ok(());
        }
        // A tree, the same for walking, and a bit for every row that it has or has not seen.
        let of_tree = tree.n_bytes() + WALKED * tree.n_nodes() + self.n_rows.div_ceil(8);
        let needed = u64::from(self.n_trees).saturating_mul(of_tree as u64);
        if needed <= self.limit {
            return Ok(());
        }
        let (trees, nodes, limit) = (self.n_trees, tree.n_nodes(), self.limit);
        let error = ErrorKind::ForestTooLarge { trees, nodes, needed, limit };
        Err(self.refused.get_or_init(|| error.into()).clone())
    }
}
