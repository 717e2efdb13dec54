//! The zone of a split, from what pieces say about its feature.

use super::growth::Growth;
use super::messages::Ask;
use super::messages::{Counts, ValueCount};
use super::messages::{Reply, mismatch};
use super::tasks::{Task, check_tally};
use crate::error::Result;
use crate::grow::classes::{RealCell, Tally};
use crate::grow::deviation::Weights;
use crate::grow::evidence::rows_by_bin::RowsByBin;
use crate::grow::evidence::{Entry, SplitEvidence};
use crate::grow::search::NodeToSplit;
use crate::grow::search::binned::bins_next_to;
use crate::grow::summary::Summary;
use crate::grow::target::Cell;
use crate::recipe::ZoneKind;
use crate::tree::{Cut, Missing, Side, Test};
use std::collections::{BTreeMap, BTreeSet};

/// A split whose zone is not known yet.
#[derive(Debug)]
pub(super) struct ZoneTask {
    node: usize,
    /// The counts of the split's feature.
    counts: Option<Counts>,
    summary: Option<Summary<f64>>,
    /// The values of some bins.
    entries: BTreeMap<usize, Vec<Entry>>,
    /// Bins whose values are needed too.
    absent: BTreeSet<usize>,
    /// The test with its zone, when only the rows within are to be counted.
    test: Option<Test>,
}

impl ZoneTask {
    /// For a split that was just made, with the counts of its feature.
    pub(super) fn begin(growth: &mut Growth, node: usize, counts: Counts) -> Result<()> {
        let Some(split) = &growth.nodes[node].split else { return Ok(()) };
        let (test, feature) = (split.choice.test.clone(), split.choice.feature());
        match test.cut() {
            Cut::Threshold { .. } => {
                let mut task = Self::new(node);
                task.counts = Some(counts);
                task.go_on(growth)
            }
            Cut::Categories(_) | Cut::Present => {
                let test = match test.cut() {
                    Cut::Present => test,
                    _ => test.scaled(1.0, growth.params.zone.category_error()),
                };
                let rows_within = growth.unsure_rows(&test, feature, &counts);
                growth.zones[node] = Some((test, rows_within));
                Ok(())
            }
        }
    }

    /// For a split about whose zone nothing is known.
    pub(super) fn new(node: usize) -> Self {
        Self {
            node,
            counts: None,
            summary: None,
            entries: BTreeMap::new(),
            absent: BTreeSet::new(),
            test: None,
        }
    }

    pub(super) fn ask(&self, growth: &Growth) -> Ask {
        let node = self.node as u32;
        let feature = growth.feature_of(self.node);
        if let Some(edges) = self.test.as_ref().and_then(|test| test.edges(true)) {
            return Ask::Within { node, edges: [edges.lower, edges.upper] };
        }
        let Some(counts) = &self.counts else { return Ask::CountFeature { node, feature } };
        let Some(summary) = &self.summary else {
            let bins = growth.bins_next_to(self.node, counts);
            return Ask::Summary { node, bins };
        };
        if self.absent.is_empty() {
            return Ask::Moments { node, extremes: summary.extremes };
        }
        Ask::Look { node, feature, bins: self.absent.iter().map(|&bin| bin as u16).collect() }
    }

    /// About how many bytes the reply will have.
    pub(super) fn reply_bytes(&self, growth: &Growth) -> u64 {
        let n_rows = growth.nodes[self.node].tally.n_rows() as u64;
        let n_bins = growth.bins.n_bins(growth.feature_of(self.node)) as u64;
        100 + 12 * self.absent.len() as u64 * n_rows / n_bins.max(1)
    }

    pub(super) fn advance(mut self, growth: &mut Growth, reply: Reply) -> Result<()> {
        let n_classes = growth.class_factors.len();
        match (self.ask(growth), reply) {
            (Ask::Within { .. }, Reply::Within(rows)) => {
                let test = self.test.take();
                growth.zones[self.node] = test.map(|test| (test, rows));
                return Ok(());
            }
            (Ask::CountFeature { feature, .. }, Reply::Counts(mut counts)) => {
                let counts = counts.pop().ok_or_else(|| mismatch("it counts nothing"))?;
                if !counts.has_length(growth.bins.n_bins(feature) * n_classes) {
                    return Err(mismatch("it counts other bins"));
                }
                let cells = counts.cells(growth.setup.weights.unit());
                check_tally(&Tally::of_cells(&cells, n_classes), &growth.nodes[self.node].tally)?;
                self.counts = Some(counts);
            }
            (Ask::Summary { .. }, Reply::Summary { extremes, nearest })
                if nearest.len() == n_classes =>
            {
                let counts = self.counts.as_ref();
                let missing = counts.map(|counts| growth.missing(self.node, counts));
                let missing = missing.unwrap_or_else(|| Tally::empty(n_classes));
                let [left_sums, right_sums] = growth.side_counts(self.node, &missing);
                self.summary = Some(Summary {
                    extremes,
                    nearest_left: nearest.iter().map(|sides| sides[0]).collect(),
                    nearest_right: nearest.iter().map(|sides| sides[1]).collect(),
                    left_sums,
                    right_sums,
                    deviation: None,
                });
            }
            (Ask::Moments { extremes, .. }, Reply::Moments(moments))
                if moments.len() == n_classes =>
            {
                let unit = growth.setup.weights.unit();
                let weights = Weights { factors: &growth.class_factors, unit };
                let deviation = weights.deviation_of(extremes, &moments);
                self.summary =
                    self.summary.map(|summary| Summary { deviation: Some(deviation), ..summary });
            }
            (Ask::Look { feature, .. }, Reply::Values(values)) => {
                let absent = std::mem::take(&mut self.absent);
                absent.into_iter().for_each(|bin| {
                    self.entries.entry(bin).or_default();
                });
                let unit = growth.setup.weights.unit();
                for ValueCount { value, class, rows, units } in values {
                    let bin = usize::from(growth.bins.code_of(feature, value));
                    let Some(entries) = self.entries.get_mut(&bin) else {
                        return Err(mismatch("values of other bins"));
                    };
                    if class as usize >= n_classes {
                        return Err(mismatch("values of no class"));
                    }
                    entries.push(Entry { value, class, rows, count: units as f64 * unit });
                }
            }
            _ => return Err(mismatch("replies to other asks")),
        }
        self.go_on(growth)
    }

    /// Estimates the zone, or finds out what is missing for that.
    fn go_on(mut self, growth: &mut Growth) -> Result<()> {
        let params = growth.params.clone();
        let zone = &params.zone;
        if zone.kind.is_estimated() {
            if self.summary.is_none() {
                growth.tasks.push(Task::Zone(self));
                return Ok(());
            }
            let no_deviation = self.summary.as_ref().is_none_or(|s| s.deviation.is_none());
            if zone.kind == ZoneKind::Spread && no_deviation {
                growth.tasks.push(Task::Zone(self));
                return Ok(());
            }
        }
        let Some(split) = &growth.nodes[self.node].split else { return Ok(()) };
        let training = growth.nowhere();
        let rules = growth.evidence_rules(&training);
        let node = &growth.nodes[self.node];
        let to_split = NodeToSplit { rows: &[], tally: &node.tally, key: node.key };
        let n_classes = growth.class_factors.len();
        let (missing, cells) = match &self.counts {
            Some(counts) => (growth.missing(self.node, counts), growth.present(self.node, counts)),
            None => (Tally::empty(n_classes), Vec::new()),
        };
        let rows: Vec<u32> = cells.iter().map(|cell| cell.n_rows()).collect();
        let weights: Vec<f64> = cells.iter().map(|cell| cell.sum()).collect();
        let feature = split.choice.feature();
        let counted = (rows, Some(weights));
        let by_bin = RowsByBin::elsewhere(&growth.bins, feature, n_classes, counted, &self.entries);
        let evidence = SplitEvidence::new(&training, rules, to_split, split.choice.clone())
            .with_summary(self.summary.as_ref())
            .elsewhere(&missing, by_bin);
        let test = zone.test_with_zone(&evidence);
        let absent = evidence.rows_by_bin().map(RowsByBin::absent).unwrap_or_default();
        drop(evidence);
        if !absent.is_empty() {
            self.absent = absent;
            growth.tasks.push(Task::Zone(self));
        } else if test.has_zone() {
            self.test = Some(test);
            growth.tasks.push(Task::Zone(self));
        } else {
            growth.zones[self.node] = Some((test, 0));
        }
        Ok(())
    }
}

impl Growth {
    fn feature_of(&self, node: usize) -> u32 {
        self.nodes[node].split.as_ref().map_or(0, |split| split.choice.feature())
    }

    /// The cells of a split's feature: those of present values, and those of missing ones.
    fn cells_of(&self, node: usize, counts: &Counts) -> [Vec<RealCell>; 2] {
        let n_present = self.bins.n_present_bins(self.feature_of(node));
        let mut cells = counts.cells(self.setup.weights.unit());
        let missing = cells.split_off(n_present * self.class_factors.len());
        [cells, missing]
    }

    fn present(&self, node: usize, counts: &Counts) -> Vec<RealCell> {
        let [present, _] = self.cells_of(node, counts);
        present
    }

    fn missing(&self, node: usize, counts: &Counts) -> Tally {
        let [_, missing] = self.cells_of(node, counts);
        Tally::of_cells(&missing, self.class_factors.len())
    }

    /// The bins around the threshold of a split, and those of its extremes.
    fn bins_next_to(&self, node: usize, counts: &Counts) -> Vec<u16> {
        let zone = self.nodes[node].split.as_ref().and_then(|split| split.choice.test.zone());
        let at = zone.map_or(0, |zone| self.bins.code_of(self.feature_of(node), zone.threshold()));
        let present = self.present(node, counts);
        let n_classes = self.class_factors.len();
        let bins = bins_next_to(&present, n_classes, n_classes, at.into());
        bins.into_iter().map(|bin| bin as u16).collect()
    }

    /// Class counts left and right of a threshold, without missing values.
    fn side_counts(&self, node: usize, missing: &Tally) -> [Vec<f64>; 2] {
        let Some(split) = &self.nodes[node].split else { return [Vec::new(), Vec::new()] };
        let without = |child: usize, side: Missing| {
            let tally = &self.nodes[child].tally;
            if split.test.missing() == side {
                tally.without(missing).counts
            } else {
                tally.counts.clone()
            }
        };
        [without(split.left, Missing::Left), without(split.right, Missing::Right)]
    }

    /// The rows whose category, or whose lack of one, leaves a test undecided.
    fn unsure_rows(&self, test: &Test, feature: u32, counts: &Counts) -> u32 {
        let n_classes = self.class_factors.len();
        let n_present = self.bins.n_present_bins(feature);
        let cells = counts.cells(self.setup.weights.unit());
        let groups = cells.chunks_exact(n_classes).enumerate();
        let unsure = groups.filter(|&(bin, _)| {
            let value = if bin == n_present { f64::NAN } else { bin as f64 };
            test.side(value) == Side::Within
        });
        unsure.flat_map(|(_, cells)| cells).map(|cell| cell.n_rows()).sum()
    }
}
