//! From a tree and rows to predictions.
//!
//! One iterative [`Walker`] serves every [`Routing`]; [`Predictions`] are its answers for many
//! rows, an [`Explanation`] its answer for one row with the reasons.

mod explain;
mod flat;
mod gates;
mod many_rows;
mod prediction;
mod routing;
mod walk;

pub use crate::dataset::Rows;
pub use explain::{Explanation, LeafShare, Step};
pub(crate) use gates::{GateWalker, Gates, LANES, Lanes};
pub use prediction::{PredictionSlots, Predictions};
pub use routing::Routing;
pub use walk::{Scratch, Walker};
