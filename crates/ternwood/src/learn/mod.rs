//! From a data set to a tree.
//!
//! A [`Grower`] takes a node, stops or searches its best split, partitions the rows and puts
//! the children back (the loop is in `block.rs`). Zones are estimated from the winning column of
//! each split.

mod block;
mod branch;
mod criterion;
mod evidence;
mod frontier;
mod grower;
mod grown;
mod node_rows;
mod params;
mod rows_by_bin;
mod settings;
mod split_search;
mod split_view;
mod stream;
mod summary;
mod training;
pub mod zone_width;

pub use criterion::Criterion;
pub use evidence::Candidate;
pub use grower::{Grower, Search};
pub use grown::GrownTree;
pub(crate) use grown::SplitRows;
pub use params::{CheckedParams, ClassWeight, MaxFeatures, RowCount, TreeParams};
pub use settings::{Auto, CandidateLoss, Choice, Leaves};
pub use split_view::{SplitView, ValueGroup, ZoneEstimate};
pub(crate) use training::Training;
pub use zone_width::{GainKind, Resamples, ZoneKind, ZoneParams};
