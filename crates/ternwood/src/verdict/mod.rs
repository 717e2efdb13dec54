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
mod catch_policy;
mod confidence_policy;
mod cost_policy;
mod margin;
mod miss_path;
mod policy;
mod promised_thresholds;
mod promises;
mod rows_needed;
mod rule;
mod sequence;
mod thresholds;
mod trade_offs;
mod uncovered;

pub use achieved::{Achieved, CalibrationSource};
pub use advice::{Advice, FlaggedBy, VerdictRecord};
pub use calibration_rows::CalibrationRows;
pub use catch_policy::CatchPolicy;
pub use confidence_policy::ConfidencePolicy;
pub use cost_policy::{CostMatrix, CostPolicy, ExpectedCosts};
pub(crate) use margin::Along;
pub use policy::VerdictPolicy;
pub use promises::Promises;
pub use rows_needed::{RowsNeeded, rows_needed};
pub use rule::{USUAL_COST_RATIO, VerdictRule};
pub use thresholds::Thresholds;
pub use trade_offs::{Aim, AtWork, Share, TradeOff, TradeOffs};
pub use uncovered::Uncovered;
