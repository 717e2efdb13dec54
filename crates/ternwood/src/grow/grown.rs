//! A grown tree that keeps its training rows, so that zones can be estimated on it.

use super::classes::{ClassTraining, Classes};
use super::evidence::{EvidenceRules, SplitEvidence};
use super::neighbours;
use super::nodes::{GrownNode, GrownSplit, preorder};
use super::search::NodeToSplit;
use super::search::binned::BinnedColumns;
use super::summary::Summary;
use super::zones::deviation;
use crate::dataset::Column;
use crate::error::Result;
use crate::exec::Exec;
use crate::recipe::{CheckedParams, MissingValues, ZoneKind, ZoneParams};
use crate::tree::{NodeRecord, NodeRows, Test, Tree, TreeBuilder};
use std::borrow::Cow;
use std::sync::Arc;

/// A two-child tree with the training rows of each node.
///
/// Zones do not affect how a two-child tree grows, so one grown tree serves any number of zone
/// kinds: [`with_zones`](Self::with_zones).
#[derive(Debug)]
pub struct GrownTree<'a> {
    /// In growth order: the root first, children after their parents.
    pub(super) nodes: Vec<GrownNode<Classes>>,
    /// Ordered so that the rows of every node are contiguous.
    pub(super) rows: Vec<u32>,
    pub(super) training: ClassTraining<'a>,
    /// The bins, if the tree was grown on bins.
    pub(super) bins: Option<Arc<BinnedColumns>>,
    pub(super) params: &'a CheckedParams,
    pub(super) rules: EvidenceRules,
    pub(super) exec: Exec,
}

/// A split of a grown tree and the rows that reach it.
pub(crate) struct SplitRows<'t> {
    pub(crate) rows: Cow<'t, [u32]>,
    /// The weighted standard deviation of the feature over these rows.
    pub(crate) deviation: f64,
    column: Column<'t>,
    threshold: f64,
}

impl SplitRows<'_> {
    /// The distance of a row from the threshold, in standard deviations.
    pub(crate) fn distance(&self, row: u32) -> f64 {
        // Halving is exact, and the difference of halves cannot overflow.
        let half_gap = (0.5 * self.column.at(row as usize) - 0.5 * self.threshold).abs();
        half_gap / (0.5 * self.deviation)
    }
}

/// What growing has found out for the estimator of such zones.
fn summary_for<'s>(split: &'s GrownSplit<Classes>, kind: &ZoneKind) -> Option<&'s Summary<f64>> {
    split.summary.as_ref().filter(|summary| *kind == ZoneKind::Spread || summary.is_whole())
}

impl GrownTree<'_> {
    /// The tree with the zones it was grown with. A two-child tree has none.
    #[must_use]
    pub fn tree(&self) -> Tree {
        self.prune(self.unpruned())
    }

    fn prune(&self, tree: Tree) -> Tree {
        if self.params.ccp_alpha > 0.0 { tree.pruned(self.params.ccp_alpha) } else { tree }
    }

    fn unpruned(&self) -> Tree {
        tree_of(&self.nodes, &self.training)
    }

    /// The test of every split with its zone, and the number of rows within, in growth order.
    pub(super) fn zones(&self, zone: &ZoneParams) -> Result<Vec<Option<(Test, u32)>>> {
        self.zones_of((0..self.nodes.len()).collect(), zone, true)
    }

    /// The same for some nodes; rows within are counted only if wanted.
    fn zones_of(
        &self,
        nodes: Vec<usize>,
        zone: &ZoneParams,
        is_counted: bool,
    ) -> Result<Vec<Option<(Test, u32)>>> {
        let tests = self.exec.map(nodes, |index| {
            self.exec.check()?;
            let node = &self.nodes[index];
            let Some(split) = &node.split else { return Ok(None) };
            let evidence = self.evidence(node, split).with_summary(summary_for(split, &zone.kind));
            let test = zone.test_with_zone(&evidence);
            let rows_within = if is_counted { evidence.rows_within(&test) } else { 0 };
            self.exec.check()?;
            Ok(Some((test, rows_within)))
        });
        tests.into_iter().collect()
    }

    /// The same tree with zones estimated on its training rows. Nothing is regrown.
    ///
    /// # Errors
    /// Parameters out of range, zones that need predictions (`cost_optimal`), specified
    /// half-widths of the wrong length, or cancelled.
    pub fn with_zones(&self, zone: &ZoneParams) -> Result<Tree> {
        self.zoned(zone, true)
    }

    /// The same, but the rows within zones are still to be counted.
    pub(crate) fn with_uncounted_zones(&self, zone: &ZoneParams) -> Result<Tree> {
        self.zoned(zone, false)
    }

    fn zoned(&self, zone: &ZoneParams, is_counted: bool) -> Result<Tree> {
        zone.check()?;
        zone.check_growing()?;
        zone.check_features(self.training.n_features())?;
        let tree = self.unpruned();
        if zone.kind == ZoneKind::None && !self.has_unknown_rows() {
            return Ok(self.prune(tree));
        }
        let tests = self.zones_of(self.preorder(), zone, is_counted)?;
        Ok(self.prune(tree.with_tests(tests)))
    }

    /// The same tree with these half-widths, one per node in preorder, scaled as `zone` says.
    pub(crate) fn with_half_widths(&self, half_widths: &[f64], zone: &ZoneParams) -> Tree {
        let tests = self.preorder().into_iter().zip(half_widths).map(|(index, half_width)| {
            let node = &self.nodes[index];
            let split = node.split.as_ref()?;
            let test = split.test.clone().with_half_width(*half_width);
            let test = test.scaled(zone.scale, zone.category_error());
            let rows_within = self.evidence(node, split).rows_within(&test);
            Some((test, rows_within))
        });
        self.prune(self.unpruned().with_tests(tests.collect()))
    }

    /// The same tree with digits for people: of `tree`, which was made from this one.
    pub(super) fn with_digits(&self, tree: Tree) -> Result<Tree> {
        neighbours::with_digits(tree, &self.training, self.bins.as_deref(), &self.exec)
    }

    /// Each node's split at a threshold with the rows that reach it and have a value, in preorder;
    /// `None` for other nodes.
    pub(crate) fn splits(&self) -> Vec<Option<SplitRows<'_>>> {
        let split_rows = |index: usize| {
            let node = &self.nodes[index];
            let split = node.split.as_ref()?;
            let threshold = split.choice.test.zone()?.threshold();
            let summary = summary_for(split, &ZoneKind::Spread);
            let evidence = self.evidence(node, split).with_summary(summary);
            let deviation = deviation(&evidence);
            let column = self.training.column(split.choice.feature());
            Some(SplitRows { rows: evidence.into_rows(), column, threshold, deviation })
        };
        self.preorder().into_iter().map(split_rows).collect()
    }

    fn evidence<'s>(
        &'s self,
        node: &'s GrownNode<Classes>,
        split: &'s GrownSplit<Classes>,
    ) -> SplitEvidence<'s> {
        let rows = &self.rows[node.range.clone()];
        let to_split = NodeToSplit { rows, tally: &node.tally, key: node.key };
        SplitEvidence::new(&self.training, self.rules, to_split, split.choice.clone())
            .cancelled_by(&self.exec)
            .with_bins(self.bins.as_deref().filter(|_| !self.training.has_weights()))
    }

    /// True if some rows may have trained no child, because their value was unknown.
    fn has_unknown_rows(&self) -> bool {
        self.params.missing == MissingValues::Unknown || self.params.min_samples_category > 1
    }

    /// The nodes in the order of the finished tree.
    fn preorder(&self) -> Vec<usize> {
        preorder(&self.nodes)
    }
}

/// The tree of grown nodes, with the zones they were grown with. Of the training set, only class weights
/// are read.
pub(super) fn tree_of(nodes: &[GrownNode<Classes>], training: &ClassTraining<'_>) -> Tree {
    let three_child = nodes[0].split.as_ref().is_some_and(|split| split.middle.is_some());
    let new = if three_child { TreeBuilder::three_child } else { TreeBuilder::new };
    let mut builder = new(training.n_features(), training.n_classes());
    for index in preorder(nodes) {
        let node = &nodes[index];
        let class_weights = training.weighted(&node.tally.counts);
        let shares: Vec<f64> = class_weights.iter().map(|w| w / node.weight).collect();
        let middle = node.split.as_ref().and_then(|split| split.middle);
        builder.push(&NodeRecord {
            test: node.split.as_ref().map(|split| &split.test),
            rows: NodeRows::OfClasses { rows: &node.tally.rows, weights: &class_weights },
            values: &shares,
            impurity: node.impurity,
            rows_within: middle.map_or(0, |middle| nodes[middle].range.len() as u32),
        });
    }
    builder.finish().expect("a grown tree is valid")
}
