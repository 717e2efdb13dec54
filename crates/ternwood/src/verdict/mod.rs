//! When a row is undecided, and what can be guaranteed for the decided ones.
//!
//! Everything here needs only class probabilities and true classes, so it works with any
//! classifier. A [`VerdictPolicy`] is the verdict of the zones or a confidence threshold.
//! [`CalibrationRows`] hold the predictions and classes of rows that the model was not trained
//! on; [`CalibrationRows::policy`] finds the threshold for a cost, a budget of flags or a
//! guaranteed accuracy.

mod achieved;
mod advice;
mod binomial;
mod budget;
mod calibration_rows;
mod guarantee;
mod policy;

pub use crate::recipe::USUAL_COST_RATIO;
pub use achieved::{Achieved, CalibrationSource};
pub use advice::{Advice, VerdictRecord};
pub use binomial::binomial_cdf;
pub use calibration_rows::CalibrationRows;
pub use guarantee::{GuaranteeTest, fewest_rows};
pub use policy::{ConfidencePolicy, VerdictPolicy, VerdictRule};
