//! From a data set to a tree.
//!
//! The loop is in [`Grower`]: take a node, stop?, search the best split, partition the rows,
//! and put the children back. Zones are estimated from the winning column of each split.

mod criterion;
mod evidence;
mod frontier;
mod grower;
mod grown;
mod node_rows;
mod params;
mod split_search;
mod split_view;
mod stream;
mod training;
pub mod zone_width;

pub use criterion::Criterion;
pub use evidence::Candidate;
pub use grower::Grower;
pub use grown::GrownTree;
pub use params::{CheckedParams, ClassWeight, MaxFeatures, RowCount, TreeParams};
pub use split_view::{SplitView, ValueGroup, ZoneEstimate};
pub use zone_width::{GainKind, Resamples, ZoneKind, ZoneParams};
