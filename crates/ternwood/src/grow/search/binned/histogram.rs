//! Sums per bin, and one pass over those of a node: the best edge, and the bins that may hold better splits.

use super::super::candidate::{Candidate, Contender, Contest, Entrant, Leader, Place, better};
use super::super::categories;
use super::search::{BinPlace, BinnedNode, BinnedSearch};
use crate::error::Result;
use crate::grow::target::{Cell, Left, Measure, Target, WithLeft};
use crate::tree::Missing;

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

/// The result of a pass over the histograms of some features.
#[derive(Debug, Clone)]
pub(crate) struct Survey<T: Target> {
    pub(crate) best: Option<Candidate<BinPlace>>,
    /// The best of any legal split at an edge.
    pub(crate) best_purity: f64,
    /// Ordered by feature and side of missing values.
    pub(crate) live: Vec<LiveBin<T>>,
}

impl<T: Target> Survey<T> {
    /// Drops the bins that can no longer hold the best split.
    pub(crate) fn drop_dead_bins(&mut self, contest: Contest<'_, T>) {
        let floor = Leader::<T, BinPlace>::new(contest).with_best_purity(self.best_purity).floor();
        self.live.retain(|bin| bin.bound >= floor);
    }
}

/// A bin that may hold the best split.
#[derive(Debug, Clone)]
pub(crate) struct LiveBin<T: Target> {
    pub(crate) entrant: Entrant,
    pub(crate) bin: usize,
    pub(crate) n_rows: usize,
    /// The sums left of the bin, and the number of rows: with missing values, if they go left.
    pub(crate) left: Vec<T::Sum>,
    pub(crate) left_rows: usize,
    /// An upper bound of the purity of every split inside.
    pub(crate) bound: f64,
}

impl<C: Cell> BinnedSearch<'_, C> {
    /// Scores the splits at edges, and finds the bins that may hold better ones.
    pub(crate) fn survey(
        &self,
        features: impl Iterator<Item = Contender>,
        contest: Contest<'_, C::Target>,
        node: BinnedNode<'_, C>,
    ) -> Survey<C::Target> {
        let of_features = OfFeatures { search: self, contest, node, features };
        C::Target::with_left(contest.measure, of_features)
    }
}

/// A survey to make.
struct OfFeatures<'a, C: Cell, I> {
    search: &'a BinnedSearch<'a, C>,
    contest: Contest<'a, C::Target>,
    node: BinnedNode<'a, C>,
    features: I,
}

impl<C: Cell, I: Iterator<Item = Contender>> WithLeft<C::Target> for OfFeatures<'_, C, I> {
    type Output = Survey<C::Target>;

    fn call<L: Left<C::Target>>(self) -> Survey<C::Target> {
        let Self { search, contest, node, features } = self;
        let leader = Leader::new(contest);
        let surveyor: Surveyor<'_, L, C> =
            Surveyor { search, contest, node, leader, promising: Vec::new(), live: Vec::new() };
        surveyor.survey(features)
    }
}

/// Goes from feature to feature. The best split so far rules out most later ones.
struct Surveyor<'a, L: Left<C::Target>, C: Cell> {
    search: &'a BinnedSearch<'a, C>,
    contest: Contest<'a, C::Target>,
    node: BinnedNode<'a, C>,
    leader: Leader<'a, C::Target, BinPlace>,
    promising: Vec<PromisingBin<L::Edge, L::Sums>>,
    live: Vec<LiveBin<C::Target>>,
}

/// A bin that could hold the best split, as far as known when it was passed.
struct PromisingBin<E, S> {
    bin: usize,
    edges: [E; 2],
    /// The sums at the upper edge.
    sums: S,
}

impl<L: Left<C::Target>, C: Cell> Surveyor<'_, L, C> {
    fn survey(mut self, features: impl Iterator<Item = Contender>) -> Survey<C::Target> {
        let mut best_apart = None;
        for contender in features {
            if self.search.exec.is_cancelled() {
                break;
            }
            let feature = contender.feature;
            if self.search.rules.training.n_categories(feature).is_some() {
                let categories = self.search.categories(feature, self.node);
                let (rules, leader) = (&self.search.rules, &mut self.leader);
                let apart = categories::search(categories, contender, rules, self.contest, leader);
                best_apart = better(best_apart, apart);
                continue;
            }
            let [_, missing] = self.search.cells(feature, self.node);
            let missing_rows = missing.iter().map(|cell| cell.n_rows()).sum::<u32>() as usize;
            if missing_rows == 0 {
                self.pass(Entrant::complete(contender), &[]);
                continue;
            }
            for side in [Missing::Left, Missing::Right] {
                let entrant = Entrant { feature: contender, axis: 0, missing: side, missing_rows };
                self.pass(entrant, if side == Missing::Left { missing } else { &[] });
            }
        }
        let (best, best_purity) = self.leader.finish();
        Survey { best: better(best_apart, best), best_purity, live: self.live }
    }

    /// One pass over the bins of a feature, with `always_left` left of all of them.
    fn pass(&mut self, entrant: Entrant, always_left: &[C]) {
        self.leader.set_entrant(entrant);
        let passed = self.score_edges(entrant.feature.feature, always_left);
        self.keep_live_bins(entrant, &passed);
    }

    fn score_edges(&mut self, feature: u32, always_left: &[C]) -> L {
        let Self { search, contest, node, leader, promising, .. } = self;
        let one_value_per_bin = search.bins.has_one_value_per_bin(feature);
        let mut left = L::first(contest.measure, contest.sums);
        left.add(always_left);
        let mut floor = leader.floor();
        let [cells, _] = search.cells(feature, *node);
        // An array's length is known when this is compiled.
        let bins = cells.chunks_exact(left.sums().as_ref().len());
        for (bin, in_bin) in bins.enumerate() {
            let before = left.edge();
            let n_rows = left.add(in_bin);
            if n_rows == 0 {
                continue;
            }
            let left_rows = L::edge_rows(left.edge());
            if left.may_reach(floor) && left_rows < contest.n_rows {
                let sums = left.sums().as_ref();
                let purity = contest.measure.purity(sums, contest.sums);
                if purity >= floor {
                    let place = Place::Number(BinPlace::After(bin as u16));
                    leader.enter(purity, sums, left_rows, place);
                    floor = leader.floor();
                }
            }
            // The floor may still rise, so promising bins are tested again at the end.
            let edges = [before, left.edge()];
            if !one_value_per_bin
                && n_rows > 1
                && left.may_reach_inside(edges, in_bin, C::sum, floor)
            {
                promising.push(PromisingBin { bin, edges, sums: left.sums().clone() });
            }
        }
        left
    }

    fn keep_live_bins(&mut self, entrant: Entrant, passed: &L) {
        let feature = entrant.feature.feature;
        let Self { search, contest, node, leader, .. } = self;
        let floor = leader.floor();
        for PromisingBin { bin, edges, sums } in self.promising.drain(..) {
            let in_bin = node.histogram.bin(feature, bin, contest.sums.len());
            if search.bins.is_single_valued(feature, bin)
                || !passed.may_reach_inside(edges, in_bin, C::sum, floor)
            {
                continue;
            }
            let inside: Vec<_> = in_bin.iter().map(|cell| cell.sum()).collect();
            let mut left = sums.as_ref().to_vec();
            left.iter_mut().zip(&inside).for_each(|(sum, &inside)| *sum -= inside);
            let bound = contest.measure.bound(&left, &inside, contest.sums);
            if bound >= floor {
                let [before, after] = edges.map(L::edge_rows);
                let (n_rows, left_rows) = (after - before, before);
                self.live.push(LiveBin { entrant, bin, n_rows, left, left_rows, bound });
            }
        }
    }
}
