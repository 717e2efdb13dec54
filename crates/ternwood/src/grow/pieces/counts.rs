//! Class counts as they are sent.

use super::reply::mismatch;
use crate::error::Result;
use crate::grow::classes::{Classes, RealCell};
use crate::grow::target::Cell;
use serde::{Deserialize, Serialize};

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
