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
//! inside without reading a single row.

use super::scorer::SplitScorer;
use super::{Classes, Tally};
use crate::grow::target::Measure;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grow::target::Scorer;
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
}
