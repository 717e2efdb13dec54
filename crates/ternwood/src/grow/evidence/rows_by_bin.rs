//! The rows of a node grouped by the bins of one column, unsorted within a bin.
//!
//! Class counts per bin answer most of what estimators ask of a sorted column. Only a few bins
//! have to be read row by row. If the rows are elsewhere, some of these may not be at hand: they
//! are noted, and whatever was estimated without them is to be thrown away.

use super::split_evidence::Entry;
use crate::dataset::Column;
use crate::grow::classes::ClassTraining;
use crate::grow::classes::Purity;
use crate::grow::search::binned::{BinnedColumns, bins_with_rows_next_to};
use crate::grow::search::scatter;
use crate::tree::{Edges, Side};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Rows that have a value, grouped by bin.
pub(crate) struct RowsByBin<'a> {
    bins: &'a BinnedColumns,
    feature: u32,
    n_classes: usize,
    /// Rows of each class, `rows[bin * n_classes + class]`.
    rows: Vec<u32>,
    /// Their weights, unless all are 1.
    weights: Option<Vec<f64>>,
    starts: Vec<u32>,
    values: Values<'a>,
}

/// Where values come from.
enum Values<'a> {
    /// From rows of weight 1, bin after bin.
    Rows { training: &'a ClassTraining<'a>, column: Column<'a>, by_bin: Vec<u32> },
    /// From bins that are at hand, each sorted by value; the others are noted.
    AtHand { entries: &'a BTreeMap<usize, Vec<Entry>>, absent: RefCell<BTreeSet<usize>> },
}

impl<'a> RowsByBin<'a> {
    /// Groups rows of weight 1 in two passes over their codes: O(n).
    #[inline(never)]
    pub(crate) fn new(
        training: &'a ClassTraining<'a>,
        bins: &'a BinnedColumns,
        feature: u32,
        rows: &[u32],
    ) -> Self {
        let (codes, n_classes) = (bins.codes(feature), training.n_classes());
        let mut counts = vec![0; bins.n_present_bins(feature) * n_classes];
        for &row in rows {
            let bin = usize::from(codes[row as usize]);
            counts[bin * n_classes + training.class_of(row) as usize] += 1;
        }
        let starts = starts(&counts, n_classes);
        let by_bin = scatter(rows, |row| codes[row as usize], &starts);
        let values = Values::Rows { training, column: training.column(feature), by_bin };
        Self { bins, feature, n_classes, rows: counts, weights: None, starts, values }
    }

    /// From the rows and weights of each class in each bin, and the values of some bins.
    pub(crate) fn elsewhere(
        bins: &'a BinnedColumns,
        feature: u32,
        n_classes: usize,
        (rows, weights): (Vec<u32>, Option<Vec<f64>>),
        entries: &'a BTreeMap<usize, Vec<Entry>>,
    ) -> Self {
        let starts = starts(&rows, n_classes);
        let values = Values::AtHand { entries, absent: RefCell::default() };
        Self { bins, feature, n_classes, rows, weights, starts, values }
    }

    /// The bins that were asked for and are not at hand.
    pub(crate) fn absent(&self) -> BTreeSet<usize> {
        match &self.values {
            Values::Rows { .. } => BTreeSet::new(),
            Values::AtHand { absent, .. } => absent.borrow().clone(),
        }
    }

    /// Notes that some bins are to be read, if they are not at hand.
    pub(super) fn want(&self, bins: impl Iterator<Item = usize>) {
        if let Values::AtHand { entries, absent } = &self.values {
            absent.borrow_mut().extend(bins.filter(|bin| !entries.contains_key(bin)));
        }
    }

    /// How many bins are to be read ahead: the more there were, the more will be.
    pub(super) fn ahead(&self) -> usize {
        match &self.values {
            Values::Rows { .. } => 1,
            Values::AtHand { entries, .. } => entries.len().max(4),
        }
    }

    pub(crate) fn n_bins(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bin of a value. Lower bins hold only smaller values, higher bins only larger ones.
    pub(crate) fn bin_of(&self, value: f64) -> usize {
        self.bins.code_of(self.feature, value).into()
    }

    /// The number of rows of each class in a bin.
    fn class_rows(&self, bin: usize) -> &[u32] {
        &self.rows[bin * self.n_classes..][..self.n_classes]
    }

    /// The weight of each class in a bin.
    pub(crate) fn counts(&self, bin: usize) -> Vec<f64> {
        match &self.weights {
            Some(weights) => weights[bin * self.n_classes..][..self.n_classes].to_vec(),
            None => self.class_rows(bin).iter().map(|&rows| f64::from(rows)).collect(),
        }
    }

    pub(crate) fn n_rows(&self, bins: Range<usize>) -> usize {
        (self.starts[bins.end] - self.starts[bins.start]) as usize
    }

    /// The weight of each class in all bins below one.
    pub(super) fn counts_below(&self, bin: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_classes];
        for bin in 0..bin {
            sums.iter_mut().zip(self.counts(bin)).for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    /// The values in a bin with their classes, in no particular order; `None` if not at hand.
    pub(crate) fn values(&self, bin: usize) -> Option<Vec<Entry>> {
        match &self.values {
            Values::Rows { training, column, by_bin } => {
                let rows = &by_bin[self.starts[bin] as usize..self.starts[bin + 1] as usize];
                let entry = |&row: &u32| {
                    let (value, class) = (column.at(row as usize), training.class_of(row));
                    Entry { value, class, rows: 1, count: 1.0 }
                };
                Some(rows.iter().map(entry).collect())
            }
            Values::AtHand { .. } if self.n_rows(bin..bin + 1) == 0 => Some(Vec::new()),
            Values::AtHand { entries, absent } => {
                let found = entries.get(&bin);
                if found.is_none() {
                    absent.borrow_mut().insert(bin);
                }
                found.cloned()
            }
        }
    }

    /// The values in a bin, ascending.
    fn sorted(&self, bin: usize) -> Option<Vec<Entry>> {
        let mut values = self.values(bin)?;
        values.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
        Some(values)
    }

    /// The number of rows within a zone, if all values are at hand.
    pub(crate) fn within(&self, edges: Edges) -> Option<usize> {
        let (low, high) = (self.bin_of(edges.lower), self.bin_of(edges.upper));
        let in_bin = |bin| {
            let values = self.values(bin)?.into_iter();
            let within = values.filter(|entry| edges.side(entry.value) == Side::Within);
            Some(within.map(|entry| entry.rows as usize).sum::<usize>())
        };
        if low == high {
            return in_bin(low);
        }
        Some(in_bin(low)? + self.n_rows(low + 1..high) + in_bin(high)?)
    }

    /// The bins that hold the smallest and the largest value, and each class's nearest value on
    /// either side of `threshold`.
    pub(crate) fn bins_next_to(&self, threshold: f64) -> Vec<usize> {
        bins_with_rows_next_to(&self.rows, self.n_classes, self.bin_of(threshold))
    }

    /// The values at `index` and `index + 1` in the sorted values of a class; the last value is
    /// its own neighbour. Not a number if they are not at hand.
    pub(crate) fn neighbours_in_class(&self, class: u32, index: usize) -> (f64, f64) {
        let in_class = |bin: usize| self.class_rows(bin)[class as usize] as usize;
        let (mut bin, mut before) = (0, 0);
        while before + in_class(bin) <= index {
            before += in_class(bin);
            bin += 1;
        }
        let sorted = |bin: usize| {
            let values = self.sorted(bin).into_iter().flatten();
            values.filter(|entry| entry.class == class).collect::<Vec<_>>()
        };
        // The value of the `nth` row of the class in a bin.
        let at = |values: &[Entry], nth: usize| {
            let mut passed = 0;
            let found = values.iter().find(|entry| {
                passed += entry.rows as usize;
                passed > nth
            });
            found.map(|entry| entry.value)
        };
        let values = sorted(bin);
        let low = at(&values, index - before).unwrap_or(f64::NAN);
        let next = at(&values, index - before + 1).or_else(|| {
            let next = (bin + 1..self.n_bins()).find(|&bin| in_class(bin) > 0)?;
            at(&sorted(next), 0)
        });
        (low, next.unwrap_or(low))
    }

    /// The bins that may have a split with a purity of at least `min_purity`, inside or at an
    /// edge; with the class counts left of each bin. `always_left` are those left of all bins.
    pub(crate) fn bins_with_purity(
        &self,
        purity: &Purity,
        node_counts: &[f64],
        always_left: Vec<f64>,
        min_purity: f64,
    ) -> Vec<(usize, Vec<f64>)> {
        let mut found = Vec::new();
        let mut left = always_left;
        for bin in 0..self.n_bins() {
            let extra = self.counts(bin);
            let after: Vec<f64> = left.iter().zip(&extra).map(|(l, e)| l + e).collect();
            if extra.iter().any(|&n| n > 0.0) {
                // The edges are splits too, and the bound may not cover them.
                let highest = purity
                    .bound(&left, &extra, node_counts)
                    .max(purity.of(&left, node_counts))
                    .max(purity.of(&after, node_counts));
                if highest >= min_purity {
                    found.push((bin, left));
                }
            }
            left = after;
        }
        found
    }

    /// The values of a bin, ascending, then the smallest value above the bin, if any.
    pub(crate) fn sorted_with_next(&self, bin: usize) -> Option<Vec<Entry>> {
        let values = self.sorted(bin);
        let next = (bin + 1..self.n_bins()).find(|&bin| self.n_rows(bin..bin + 1) > 0);
        let above = next.map(|next| self.values(next));
        let mut values = values?;
        if let Some(above) = above {
            values.extend(above?.into_iter().min_by(|a, b| a.value.total_cmp(&b.value)));
        }
        Some(values)
    }
}

/// The number of rows before each bin, and that of all.
fn starts(rows: &[u32], n_classes: usize) -> Vec<u32> {
    let mut starts = vec![0];
    for rows in rows.chunks_exact(n_classes) {
        starts.push(starts[starts.len() - 1] + rows.iter().sum::<u32>());
    }
    starts
}
