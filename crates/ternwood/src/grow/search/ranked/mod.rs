//! Search on ranks: nothing is kept from node to node, and only the features that a node draws are
//! looked at.
//!
//! The *rank* of a value is its position among the distinct values of its column. Ranks are made once, and
//! all trees of a forest share them. Few rows of a node are sorted by rank. Many are counted in *bins*,
//! ranges of ranks; as in the binned search, only the rows of bins that may hold the best split are then
//! sorted.

mod columns;
mod search;

pub(crate) use columns::CodeTable;
pub(crate) use columns::{RankedColumns, RankedRows};
pub(crate) use search::MOST_SORTED;
pub(crate) use search::{Item, RankedChoice, RankedNode, RankedSearch, Scratch};
