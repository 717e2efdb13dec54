//! When a row is undecided, and what can be guaranteed for the decided ones.
//!
//! Everything here needs only class probabilities and true classes, so it works with any
//! classifier. A [`VerdictPolicy`] is the verdict of the zones, a confidence threshold for all
//! classes or for each, a budget of flags aimed at one class, or the least expected cost.
//! [`CalibrationRows`] hold the predictions and
//! classes of rows that the model was not trained on; [`CalibrationRows::policy`] finds the
//! thresholds for a cost, a budget of flags, a guaranteed accuracy, or promises class by class.

mod achieved;
mod advice;
mod budget;
mod calibration_rows;
mod confidence;
mod costs;
mod policy;
mod promised_thresholds;
mod rows_needed;
mod trade_offs;

pub use achieved::{Achieved, CalibrationSource};
pub use advice::{Advice, FlaggedBy, VerdictRecord};
pub use budget::CatchPolicy;
pub use calibration_rows::CalibrationRows;
pub use confidence::{ConfidencePolicy, Promises, Thresholds, USUAL_COST_RATIO, VerdictRule};
pub use costs::{CostMatrix, CostPolicy, ExpectedCosts};
pub(crate) use policy::Along;
pub use policy::{Uncovered, VerdictPolicy};
pub use rows_needed::{RowsNeeded, rows_needed};
pub use trade_offs::{Aim, AtWork, Share, TradeOff, TradeOffs};
