//! A ternary tree straight from the definition: every candidate scored from scratch, nothing
//! shared, nothing clever. What the engine grows must be this tree, to the last bit.

mod candidates;
mod categories;
mod compare;
mod zones;

pub use candidates::{NaiveCut, NaiveSplit};

use super::sample::Sample;
use std::collections::BTreeSet;
use ternwood::TreeParams;
use ternwood::recipe::{CategoryGain, ClassWeight, Criterion, RowCount};
use ternwood::tree::Side;

/// So many groups gain by chance no more than the thresholds of a number.
const GROUPS_LIKE_NUMBERS: usize = 7;

pub struct NaiveTree {
    pub nodes: Vec<NaiveNode>,
}

pub struct NaiveNode {
    pub rows: Vec<usize>,
    pub depth: u32,
    pub split: Option<NaiveSplit>,
    /// A middle child without rows: it predicts with its parent's rows, and is never split.
    pub may_split: bool,
}

/// Everything that is fixed before growing.
pub struct Naive<'a> {
    pub sample: &'a Sample,
    pub params: &'a TreeParams,
    pub three_child: bool,
    factors: Vec<f64>,
    /// The rows that count.
    rows: Vec<usize>,
}

impl<'a> Naive<'a> {
    pub fn new(sample: &'a Sample, params: &'a TreeParams, three_child: bool) -> Self {
        let mut naive = Self { sample, params, three_child, factors: Vec::new(), rows: Vec::new() };
        let all: Vec<usize> = (0..sample.rows.len()).collect();
        let counts = naive.counts(&all);
        naive.factors = match &params.class_weight {
            ClassWeight::Uniform => vec![1.0; counts.len()],
            ClassWeight::Given(factors) => factors.clone(),
            ClassWeight::Balanced | ClassWeight::BalancedSubsample => {
                let total: f64 = counts.iter().sum();
                let present = counts.iter().filter(|count| **count > 0.0).count() as f64;
                let factor = |&n: &f64| if n > 0.0 { total / (present * n) } else { 1.0 };
                counts.iter().map(factor).collect()
            }
        };
        let counted = |row: &usize| {
            naive.weight_of(*row) > 0.0 && naive.factors[sample.classes[*row] as usize] > 0.0
        };
        naive.rows = all.into_iter().filter(counted).collect();
        naive
    }

    fn weight_of(&self, row: usize) -> f64 {
        self.sample.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// The sample weight of each class.
    fn counts(&self, rows: &[usize]) -> Vec<f64> {
        let mut counts = vec![0.0; self.sample.n_classes as usize];
        for &row in rows {
            counts[self.sample.classes[row] as usize] += self.weight_of(row);
        }
        counts
    }

    /// The weight of each class, class weights applied to the finished counts.
    pub fn class_weights(&self, rows: &[usize]) -> Vec<f64> {
        self.counts(rows).iter().zip(&self.factors).map(|(count, factor)| count * factor).collect()
    }

    pub fn class_rows(&self, rows: &[usize]) -> Vec<u32> {
        let mut counts = vec![0; self.sample.n_classes as usize];
        rows.iter().for_each(|&row| counts[self.sample.classes[row] as usize] += 1);
        counts
    }

    pub fn weight(&self, rows: &[usize]) -> f64 {
        self.class_weights(rows).iter().sum()
    }

    pub fn impurity(&self, rows: &[usize]) -> f64 {
        impurity(self.params.criterion, &self.class_weights(rows))
    }

    /// `impurity(parent) - (w_left / w * impurity(left) + w_right / w * impurity(right))`.
    fn gain(&self, criterion: Criterion, left: &[usize], right: &[usize]) -> f64 {
        let parent: Vec<usize> = left.iter().chain(right).copied().collect();
        let of = |rows: &[usize]| impurity(criterion, &self.class_weights(rows));
        let w = self.weight(&parent);
        of(&parent) - (self.weight(left) / w * of(left) + self.weight(right) / w * of(right))
    }

    /// What separating `left` from `right` gains at a node: times the share of the node's weight
    /// that is separated at all.
    pub fn gain_at(&self, node: &[usize], left: &[usize], right: &[usize]) -> f64 {
        self.gain_by(self.params.criterion, node, left, right)
    }

    /// The same by another criterion.
    fn gain_by(&self, by: Criterion, node: &[usize], left: &[usize], right: &[usize]) -> f64 {
        self.gain(by, left, right) * self.share_of(node, left, right)
    }

    /// The share of a node's weight that a split separates at all.
    fn share_of(&self, node: &[usize], left: &[usize], right: &[usize]) -> f64 {
        if left.len() + right.len() == node.len() {
            return 1.0;
        }
        let known: Vec<usize> = left.iter().chain(right).copied().collect();
        self.weight(&known) / self.weight(node)
    }

    /// The gain with which separating `left` from `right` by the categories of a feature competes.
    pub fn category_gain_at(
        &self,
        node: &[usize],
        left: &[usize],
        right: &[usize],
        feature: usize,
    ) -> f64 {
        let gain = self.gain(self.params.criterion, left, right);
        let known: Vec<usize> = left.iter().chain(right).copied().collect();
        (gain - self.gain_by_chance(&known, feature)) * self.share_of(node, left, right)
    }

    /// What categories gain by chance more than numbers do.
    fn gain_by_chance(&self, rows: &[usize], feature: usize) -> f64 {
        if self.params.category_gain == CategoryGain::Measured {
            return 0.0;
        }
        let groups: BTreeSet<u64> =
            rows.iter().map(|&row| self.sample.rows[row][feature].to_bits()).collect();
        let weight: f64 = rows.iter().map(|&row| self.weight_of(row)).sum();
        let n = weight.max(rows.len() as f64);
        let excess = groups.len().saturating_sub(GROUPS_LIKE_NUMBERS) as f64;
        if excess > 0.0 { self.impurity(rows) * (excess / (n - 1.0)) } else { 0.0 }
    }

    /// The gain of cutting `rows`, none of them missing, at a threshold of a feature.
    pub fn gain_of(&self, rows: &[usize], feature: usize, threshold: f64) -> f64 {
        let (left, right): (Vec<usize>, Vec<usize>) =
            rows.iter().partition(|&&row| self.sample.rows[row][feature] <= threshold);
        self.gain(self.params.criterion, &left, &right)
    }

    pub fn legal(&self, side: &[usize]) -> bool {
        let least_rows = match self.params.min_samples_leaf {
            RowCount::Count(count) => count as usize,
            RowCount::Fraction(share) => (share * self.rows.len() as f64).ceil() as usize,
        };
        let least_weight = self.params.min_weight_fraction_leaf * self.weight(&self.rows);
        !side.is_empty() && side.len() >= least_rows && self.weight(side) >= least_weight
    }

    /// The split of a node, or `None` for a leaf.
    pub fn best_split(&self, node: &NaiveNode) -> Option<NaiveSplit> {
        let rows = &node.rows;
        let fewest = match self.params.min_samples_split {
            RowCount::Count(count) => count as usize,
            RowCount::Fraction(share) => (share * self.rows.len() as f64).ceil() as usize,
        };
        let pure = self.class_rows(rows).iter().filter(|count| **count > 0).count() < 2;
        let deep = self.params.max_depth.is_some_and(|depth| node.depth >= depth);
        if !node.may_split || pure || deep || rows.len() < fewest {
            return None;
        }
        let mut best: Option<NaiveSplit> = None;
        for feature in 0..self.sample.n_features() {
            for mut candidate in self.candidates(rows, feature) {
                // Less may be rounding alone.
                if self.params.zero_gain_splits && candidate.gain < 1e-12 {
                    candidate.gain = 0.0;
                }
                let best_gain = best.as_ref().map_or(0.0, |best| best.gain);
                let counts = candidate.gain > 0.0 || self.params.zero_gain_splits;
                if counts && best.as_ref().is_none_or(|best| candidate.gain > best.gain) {
                    best = Some(candidate);
                } else if let Some(best) = &mut best
                    && best.feature != feature
                {
                    best.tied |= candidate.gain >= best_gain * (1.0 - 1e-12);
                }
            }
        }
        let mut split = best?;
        if split.gain == 0.0 && self.params.min_impurity_decrease > 0.0 {
            return None;
        }
        // Like scikit-learn: a split that falls short only by rounding is made.
        if self.improvement(node, &split) + f64::EPSILON < self.params.min_impurity_decrease {
            return None;
        }
        self.give_zone(rows, &mut split);
        let [left, within, right] = self.sides(rows, &split);
        split.within = within.len();
        if self.three_child && !(self.legal(&left) && self.legal(&right)) {
            return None;
        }
        Some(split)
    }

    /// The impurity a split removes, weighted by the node's share of all rows.
    pub fn improvement(&self, node: &NaiveNode, split: &NaiveSplit) -> f64 {
        self.weight(&node.rows) / self.weight(&self.rows) * split.gain
    }

    /// The rows below, within and above the zone. Unknown values are within.
    fn sides(&self, rows: &[usize], split: &NaiveSplit) -> [Vec<usize>; 3] {
        let mut sides = [Vec::new(), Vec::new(), Vec::new()];
        for &row in rows {
            let side = match split.side(self.sample.rows[row][split.feature]) {
                Side::Below => 0,
                Side::Within => 1,
                Side::Above => 2,
            };
            sides[side].push(row);
        }
        sides
    }

    pub fn root(&self) -> NaiveNode {
        NaiveNode { rows: self.rows.clone(), depth: 0, split: None, may_split: true }
    }

    /// The children of a split: left, perhaps middle, right.
    pub fn children(&self, node: &NaiveNode, split: &NaiveSplit) -> Vec<NaiveNode> {
        let child = |rows: Vec<usize>, may_split: bool| NaiveNode {
            rows,
            depth: node.depth + 1,
            split: None,
            may_split,
        };
        if !self.three_child {
            // A row whose value is unknown trains neither child.
            let (left, right) = self.cut(&node.rows, split);
            return vec![child(left, true), child(right, true)];
        }
        let [left, middle, right] = self.sides(&node.rows, split);
        let middle = if middle.is_empty() {
            child(node.rows.clone(), false)
        } else {
            let grows = self.weight(&middle) >= f64::from(self.params.min_samples_middle);
            child(middle, grows)
        };
        vec![child(left, true), middle, child(right, true)]
    }

    pub fn grow(&self) -> NaiveTree {
        let mut nodes = vec![self.root()];
        let mut next = 0;
        while next < nodes.len() {
            if let Some(split) = self.best_split(&nodes[next]) {
                self.make(&mut nodes, next, split);
            }
            next += 1;
        }
        NaiveTree { nodes }
    }

    pub fn make(&self, nodes: &mut Vec<NaiveNode>, at: usize, mut split: NaiveSplit) {
        let children = self.children(&nodes[at], &split);
        split.children = (nodes.len()..nodes.len() + children.len()).collect();
        nodes.extend(children);
        nodes[at].split = Some(split);
    }
}

/// Classes in order; 8 classes or more in eight interleaved partial sums, as numpy adds.
fn impurity(criterion: Criterion, class_weights: &[f64]) -> f64 {
    let total: f64 = class_weights.iter().sum();
    let terms: Vec<f64> = class_weights
        .iter()
        .map(|weight| weight / total)
        .map(|p| match criterion {
            Criterion::Gini => p * p,
            Criterion::Entropy if p == 0.0 => 0.0,
            Criterion::Entropy => p * p.log2(),
        })
        .collect();
    let sum = if terms.len() < 8 {
        terms.iter().fold(0.0, |sum, term| sum + term)
    } else {
        assert!(terms.len() < 16, "numpy adds longer lists in more rounds");
        let r = &terms[..8];
        let eight = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
        terms[8..].iter().fold(eight, |sum, term| sum + term)
    };
    match criterion {
        Criterion::Gini => 1.0 - sum,
        Criterion::Entropy => (0.0 - sum).max(0.0),
    }
}
