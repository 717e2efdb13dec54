//! Class counts per bin.

use super::super::candidate::Contender;
use super::super::cell::Cell;
use super::search::BinnedSearch;
use crate::error::Result;

/// The class counts of a node: for each feature `counts[bin * n_classes + class]`.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::grow) struct NodeHistogram<T>(Vec<Vec<T>>);

impl<T: Cell> NodeHistogram<T> {
    /// From the counts of every feature.
    pub(in crate::grow) fn from_counts(counts: Vec<Vec<T>>) -> Self {
        Self(counts)
    }

    /// The counts of every feature.
    pub(in crate::grow) fn into_counts(self) -> Vec<Vec<T>> {
        self.0
    }

    /// The class counts of a feature's present values, bin by bin, and those of missing values,
    /// if the feature has any. `n_bins` is the number of bins of present values.
    pub(in crate::grow) fn split_at(
        &self,
        feature: u32,
        n_bins: usize,
        n_classes: usize,
    ) -> [&[T]; 2] {
        self.0[feature as usize].split_at(n_bins * n_classes).into()
    }

    /// The class counts of a bin of a feature.
    pub(super) fn bin(&self, feature: u32, bin: usize, n_classes: usize) -> &[T] {
        &self.0[feature as usize][bin * n_classes..][..n_classes]
    }
}

impl<T: Cell> BinnedSearch<'_, T> {
    /// Merges bins as `BinnedColumns::for_subsets` does for `n_rows` rows.
    pub(in crate::grow) fn coarser(
        &self,
        histogram: NodeHistogram<T>,
        n_rows: usize,
    ) -> NodeHistogram<T> {
        let n_classes = self.rules.training.n_classes();
        let features = (0u32..).zip(histogram.0);
        let coarser = |(feature, counts): (u32, Vec<T>)| match self.bins.merged(feature, n_rows) {
            1 => counts,
            merged => {
                let present = self.bins.n_present_bins(feature) * n_classes;
                let (counts, missing) = counts.split_at(present);
                let mut sums =
                    vec![T::default(); counts.len().div_ceil(merged * n_classes) * n_classes];
                let bins = counts.chunks(merged * n_classes);
                for (sums, bins) in sums.chunks_exact_mut(n_classes).zip(bins) {
                    for bin in bins.chunks_exact(n_classes) {
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
    pub(in crate::grow) fn histogram(&self, rows: &[u32]) -> Result<NodeHistogram<T>> {
        self.histogram_of(rows, &self.rules.all_features())
    }

    /// The histogram of some rows, which must be ascending, for some features; those of the others are
    /// empty.
    pub(super) fn histogram_of(
        &self,
        rows: &[u32],
        features: &[Contender],
    ) -> Result<NodeHistogram<T>> {
        let training = self.rules.training;
        let n_classes = training.n_classes();
        let weights = T::weights(training);
        let classes: Vec<u32> = rows.iter().map(|&row| training.class_of(row)).collect();
        let wanted = features.iter().map(|contender| contender.feature).collect();
        let counts: Vec<Result<(u32, Vec<T>)>> = self.exec.map(wanted, |feature| {
            self.exec.check()?;
            let mut counts = vec![T::default(); self.bins.n_bins(feature) * n_classes];
            let rows = NodeRows { rows, classes: &classes, weights };
            rows.count(self.bins.codes(feature), n_classes, &mut counts);
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
    pub(in crate::grow) fn histogram_of_feature(
        &self,
        rows: &[u32],
        feature: u32,
    ) -> Result<Vec<T>> {
        let contender = Contender { feature, ..Contender::default() };
        let NodeHistogram(mut counts) = self.histogram_of(rows, &[contender])?;
        Ok(std::mem::take(&mut counts[feature as usize]))
    }

    /// The histograms of a node's children. The largest child's is the parent's minus the
    /// others'.
    pub(in crate::grow) fn child_histograms(
        &self,
        mut parent: NodeHistogram<T>,
        children: &[&[u32]],
    ) -> Result<Vec<NodeHistogram<T>>> {
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

/// The bins that hold the smallest and the largest value, and each class's nearest value on
/// either side of a threshold in bin `at`.
pub(in crate::grow) fn bins_next_to<T: Cell>(
    counts: &[T],
    n_classes: usize,
    at: usize,
) -> Vec<usize> {
    let n_bins = counts.len() / n_classes;
    let count = |bin: usize, class: usize| counts[bin * n_classes + class].rows();
    let filled = |&bin: &usize| (0..n_classes).any(|class| count(bin, class) > 0);
    let mut bins = vec![at];
    bins.extend((0..n_bins).find(filled));
    bins.extend((0..n_bins).rev().find(filled));
    for class in 0..n_classes {
        let has_class = |&bin: &usize| count(bin, class) > 0;
        bins.extend((0..at).rev().find(has_class));
        bins.extend((at + 1..n_bins).find(has_class));
    }
    bins.sort_unstable();
    bins.dedup();
    bins
}

/// Rows of a node, with their classes and what their cells are made of.
struct NodeRows<'a, T: Cell> {
    rows: &'a [u32],
    classes: &'a [u32],
    weights: T::Weights<'a>,
}

impl<T: Cell> NodeRows<'_, T> {
    /// Adds the rows to the histogram of one feature.
    fn count(&self, codes: &[u16], n_classes: usize, counts: &mut [T]) {
        let rows = self.rows.iter().zip(self.classes);
        if self.rows.len() == codes.len() {
            // All rows: no lookup needed.
            for (&code, (&row, &class)) in codes.iter().zip(rows) {
                let cell = T::of_row(self.weights, row);
                counts[usize::from(code) * n_classes + class as usize] += cell;
            }
        } else {
            for (&row, &class) in rows {
                let cell = T::of_row(self.weights, row);
                counts[usize::from(codes[row as usize]) * n_classes + class as usize] += cell;
            }
        }
    }
}

/// Subtracts a child's histogram from its parent's.
fn subtract<T: Cell>(counts: &mut [T], child: &[T]) {
    for (count, &of_child) in counts.iter_mut().zip(child) {
        *count -= of_child;
    }
}
