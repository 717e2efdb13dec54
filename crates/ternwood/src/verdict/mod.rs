//! What makes a row undecided, and what can be promised of the decided ones.
//!
//! Everything here comes from class probabilities and true classes alone, so it serves any
//! classifier. A [`VerdictPolicy`] is the verdict of the zones or a confidence threshold.
//! [`CalibrationRows`] hold probabilities and classes of rows that the model was not trained on;
//! [`CalibrationRows::policy`] finds the threshold for a cost, for a budget of flags or for a
//! promised accuracy.

mod achieved;
mod binomial;
mod budget;
mod calibration_rows;
mod guarantee;
mod policy;

pub use achieved::{Achieved, CalibrationSource};
pub use binomial::binomial_cdf;
pub use calibration_rows::CalibrationRows;
pub use guarantee::{GuaranteeTest, fewest_rows};
pub use policy::{ConfidencePolicy, VerdictPolicy, VerdictRule};
