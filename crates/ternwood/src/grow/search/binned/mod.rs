//! Branch and bound on bins: an exact search at the speed of a histogram.
//!
//! Glossary.
//!
//! - A *bin* holds the rows of a contiguous range of values of one column. Bins are chosen once
//!   for the whole training set, and put together with their neighbours where a branch has few
//!   rows; which bin a value belongs to is its *code*.
//! - An *edge* is the place between two bins. The class counts left of an edge are known from
//!   the histogram, so splits at edges are measured exactly without looking at a row.
//! - The *bound* of a bin is at least the purity of every split inside the bin, whatever the
//!   order of its rows (see `purity.rs`).
//! - A bin is *live* if its bound is not below the best split found at an edge. Only the rows of
//!   live bins are looked at, sorted and scanned; all others cannot hold the best split.
//!
//! The histogram of the largest child of a node is that of the node minus those of the other
//! children, so each level reads at most half of the rows.

mod codes;
mod histogram;
mod left_of;
mod search;
mod slots;
mod survey;

pub(crate) use codes::BinnedColumns;
pub(in crate::grow) use codes::Tuning;
pub(crate) use histogram::NodeHistogram;
pub(in crate::grow) use histogram::bins_next_to;
pub(crate) use search::{BinnedNode, BinnedSearch};
pub(super) use slots::BinTable;
