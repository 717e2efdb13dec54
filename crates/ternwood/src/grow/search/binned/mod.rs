//! Branch and bound on bins: an exact search at the speed of a histogram.
//!
//! Glossary.
//!
//! - A *bin* holds the rows of a contiguous range of values of one column. Bins are chosen once
//!   for the whole training set, and neighbours are merged where a branch has few rows. The
//!   *code* of a value is the number of its bin.
//! - An *edge* is the boundary between two bins. The histogram gives the sums left of an
//!   edge, so splits at edges are scored exactly without reading a row.
//! - The *bound* of a bin is at least the purity of every split inside the bin, whatever the
//!   order of its rows (see [`Measure`](crate::grow::target::Measure)).
//! - A bin is *live* if its bound is not below the best split found at an edge. Only the rows of
//!   live bins are read, sorted and scanned; no other bin can hold the best split.
//!
//! The histogram of a node's largest child is that of the node minus those of the other
//! children, so each level of a two-child tree reads at most half of the rows.

mod codes;
mod histogram;
mod search;
mod slots;

pub(crate) use codes::BinKind;
pub(crate) use codes::BinnedColumns;
pub(crate) use histogram::Survey;
pub(crate) use histogram::{NodeHistogram, bins_next_to, bins_with_rows_next_to};
pub(crate) use search::Tuning;
pub(crate) use search::{BinPlace, BinnedNode, BinnedSearch, LiveRow};
pub(super) use slots::{BinTable, ordered_bits};
