//! Our signed-rank test agrees with scipy's.

use serde::Deserialize;
use ternwood::stats::wilcoxon_greater;

/// Written by `scripts/make_wilcoxon_values.py`.
#[derive(Deserialize)]
struct Document {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    differences: Vec<f64>,
    statistic: f64,
    p_value: f64,
}

#[test]
fn statistics_and_p_values_match_scipy() {
    let document: Document = serde_json::from_str(include_str!("wilcoxon.json")).unwrap();
    assert!(document.cases.len() > 50);
    for Case { differences, statistic, p_value } in document.cases {
        let found = wilcoxon_greater(&differences).unwrap();
        let n = differences.len();
        assert_eq!(found.positive_ranks, statistic, "{n} differences");
        // Both compute in f64; in the far tail, a few units in the last place remain.
        let close = (found.p_value - p_value).abs() <= 1e-12 * p_value;
        assert!(close, "{n} differences: {} instead of {p_value}", found.p_value);
    }
}
