//! Decision trees that know where they are unsure.
pub mod dataset;
pub mod error;
pub mod logic;
pub mod metrics;
pub mod workers;
pub use dataset::{ClassName, Columns, Dataset, Labels};
pub use error::{Error, ErrorKind, Result};
pub use logic::{Truth, Verdict};
pub use metrics::{ConfusionMatrix, Evaluation};
pub use workers::Workers;
