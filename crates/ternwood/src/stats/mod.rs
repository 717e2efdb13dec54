//! Exact tests and intervals, and isotonic regression: numbers in, numbers out.

mod binomial;
#[cfg(feature = "learn")]
pub(crate) mod isotonic;
mod two_samples;
#[cfg(feature = "learn")]
mod wilcoxon;

pub use binomial::{binomial_cdf, exact_interval};
pub(crate) use two_samples::{fisher, fisher_more, outside_range};
#[cfg(feature = "learn")]
pub use wilcoxon::{Wilcoxon, wilcoxon_greater};
