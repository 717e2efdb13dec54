//! The rows left of an edge, and a cheap test whether a split there could win.

use super::{Classes, Purity};
use crate::grow::target::{Cell, Left};

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
    use crate::recipe::Criterion;
    use proptest::prelude::*;

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
