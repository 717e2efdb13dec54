//! A candidate of the inner cross-validation, copied for Python.

use pyo3::prelude::*;
use ternwood::recipe::CandidateLoss;

/// Zones and depth that were tried on held-out rows.
#[pyclass(frozen, get_all, module = "ternwood._ternwood")]
pub(crate) struct Candidate {
    max_depth: Option<u32>,
    zone_scale: f64,
    /// None if it was not chosen.
    category_error: Option<f64>,
    /// In a forest, the exponent that goes best with them.
    exponent: Option<f64>,
    /// The mean over all held-out rows.
    log_loss: f64,
    /// The means over the held-out rows of every inner fold.
    fold_log_losses: Vec<f64>,
}

impl Candidate {
    pub(crate) fn new(candidate: &CandidateLoss) -> Self {
        let CandidateLoss { max_depth, zone_scale, category_error, exponent, log_loss, .. } =
            *candidate;
        let fold_log_losses = candidate.fold_log_losses.clone();
        Self { max_depth, zone_scale, category_error, exponent, log_loss, fold_log_losses }
    }
}
