//! Sums per bin.

use super::super::candidate::Contender;
use super::search::BinnedSearch;
use crate::error::Result;
use crate::grow::target::Cell;

/// The cells of a node: for each feature `cells[bin * width + index of the sum]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NodeHistogram<C>(Vec<Vec<C>>);

impl<C: Cell> NodeHistogram<C> {
    /// From the cells of every feature.
    pub(crate) fn from_cells(cells: Vec<Vec<C>>) -> Self {
        Self(cells)
    }

    /// The cells of every feature.
    pub(crate) fn into_cells(self) -> Vec<Vec<C>> {
        self.0
    }

    /// The cells of a feature's present values, bin by bin, and those of missing values,
    /// if the feature has any. `n_bins` is the number of bins of present values.
    pub(crate) fn split_at(&self, feature: u32, n_bins: usize, width: usize) -> [&[C]; 2] {
        self.0[feature as usize].split_at(n_bins * width).into()
    }

    /// The cells of a bin of a feature.
    pub(super) fn bin(&self, feature: u32, bin: usize, width: usize) -> &[C] {
        &self.0[feature as usize][bin * width..][..width]
    }
}

impl<C: Cell> BinnedSearch<'_, C> {
    /// Merges bins as `BinnedColumns::for_subsets` does for `n_rows` rows.
    pub(crate) fn coarser(&self, histogram: NodeHistogram<C>, n_rows: usize) -> NodeHistogram<C> {
        let width = self.rules.training.width();
        let features = (0u32..).zip(histogram.0);
        let coarser = |(feature, counts): (u32, Vec<C>)| match self.bins.merged(feature, n_rows) {
            1 => counts,
            merged => {
                let present = self.bins.n_present_bins(feature) * width;
                let (counts, missing) = counts.split_at(present);
                let mut sums = vec![C::default(); counts.len().div_ceil(merged * width) * width];
                let bins = counts.chunks(merged * width);
                for (sums, bins) in sums.chunks_exact_mut(width).zip(bins) {
                    for bin in bins.chunks_exact(width) {
                        sums.iter_mut().zip(bin).for_each(|(sum, &count)| *sum += count);
                    }
                }
                sums.extend_from_slice(missing);
                sums
            }
        };
        NodeHistogram(features.map(coarser).collect())
    }

    /// The histogram of some rows, which must be ascending.
    pub(crate) fn histogram(&self, rows: &[u32]) -> Result<NodeHistogram<C>> {
        self.histogram_of(rows, &self.rules.all_features())
    }

    /// The histogram of some rows, which must be ascending, for some features; those of the others are
    /// empty.
    pub(super) fn histogram_of(
        &self,
        rows: &[u32],
        features: &[Contender],
    ) -> Result<NodeHistogram<C>> {
        let training = self.rules.training;
        let width = training.width();
        let targets = training.counted::<C>();
        let targets: Vec<C::OfRow> = rows.iter().map(|&row| C::of_row(targets, row)).collect();
        let wanted = features.iter().map(|contender| contender.feature).collect();
        let counts: Vec<Result<(u32, Vec<C>)>> = self.exec.map(wanted, |feature| {
            self.exec.check()?;
            let mut counts = vec![C::default(); self.bins.n_bins(feature) * width];
            let rows = NodeRows { rows, targets: &targets };
            rows.count(self.bins.codes(feature), width, &mut counts);
            Ok((feature, counts))
        });
        let mut histogram = vec![Vec::new(); training.n_features()];
        for of_feature in counts {
            let (feature, counts) = of_feature?;
            histogram[feature as usize] = counts;
        }
        Ok(NodeHistogram(histogram))
    }

    /// The counts of some rows, which must be ascending, for one feature.
    pub(crate) fn histogram_of_feature(&self, rows: &[u32], feature: u32) -> Result<Vec<C>> {
        let contender = Contender { feature, ..Contender::default() };
        let NodeHistogram(mut counts) = self.histogram_of(rows, &[contender])?;
        Ok(std::mem::take(&mut counts[feature as usize]))
    }

    /// The histograms of a node's children. The largest child's is the parent's minus the
    /// others'.
    pub(crate) fn child_histograms(
        &self,
        mut parent: NodeHistogram<C>,
        children: &[&[u32]],
    ) -> Result<Vec<NodeHistogram<C>>> {
        let largest = (0..children.len()).max_by_key(|&i| children[i].len()).unwrap_or(0);
        let mut histograms = Vec::with_capacity(children.len());
        for (i, rows) in children.iter().enumerate() {
            if i != largest {
                let histogram = self.histogram(rows)?;
                for (counts, of_child) in parent.0.iter_mut().zip(&histogram.0) {
                    subtract(counts, of_child);
                }
                histograms.push(histogram);
            }
        }
        histograms.insert(largest, parent);
        Ok(histograms)
    }
}

/// The bins that hold the smallest and the largest value, and each group's nearest value on either side of a
/// threshold in bin `at`.
pub(crate) fn bins_next_to<C: Cell>(
    cells: &[C],
    width: usize,
    n_groups: usize,
    at: usize,
) -> Vec<usize> {
    let rows = |cell: &C| cell.n_rows();
    let rows: Vec<u32> = match width == n_groups {
        true => cells.iter().map(rows).collect(),
        // Without groups, only the number of all rows counts.
        false => cells.chunks_exact(width).map(|bin| bin.iter().map(rows).sum()).collect(),
    };
    bins_with_rows_next_to(&rows, n_groups, at)
}

/// The same from the number of rows of each group in each bin.
pub(crate) fn bins_with_rows_next_to(rows: &[u32], n_groups: usize, at: usize) -> Vec<usize> {
    let n_bins = rows.len() / n_groups;
    let count = |bin: usize, group: usize| rows[bin * n_groups + group];
    let filled = |&bin: &usize| (0..n_groups).any(|group| count(bin, group) > 0);
    let mut bins = vec![at];
    bins.extend((0..n_bins).find(filled));
    bins.extend((0..n_bins).rev().find(filled));
    for group in 0..n_groups {
        let has_group = |&bin: &usize| count(bin, group) > 0;
        bins.extend((0..at).rev().find(has_group));
        bins.extend((at + 1..n_bins).find(has_group));
    }
    bins.sort_unstable();
    bins.dedup();
    bins
}

/// Rows of a node, with their targets.
struct NodeRows<'a, C: Cell> {
    rows: &'a [u32],
    targets: &'a [C::OfRow],
}

impl<C: Cell> NodeRows<'_, C> {
    /// Adds the rows to the histogram of one feature.
    fn count(&self, codes: &[u16], width: usize, cells: &mut [C]) {
        if self.rows.len() == codes.len() {
            // All rows: no lookup needed.
            for (&code, &target) in codes.iter().zip(self.targets) {
                C::count(cells, usize::from(code), width, target);
            }
        } else {
            for (&row, &target) in self.rows.iter().zip(self.targets) {
                C::count(cells, usize::from(codes[row as usize]), width, target);
            }
        }
    }
}

/// Subtracts a child's histogram from its parent's.
fn subtract<C: Cell>(cells: &mut [C], child: &[C]) {
    for (cell, &of_child) in cells.iter_mut().zip(child) {
        *cell -= of_child;
    }
}
