//! From a tree and rows to predictions.
//!
//! One iterative [`Walker`] handles every [`Routing`](crate::Routing). [`Predictions`] are its
//! results for many rows; an [`Explanation`] shows how it predicts one row.

mod clear_side;
mod explain;
mod flat_tree;
mod leaf_shares;
mod many_rows;
mod predictions;
mod response_curve;
mod walk;

pub use explain::{Explanation, LeafShare, Step};
pub(crate) use flat_tree::FlatCache;
pub(crate) use leaf_shares::{LANES, Lanes, LeafShares, ShareWalker};
pub use many_rows::RowPaths;
pub(crate) use many_rows::{check_columns, for_each_block};
pub use predictions::Verdict;
pub use predictions::{PredictionSlots, Predictions};
pub(crate) use response_curve::{CurveMemory, ResponseBounds, ResponseCurve};
pub use walk::{Scratch, Walker};
