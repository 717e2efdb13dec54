//! The rows of a node grouped by the bins of one column, unsorted within a bin.
//!
//! Class counts per bin answer most of what estimators ask of a sorted column. Only a few bins
//! have to be read row by row.

use crate::dataset::Column;
use crate::grow::search::binned::{BinnedColumns, bins_next_to};
use crate::grow::search::{Purity, scatter};
use crate::grow::training::Training;
use crate::tree::{Edges, Side};
use std::ops::Range;

/// Rows of weight 1 and with a value, grouped by bin.
pub(crate) struct RowsByBin<'a> {
    bins: &'a BinnedColumns,
    feature: u32,
    training: &'a Training<'a>,
    column: Column<'a>,
    /// Class counts, `counts[bin * n_classes + class]`.
    counts: Vec<u32>,
    starts: Vec<u32>,
    rows: Vec<u32>,
}

/// A value and the class of its row.
pub(crate) type ClassedValue = (f64, u32);

impl<'a> RowsByBin<'a> {
    /// Groups the rows in two passes over their codes: O(n).
    pub(crate) fn new(
        training: &'a Training<'a>,
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
        let mut starts = vec![0];
        for counts in counts.chunks_exact(n_classes) {
            starts.push(starts[starts.len() - 1] + counts.iter().sum::<u32>());
        }
        let by_bin = scatter(rows, |row| codes[row as usize], &starts);
        let column = training.column(feature);
        Self { bins, feature, training, column, counts, starts, rows: by_bin }
    }

    pub(crate) fn n_bins(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bin of a value. Lower bins hold only smaller values, higher bins only larger ones.
    pub(crate) fn bin_of(&self, value: f64) -> usize {
        self.bins.code_of(self.feature, value).into()
    }

    pub(crate) fn counts(&self, bin: usize) -> &[u32] {
        let n_classes = self.training.n_classes();
        &self.counts[bin * n_classes..][..n_classes]
    }

    pub(crate) fn n_rows(&self, bins: Range<usize>) -> usize {
        (self.starts[bins.end] - self.starts[bins.start]) as usize
    }

    /// The values of the rows in a bin, with their classes, in no particular order.
    pub(crate) fn values(&self, bin: usize) -> impl Iterator<Item = ClassedValue> {
        self.rows[self.starts[bin] as usize..self.starts[bin + 1] as usize]
            .iter()
            .map(|&row| (self.column.at(row as usize), self.training.class_of(row)))
    }

    /// The number of rows within a zone.
    pub(crate) fn within(&self, edges: Edges) -> usize {
        let (low, high) = (self.bin_of(edges.lower), self.bin_of(edges.upper));
        let in_bin =
            |bin| self.values(bin).filter(|value| edges.side(value.0) == Side::Within).count();
        if low == high {
            return in_bin(low);
        }
        in_bin(low) + self.n_rows(low + 1..high) + in_bin(high)
    }

    /// The bins that hold the smallest and the largest value, and each class's nearest value on
    /// either side of `threshold`.
    pub(crate) fn bins_next_to(&self, threshold: f64) -> Vec<usize> {
        bins_next_to(&self.counts, self.training.n_classes(), self.bin_of(threshold))
    }

    /// The values at `index` and `index + 1` in the sorted values of a class; the last value is
    /// its own neighbour.
    pub(crate) fn neighbours_in_class(&self, class: u32, index: usize) -> (f64, f64) {
        let in_class = |bin: usize| self.counts(bin)[class as usize] as usize;
        let (mut bin, mut before) = (0, 0);
        while before + in_class(bin) <= index {
            before += in_class(bin);
            bin += 1;
        }
        let sorted = |bin: usize| {
            let mut values: Vec<f64> =
                self.values(bin).filter(|value| value.1 == class).map(|value| value.0).collect();
            values.sort_unstable_by(f64::total_cmp);
            values
        };
        let values = sorted(bin);
        let low = values[index - before];
        let next = values.get(index - before + 1).copied().or_else(|| {
            (bin + 1..self.n_bins()).find(|&bin| in_class(bin) > 0).map(|bin| sorted(bin)[0])
        });
        (low, next.unwrap_or(low))
    }

    /// The bins that may have a split with a purity of at least `min_purity`, inside or at an
    /// edge; with the class counts left of each bin. `always_left` are those left of all bins.
    pub(crate) fn bins_with_purity(
        &self,
        purity: Purity<'_>,
        node_counts: &[f64],
        always_left: Vec<f64>,
        min_purity: f64,
    ) -> Vec<(usize, Vec<f64>)> {
        let mut found = Vec::new();
        let mut left = always_left;
        for bin in 0..self.n_bins() {
            let extra: Vec<f64> = self.counts(bin).iter().map(|&n| f64::from(n)).collect();
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
    pub(crate) fn sorted_with_next(&self, bin: usize) -> Vec<ClassedValue> {
        let order = |a: &ClassedValue, b: &ClassedValue| a.0.total_cmp(&b.0);
        let mut values: Vec<ClassedValue> = self.values(bin).collect();
        values.sort_unstable_by(order);
        let next = (bin + 1..self.n_bins()).find(|&bin| self.n_rows(bin..bin + 1) > 0);
        values.extend(next.and_then(|next| self.values(next).min_by(order)));
        values
    }
}
