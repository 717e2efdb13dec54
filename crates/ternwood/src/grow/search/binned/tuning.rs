//! When to use bins, and how many.

use crate::grow::target::Target;
use crate::grow::training::Training;

/// When to use bins, and how many. The tree does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tuning {
    /// The maximum number of bins per column. More bins mean fewer rows to read one by one, but
    /// then the histogram of a column no longer fits the nearest cache.
    pub(super) max_bins: usize,
    /// Training sets with more rows are binned. Smaller ones fit a cache: sorting is faster.
    max_unbinned_rows: usize,
    /// Zones of nodes with at least this many rows are estimated with the help of bins.
    pub(crate) min_zone_rows: usize,
    /// True if small nodes are grown on sorted columns.
    pub(crate) sorts_small_nodes: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            max_bins: 1024,
            max_unbinned_rows: 4096,
            min_zone_rows: 1 << 13,
            sorts_small_nodes: true,
        }
    }
}

impl Tuning {
    /// Bins for every node, however small.
    pub(crate) fn always(max_bins: usize) -> Self {
        Self { max_bins, max_unbinned_rows: 0, min_zone_rows: 0, sorts_small_nodes: false }
    }

    /// True if bins pay off for a tree of at most so many leaves.
    pub(crate) fn suits_leaves<T: Target>(
        &self,
        max_leaves: u32,
        training: &Training<'_, T>,
    ) -> bool {
        /// The fewest rows per leaf for which counting in bins is faster than sorting.
        const FEWEST_ROWS: usize = 1 << 10;
        /// The most histograms that are kept.
        const MOST_LEAVES: u32 = 256;
        let rows_per_leaf = training.rows().len() / max_leaves as usize;
        !self.sorts_small_nodes || (max_leaves <= MOST_LEAVES && rows_per_leaf >= FEWEST_ROWS)
    }

    /// True if bins pay off for this training set.
    pub(crate) fn suits<T: Target>(&self, training: &Training<'_, T>) -> bool {
        /// Counts per feature that are cheap, however few the rows.
        const CHEAP_COUNTS: usize = 1 << 14;
        let (n_rows, width) = (training.rows().len(), training.width());
        let most_bins = self.max_bins.max(training.most_categories());
        n_rows > self.max_unbinned_rows
            && most_bins * width <= CHEAP_COUNTS.max(n_rows / 2)
            && most_bins < usize::from(u16::MAX)
    }
}
