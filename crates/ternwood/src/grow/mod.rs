//! Tree growing: from a data set to a tree.
//!
//! A [`Grower`] takes a node, makes it a leaf or finds its best split, partitions the rows and
//! queues the children:
//!
//! - `node_loop`: that loop, on bins for large nodes and on sorted columns for small ones;
//! - `search`: the best split of a node;
//! - `evidence`: the winning column of a node, the input of the zone estimators;
//! - `zones`: one file per zone estimator;
//! - `pieces`: the same for rows that are elsewhere.

mod evidence;
mod grower;
mod grown;
mod neighbours;
mod node_loop;
pub(crate) mod pieces;
mod search;
mod stream;
mod training;
mod zones;

pub use evidence::{Candidate, SplitView, ValueGroup, ZoneEstimate};
pub use grower::{Grower, Search};
pub use grown::GrownTree;
pub(crate) use grown::SplitRows;
pub(crate) use neighbours::with_digits;
pub(crate) use training::Training;
