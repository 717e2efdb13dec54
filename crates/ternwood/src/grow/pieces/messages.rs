//! What is sent: questions about the nodes of a tree, the tree so far, and replies with how they merge.

use crate::dataset::Moments;
use crate::error::{Error, ErrorKind, Result};
use crate::grow::classes::{Classes, RealCell};
use crate::grow::target::Cell;
use crate::tree::{Axis, CategoryCut, CategoryPlace, Cut, Missing, Test, Zone};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One thing to know. Nodes are those of the tree that is sent along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Which bins have a single value.
    SingleValued,
    /// Class counts per bin of all features.
    Count { node: u32 },
    /// Class counts per bin of one feature.
    CountFeature { node: u32, feature: u32 },
    /// The rows in some bins, by value and class.
    Look { node: u32, feature: u32, bins: Vec<u16> },
    /// The largest value in the first bin, and the smallest in the second.
    Edge { node: u32, feature: u32, bins: [u16; 2] },
    /// What lies next to the threshold of a split, and its feature's extremes: all in these bins.
    Summary { node: u32, bins: Vec<u16> },
    /// Sums for the spread of a split's feature between its extremes.
    Moments { node: u32, extremes: (f64, f64) },
    /// The number of rows between two edges of a split's feature.
    Within { node: u32, edges: [f64; 2] },
    /// The rows themselves.
    Fetch { node: u32 },
    /// The values next to some cuts of a feature, among all rows; cuts ascend.
    Neighbours { feature: u32, cuts: Vec<f64> },
}

impl Ask {
    /// The node that is asked about, if it is one.
    pub(crate) fn node(&self) -> Option<usize> {
        match self {
            Self::Count { node }
            | Self::CountFeature { node, .. }
            | Self::Look { node, .. }
            | Self::Edge { node, .. }
            | Self::Summary { node, .. }
            | Self::Moments { node, .. }
            | Self::Within { node, .. }
            | Self::Fetch { node } => Some(*node as usize),
            Self::SingleValued | Self::Neighbours { .. } => None,
        }
    }
}

/// The reply to an [`Ask`](super::Ask).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// For each bin of each feature, whether it has a single value.
    SingleValued(Vec<Vec<bool>>),
    /// The counts of each feature that was asked about.
    Counts(Vec<Counts>),
    /// Sorted by value and class.
    Values(Vec<ValueCount>),
    /// The largest value of one bin, and the smallest of another.
    Edge([f64; 2]),
    /// Extremes, and each class's nearest value left and right of the threshold.
    Summary { extremes: (f64, f64), nearest: Vec<[f64; 2]> },
    /// Of each class.
    Moments(Vec<Moments>),
    /// A number of rows.
    Within(u32),
    /// The rows of each piece that has any, in the order of their bytes.
    Rows(Vec<Blob>),
    /// The values next to each cut, on its left and on its right; infinite if there are none.
    Neighbours(Vec<[f64; 2]>),
}

/// Bytes, written in one go.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Blob(pub(crate) Vec<u8>);

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for Blob {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl serde::de::Visitor<'_> for Bytes {
            type Value = Blob;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Blob, E> {
                Ok(Blob(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// An answer that does not belong to its question.
pub(crate) fn mismatch(problem: &str) -> Error {
    let problem = format!("an answer does not belong to the question: {problem}");
    ErrorKind::Pieces { problem }.into()
}

impl Reply {
    /// What both pieces know together.
    ///
    /// # Errors
    /// Replies to different asks.
    pub(crate) fn merged(self, other: Self) -> Result<Self> {
        Ok(match (self, other) {
            (Self::SingleValued(mut one), Self::SingleValued(other)) => {
                same_length(one.len(), other.len())?;
                for (one, other) in one.iter_mut().zip(other) {
                    same_length(one.len(), other.len())?;
                    one.iter_mut().zip(other).for_each(|(one, other)| *one &= other);
                }
                Self::SingleValued(one)
            }
            (Self::Counts(mut one), Self::Counts(other)) => {
                same_length(one.len(), other.len())?;
                one.iter_mut().zip(&other).try_for_each(|(one, other)| one.merge(other))?;
                Self::Counts(one)
            }
            (Self::Values(one), Self::Values(other)) => {
                Self::Values(ValueCount::merged(one, &other))
            }
            (Self::Edge(one), Self::Edge(other)) => Self::Edge(outer(one, other)),
            (
                Self::Summary { extremes: (min, max), nearest: mut one },
                Self::Summary { extremes, nearest: other },
            ) => {
                same_length(one.len(), other.len())?;
                one.iter_mut().zip(other).for_each(|(one, other)| *one = outer(*one, other));
                let [max, min] = outer([max, min], [extremes.1, extremes.0]);
                Self::Summary { extremes: (min, max), nearest: one }
            }
            (Self::Moments(mut one), Self::Moments(other)) => {
                same_length(one.len(), other.len())?;
                one.iter_mut().zip(other).for_each(|(one, other)| *one = one.merged(other));
                Self::Moments(one)
            }
            (Self::Within(one), Self::Within(other)) => Self::Within(one.saturating_add(other)),
            (Self::Rows(mut one), Self::Rows(other)) => {
                one.extend(other);
                one.sort_unstable();
                Self::Rows(one)
            }
            (Self::Neighbours(mut one), Self::Neighbours(other)) => {
                same_length(one.len(), other.len())?;
                one.iter_mut().zip(other).for_each(|(one, other)| *one = outer(*one, other));
                Self::Neighbours(one)
            }
            _ => return Err(mismatch("two pieces replied to different asks")),
        })
    }
}

/// The larger of the first numbers, and the smaller of the second. Zeros lose their sign, which would
/// depend on the order.
fn outer(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0].max(other[0]) + 0.0, one[1].min(other[1]) + 0.0]
}

fn same_length(one: usize, other: usize) -> Result<()> {
    if one == other { Ok(()) } else { Err(mismatch("two pieces replied at different lengths")) }
}

/// The cells of one feature, `bin * n_classes + class`: rows, and weights where they are not rows.
///
/// Where a piece has few rows of a node, most cells are empty: these are sent as runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub(crate) struct Counts {
    rows: Vec<u32>,
    /// In units of the weights' grid; empty if every row counts once.
    units: Vec<u64>,
}

/// All rows with the same value and class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ValueCount {
    pub(crate) value: f64,
    pub(crate) class: u32,
    pub(crate) rows: u32,
    pub(crate) units: u64,
}

/// Counts as they are sent: a 0 is followed by the number of empty cells that it stands for, and empty
/// cells have no weight.
#[derive(Serialize, Deserialize)]
struct Packed {
    n_cells: u32,
    rows: Vec<u32>,
    units: Option<Vec<u64>>,
}

impl From<Counts> for Packed {
    fn from(counts: Counts) -> Self {
        let mut rows = Vec::new();
        for run in counts.rows.chunk_by(|a, b| *a == 0 && *b == 0) {
            match run[0] {
                0 => rows.extend([0, run.len() as u32]),
                filled => rows.push(filled),
            }
        }
        let cells = counts.rows.iter().zip(&counts.units).filter(|(rows, _)| **rows > 0);
        let units = (!counts.units.is_empty()).then(|| cells.map(|(_, &units)| units).collect());
        Self { n_cells: counts.rows.len() as u32, rows, units }
    }
}

impl TryFrom<Packed> for Counts {
    type Error = &'static str;

    fn try_from(packed: Packed) -> Result<Self, Self::Error> {
        /// More cells are a mistake, and would take all memory.
        const MOST_CELLS: u32 = 1 << 28;
        if packed.n_cells > MOST_CELLS {
            return Err("it counts too many bins");
        }
        let n_cells = packed.n_cells as usize;
        let mut rows = Vec::with_capacity(n_cells);
        let mut sent = packed.rows.into_iter();
        while let Some(filled) = sent.next() {
            match filled {
                0 => {
                    let run = sent.next().unwrap_or(0) as usize;
                    rows.resize((rows.len() + run).min(n_cells + 1), 0);
                }
                filled => rows.push(filled),
            }
            if rows.len() > n_cells {
                return Err("it counts more bins than there are");
            }
        }
        let n_filled = rows.iter().filter(|&&rows| rows > 0).count();
        let units = match packed.units {
            None => Vec::new(),
            Some(units) if units.len() == n_filled => {
                let mut units = units.into_iter();
                let unit = |&rows: &u32| if rows > 0 { units.next().unwrap_or(0) } else { 0 };
                rows.iter().map(unit).collect()
            }
            Some(_) => return Err("it has weights of no rows"),
        };
        match rows.len() == n_cells {
            true => Ok(Self { rows, units }),
            false => Err("it counts fewer bins than there are"),
        }
    }
}

impl Counts {
    /// From cells whose weights are multiples of `unit`; `None` if every row counts once.
    pub(super) fn new<T: Cell<Target = Classes>>(cells: &[T], unit: Option<f64>) -> Self {
        let units = unit.map(|unit| cells.iter().map(move |cell| (cell.sum() / unit) as u64));
        Self {
            rows: cells.iter().map(|cell| cell.n_rows()).collect(),
            units: units.map_or_else(Vec::new, Iterator::collect),
        }
    }

    /// True if there are so many cells.
    pub(super) fn has_length(&self, n_cells: usize) -> bool {
        self.rows.len() == n_cells && [0, n_cells].contains(&self.units.len())
    }

    /// The cells; weights are multiples of `unit`.
    pub(super) fn cells(&self, unit: f64) -> Vec<RealCell> {
        if self.units.is_empty() {
            return self.rows.iter().map(|&rows| RealCell::new(rows, rows.into())).collect();
        }
        let cells = self.rows.iter().zip(&self.units);
        cells.map(|(&rows, &units)| RealCell::new(rows, units as f64 * unit)).collect()
    }

    /// Adds the counts of other rows.
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        self.combine(other, u32::saturating_add, u64::saturating_add)
    }

    /// Takes away the counts of some of the rows.
    pub(super) fn subtract(&mut self, other: &Self) -> Result<()> {
        self.combine(other, u32::saturating_sub, u64::saturating_sub)
    }

    fn combine(
        &mut self,
        other: &Self,
        rows: impl Fn(u32, u32) -> u32,
        units: impl Fn(u64, u64) -> u64,
    ) -> Result<()> {
        if self.rows.len() != other.rows.len() || self.units.len() != other.units.len() {
            return Err(mismatch("counts of other bins"));
        }
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, &b)| *a = rows(*a, b));
        self.units.iter_mut().zip(&other.units).for_each(|(a, &b)| *a = units(*a, b));
        Ok(())
    }
}

impl ValueCount {
    /// Joins two lists that are sorted by value and class.
    pub(super) fn merged(one: Vec<Self>, other: &[Self]) -> Vec<Self> {
        let mut all = Vec::with_capacity(one.len() + other.len());
        all.extend(one);
        all.extend_from_slice(other);
        Self::sort_and_sum(&mut all);
        all
    }

    /// Sorts by value and class, and makes one of those that are the same.
    pub(super) fn sort_and_sum(counts: &mut Vec<Self>) {
        // Two sorted runs take one pass.
        counts.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.class.cmp(&b.class)));
        counts.dedup_by(|next, kept| {
            let same = next.value.to_bits() == kept.value.to_bits() && next.class == kept.class;
            if same {
                kept.rows = kept.rows.saturating_add(next.rows);
                kept.units = kept.units.saturating_add(next.units);
            }
            same
        });
    }
}

/// A node of the tree so far. Children come after their parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Route {
    /// Rows stay here.
    Leaf,
    /// Rows go on to one of two children.
    Split { test: TestRecord, left: u32, right: u32 },
}

/// A test as plain data, to the last bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TestRecord {
    feature: u32,
    /// Whether missing values go left; `None` where they are unknown.
    missing_left: Option<bool>,
    cut: CutRecord,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum CutRecord {
    Threshold { threshold: f64, half_width: f64 },
    Categories { axis: AxisRecord, threshold: f64, error: f64, places: Vec<(u32, u32, f64, f64)> },
    Present,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum AxisRecord {
    ClassShare(u32),
    Direction(Vec<f64>),
}

impl From<&Test> for TestRecord {
    fn from(test: &Test) -> Self {
        let cut = match test.cut() {
            Cut::Threshold { zone, .. } => {
                CutRecord::Threshold { threshold: zone.threshold(), half_width: zone.half_width() }
            }
            Cut::Categories(cut) => CutRecord::Categories {
                axis: match cut.axis() {
                    Axis::ClassShare(class) => AxisRecord::ClassShare(*class),
                    Axis::Direction(direction) => AxisRecord::Direction(direction.clone()),
                },
                threshold: cut.threshold(),
                error: cut.error(),
                places: cut
                    .places()
                    .iter()
                    .map(|place| (place.category, place.rows, place.position, place.standard_error))
                    .collect(),
            },
            Cut::Present => CutRecord::Present,
        };
        let missing_left = match test.missing() {
            Missing::Unknown => None,
            side => Some(side == Missing::Left),
        };
        Self { feature: test.feature().0, missing_left, cut }
    }
}

impl TestRecord {
    /// The test.
    ///
    /// # Errors
    /// Numbers that no test has.
    pub(crate) fn test(&self, n_features: usize) -> Result<Test> {
        if self.feature as usize >= n_features {
            let problem = format!("a test of feature {} of {n_features}", self.feature);
            return Err(ErrorKind::Pieces { problem }.into());
        }
        let test = match &self.cut {
            CutRecord::Threshold { threshold, half_width } => {
                Test::new(self.feature, Zone::new(*threshold, *half_width)?)
            }
            CutRecord::Categories { axis, threshold, error, places } => {
                let axis = match axis {
                    AxisRecord::ClassShare(class) => Axis::ClassShare(*class),
                    AxisRecord::Direction(direction) => Axis::Direction(direction.clone()),
                };
                let place = |&(category, rows, position, standard_error): &(_, _, _, _)| {
                    CategoryPlace { category, rows, position, standard_error }
                };
                let places = places.iter().map(place).collect();
                let cut = CategoryCut::new(axis, *threshold, *error, places)?;
                Test::of_categories(self.feature, cut)
            }
            CutRecord::Present => Test::is_present(self.feature),
        };
        Ok(test.with_missing(match self.missing_left {
            None => Missing::Unknown,
            Some(true) => Missing::Left,
            Some(false) => Missing::Right,
        }))
    }
}
