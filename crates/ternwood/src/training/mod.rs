//! What a model knows of the rows it was trained on, and whether other rows are among them.
//!
//! [`TrainingRows`] hold a few numbers per feature and a [`RowFilter`]: one bit per training row, set at a
//! place that depends on the row's features. A training row always finds its bit set, and any other row
//! does so with a probability of about .63. One row says next to nothing, thirty are recognised. Rows that
//! should be new are compared with it ([`SeenRows`]), because a promise calibrated on rows that the model
//! has seen is worth nothing.
//!
//! Training rows are read twice: `RowNotes` find the salt, and then the filter is filled. Both merge, so
//! partitions give the same bytes as all rows at once.

mod feature_values;
mod row_filter;
mod row_notes;
mod seen_rows;
mod training_rows;

pub use feature_values::FeatureValues;
#[cfg(feature = "learn")]
pub(crate) use row_filter::FilterPlan;
pub use row_filter::RowFilter;
#[cfg(feature = "learn")]
pub(crate) use row_notes::RowNotes;
pub use row_notes::Twins;
pub use seen_rows::{ComparedRows, NotCompared, SeenRows};
pub use training_rows::TrainingRows;
