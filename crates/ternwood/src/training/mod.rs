//! What a model knows of the rows it was trained on, and whether other rows are among them.
//!
//! [`TrainingRows`] are a few numbers per feature and a [`RowSketch`]: hashes of some of the rows.
//! Rows that are to be new are compared with it ([`SeenRows`]), because a promise that was
//! calibrated on rows the model has seen is worth nothing.

mod feature_values;
mod row_hashes;
mod row_sketch;
mod seen_rows;
mod shared_rows;
mod training_rows;
mod value_notes;

pub use feature_values::FeatureValues;
pub use row_sketch::RowSketch;
pub use seen_rows::SeenRows;
pub use training_rows::TrainingRows;
