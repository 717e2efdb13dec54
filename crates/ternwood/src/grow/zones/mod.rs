//! The zone estimators, one file each.
//!
//! An estimator turns the winning column of a node into a half-width. The shared steps are here:
//! the clamp to a fraction of the column's range at the node, then the scale.

mod class_overlap;
mod gain_ratio;
mod lowest_best;
mod margin;
pub(super) mod node_bootstrap;
mod quality_plateau;
mod resample;
mod spread;

pub(super) use spread::deviation;

use super::classes::Classes;
use super::evidence::{EvidenceRules, Outside, SplitEvidence};
use super::node_loop::rules::NodeZones;
use super::search::binned::BinnedColumns;
use super::search::{NodeToSplit, SearchRules, SplitChoice};
use crate::exec::Exec;
use crate::recipe::{ZoneKind, ZoneParams};
use crate::tree::{Cut, Test};

/// Zones that decide which rows grow a middle child.
pub(super) struct ClassZones<'a> {
    pub(super) zone: &'a ZoneParams,
    pub(super) rules: EvidenceRules,
    pub(super) exec: &'a Exec,
}

impl NodeZones<Classes> for ClassZones<'_> {
    fn test(
        &self,
        search: &SearchRules<'_, Classes>,
        node: NodeToSplit<'_, Classes>,
        choice: &SplitChoice,
        bins: Option<&BinnedColumns>,
    ) -> Option<Test> {
        let evidence = SplitEvidence::new(search.training, self.rules, node, choice.clone())
            .cancelled_by(self.exec)
            .with_bins(bins.filter(|_| !search.training.has_weights()));
        let test = self.zone.test_with_zone(&evidence);
        let Outside { rows, weights } = evidence.outside(&test);
        search.limits.allow(rows, weights).then_some(test)
    }
}

impl ZoneParams {
    /// The test of a split with its zone.
    pub(crate) fn test_with_zone(&self, evidence: &SplitEvidence<'_>) -> Test {
        let test = evidence.test().clone();
        match test.cut() {
            Cut::Threshold { .. } => test.with_half_width(self.half_width(evidence)),
            Cut::Categories(_) => test.scaled(1.0, self.category_error()),
            Cut::Present => test,
        }
    }

    /// The half-width of a split at a threshold: estimated, clamped, scaled; always finite.
    pub(crate) fn half_width(&self, evidence: &SplitEvidence<'_>) -> f64 {
        let mut half_width = match &self.kind {
            ZoneKind::None => 0.0,
            ZoneKind::Specified { half_widths } => half_widths[evidence.feature() as usize],
            ZoneKind::QualityPlateau { tolerance, connected } => {
                quality_plateau::half_width(evidence, *tolerance, *connected)
            }
            ZoneKind::ClassOverlap { tail } => class_overlap::half_width(evidence, *tail),
            ZoneKind::GainRatio { scale, gain } => gain_ratio::half_width(evidence, *scale, *gain),
            ZoneKind::NodeBootstrap { resamples } => {
                node_bootstrap::half_width(evidence, *resamples)
            }
            ZoneKind::Margin => margin::half_width(evidence),
            ZoneKind::Spread => spread::half_width(evidence),
            // Set later, from predictions; until then there is no zone.
            ZoneKind::CostOptimal { .. } => 0.0,
        };
        if self.kind.is_estimated() {
            half_width = half_width.min(evidence.share_of_range(self.max_fraction));
        }
        // Finite before scaling too: infinity times 0 is NaN.
        (half_width.min(f64::MAX) * self.scale).min(f64::MAX)
    }
}

/// Half the distance between two finite numbers, finite even if the distance overflows.
fn half_distance(low: f64, high: f64) -> f64 {
    let distance = high - low;
    if distance.is_finite() { distance / 2.0 } else { high / 2.0 - low / 2.0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Labels};
    use crate::grow::classes::ClassTraining;
    use crate::grow::search::{SideLimits, best_split_by_scan};
    use crate::grow::stream::NodeKey;
    use crate::recipe::{Criterion, GainKind, TreeParams};

    /// The half-width that `kind` gives the best split of one column, unclamped.
    pub(crate) fn width_of(kind: ZoneKind, rows: &[(f64, i32)]) -> f64 {
        let zone = ZoneParams { kind, max_fraction: 1.0, scale: 1.0, ..ZoneParams::default() };
        weighted_width_of(&zone, rows, None)
    }

    /// The half-width of the best split of one column with sample weights.
    pub(crate) fn weighted_width_of(
        zone: &ZoneParams,
        rows: &[(f64, i32)],
        weights: Option<&[f64]>,
    ) -> f64 {
        let mut width = 0.0;
        with_weighted_evidence(rows, weights, |evidence| width = zone.half_width(evidence));
        width
    }

    /// Shows the best split of one column to `look`.
    pub(crate) fn with_evidence(rows: &[(f64, i32)], look: impl FnOnce(&SplitEvidence<'_>)) {
        with_weighted_evidence(rows, None, look);
    }

    fn with_weighted_evidence(
        rows: &[(f64, i32)],
        weights: Option<&[f64]>,
        look: impl FnOnce(&SplitEvidence<'_>),
    ) {
        let columns = Columns::from_columns(rows.iter().map(|row| row.0).collect(), 1).unwrap();
        let labels = Labels::from_values(rows.iter().map(|row| row.1));
        let mut data = Dataset::new(columns, labels).unwrap();
        if let Some(weights) = weights {
            data = data.with_weights(weights).unwrap();
        }
        let params = TreeParams::default().check().unwrap();
        let training = ClassTraining::of(&data, &params).unwrap();
        let limits = SideLimits { rows: 1, weight: 0.0 };
        let tally = training.tally(training.rows());
        let node = NodeToSplit { rows: training.rows(), tally: &tally, key: NodeKey::root() };
        let exec = Exec::default();
        let search = SearchRules::for_counting(&training, &exec);
        let choice = best_split_by_scan(search, node).expect("the rows can be split");
        let training_weight = training.weighted(&tally.counts).iter().sum();
        let rules = EvidenceRules { criterion: Criterion::Gini, limits, seed: 0, training_weight };
        look(&SplitEvidence::new(&training, rules, node, choice));
    }

    /// Two overlapping classes: 0 0 0 1 0 1 1 1 at 1..=8.
    pub(crate) const OVERLAP: [(f64, i32); 8] =
        [(1.0, 0), (2.0, 0), (3.0, 0), (4.0, 1), (5.0, 0), (6.0, 1), (7.0, 1), (8.0, 1)];

    #[test]
    fn the_clamp_comes_before_the_scale() {
        // Gain ratio with a huge knob is clamped to 25 % of the range 7, then doubled.
        let kind = ZoneKind::GainRatio { scale: 100.0, gain: GainKind::Criterion };
        let zone = ZoneParams { kind, max_fraction: 0.25, scale: 2.0, ..ZoneParams::default() };
        assert_eq!(weighted_width_of(&zone, &OVERLAP, None), 2.0 * 0.25 * 7.0);
    }

    #[test]
    fn a_specified_width_is_neither_estimated_nor_clamped() {
        let kind = ZoneKind::Specified { half_widths: vec![50.0] };
        let zone = ZoneParams { kind, max_fraction: 0.25, scale: 1.5, ..ZoneParams::default() };
        assert_eq!(weighted_width_of(&zone, &OVERLAP, None), 75.0);
        assert_eq!(width_of(ZoneKind::None, &OVERLAP), 0.0);
    }

    #[test]
    fn widths_stay_finite_where_ranges_overflow() {
        let rows = [(-1.7e308, 0), (-1.6e308, 0), (1.5e308, 1), (1.6e308, 0), (1.7e308, 1)];
        for kind in ZoneKind::published().into_iter().chain([ZoneKind::Spread]) {
            let zone = ZoneParams { kind, max_fraction: 0.25, scale: 3.0, ..ZoneParams::default() };
            let width = weighted_width_of(&zone, &rows, None);
            assert!(width.is_finite() && width >= 0.0, "{zone:?}: {width}");
            // Quarter of the range is 0.25 * 1.7e308 + 0.25 * 1.7e308 = 0.85e308.
            assert!(width <= 3.0 * 0.86e308 || width == f64::MAX, "{zone:?}: {width}");
        }
    }
}
