//! A ternary tree straight from the definition: every candidate scored from scratch, nothing
//! shared, nothing clever. What the engine grows must be this tree, to the last bit.

mod zones;

use super::sample::Sample;
use ternwood::recipe::{ClassWeight, Criterion, RowCount};
use ternwood::tree::{Cut, Node, NodeId};
use ternwood::{Tree, TreeParams};

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

#[derive(Clone)]
pub struct NaiveSplit {
    pub feature: usize,
    pub threshold: f64,
    /// The values next to the threshold.
    pub between: [f64; 2],
    pub half_width: f64,
    pub gain: f64,
    /// Whether a split by another feature has the same gain.
    pub tied: bool,
    pub within: usize,
    /// Left, perhaps middle, right.
    pub children: Vec<usize>,
}

/// A threshold between two neighbouring values, with its gain.
#[derive(Clone, Copy)]
struct Candidate {
    threshold: f64,
    between: [f64; 2],
    gain: f64,
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
            ClassWeight::Balanced => {
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

    fn weight(&self, rows: &[usize]) -> f64 {
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

    /// The gain of cutting `rows` at a threshold of a feature.
    pub fn gain_of(&self, rows: &[usize], feature: usize, threshold: f64) -> f64 {
        let (left, right) = self.cut(rows, feature, threshold);
        self.gain(self.params.criterion, &left, &right)
    }

    fn cut(&self, rows: &[usize], feature: usize, threshold: f64) -> (Vec<usize>, Vec<usize>) {
        rows.iter().partition(|&&row| self.sample.rows[row][feature] <= threshold)
    }

    fn values(&self, rows: &[usize], feature: usize) -> Vec<f64> {
        let mut values: Vec<f64> = rows.iter().map(|&row| self.sample.rows[row][feature]).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    fn legal(&self, side: &[usize]) -> bool {
        let least_rows = match self.params.min_samples_leaf {
            RowCount::Count(count) => count as usize,
            RowCount::Fraction(share) => (share * self.rows.len() as f64).ceil() as usize,
        };
        let least_weight = self.params.min_weight_fraction_leaf * self.weight(&self.rows);
        !side.is_empty() && side.len() >= least_rows && self.weight(side) >= least_weight
    }

    /// All legal candidates of a feature, ascending.
    fn candidates(&self, rows: &[usize], feature: usize) -> Vec<Candidate> {
        let mut values = self.values(rows, feature);
        values.dedup();
        let mut candidates = Vec::new();
        for pair in values.windows(2) {
            let middle = (pair[0] + pair[1]) / 2.0;
            let threshold = if middle >= pair[1] { pair[0] } else { middle };
            let (left, right) = self.cut(rows, feature, threshold);
            if self.legal(&left) && self.legal(&right) {
                let gain = self.gain(self.params.criterion, &left, &right);
                candidates.push(Candidate { threshold, between: [pair[0], pair[1]], gain });
            }
        }
        candidates
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
            for Candidate { threshold, between, gain } in self.candidates(rows, feature) {
                let best_gain = best.as_ref().map_or(0.0, |best| best.gain);
                if gain > best_gain {
                    best = Some(NaiveSplit {
                        feature,
                        threshold,
                        between,
                        half_width: 0.0,
                        gain,
                        tied: false,
                        within: 0,
                        children: Vec::new(),
                    });
                } else if let Some(best) = &mut best
                    && best.feature != feature
                {
                    best.tied |= gain >= best_gain * (1.0 - 1e-12);
                }
            }
        }
        let mut split = best?;
        // Like scikit-learn: a split that falls short only by rounding is made.
        if self.improvement(node, &split) + f64::EPSILON < self.params.min_impurity_decrease {
            return None;
        }
        split.half_width = self.half_width(rows, &split);
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

    /// The rows below, within and above the zone.
    fn sides(&self, rows: &[usize], split: &NaiveSplit) -> [Vec<usize>; 3] {
        let (lower, upper) =
            (split.threshold - split.half_width, split.threshold + split.half_width);
        let mut sides = [Vec::new(), Vec::new(), Vec::new()];
        for &row in rows {
            let x = self.sample.rows[row][split.feature];
            let side = if x <= lower {
                0
            } else if x <= upper {
                1
            } else {
                2
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
            let (left, right) = self.cut(&node.rows, split.feature, split.threshold);
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

impl NaiveTree {
    /// Whether the engine's tree equals this one, node by node and bit by bit; if not, where they
    /// differ.
    pub fn compare(&self, naive: &Naive<'_>, tree: &Tree) -> Result<(), String> {
        let mut pairs = vec![(0, NodeId::ROOT)];
        let mut seen = 0;
        while let Some((at, id)) = pairs.pop() {
            seen += 1;
            let node = &self.nodes[at];
            let differ = |what: &str, naive: &dyn std::fmt::Debug, engine: &dyn std::fmt::Debug| {
                Err(format!("node {id}: {what} should be {naive:?} and is {engine:?}"))
            };
            let class_rows = naive.class_rows(&node.rows);
            if class_rows != tree.class_rows(id) {
                return differ("class_rows", &class_rows, &tree.class_rows(id));
            }
            let class_weights = naive.class_weights(&node.rows);
            if class_weights != tree.class_weights(id) {
                return differ("class_weights", &class_weights, &tree.class_weights(id));
            }
            let impurity = naive.impurity(&node.rows);
            if impurity != tree.impurity(id) {
                return differ("impurity", &impurity, &tree.impurity(id));
            }
            let total: f64 = class_weights.iter().sum();
            let shares: Vec<f64> = class_weights.iter().map(|weight| weight / total).collect();
            if shares != tree.distribution(id) {
                return differ("distribution", &shares, &tree.distribution(id));
            }
            match (&node.split, tree.node(id)) {
                (None, Node::Leaf) => {}
                (Some(split), Node::Split(found)) => {
                    let should = (split.feature, split.threshold, split.half_width, split.within);
                    let Cut::Threshold { zone, between } = *found.test.cut();
                    let is = (
                        found.test.feature().index(),
                        zone.threshold(),
                        zone.half_width(),
                        tree.rows_within(id) as usize,
                    );
                    if should != is {
                        return differ("(feature, threshold, half-width, within)", &should, &is);
                    }
                    if Some(split.between) != between {
                        return differ("neighbours of the threshold", &split.between, &between);
                    }
                    let children: Vec<NodeId> = found.children().collect();
                    if children.len() != split.children.len() {
                        return differ("number of children", &split.children.len(), &children);
                    }
                    pairs.extend(split.children.iter().copied().zip(children));
                }
                (split, node) => {
                    let split = split.as_ref().map(|s| (s.feature, s.threshold, s.half_width));
                    return differ("split", &split, node);
                }
            }
        }
        if seen == tree.n_nodes() {
            return Ok(());
        }
        Err(format!("{seen} nodes were compared, but there are {}", tree.n_nodes()))
    }
}
