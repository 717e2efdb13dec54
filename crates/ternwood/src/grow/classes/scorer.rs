//! Impurity, and the gain of a split.

use super::Classes;
use crate::grow::target::{Score, Scorer};
use crate::recipe::Criterion;

impl Criterion {
    /// The impurity of a node whose classes have these weights, summing to `total`.
    ///
    /// The published expression to the last bit: probabilities by division, classes in order,
    /// summed as numpy sums.
    pub(crate) fn impurity(self, class_weights: &[f64], total: f64) -> f64 {
        if total == 0.0 {
            return 0.0;
        }
        match self {
            Self::Gini => 1.0 - sum(class_weights, &|weight| square(weight / total)),
            Self::Entropy => {
                let bits = -sum(class_weights, &|weight| p_log2_p(weight / total));
                // -(1 log2 1) is -0; a pure node has impurity 0.
                bits.max(0.0)
            }
        }
    }
}

fn square(x: f64) -> f64 {
    x * x
}

pub(crate) fn p_log2_p(p: f64) -> f64 {
    if p > 0.0 { p * p.log2() } else { 0.0 }
}

/// Sums `f` over `values` in numpy's order: one by one below 8 values, in eight interleaved
/// partial sums up to 128, by halves beyond.
///
/// The order decides the last bit, and the last bit decides which of two equally good splits
/// the published tables contain.
fn sum(values: &[f64], f: &impl Fn(f64) -> f64) -> f64 {
    let n = values.len();
    if n < 8 {
        return values.iter().fold(0.0, |sum, &value| sum + f(value));
    }
    if n > 128 {
        let half = n / 2 - n / 2 % 8;
        return sum(&values[..half], f) + sum(&values[half..], f);
    }
    let mut lanes = [0.0; 8];
    for (lane, &value) in lanes.iter_mut().zip(values) {
        *lane = f(value);
    }
    let (blocks, rest) = values[8..].as_chunks::<8>();
    for block in blocks {
        for (lane, &value) in lanes.iter_mut().zip(block) {
            *lane += f(value);
        }
    }
    let [a, b, c, d, e, g, h, i] = lanes;
    let lanes = ((a + b) + (c + d)) + ((e + g) + (h + i));
    rest.iter().fold(lanes, |sum, &value| sum + f(value))
}

/// Scores the splits of one node.
///
/// Sums of sample weights are exact (see `RowWeights`), so class counts do not depend on the
/// order of rows. Class weights multiply the finished counts.
pub(crate) struct SplitScorer<'a> {
    criterion: Criterion,
    class_factors: &'a [f64],
    node_counts: &'a [f64],
    impurity: f64,
    weight: f64,
    left: Vec<f64>,
    right: Vec<f64>,
}

impl<'a> SplitScorer<'a> {
    /// For a node with these class counts (before class weights).
    pub(crate) fn new(
        criterion: Criterion,
        class_factors: &'a [f64],
        node_counts: &'a [f64],
    ) -> Self {
        let n_classes = node_counts.len();
        let mut scorer = Self {
            criterion,
            class_factors,
            node_counts,
            impurity: 0.0,
            weight: 0.0,
            left: vec![0.0; n_classes],
            right: vec![0.0; n_classes],
        };
        for class in 0..n_classes {
            scorer.left[class] = node_counts[class] * class_factors[class];
        }
        scorer.weight = scorer.left.iter().sum();
        scorer.impurity = criterion.impurity(&scorer.left, scorer.weight);
        scorer
    }

    /// The weight of the node.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }
}

impl Scorer<Classes> for SplitScorer<'_> {
    /// `impurity(parent) - (w_left / w * impurity(left) + w_right / w * impurity(right))`, in
    /// exactly this order of operations.
    fn score(&mut self, left_counts: &[f64]) -> Score {
        let (mut left_weight, mut right_weight) = (0.0, 0.0);
        for (class, &left_count) in left_counts.iter().enumerate() {
            let factor = self.class_factors[class];
            let left = left_count * factor;
            let right = (self.node_counts[class] - left_count) * factor;
            self.left[class] = left;
            self.right[class] = right;
            left_weight += left;
            right_weight += right;
        }
        let left = self.criterion.impurity(&self.left, left_weight);
        let right = self.criterion.impurity(&self.right, right_weight);
        let children = left_weight / self.weight * left + right_weight / self.weight * right;
        Score { gain: self.impurity - children, left_weight, right_weight }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impurities_by_hand() {
        // p = (3/4, 1/4): gini 1 - 9/16 - 1/16 = 6/16; entropy 0.75 log2(4/3) + 0.25 * 2.
        assert_eq!(Criterion::Gini.impurity(&[3.0, 1.0], 4.0), 0.375);
        let bits = 0.75 * (4.0f64 / 3.0).log2() + 0.5;
        assert!((Criterion::Entropy.impurity(&[3.0, 1.0], 4.0) - bits).abs() < 1e-15);
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            assert_eq!(criterion.impurity(&[5.0, 0.0, 0.0], 5.0), 0.0);
        }
        assert_eq!(Criterion::Entropy.impurity(&[1.0; 8], 8.0), 3.0);
    }

    #[test]
    fn the_gain_of_a_split_by_hand() {
        // Node (4, 4), left (3, 1), right (1, 3): 0.5 - (0.5 * 0.375 + 0.5 * 0.375) = 0.125.
        let mut scorer = SplitScorer::new(Criterion::Gini, &[1.0, 1.0], &[4.0, 4.0]);
        let score = scorer.score(&[3.0, 1.0]);
        assert_eq!(score, Score { gain: 0.125, left_weight: 4.0, right_weight: 4.0 });
        // Class 1 counting double is like (4, 8), left (3, 2), right (1, 6).
        let doubled =
            SplitScorer::new(Criterion::Gini, &[1.0, 2.0], &[4.0, 4.0]).score(&[3.0, 1.0]);
        let copied = SplitScorer::new(Criterion::Gini, &[1.0, 1.0], &[4.0, 8.0]).score(&[3.0, 2.0]);
        assert_eq!(doubled, copied);
    }

    #[test]
    fn sums_follow_the_eight_lane_order() {
        // 1e16 and -1e16 meet in lane 0 (indices 0 and 8) before any 1 is lost to rounding; the
        // ninth and last value is added to the finished lanes.
        let mut values = vec![1.0; 17];
        values[0] = 1e16;
        values[8] = -1e16;
        assert_eq!(sum(&values, &|x| x), 15.0);
        let in_order = values.iter().fold(0.0, |sum, x| sum + x);
        assert_ne!(in_order, 15.0);
    }
}
