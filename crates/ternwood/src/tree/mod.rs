//! The tree itself: growing makes it, prediction reads it.
//!
//! Nothing here depends on how a tree was grown or how rows are routed through it.

mod builder;
mod category_cut;
mod derived;
mod digits;
mod prune;
mod test;
#[cfg(test)]
pub(crate) mod test_strategies;
#[expect(clippy::module_inception, reason = "the file that holds Tree is called tree.rs")]
mod tree;
mod zone;

pub use builder::{NodeRecord, NodeRows, TreeBuilder};
pub use category_cut::{Axis, CategoryCut, CategoryPlace};
pub(crate) use derived::SoftTest;
pub use derived::{Outcome, PlainTest, PresentValues};
pub(crate) use digits::Decimal;
pub use digits::Digits;
pub(crate) use digits::{Printed, Reading};
pub use prune::PruningPath;
pub use test::{CategorySides, Cut, Missing, Test};
pub use tree::{FeatureId, Node, NodeId, Split, Tree, most_probable};
pub(crate) use zone::Edges;
pub use zone::{Side, Zone};
