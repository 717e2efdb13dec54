//! The tree itself: growing makes it, prediction reads it.
//!
//! Nothing here depends on how a tree was grown or how rows are routed through it.

mod builder;
mod category_cut;
mod decimal;
mod digits;
mod importance;
mod node;
mod outcome;
mod prune;
mod soft_test;
mod test;
#[cfg(test)]
pub(crate) mod test_strategies;
#[expect(clippy::module_inception, reason = "the file that holds Tree is called tree.rs")]
mod tree;
mod zone;

pub use builder::{NodeRecord, NodeRows, TreeBuilder};
pub use category_cut::{Axis, CategoryCut, CategoryPlace};
pub(crate) use decimal::Decimal;
pub use digits::Digits;
pub(crate) use digits::{Printed, Reading};
pub use node::{FeatureId, Node, NodeId, Split};
pub use outcome::{Outcome, PlainTest, PresentValues};
pub use prune::PruningPath;
pub(crate) use soft_test::SoftTest;
pub use test::{CategorySides, Cut, Missing, Test};
pub use tree::Tree;
pub(crate) use tree::most_probable;
pub(crate) use zone::Edges;
pub use zone::{Side, Zone};
