//! Does it still hold? What new rows say of a model that is at work.
//!
//! [`Model::check_rows`](crate::Model::check_rows) sets new rows beside those the model was trained
//! and calibrated on: the share that is flagged, values that training did not have, and, with
//! labels, what was promised. Every comparison is an exact test.

mod comparison;
mod fold_errors;
mod rows_check;

pub use comparison::{Before, Compared, Comparison, Outcome};
pub use fold_errors::{USUAL_FOLD_LEVEL, folds_differ};
pub use rows_check::{RowsCheck, USUAL_LEVEL, Untold};
