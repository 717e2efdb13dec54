//! Zone parameters: the estimator with its settings, the clamp and the scale.

use super::tree_params::check_range;
use crate::dataset::check_length;
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};

/// The estimator of the half-widths, with its settings.
///
/// | kind | idea | cost per node of n rows |
/// |---|---|---|
/// | `none` | plain CART | nothing |
/// | `specified` | known measurement error of each feature | nothing |
/// | `quality_plateau` | other thresholds are nearly as good | O(n log n) |
/// | `class_overlap` | the bulks of two classes overlap | O(n log n) |
/// | `gain_ratio` | weak splits are uncertain | O(n) |
/// | `node_bootstrap` | the threshold moves under resampling | O(B n + n log n) |
/// | `margin` | distance to the nearest row on the wrong side | O(n) |
/// | `spread` | half a standard deviation, meant to be scaled | O(n) |
/// | `cost_optimal` | errors near the threshold cost more than flags | five trees + O(n log n) |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ZoneKind {
    /// Half-width 0 everywhere: plain CART.
    None,
    /// A half-width per feature, in the feature's own units: a known measurement error.
    ///
    /// It is not estimated, so it is not clamped either; the scale applies.
    Specified {
        /// One half-width per feature.
        half_widths: Vec<f64>,
    },
    /// Half the distance between the lowest and the highest candidate threshold whose gain is at
    /// least `(1 - tolerance)` of the best (paper, Section 4: quality plateau).
    ///
    /// Use it if nothing is known about the data: it works with few rows, flags little on clean
    /// splits, and a larger tolerance never narrows it.
    QualityPlateau {
        /// How far the gain may fall short of the best, as a share of it, from 0 to 1.
        tolerance: f64,
        /// Uses only the unbroken run of candidates around the threshold (the paper's text), not
        /// the outermost ones across a drop in gain (its published results).
        connected: bool,
    },
    /// Half of the longest overlap between two classes' `tail` to `1 - tail` quantile intervals
    /// (paper, Section 4: class overlap). Quantiles count rows, not weights.
    ///
    /// Use it if many rows should get a second look: it flags the most.
    ClassOverlap {
        /// The share of a class cut off at each end, from 0 to 0.5.
        tail: f64,
    },
    /// `scale * range / (1 + gain / H)`, H the binary entropy (bits) of the shares of weight on
    /// both sides (paper, Section 4: gain ratio).
    ///
    /// Use it if zones should cover about the same share of every feature's range.
    GainRatio {
        /// The share of the range for a split without gain.
        scale: f64,
        /// Which gain to use.
        gain: GainKind,
    },
    /// The standard deviation of the best threshold over resamples of the node's rows (paper,
    /// Section 4: node bootstrap); 0 for nodes of fewer than 10 rows.
    ///
    /// Use it if the question is "would another sample have cut elsewhere?"; it needs hundreds of
    /// rows. Weights are treated as copies: weights that sum to 1 count as one row and give
    /// half-width 0.
    NodeBootstrap {
        /// The number of resamples.
        resamples: Resamples,
    },
    /// The distance from the threshold to the nearest row of a side's dominant class on the
    /// other side (paper, Section 4: margin). With no such row, or one class dominating both
    /// sides, the distance to the nearest row of the narrower side.
    ///
    /// Use it as the default: it has no settings, and it shrinks as 1/n if classes overlap.
    Margin,
    /// `0.5 * sigma`, sigma the weighted standard deviation of the feature at the node.
    ///
    /// Use it with a scale, best with one found by cross-validation
    /// ([`Auto::zone_scale`](super::Auto)): it gives the best probabilities.
    Spread,
    /// The cost-optimal half-width: if a wrong prediction costs 1 and a flag costs `cost_ratio`,
    /// the largest distance from the threshold at which the error probability is still above
    /// `cost_ratio`.
    ///
    /// `sup { d : p_e(d) > cost_ratio }`, with `p_e` a non-increasing isotonic fit of the errors
    /// of out-of-fold predictions against the distance, node by node. It needs predictions, so
    /// [`Learner`](crate::Learner) sets it on a grown tree, and it does not work with
    /// `hard_middle` routing. Not clamped: if every prediction is a gamble, every row is flagged.
    CostOptimal {
        /// The cost of a flag, as a share of the cost of a wrong prediction; between 0 and 1.
        cost_ratio: f64,
    },
}

/// Which gain [`ZoneKind::GainRatio`] uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GainKind {
    /// The gain of the criterion the tree was grown with (the published results).
    Criterion,
    /// Information gain in bits, whatever the criterion (the paper's text).
    Information,
}

/// The number of resamples that [`ZoneKind::NodeBootstrap`] draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resamples {
    /// 20 for training sets below 2,000 rows, 15 below 10,000, else 10.
    Auto,
    /// A fixed number.
    Count(u32),
}

/// The estimator, the clamp and the scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneParams {
    /// The estimator.
    pub kind: ZoneKind,
    /// The largest half-width, as a share of the feature's range at the node.
    pub max_fraction: f64,
    /// Factor on all half-widths, applied after the clamp.
    pub scale: f64,
    /// The number of standard errors within which a category is undecided.
    pub category_error: f64,
}

impl ZoneKind {
    /// Every kind with its default settings; `specified` has no half-widths yet.
    #[must_use]
    pub fn all() -> [Self; 9] {
        let [plateau, overlap, gain, bootstrap, margin] = Self::published();
        let specified = Self::Specified { half_widths: Vec::new() };
        let cost_optimal = Self::cost_optimal();
        [
            Self::None,
            specified,
            plateau,
            overlap,
            gain,
            bootstrap,
            margin,
            Self::Spread,
            cost_optimal,
        ]
    }

    /// The estimators of the paper with their published settings, in the paper's order.
    #[must_use]
    pub fn published() -> [Self; 5] {
        [
            Self::quality_plateau(),
            Self::class_overlap(),
            Self::gain_ratio(),
            Self::node_bootstrap(),
            Self::Margin,
        ]
    }

    /// Quality plateau with the published tolerance 0.05.
    #[must_use]
    pub fn quality_plateau() -> Self {
        Self::QualityPlateau { tolerance: 0.05, connected: false }
    }

    /// Class overlap with the published tail 0.10.
    #[must_use]
    pub fn class_overlap() -> Self {
        Self::ClassOverlap { tail: 0.10 }
    }

    /// Gain ratio with the published scale 0.10.
    #[must_use]
    pub fn gain_ratio() -> Self {
        Self::GainRatio { scale: 0.10, gain: GainKind::Criterion }
    }

    /// Node bootstrap with a number of resamples that suits the data.
    #[must_use]
    pub fn node_bootstrap() -> Self {
        Self::NodeBootstrap { resamples: Resamples::Auto }
    }

    /// Cost-optimal zones for a flag that costs a fifth of a wrong prediction.
    #[must_use]
    pub fn cost_optimal() -> Self {
        Self::CostOptimal { cost_ratio: 0.2 }
    }

    /// The name in parameters and files.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Specified { .. } => "specified",
            Self::QualityPlateau { .. } => "quality_plateau",
            Self::ClassOverlap { .. } => "class_overlap",
            Self::GainRatio { .. } => "gain_ratio",
            Self::NodeBootstrap { .. } => "node_bootstrap",
            Self::Margin => "margin",
            Self::Spread => "spread",
            Self::CostOptimal { .. } => "cost_optimal",
        }
    }

    /// True if half-widths depend on predictions, which do not exist while growing.
    #[must_use]
    pub fn needs_predictions(&self) -> bool {
        matches!(self, Self::CostOptimal { .. })
    }

    /// True if half-widths come from the rows of the split, so that the clamp applies.
    pub(crate) fn is_estimated(&self) -> bool {
        !matches!(self, Self::None | Self::Specified { .. } | Self::CostOptimal { .. })
    }
}

impl Default for ZoneParams {
    fn default() -> Self {
        Self { kind: ZoneKind::Margin, max_fraction: 0.25, scale: 1.0, category_error: 2.0 }
    }
}

impl From<ZoneKind> for ZoneParams {
    fn from(kind: ZoneKind) -> Self {
        Self { kind, ..Self::default() }
    }
}

/// The largest number of standard errors: beyond it every category is undecided anyway.
const LARGEST_CATEGORY_ERROR: f64 = 1e9;

impl ZoneParams {
    /// The number of standard errors within which a category is undecided: none without zones.
    pub(crate) fn category_error(&self) -> f64 {
        if self.kind == ZoneKind::None { 0.0 } else { self.category_error }
    }

    /// Checks every setting that can be checked without data.
    ///
    /// # Errors
    /// The first one out of range, with its name, its value and what is allowed.
    pub fn check(&self) -> Result<()> {
        check_range("max_zone_fraction", self.max_fraction, 0.0, 1.0)?;
        check_range("zone_scale", self.scale, 0.0, f64::MAX)?;
        check_range("category_error", self.category_error, 0.0, LARGEST_CATEGORY_ERROR)?;
        match &self.kind {
            ZoneKind::None | ZoneKind::Margin | ZoneKind::Spread => Ok(()),
            ZoneKind::CostOptimal { cost_ratio } if *cost_ratio > 0.0 && *cost_ratio < 1.0 => {
                Ok(())
            }
            ZoneKind::CostOptimal { cost_ratio } => {
                Err(parameter("cost_ratio", cost_ratio, "a number between 0 and 1, both excluded"))
            }
            ZoneKind::Specified { half_widths } => half_widths
                .iter()
                .try_for_each(|&width| check_range("specified_half_widths", width, 0.0, f64::MAX)),
            ZoneKind::QualityPlateau { tolerance, .. } => {
                check_range("plateau_tolerance", *tolerance, 0.0, 1.0)
            }
            ZoneKind::ClassOverlap { tail } => check_range("overlap_tail", *tail, 0.0, 0.5),
            ZoneKind::GainRatio { scale, .. } => check_range("gain_scale", *scale, 0.0, f64::MAX),
            ZoneKind::NodeBootstrap { resamples: Resamples::Count(count) } => {
                if (2..=10_000).contains(count) {
                    return Ok(());
                }
                Err(parameter("n_bootstraps", count, "from 2 to 10000, or auto"))
            }
            ZoneKind::NodeBootstrap { resamples: Resamples::Auto } => Ok(()),
        }
    }

    /// Rejects kinds that cannot be estimated while growing.
    pub(crate) fn check_growing(&self) -> Result<()> {
        if !self.kind.needs_predictions() {
            return Ok(());
        }
        let allowed = "any other kind where zones are estimated while growing; \
                       use a Learner with probabilistic or deferred routing";
        Err(parameter("zone", self.kind.as_str(), allowed))
    }

    /// Checks what depends on the number of features.
    pub(crate) fn check_features(&self, n_features: usize) -> Result<()> {
        match &self.kind {
            ZoneKind::Specified { half_widths } => check_length(
                "specified_half_widths",
                half_widths.len(),
                n_features,
                "one per feature",
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knobs_out_of_range_are_named() {
        let cases = [
            (
                ZoneKind::QualityPlateau { tolerance: 1.5, connected: false },
                "plateau_tolerance is 1.5",
            ),
            (ZoneKind::ClassOverlap { tail: 0.6 }, "overlap_tail is 0.6"),
            (ZoneKind::GainRatio { scale: -1.0, gain: GainKind::Criterion }, "gain_scale is -1"),
            (ZoneKind::NodeBootstrap { resamples: Resamples::Count(1) }, "n_bootstraps is 1"),
            (ZoneKind::Specified { half_widths: vec![f64::NAN] }, "specified_half_widths is NaN"),
            (ZoneKind::CostOptimal { cost_ratio: 0.0 }, "cost_ratio is 0"),
            (ZoneKind::CostOptimal { cost_ratio: f64::NAN }, "cost_ratio is NaN"),
        ];
        for (kind, expected) in cases {
            let error = ZoneParams::from(kind).check().unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let error = ZoneParams { scale: f64::NAN, ..ZoneParams::default() }.check().unwrap_err();
        assert!(error.to_string().starts_with("zone_scale is NaN"), "{error}");
        let error = ZoneParams { max_fraction: 2.0, ..ZoneParams::default() }.check().unwrap_err();
        assert!(error.to_string().starts_with("max_zone_fraction is 2"), "{error}");
    }
}
