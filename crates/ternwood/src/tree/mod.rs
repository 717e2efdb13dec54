//! The tree itself: growing makes it, prediction reads it.
//!
//! Nothing here depends on how a tree was grown or how rows are routed through it.

mod builder;
mod describe;
mod importance;
mod node;
mod numbers;
mod prune;
mod test;
#[expect(clippy::module_inception, reason = "the file that holds Tree is called tree.rs")]
mod tree;
mod zone;

pub use builder::{NodeRecord, TreeBuilder};
pub use node::{FeatureId, Node, NodeId, Split};
pub(crate) use numbers::{plain_number, told_apart};
pub use prune::PruningPath;
#[cfg(test)]
pub(crate) use test::tests as test_strategies;
pub use test::{Cut, Test};
pub use tree::Tree;
pub(crate) use tree::most_probable;
pub(crate) use zone::Edges;
pub(crate) use zone::SoftTest;
pub use zone::{Side, Zone};
