//! Exact tests and intervals, and isotonic regression: numbers in, numbers out.

mod exact;
#[cfg(feature = "learn")]
pub(crate) mod isotonic;
#[cfg(feature = "learn")]
mod wilcoxon;

pub use exact::{binomial_cdf, exact_interval};
pub(crate) use exact::{fisher, fisher_more, outside_range};
#[cfg(feature = "learn")]
pub use wilcoxon::{Wilcoxon, wilcoxon_greater};
