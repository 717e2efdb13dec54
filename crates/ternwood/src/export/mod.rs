//! A model in other formats: text for people, DOT for Graphviz, a table for spreadsheets, SQL for
//! databases, ONNX for scoring services.

mod dot;
pub mod onnx;
pub mod sql;
mod summary;
mod table;
mod text;

pub use dot::to_dot;
pub use summary::{READABLE_LEAVES, SummaryOptions, is_readable, to_summary};
pub use table::to_table;
pub use text::wrapped;
pub use text::{TextOptions, to_text};
