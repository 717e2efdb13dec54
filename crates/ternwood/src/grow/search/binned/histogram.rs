//! Class counts per bin.

use super::search::BinnedSearch;
use crate::error::Result;

/// The class counts of a node: for each feature `counts[bin * n_classes + class]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NodeHistogram(Vec<Vec<u32>>);

impl NodeHistogram {
    /// The class counts of a feature's present values, bin by bin, and those of missing values,
    /// if the feature has any. `n_bins` is the number of bins of present values.
    pub(super) fn split_at(&self, feature: u32, n_bins: usize, n_classes: usize) -> [&[u32]; 2] {
        self.0[feature as usize].split_at(n_bins * n_classes).into()
    }

    /// The class counts of a bin of a feature.
    pub(super) fn bin(&self, feature: u32, bin: usize, n_classes: usize) -> &[u32] {
        &self.0[feature as usize][bin * n_classes..][..n_classes]
    }
}

impl BinnedSearch<'_> {
    /// Merges bins as `BinnedColumns::for_subsets` does for `n_rows` rows.
    pub(crate) fn coarser(&self, histogram: NodeHistogram, n_rows: usize) -> NodeHistogram {
        let n_classes = self.rules.training.n_classes();
        let features = (0u32..).zip(histogram.0);
        let coarser = |(feature, counts): (u32, Vec<u32>)| match self.bins.merged(feature, n_rows) {
            1 => counts,
            merged => {
                let present = self.bins.n_present_bins(feature) * n_classes;
                let (counts, missing) = counts.split_at(present);
                let mut sums = vec![0; counts.len().div_ceil(merged * n_classes) * n_classes];
                let bins = counts.chunks(merged * n_classes);
                for (sums, bins) in sums.chunks_exact_mut(n_classes).zip(bins) {
                    for bin in bins.chunks_exact(n_classes) {
                        sums.iter_mut().zip(bin).for_each(|(sum, count)| *sum += count);
                    }
                }
                sums.extend_from_slice(missing);
                sums
            }
        };
        NodeHistogram(features.map(coarser).collect())
    }

    /// The histogram of some rows, which must be ascending.
    pub(crate) fn histogram(&self, rows: &[u32]) -> Result<NodeHistogram> {
        let training = self.rules.training;
        let n_classes = training.n_classes();
        let classes: Vec<u32> = rows.iter().map(|&row| training.class_of(row)).collect();
        let counts: Vec<Result<Vec<u32>>> = self.exec.map(self.features(), |feature| {
            self.exec.check()?;
            let mut counts = vec![0; self.bins.n_bins(feature) * n_classes];
            count(self.bins.codes(feature), (rows, &classes), n_classes, &mut counts);
            Ok(counts)
        });
        Ok(NodeHistogram(counts.into_iter().collect::<Result<_>>()?))
    }

    /// The histograms of a node's children. The largest child's is the parent's minus the
    /// others'.
    pub(crate) fn child_histograms(
        &self,
        mut parent: NodeHistogram,
        children: &[&[u32]],
    ) -> Result<Vec<NodeHistogram>> {
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
pub(in crate::grow) fn bins_next_to(counts: &[u32], n_classes: usize, at: usize) -> Vec<usize> {
    let n_bins = counts.len() / n_classes;
    let count = |bin: usize, class: usize| counts[bin * n_classes + class];
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

/// Adds rows and their classes to the histogram of one feature.
fn count(codes: &[u16], (rows, classes): (&[u32], &[u32]), n_classes: usize, counts: &mut [u32]) {
    if rows.len() == codes.len() {
        // All rows: no lookup needed.
        for (&code, &class) in codes.iter().zip(classes) {
            counts[usize::from(code) * n_classes + class as usize] += 1;
        }
    } else {
        for (&row, &class) in rows.iter().zip(classes) {
            counts[usize::from(codes[row as usize]) * n_classes + class as usize] += 1;
        }
    }
}

/// Subtracts a child's histogram from its parent's.
fn subtract(counts: &mut [u32], child: &[u32]) {
    for (count, &of_child) in counts.iter_mut().zip(child) {
        *count -= of_child;
    }
}
