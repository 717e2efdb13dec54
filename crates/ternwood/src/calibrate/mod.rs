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

mod choose;
mod cost_optimal;
mod cross_fit;
mod fit_rows;
mod isotonic;
mod leaf_em;
mod nursery;
mod recipe;
#[cfg(test)]
mod tests;

pub use choose::{DEPTHS, FOLDS, REPEATS, SCALES};
pub use cross_fit::{OutOfFold, out_of_fold};
pub use nursery::{Fitted, fit};
pub use recipe::{CheckedRecipe, Recipe};
