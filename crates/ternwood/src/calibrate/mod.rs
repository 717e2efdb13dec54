//! What growing alone cannot know: choices that need predictions of rows not grown from.
//!
//! A [`Recipe`] says how a tree comes to be, including what the data is to decide:
//!
//! - the scale of all zones and the depth of the tree, by inner cross-validated log-loss
//!   ([`Auto`](crate::learn::Auto));
//! - what leaves answer, given that rows within zones belong to several of them
//!   ([`Leaves`](crate::learn::Leaves));
//! - zones that pay for themselves ([`ZoneKind::CostOptimal`](crate::learn::ZoneKind)).
//!
//! [`fit`] follows a recipe; [`out_of_fold`] tells what it says of rows it has not seen.
//!
//! A fitted model is set to a *verdict policy* with rows it has not seen: [`CalibrationRows`]
//! hold their confidences, [`CalibrationRows::policy`] finds the threshold for a cost, for a
//! budget of flags or for a promised accuracy. [`BayesError`] bounds the error that no classifier
//! can avoid; [`zone_scale_for_flag_rate`] scales zones to flag that share.

mod bayes_error;
mod binomial;
mod budget;
mod choose;
mod cost_optimal;
mod cross_fit;
mod fit_rows;
mod flag_rate;
mod guarantee;
mod isotonic;
mod leaf_em;
mod nearest;
mod nursery;
mod policy;
mod recipe;
mod rows;
#[cfg(test)]
mod tests;

pub use bayes_error::BayesError;
pub use binomial::binomial_cdf;
pub use choose::{DEPTHS, FOLDS, REPEATS, SCALES};
pub use cross_fit::{OutOfFold, out_of_fold};
pub use flag_rate::{ZoneScale, zone_scale_for_flag_rate};
pub use guarantee::{GuaranteeTest, fewest_rows};
pub use nursery::{Fitted, fit};
pub use recipe::{CheckedRecipe, Recipe};
pub use rows::CalibrationRows;
