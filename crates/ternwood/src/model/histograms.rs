//! How the training rows lie along every test, kept on request: for pictures of a model without its data.

use super::{Model, SingleTree};
use crate::dataset::{DatasetView, as_trained};
use crate::error::{ErrorKind, Result};
use crate::tree::{NodeId, Split, Tree};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The rows of every split with a threshold, by rounded value and class.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Histograms(Vec<NodeHistogram>);

/// The rows of one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a histogram")]
pub struct NodeHistogram {
    /// The split's node.
    pub node: u32,
    /// Value, class id and number of rows, by ascending value and class. The ten smallest and the ten
    /// greatest values count as the innermost of them; between these, values are rounded to [`CELLS`]
    /// steps, but never across the threshold, and whole numbers of a small range are as they were.
    pub values: Vec<(f64, u32, u32)>,
    /// How many rows have no value.
    pub missing: u32,
}

/// The number of values at each end that are not told apart: no single row shows.
const PER_END: usize = 10;

/// The number of steps that values are rounded to.
pub const CELLS: usize = 64;

impl Histograms {
    /// The histogram of a node, if it is a split with a threshold.
    #[must_use]
    pub fn of_node(&self, node: u32) -> Option<&NodeHistogram> {
        let place = self.0.binary_search_by_key(&node, |histogram| histogram.node).ok()?;
        Some(&self.0[place])
    }

    fn of(tree: &Tree, data: &DatasetView<'_>) -> Self {
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); tree.n_nodes()];
        // Rows without weight, and those of a class without, trained nothing.
        let counts = |row: &u32| {
            let row = *row as usize;
            let class = data.labels()[row] as usize;
            data.weights().is_none_or(|weights| weights[row] > 0.0)
                && tree.class_rows(NodeId::ROOT)[class] > 0
        };
        rows[0] = (0..data.n_rows() as u32).filter(counts).collect();
        let mut histograms = Vec::new();
        for id in tree.ids() {
            let own = std::mem::take(&mut rows[id.index()]);
            let Some(split) = tree.node(id).as_split() else { continue };
            let column = data.matrix().column(split.test.feature().0);
            let value = |row: u32| as_trained(column.at(row as usize));
            for &row in &own {
                if let Some(child) = split.trained_child(value(row)) {
                    rows[child.index()].push(row);
                }
            }
            let labelled = own.iter().map(|&row| (value(row), data.labels()[row as usize]));
            let labelled: Vec<(f64, u32)> = labelled.collect();
            histograms.extend(NodeHistogram::of(id.0, split, &labelled));
        }
        Self(histograms)
    }

    /// Checks that a tree has these splits, and as many rows.
    pub(super) fn check(&self, model: SingleTree<'_>) -> Result<()> {
        let tree = model.tree();
        let problem = |node: u32, problem: String| -> Result<()> {
            Err(ErrorKind::Tree { node: node as usize, problem }.into())
        };
        let mut last = None;
        for NodeHistogram { node, values, missing } in &self.0 {
            if last.is_some_and(|last| last >= *node) || *node as usize >= tree.n_nodes() {
                return problem(*node, "its histogram is out of order".to_owned());
            }
            last = Some(*node);
            let id = NodeId(*node);
            if tree.node(id).as_split().is_none_or(|split| split.test.zone().is_none()) {
                return problem(*node, "it has a histogram, but no threshold".to_owned());
            }
            let is_good = |&(x, class, rows): &(f64, u32, u32)| {
                x.is_finite() && (class as usize) < tree.n_classes() && rows > 0
            };
            let in_order = |pair: &[(f64, u32, u32)]| {
                pair[0].0 < pair[1].0 || (pair[0].0 == pair[1].0 && pair[0].1 < pair[1].1)
            };
            if !values.iter().all(is_good) || !values.windows(2).all(in_order) {
                return problem(*node, "its histogram has impossible values".to_owned());
            }
            let rows: u64 = values.iter().map(|value| u64::from(value.2)).sum();
            if rows + u64::from(*missing) > u64::from(tree.rows(id)) {
                return problem(*node, "its histogram has more rows than the node".to_owned());
            }
        }
        Ok(())
    }
}

impl NodeHistogram {
    /// `None` without a threshold, for few rows, and where numbers are too large to be rounded.
    fn of(node: u32, split: &Split, rows: &[(f64, u32)]) -> Option<Self> {
        let threshold = split.test.zone()?.threshold();
        let present = || rows.iter().filter(|row| !row.0.is_nan());
        let mut sorted: Vec<f64> = present().map(|row| row.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let inner = sorted.get(PER_END - 1..=sorted.len().checked_sub(PER_END)?)?;
        let (&low, &high) = inner.first().zip(inner.last())?;
        let whole = high - low <= CELLS as f64 / 2.0 && present().all(|row| row.0.fract() == 0.0);
        let step = (high - low) / CELLS as f64;
        if !whole && !step.is_finite() {
            return None;
        }
        let rounded = |x: f64| {
            let mut shown = x.clamp(low, high);
            if !whole && step > 0.0 {
                let cell = ((shown - low) / step).floor().min(CELLS as f64 - 1.0);
                shown = low + (cell + 0.5) * step;
            }
            if x <= threshold { shown.min(threshold) } else { shown.max(threshold.next_up()) }
        };
        let mut counts: BTreeMap<(Ordered, u32), u32> = BTreeMap::new();
        for &(x, class) in present() {
            *counts.entry((Ordered(rounded(x) + 0.0), class)).or_default() += 1;
        }
        let values = counts.into_iter().map(|((x, class), rows)| (x.0, class, rows)).collect();
        let missing = rows.len() - present().count();
        Some(Self { node, values, missing: missing as u32 })
    }
}

/// A number in a map.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Model {
    /// The same model with the histograms of these rows, which should be those it was trained on:
    /// pictures of it then show how they lie along every test. What they tell of single rows is their
    /// rounded value and their class; the outermost ten values at each end are not told apart.
    ///
    /// # Errors
    /// A forest; another number of features or classes; or more rows than the tree was trained on.
    pub fn with_histograms<'a>(mut self, data: impl Into<DatasetView<'a>>) -> Result<Self> {
        let data = data.into();
        self.check_shape(&data)?;
        let histograms = Histograms::of(self.single_tree()?.tree(), &data);
        histograms.check(self.single_tree()?)?;
        self.histograms = Some(histograms);
        Ok(self)
    }

    /// How its training rows lie along every test, if it was asked to keep that.
    #[must_use]
    pub fn histograms(&self) -> Option<&Histograms> {
        self.histograms.as_ref()
    }

    pub(super) fn with_read_histograms(mut self, histograms: Option<Histograms>) -> Result<Self> {
        if let Some(histograms) = &histograms {
            histograms.check(self.single_tree()?)?;
        }
        self.histograms = histograms;
        Ok(self)
    }
}
