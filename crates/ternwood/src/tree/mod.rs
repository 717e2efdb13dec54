//! The tree itself: what learning makes and prediction reads.
//!
//! Nothing here knows how a tree was learnt or how rows are routed through it.

mod builder;
mod importance;
mod node;
mod prune;
mod shape;
mod zone;

pub use builder::{NodeRecord, TreeBuilder};
pub use node::{FeatureId, Node, NodeId, Split};
pub use prune::PruningPath;
pub use shape::Tree;
pub(crate) use shape::most_probable;
pub(crate) use zone::SoftTest;
pub use zone::{Side, Zone};
