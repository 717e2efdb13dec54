//! The curves of all methods in one picture.

use super::Report;
use crate::evaluation::Measured;
use ternwood::metrics::VerdictCounts;
use ternwood_figures::{RiskCoverageFigure, RiskSeries, risk_coverage_svg};

impl Report<'_> {
    /// Risk-coverage curves by confidence, with the verdicts as points, over the pooled test
    /// rows.
    pub(crate) fn risk_coverage(&self) -> String {
        let mut series = Vec::new();
        for Measured { method, figures, ranking, .. } in self.methods {
            let (curve, aurc) = (ranking.curve(), ranking.aurc());
            let name = match method.zone() {
                "none" => "plain CART".to_owned(),
                zone => format!("{} zones", zone.replace('_', " ")),
            };
            let marks = verdict_point(&figures.counts).into_iter().collect();
            series.push(RiskSeries { name, curve, marks, aurc });
        }
        let options = RiskCoverageFigure {
            title: Some("Risk and coverage: curves by confidence, points by verdict".to_owned()),
            subtitle: Some(self.title.replace('\n', ", ")),
        };
        risk_coverage_svg(&series, &options)
    }
}

/// Coverage and risk of the verdicts. `None` if all rows or none are decided.
fn verdict_point(counts: &VerdictCounts) -> Option<(f64, f64)> {
    let (decided, rows) = (counts.decided(), counts.rows());
    let risk = counts.decided_wrong as f64 / decided as f64;
    (0 < decided && decided < rows).then(|| (decided as f64 / rows as f64, risk))
}
