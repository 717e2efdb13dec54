//! The tree itself: growing makes it, prediction reads it.
//!
//! Nothing here depends on how a tree was grown or how rows are routed through it.

mod builder;
mod category_cut;
mod category_words;
mod describe;
mod describe_value;
mod importance;
mod node;
mod numbers;
mod outcome;
mod prune;
mod soft_test;
mod test;
#[cfg(test)]
pub(crate) mod test_strategies;
#[expect(clippy::module_inception, reason = "the file that holds Tree is called tree.rs")]
mod tree;
mod zone;
mod zone_meaning;

pub use builder::{NodeRecord, NodeRows, TreeBuilder};
pub use category_cut::{Axis, CategoryCut, CategoryPlace};
pub(crate) use category_words::class_words;
pub use category_words::{PlaceWords, class_in_words};
pub(crate) use category_words::{all_listed, clipped, listed};
pub use describe::CategorySides;
pub(crate) use describe::ListCategories;
pub(crate) use describe_value::TestedValue;
pub use node::{FeatureId, Node, NodeId, Split};
pub use numbers::{Digits, ShownZone, date_text, time_text};
pub(crate) use numbers::{
    exact_number, percent_apart, percents_told_apart, plain_number, told_apart, written_number,
};
pub use outcome::{Outcome, PlainTest, PresentValues};
pub use prune::PruningPath;
pub(crate) use soft_test::SoftTest;
pub use test::{Cut, Missing, Test};
pub use tree::Tree;
pub(crate) use tree::most_probable;
pub(crate) use zone::Edges;
pub use zone::{Side, Zone};
pub use zone_meaning::ZoneMeaning;
