//! Verdicts that mean what the user chooses, and how well one could do at all.
//!
//! A fitted model is set to a *verdict policy* with rows it has not seen: [`CalibrationRows`]
//! hold their confidences, [`CalibrationRows::policy`] finds the threshold for a cost, for a
//! budget of flags or for a promised accuracy. [`BayesError`] bounds the error that no classifier
//! can avoid; [`zone_scale_for_flag_rate`] scales zones to flag that share.

mod bayes_error;
mod binomial;
mod budget;
mod flag_rate;
mod guarantee;
mod nearest;
mod policy;
mod rows;

pub use bayes_error::BayesError;
pub use binomial::binomial_cdf;
pub use flag_rate::{ZoneScale, zone_scale_for_flag_rate};
pub use guarantee::{GuaranteeTest, fewest_rows};
pub use rows::CalibrationRows;
