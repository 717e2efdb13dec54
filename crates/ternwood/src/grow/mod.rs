//! Tree growing: from a data set to a tree.
//!
//! A [`Grower`] takes a node, makes it a leaf or finds its best split, partitions the rows and
//! queues the children:
//!
//! - `target`: what growing must know of a target; `classes` and `real` are targets;
//! - `node_loop`: the loop, on bins for large nodes and on sorted columns for small ones;
//! - `search`: the best split of a node;
//! - `evidence`: the winning column of a node, the input of the zone estimators;
//! - `zones`: one file per zone estimator;
//! - `pieces`: the same for rows that are elsewhere.
//!
//! `tests/architecture.rs` has the order of these modules: each uses only those before it.

mod classes;
mod deviation;
mod evidence;
mod grower;
mod grown;
mod neighbours;
mod node_loop;
mod node_rows;
mod nodes;
#[cfg(feature = "partitions")]
pub(crate) mod pieces;
mod prepared;
#[cfg_attr(not(test), expect(dead_code, reason = "regression is not offered yet"))]
mod real;
mod search;
mod split_view;
mod stream;
mod summary;
mod target;
mod training;
mod zones;

pub(crate) use classes::ClassTraining;
pub use evidence::Candidate;
pub use grower::{Grower, Search};
pub use grown::GrownTree;
pub(crate) use grown::SplitRows;
pub(crate) use prepared::Prepared;
pub use split_view::{SplitView, ValueGroup, ZoneEstimate};
