//! The curves of all methods in one picture.

use super::Report;
use anyhow::Result;
use ternwood_figures::{RiskCoverageFigure, RiskSeries, risk_coverage_svg};

impl Report<'_> {
    /// Risk-coverage curves by confidence, and what the verdicts achieve as points, over all
    /// test rows together.
    pub(crate) fn risk_coverage(&self) -> Result<String> {
        let mut series = Vec::new();
        for method in self.methods {
            let (curve, aurc) = method.pooled.curve()?;
            let name = match method.zone {
                "none" => "plain CART".to_owned(),
                zone => format!("{} zones", zone.replace('_', " ")),
            };
            let marks = method.pooled.verdict_point().into_iter().collect();
            series.push(RiskSeries { name, curve, marks, aurc });
        }
        let options = RiskCoverageFigure {
            title: Some("Risk and coverage: curves by confidence, points by verdict".to_owned()),
            subtitle: Some(self.title.replace('\n', ", ")),
        };
        Ok(risk_coverage_svg(&series, &options))
    }
}
