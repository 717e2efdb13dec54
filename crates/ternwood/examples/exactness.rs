//! Is the tree of a million rows the one that the obvious search finds? For `make exactness`.
//!
//! The obvious search sorts every column once, walks each of them from the smallest value to the
//! largest, level by level, and measures every candidate by the published expression. It shares
//! nothing with the library but the tree it is compared with.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::process::ExitCode;
use std::sync::Arc;
use ternwood::grow::Grower;
use ternwood::tree::{Node, NodeId};
use ternwood::{DatasetView, Exec, Matrix, Schema, Tree, TreeParams, ZoneKind};

const N_ROWS: usize = 1_000_000;
const N_FEATURES: usize = 12;
const MAX_DEPTH: u32 = 5;

struct Table {
    /// Row by row.
    values: Vec<f64>,
    classes: Vec<u32>,
    n_classes: usize,
}

#[derive(Clone)]
struct NaiveNode {
    counts: Vec<f64>,
    best: Option<Best>,
    children: Option<[usize; 2]>,
}

#[derive(Clone, Copy)]
struct Best {
    gain: f64,
    feature: usize,
    threshold: f64,
}

/// What one node has seen of the column that is being walked.
#[derive(Clone)]
struct Walk {
    left: Vec<f64>,
    last: Option<f64>,
}

fn main() -> ExitCode {
    let mut all_equal = true;
    for n_classes in [2, 5] {
        let table = Table::new(n_classes);
        let naive = table.naive_tree();
        let names = (0..n_classes as u32).map(Into::into).collect();
        let schema = Arc::new(Schema::unnamed(N_FEATURES, names).expect("the names differ"));
        for threads in [1, 2, 3] {
            let exec = Exec::with_threads(threads).expect("so many threads there are");
            let rows = Matrix::row_major(&table.values, N_FEATURES).expect("a matrix");
            let data = DatasetView::new(rows, &table.classes, Arc::clone(&schema), &exec);
            let data = data.expect("finite");
            let params = TreeParams { max_depth: Some(MAX_DEPTH), ..TreeParams::default() }
                .check()
                .expect("the parameters are fine");
            let grown = Grower::new(data, &params)
                .and_then(|grower| grower.grow_two_child(&exec))
                .expect("it grows");
            let tree = grown.with_zones(&ZoneKind::Margin.into()).expect("it has zones");
            let outcome = compare(&tree, &naive);
            let verdict = match &outcome {
                Ok(splits) => format!("all {splits} splits equal"),
                Err(difference) => format!("DIFFERENT: {difference}"),
            };
            println!(
                "{N_ROWS} rows x {N_FEATURES}, {n_classes} classes, {threads} threads: {verdict}"
            );
            all_equal &= outcome.is_ok();
        }
    }
    if all_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Table {
    /// Smooth columns, whole numbers, few values, a constant, a copy, and skewed ones.
    fn new(n_classes: usize) -> Self {
        let mut state = 7u64;
        let mut unit = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let (mut values, mut classes) = (Vec::new(), Vec::new());
        for _ in 0..N_ROWS {
            let class = (unit() * n_classes as f64) as u32;
            let start = values.len();
            for column in 0..N_FEATURES {
                let normal = (0..6).map(|_| unit()).sum::<f64>() - 3.0;
                let smooth = normal + 0.2 * f64::from(class) * (1.0 + column as f64 / 8.0);
                values.push(match column % 6 {
                    0 | 1 => smooth,
                    2 => (smooth * 10.0).round(),
                    3 => (smooth * 1000.0).round() / 8.0,
                    4 => smooth.exp(),
                    _ if column == 5 => 1.0,
                    _ => values[start],
                });
            }
            classes.push(class);
        }
        Self { values, classes, n_classes }
    }

    fn value(&self, row: usize, feature: usize) -> f64 {
        self.values[row * N_FEATURES + feature]
    }

    fn naive_tree(&self) -> Vec<NaiveNode> {
        let order: Vec<Vec<u32>> = (0..N_FEATURES)
            .map(|feature| {
                let mut rows: Vec<u32> = (0..N_ROWS as u32).collect();
                let value = |row: u32| self.value(row as usize, feature);
                rows.sort_unstable_by(|&a, &b| value(a).total_cmp(&value(b)));
                rows
            })
            .collect();
        let mut counts = vec![0.0; self.n_classes];
        self.classes.iter().for_each(|&class| counts[class as usize] += 1.0);
        let mut nodes = vec![NaiveNode { counts, best: None, children: None }];
        let mut node_of = vec![0u32; N_ROWS];
        let mut level = 0..1;
        for _ in 0..MAX_DEPTH {
            for (feature, order) in order.iter().enumerate() {
                self.walk(&mut nodes, &node_of, (feature, order));
            }
            let next = nodes.len();
            for node in level {
                if nodes[node].best.is_some() {
                    let empty =
                        NaiveNode { counts: vec![0.0; self.n_classes], best: None, children: None };
                    nodes[node].children = Some([nodes.len(), nodes.len() + 1]);
                    nodes.extend([empty.clone(), empty]);
                }
            }
            for (row, node) in node_of.iter_mut().enumerate() {
                let NaiveNode { best: Some(best), children: Some(children), .. } =
                    &nodes[*node as usize]
                else {
                    continue;
                };
                let goes_right = self.value(row, best.feature) > best.threshold;
                *node = children[usize::from(goes_right)] as u32;
                nodes[*node as usize].counts[self.classes[row] as usize] += 1.0;
            }
            level = next..nodes.len();
        }
        nodes
    }

    /// Measures every candidate of one feature at every node.
    fn walk(&self, nodes: &mut [NaiveNode], node_of: &[u32], (feature, order): (usize, &[u32])) {
        let mut walks = vec![Walk { left: vec![0.0; self.n_classes], last: None }; nodes.len()];
        for &row in order {
            let row = row as usize;
            let (node, walk) =
                (&mut nodes[node_of[row] as usize], &mut walks[node_of[row] as usize]);
            let value = self.value(row, feature);
            if let Some(last) = walk.last
                && last < value
                && node.children.is_none()
            {
                let gain = gain(&node.counts, &walk.left);
                if gain > node.best.map_or(0.0, |best| best.gain) {
                    let middle = (last + value) / 2.0;
                    let threshold = if middle >= value { last } else { middle };
                    node.best = Some(Best { gain, feature, threshold });
                }
            }
            walk.left[self.classes[row] as usize] += 1.0;
            walk.last = Some(value);
        }
    }
}

/// `impurity(parent) - (w_left / w * impurity(left) + w_right / w * impurity(right))`
fn gain(counts: &[f64], left: &[f64]) -> f64 {
    let impurity = |counts: &[f64], total: f64| {
        1.0 - counts.iter().fold(0.0, |sum, n| sum + (n / total) * (n / total))
    };
    let right: Vec<f64> = counts.iter().zip(left).map(|(all, left)| all - left).collect();
    let [all, on_left, on_right] = [counts, left, &right].map(|counts| counts.iter().sum::<f64>());
    let children =
        on_left / all * impurity(left, on_left) + on_right / all * impurity(&right, on_right);
    impurity(counts, all) - children
}

/// How many splits there are, all equal; or the first that differs.
fn compare(tree: &Tree, naive: &[NaiveNode]) -> Result<usize, String> {
    let mut splits = 0;
    let mut pairs = vec![(NodeId::ROOT, 0)];
    while let Some((id, index)) = pairs.pop() {
        let expected = &naive[index];
        let rows: Vec<f64> = tree.class_rows(id).iter().map(|&rows| f64::from(rows)).collect();
        if rows != expected.counts {
            return Err(format!("node {id} has rows {rows:?}, not {:?}", expected.counts));
        }
        match (tree.node(id), expected.best, expected.children) {
            (Node::Leaf, _, None) => {}
            (Node::Split(split), Some(best), Some([left, right]))
                if split.test.feature().index() == best.feature
                    && split.test.zone().is_some_and(|zone| {
                        zone.threshold().to_bits() == best.threshold.to_bits()
                    }) =>
            {
                splits += 1;
                pairs.extend([(split.left, left), (split.right, right)]);
            }
            (node, best, _) => {
                let best = best.map(|best| (best.feature, best.threshold, best.gain));
                return Err(format!("node {id} is {node:?}, not {best:?}"));
            }
        }
    }
    Ok(splits)
}
