//! Verdict policies without calibration rows, as a model file has them.

use serde_json::json;
use ternwood::VerdictPolicy;

/// A budget of flags aimed at a class, with any threshold.
pub fn catching(class: usize, threshold: f64, n_classes: usize) -> VerdictPolicy {
    let tally = json!({"rows": 1, "right": 1, "decided": 1, "decided_right": 1, "decided_for": 1});
    serde_json::from_value(json!({"catch": {
        "class": class,
        "flag_rate": 0.25,
        "threshold": threshold,
        "achieved": {"source": "cross_fitted", "classes": vec![tally; n_classes]},
    }}))
    .unwrap()
}
