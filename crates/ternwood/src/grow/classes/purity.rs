//! A cheap score that ranks splits like gain, and an upper bound of it.
//!
//! The *purity* of a split is the part of its gain that differs from split to split:
//!
//! ```text
//! gini:     sum l_k^2 / n_l            + sum r_k^2 / n_r            (gain = purity / n + const)
//! entropy:  sum l_k log2(l_k / n_l)    + sum r_k log2(r_k / n_r)
//! ```
//!
//! Both are convex functions of the left counts `l_k`. So over the box "some of these rows of
//! each class go left too" the maximum lies at a corner, and the corners bound every split
//! inside without reading a single row. [`LeftOf`] tests cheaply whether a split at an edge could win.

use super::scorer::SplitScorer;
use super::{Classes, Tally};
use crate::grow::target::{Cell, Left, Measure};
use crate::recipe::Criterion;

/// Scores the splits of one training set.
#[derive(Debug, Clone)]
pub(crate) struct Purity {
    criterion: Criterion,
    class_factors: Vec<f64>,
}

/// Purities closer than this fraction of the node's weight are tied until the published gain
/// decides. Far above the rounding error of either.
const NEARLY_EQUAL: f64 = 1e-12;

/// Above this many classes, a box has too many corners to score them all.
const MAX_CLASSES_FOR_CORNERS: usize = 4;

impl Purity {
    pub(crate) fn new(criterion: Criterion, class_factors: Vec<f64>) -> Self {
        Self { criterion, class_factors }
    }

    pub(crate) fn criterion(&self) -> Criterion {
        self.criterion
    }

    pub(super) fn n_classes(&self) -> usize {
        self.class_factors.len()
    }

    /// True for Gini without class weights, which has short cuts.
    pub(super) fn is_plain_gini(&self) -> bool {
        self.criterion == Criterion::Gini && self.class_factors.iter().all(|&f| f == 1.0)
    }

    pub(super) fn class_factors(&self) -> &[f64] {
        &self.class_factors
    }

    /// The weight of rows with these class counts.
    pub(super) fn weight(&self, counts: &[f64]) -> f64 {
        counts.iter().zip(&self.class_factors).map(|(n, f)| n * f).sum()
    }

    /// Counts times class weights.
    pub(super) fn weighted(&self, counts: &[f64]) -> Vec<f64> {
        counts.iter().zip(&self.class_factors).map(|(n, f)| n * f).collect()
    }

    /// The impurity of rows with these class counts.
    pub(super) fn impurity(&self, counts: &[f64]) -> f64 {
        let weights = self.weighted(counts);
        self.criterion.impurity(&weights, weights.iter().sum())
    }

    /// The shortfall from the best purity beyond which a split cannot win.
    pub(crate) fn tolerance(&self, node_counts: &[f64]) -> f64 {
        let weight = self.weight(node_counts);
        let bits = match self.criterion {
            Criterion::Gini => 1.0,
            Criterion::Entropy => weight.log2().abs().max(1.0),
        };
        NEARLY_EQUAL * weight * bits
    }

    /// The purity of the split that sends `left` of the node's `total` counts to the left.
    #[inline]
    pub(crate) fn of(&self, left: &[f64], total: &[f64]) -> f64 {
        let (mut left_sum, mut right_sum) = (0.0, 0.0);
        let (mut left_weight, mut right_weight) = (0.0, 0.0);
        for ((&left, &total), &factor) in left.iter().zip(total).zip(&self.class_factors) {
            let (l, r) = (left * factor, (total - left) * factor);
            left_weight += l;
            right_weight += r;
            left_sum += self.class_term(l);
            right_sum += self.class_term(r);
        }
        self.side(left_sum, left_weight) + self.side(right_sum, right_weight)
    }

    /// The purity of a split with this gain, of a node with these counts.
    pub(crate) fn of_gain(&self, gain: f64, node_counts: &[f64]) -> f64 {
        // With all rows on one side, the gain is 0.
        let weight = self.weight(node_counts);
        self.of(node_counts, node_counts) + weight * gain
    }

    #[inline]
    fn class_term(&self, n: f64) -> f64 {
        match self.criterion {
            Criterion::Gini => n * n,
            Criterion::Entropy => n_log2_n(n),
        }
    }

    #[inline]
    fn side(&self, sum: f64, weight: f64) -> f64 {
        match self.criterion {
            Criterion::Gini if weight > 0.0 => sum / weight,
            Criterion::Gini => 0.0,
            Criterion::Entropy => sum - n_log2_n(weight),
        }
    }

    /// An upper bound of the purity of every split that sends `left` and any part of `extra` to
    /// the left.
    pub(crate) fn bound(&self, left: &[f64], extra: &[f64], total: &[f64]) -> f64 {
        if left.len() <= MAX_CLASSES_FOR_CORNERS {
            self.bound_by_corner(left, extra, total)
        } else {
            self.bound_by_class(left, extra, total)
        }
    }

    /// The largest purity at a corner of the box. Skips the two corners that are splits between
    /// bins: they are scored anyway.
    fn bound_by_corner(&self, left: &[f64], extra: &[f64], total: &[f64]) -> f64 {
        let n_classes = left.len();
        let mut corner = [0.0; MAX_CLASSES_FOR_CORNERS];
        let corner = &mut corner[..n_classes];
        let mut bound = f64::NEG_INFINITY;
        for goes_left in 1..(1u32 << n_classes) - 1 {
            for (class, corner) in corner.iter_mut().enumerate() {
                let moved = if goes_left >> class & 1 == 1 { extra[class] } else { 0.0 };
                *corner = left[class] + moved;
            }
            bound = bound.max(self.of(corner, total));
        }
        bound
    }

    /// Purity is a sum over classes, and each summand is convex in the class's own count and the
    /// side's weight: four corners each. Looser, as classes may disagree on the corner, but O(K).
    fn bound_by_class(&self, left: &[f64], extra: &[f64], total: &[f64]) -> f64 {
        let [left_weight, extra_weight, weight] =
            [left, extra, total].map(|counts| self.weight(counts));
        let mut bound = 0.0;
        for (class, &factor) in self.class_factors.iter().enumerate() {
            let (own, all) = (left[class] * factor, total[class] * factor);
            let own_extra = extra[class] * factor;
            let other_extra = extra_weight - own_extra;
            let corner = |moved: f64, others: f64| {
                let side = left_weight + moved + others;
                self.summand(own + moved, side) + self.summand(all - own - moved, weight - side)
            };
            bound += corner(0.0, 0.0)
                .max(corner(own_extra, 0.0))
                .max(corner(0.0, other_extra))
                .max(corner(own_extra, other_extra));
        }
        bound
    }

    /// The contribution of one class to the purity of a side.
    fn summand(&self, n: f64, side: f64) -> f64 {
        if n <= 0.0 || side <= 0.0 {
            return 0.0;
        }
        match self.criterion {
            Criterion::Gini => n * n / side,
            Criterion::Entropy => n * (n / side).log2(),
        }
    }
}

impl Measure<Classes> for Purity {
    type Scorer<'n> = SplitScorer<'n>;

    fn width(&self) -> usize {
        self.n_classes()
    }

    #[inline(always)]
    fn add(&self, counts: &mut [f64], (class, weight): (u32, f64)) {
        counts[class as usize] += weight;
    }

    fn weight(&self, counts: &[f64]) -> f64 {
        Purity::weight(self, counts)
    }

    fn sample_weight(&self, counts: &[f64]) -> f64 {
        counts.iter().sum()
    }

    fn impurity(&self, counts: &[f64], _: &Tally) -> f64 {
        Purity::impurity(self, counts)
    }

    fn tolerance(&self, node: &[f64]) -> f64 {
        Purity::tolerance(self, node)
    }

    #[inline]
    fn purity(&self, left: &[f64], total: &[f64]) -> f64 {
        self.of(left, total)
    }

    fn bound(&self, left: &[f64], extra: &[f64], total: &[f64]) -> f64 {
        Purity::bound(self, left, extra, total)
    }

    fn scorer<'n>(&'n self, node: &'n [f64]) -> SplitScorer<'n> {
        SplitScorer::new(self.criterion, &self.class_factors, node)
    }
}

fn n_log2_n(n: f64) -> f64 {
    if n > 0.0 { n * n.log2() } else { 0.0 }
}

/// The rows left of an edge, updated bin by bin.
#[derive(Debug)]
pub(crate) struct LeftOf<C> {
    counts: C,
    edge: Edge,
    node_counts: C,
    node_weight: f64,
    /// The purity of the node without a split.
    unsplit: f64,
    /// More than the rounding error of a purity.
    slack: f64,
}

/// The rows left of an edge, their weight, and the terms of the purity there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    rows: usize,
    weight: f64,
    terms: PurityTerms,
}

/// What it takes to test without a division whether a split could win.
#[derive(Debug, Clone, Copy)]
enum PurityTerms {
    /// D, for Gini without class weights and two classes. With `l` of the weight `i` left in the
    /// second class, which has `t` of all `n`: D = l n - i t, and the purity exceeds that of the
    /// node by 2 D^2 / (n i (n - i)).
    Two(f64),
    /// Sums of squared class counts on both sides, for Gini without class weights and more classes.
    Squares([f64; 2]),
    /// Anything else: there is no cheap test.
    Unknown,
}

/// A number per class: an array if classes are few, so that loops over them unroll.
pub(crate) trait PerClass: AsRef<[f64]> + AsMut<[f64]> + Clone {
    fn from_slice(numbers: &[f64]) -> Self;
}

impl<const K: usize> PerClass for [f64; K] {
    fn from_slice(numbers: &[f64]) -> Self {
        std::array::from_fn(|class| numbers[class])
    }
}

impl PerClass for Vec<f64> {
    fn from_slice(numbers: &[f64]) -> Self {
        numbers.to_vec()
    }
}

impl<C: PerClass> Left<Classes> for LeftOf<C> {
    type Edge = Edge;
    type Sums = C;

    fn first(purity: &Purity, node_counts: &[f64]) -> Self {
        let is_plain_gini = purity.is_plain_gini();
        let squares: f64 = node_counts.iter().map(|n| n * n).sum();
        let terms = match node_counts.len() {
            _ if !is_plain_gini => PurityTerms::Unknown,
            2 => PurityTerms::Two(0.0),
            _ => PurityTerms::Squares([0.0, squares]),
        };
        let node_weight: f64 = node_counts.iter().sum();
        let mut counts = C::from_slice(node_counts);
        counts.as_mut().fill(0.0);
        Self {
            counts,
            edge: Edge { rows: 0, weight: 0.0, terms },
            node_counts: C::from_slice(node_counts),
            node_weight,
            unsplit: squares / node_weight,
            slack: purity.tolerance(node_counts),
        }
    }

    fn resumed(purity: &Purity, node_counts: &[f64], edge: Edge, counts: C) -> Self {
        Self { counts, edge, ..Self::first(purity, node_counts) }
    }

    #[inline(always)]
    fn add_row(&mut self, (class, weight): (u32, f64)) {
        let class = class as usize;
        let left = self.counts.as_mut();
        match &mut self.edge.terms {
            PurityTerms::Two(d) => {
                // `class` is 0 or 1. No branch: it would be unpredictable.
                let node = self.node_counts.as_ref();
                let second = class as f64;
                *d += weight * (second * (node[0] + node[1]) - node[1]);
            }
            PurityTerms::Squares(squares) => {
                let growth = weight * (2.0 * left[class] + weight);
                squares[0] += growth;
                squares[1] += growth - 2.0 * weight * self.node_counts.as_ref()[class];
            }
            PurityTerms::Unknown => {}
        }
        left[class] += weight;
        self.edge.rows += 1;
        self.edge.weight += weight;
    }

    #[inline(always)]
    fn add<T: Cell<Target = Classes>>(&mut self, bin: &[T]) -> usize {
        let in_bin: u32 = bin.iter().map(|cell| cell.n_rows()).sum();
        if in_bin == 0 {
            return 0;
        }
        let mut weight = 0.0;
        if let (PurityTerms::Two(d), [left0, left1], &[all0, all1], &[count0, count1]) =
            (&mut self.edge.terms, self.counts.as_mut(), self.node_counts.as_ref(), bin)
        {
            let (count0, count1) = (count0.sum(), count1.sum());
            weight += count0 + count1;
            *d += count1 * all0 - count0 * all1;
            *left0 += count0;
            *left1 += count1;
        } else {
            let (mut growth, mut products) = (0.0, 0.0);
            let classes = self.counts.as_mut().iter_mut().zip(self.node_counts.as_ref());
            for ((left, &all), &count) in classes.zip(bin) {
                // With c of a class's n rows in the bin and l before it, l^2 grows by
                // c (2 l + c), and (n - l)^2 by c (2 l + c) - 2 c n.
                let count = count.sum();
                weight += count;
                growth += count * (2.0 * *left + count);
                products += count * all;
                *left += count;
            }
            if let PurityTerms::Squares(squares) = &mut self.edge.terms {
                squares[0] += growth;
                squares[1] += growth - 2.0 * products;
            }
        }
        self.edge.rows += in_bin as usize;
        self.edge.weight += weight;
        in_bin as usize
    }

    #[inline(always)]
    fn edge(&self) -> Edge {
        self.edge
    }

    #[inline(always)]
    fn edge_rows(edge: Edge) -> usize {
        edge.rows
    }

    #[inline(always)]
    fn sums(&self) -> &C {
        &self.counts
    }

    #[inline(always)]
    fn may_reach(&self, floor: f64) -> bool {
        let left = self.edge.weight;
        match self.edge.terms {
            PurityTerms::Two(d) => self.two_may_reach(left, d, floor),
            PurityTerms::Squares(squares) => {
                self.squares_may_reach(squares, [left, self.node_weight - left], floor)
            }
            PurityTerms::Unknown => true,
        }
    }

    #[inline(always)]
    fn may_reach_inside<X: Copy>(
        &self,
        [before, after]: [Edge; 2],
        bin: &[X],
        count: impl Fn(X) -> f64,
        floor: f64,
    ) -> bool {
        let left = before.weight;
        match (before.terms, after.terms, self.node_counts.as_ref(), bin) {
            // Corners of the box: all rows of one class go left, none of the other. The other two
            // corners are edges.
            (PurityTerms::Two(d), _, &[all0, all1], &[count0, count1]) => {
                let (count0, count1) = (count(count0), count(count1));
                self.two_may_reach(left + count1, d + count1 * all0, floor)
                    || self.two_may_reach(left + count0, d - count0 * all1, floor)
            }
            // Each side has at least its weight at one edge, and at most its squares at the other.
            (PurityTerms::Squares([_, right]), PurityTerms::Squares([squares, _]), ..) => {
                let weights = [left, self.node_weight - after.weight];
                self.squares_may_reach([squares, right], weights, floor)
            }
            _ => true,
        }
    }
}

impl<C> LeftOf<C> {
    #[inline(always)]
    fn two_may_reach(&self, left: f64, d: f64, floor: f64) -> bool {
        let required = (floor - self.slack - self.unsplit) * (left * (self.node_weight - left));
        // NaN if a side is empty and there is no floor yet.
        required.is_nan() || 2.0 * d * d >= required * self.node_weight
    }

    #[inline(always)]
    fn squares_may_reach(&self, squares: [f64; 2], weights: [f64; 2], floor: f64) -> bool {
        let required = (floor - self.slack) * (weights[0] * weights[1]);
        required.is_nan() || squares[0] * weights[1] + squares[1] * weights[0] >= required
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grow::classes::UnitCell;
    use crate::grow::target::Scorer;
    use crate::recipe::Criterion;
    use proptest::prelude::*;

    /// For each class: rows left for sure, rows that may go left, rows right for sure; and
    /// which share of the second goes left.
    fn boxes() -> impl Strategy<Value = Vec<(u32, u32, u32, f64)>> {
        prop::collection::vec((0..50u32, 0..20u32, 0..50u32, 0.0..=1.0f64), 2..6)
    }

    proptest! {
        #[test]
        fn no_split_inside_the_box_beats_the_bound(classes in boxes(), entropy: bool, factor in 0.5..3.0f64) {
            let criterion = if entropy { Criterion::Entropy } else { Criterion::Gini };
            let mut factors = vec![1.0; classes.len()];
            factors[0] = factor;
            let purity = Purity::new(criterion, factors);
            let left: Vec<f64> = classes.iter().map(|c| f64::from(c.0)).collect();
            let extra: Vec<f64> = classes.iter().map(|c| f64::from(c.1)).collect();
            let total: Vec<f64> = classes.iter().map(|c| f64::from(c.0 + c.1 + c.2)).collect();
            let split: Vec<f64> =
                classes.iter().map(|c| f64::from(c.0) + (f64::from(c.1) * c.3).floor()).collect();
            let all: Vec<f64> = left.iter().zip(&extra).map(|(l, e)| l + e).collect();
            let edges = purity.of(&left, &total).max(purity.of(&all, &total));
            let tolerance = purity.tolerance(&total);
            let measured = purity.of(&split, &total);
            for bound in [purity.bound(&left, &extra, &total), purity.bound_by_class(&left, &extra, &total)] {
                prop_assert!(measured <= bound.max(edges) + tolerance, "{measured} > {bound}");
            }
        }

        #[test]
        fn purity_ranks_splits_like_gain(classes in boxes(), entropy: bool) {
            let criterion = if entropy { Criterion::Entropy } else { Criterion::Gini };
            let factors = vec![1.0; classes.len()];
            let purity = Purity::new(criterion, factors);
            let total: Vec<f64> = classes.iter().map(|c| f64::from(c.0 + c.1 + c.2)).collect();
            let n: f64 = total.iter().sum();
            prop_assume!(n > 0.0);
            let first: Vec<f64> = classes.iter().map(|c| f64::from(c.0)).collect();
            let second: Vec<f64> = classes.iter().map(|c| f64::from(c.0 + c.1)).collect();
            let mut scorer = purity.scorer(&total);
            let by_gain = scorer.score(&first).gain - scorer.score(&second).gain;
            let by_purity = purity.of(&first, &total) - purity.of(&second, &total);
            prop_assert!((by_gain - by_purity / n).abs() <= 1e-12, "{by_gain} {by_purity}");
        }
    }

    /// The purities of all splits that send some rows of a bin to the left.
    fn purities(purity: &Purity, counts: &[f64], before: &[u32], bin: &[u32]) -> Vec<f64> {
        let mut splits = vec![Vec::new()];
        for (&left, &count) in before.iter().zip(bin) {
            splits = (0..=count)
                .flat_map(|moved| {
                    let with =
                        |split: &Vec<f64>| [split.as_slice(), &[f64::from(left + moved)]].concat();
                    splits.iter().map(with).collect::<Vec<_>>()
                })
                .collect();
        }
        splits.iter().map(|left| purity.of(left, counts)).collect()
    }

    fn check<C: PerClass>(classes: &[(u32, u32, u32)], floor: f64) -> Result<(), TestCaseError> {
        let column = |of: fn(&(u32, u32, u32)) -> u32| classes.iter().map(of).collect::<Vec<_>>();
        let (before, bin) = (column(|c| c.0), column(|c| c.1));
        let counts: Vec<f64> = classes.iter().map(|c| f64::from(c.0 + c.1 + c.2)).collect();
        let purity = Purity::new(Criterion::Gini, vec![1.0; classes.len()]);
        let floor = floor * counts.iter().sum::<f64>();
        let mut left = LeftOf::<C>::first(&purity, &counts);
        let cells = |rows: &[u32]| -> Vec<UnitCell> {
            rows.iter().map(|&rows| UnitCell::of_rows(rows)).collect()
        };
        left.add(&cells(&before));
        let lower = left.edge();
        left.add(&cells(&bin));
        let all = purities(&purity, &counts, &before, &bin);
        let at_edges = [all[0], all[all.len() - 1]];
        prop_assert!(left.may_reach(floor) || at_edges[1] < floor);
        // Edges are asked on their own.
        let inside = all[1..all.len().max(2) - 1]
            .iter()
            .copied()
            .filter(|&p| p > at_edges[0].max(at_edges[1]));
        if !left.may_reach_inside([lower, left.edge()], &bin, f64::from, floor) {
            for purity in inside {
                prop_assert!(purity < floor, "{purity} reaches {floor}");
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn no_split_that_reaches_the_floor_is_dismissed(
            classes in prop::collection::vec((0..30u32, 0..6u32, 0..30u32), 2..5),
            floor in 0.2..1.0f64,
        ) {
            match classes.len() {
                2 => check::<[f64; 2]>(&classes, floor)?,
                3 => check::<[f64; 3]>(&classes, floor)?,
                _ => check::<Vec<f64>>(&classes, floor)?,
            }
        }
    }
}
