//! Codes: ranks without their lowest bits, so that few enough are left to count in.

use super::super::cell::Cell;
use super::search::Item;

/// The codes of all rows, or of those of a branch.
///
/// A node far down in the tree has few of all rows. They lie apart in every column, so each code would be
/// fetched from memory alone. Therefore a branch gets a table of its own when its rows have become a small
/// part of its table.
#[derive(Debug)]
pub(in crate::grow) struct CodeTable {
    /// By feature; empty for categories.
    columns: Vec<Vec<u16>>,
    n_rows: usize,
}

/// Of a table with no more rows, the columns that a node draws fit the nearest caches.
const SMALL_TABLE: usize = 1 << 14;

/// A node whose rows are at most this part of a table gets its own.
const SMALL_PART: usize = 8;

/// The rows of smaller nodes are hardly counted any more, but sorted by rank.
const WORTH_TABLE: usize = 256;

impl CodeTable {
    pub(super) fn new(columns: Vec<Vec<u16>>, n_rows: usize) -> Self {
        Self { columns, n_rows }
    }

    pub(super) fn of(&self, feature: u32) -> &[u16] {
        &self.columns[feature as usize]
    }

    /// A table of a node's rows alone, if that is worth it. They are given their places in it.
    pub(in crate::grow) fn narrowed<T: Cell>(&self, items: &mut [Item<T>]) -> Option<Self> {
        let n_rows = items.len();
        if self.n_rows <= SMALL_TABLE || n_rows > self.n_rows / SMALL_PART || n_rows < WORTH_TABLE {
            return None;
        }
        let column = |codes: &Vec<u16>| match codes.is_empty() {
            true => Vec::new(),
            false => items.iter().map(|item| codes[item.place as usize]).collect(),
        };
        let columns = self.columns.iter().map(column).collect();
        (0..).zip(items).for_each(|(place, item)| item.place = place);
        Some(Self { columns, n_rows })
    }
}
