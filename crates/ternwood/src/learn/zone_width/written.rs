//! A zone kind as it stands in a file.
//!
//! A twin of [`ZoneKind`] only because serde lets unknown fields pass beside a variant without
//! fields; with braces it refuses them.

use super::{GainKind, Resamples, ZoneKind};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum WrittenKind {
    None {},
    Specified { half_widths: Vec<f64> },
    QualityPlateau { tolerance: f64, connected: bool },
    ClassOverlap { tail: f64 },
    GainRatio { scale: f64, gain: GainKind },
    NodeBootstrap { resamples: Resamples },
    Margin {},
    Spread {},
    CostOptimal { cost_ratio: f64 },
}

impl From<WrittenKind> for ZoneKind {
    fn from(written: WrittenKind) -> Self {
        match written {
            WrittenKind::None {} => Self::None,
            WrittenKind::Specified { half_widths } => Self::Specified { half_widths },
            WrittenKind::QualityPlateau { tolerance, connected } => {
                Self::QualityPlateau { tolerance, connected }
            }
            WrittenKind::ClassOverlap { tail } => Self::ClassOverlap { tail },
            WrittenKind::GainRatio { scale, gain } => Self::GainRatio { scale, gain },
            WrittenKind::NodeBootstrap { resamples } => Self::NodeBootstrap { resamples },
            WrittenKind::Margin {} => Self::Margin,
            WrittenKind::Spread {} => Self::Spread,
            WrittenKind::CostOptimal { cost_ratio } => Self::CostOptimal { cost_ratio },
        }
    }
}
