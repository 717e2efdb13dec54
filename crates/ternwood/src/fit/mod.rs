//! From data and a recipe to a model.
//!
//! A plain recipe goes straight: [`Learner::fit`] grows the tree and joins it with the schema.
//! [`by_recipe`](self) does what growing alone cannot, because it needs predictions of rows that
//! the tree was not grown from:
//!
//! - the scale of all zones and the depth of the tree, by inner cross-validated log-loss
//!   ([`Auto`](crate::recipe::Auto));
//! - what leaves answer, given that rows within zones belong to several of them
//!   ([`Leaves`](crate::recipe::Leaves));
//! - zones that pay for themselves ([`ZoneKind::CostOptimal`](crate::ZoneKind)).
//!
//! [`out_of_fold`] predicts training rows by trees that were grown without them.

mod by_recipe;
mod choose;
mod cost_optimal;
mod cross_fit;
mod deal;
mod fit_rows;
mod isotonic;
mod leaf_em;
mod learner;
#[cfg(test)]
mod tests;

pub use choose::{DEPTHS, FOLDS, SCALES};
pub use cross_fit::{OutOfFold, cross_fitted_rows, out_of_fold};
pub use learner::Learner;
