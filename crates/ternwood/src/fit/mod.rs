//! From data and a recipe to a model.
//!
//! For a plain recipe, [`Learner::fit`] only grows the tree and adds the schema. Other recipes
//! have steps that need predictions, which growing does not have:
//!
//! - choosing the scale of all zones and the depth of the tree, by inner cross-validated log-loss
//!   ([`Auto`](crate::recipe::Auto));
//! - leaf distributions, given that rows within zones reach several leaves
//!   ([`Leaves`](crate::recipe::Leaves));
//! - cost-optimal zones ([`ZoneKind::CostOptimal`](crate::ZoneKind)).
//!
//! [`out_of_fold`] predicts training rows with trees that were grown without them.

mod by_recipe;
mod choose;
mod cost_optimal;
mod cross_fit;
mod forest;
mod leaf_em;
mod learner;
mod progress;
#[cfg(test)]
mod tests;

use choose::CATEGORY_ERRORS;
pub use choose::{DEPTHS, FOLDS, SCALES};
pub use cross_fit::{OutOfFold, cross_fitted_rows, out_of_fold};
pub use forest::{EXPONENTS, OutOfBag, bags, free_memory, out_of_bag};
pub(crate) use leaf_em::smoothed;
pub use learner::{Fit, Learner};
pub use progress::{FitEvent, FitStage};
