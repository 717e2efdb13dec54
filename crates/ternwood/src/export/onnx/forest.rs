//! A forest: groups of trees, from the roots down, as `forest/` sends parts of rows through them.
//!
//! Trees of a group are walked side by side, level by level: runtimes take long to load graphs of
//! many operators, and much memory for wide ones.

use super::answer::Answers;
use super::graph::{Graph, Value};
use super::input::Values;
use super::proto::Attribute;
use super::tests_of_tree::{At, ShareBy, Tests};
use super::tree::{for_all_rows, n_rows};
use crate::forest::{Forest, KEPT, LEAST_SHARE};
use crate::model::Model;
use crate::recipe::Routing;
use crate::tree::{NodeId, Tree};

/// The nodes of a group that need not be more.
const GROUP: usize = 4096;

/// The most groups, unless single trees are larger.
const MOST_GROUPS: usize = 16;

/// What the trees so far have said.
struct Sums {
    /// The sum of their distributions, one column per class.
    sums: Value,
    /// How many are decided for each class; `None` if nobody asks.
    votes: Option<Value>,
}

pub(super) fn answers(model: &Model, values: &Values, graph: &mut Graph) -> Answers {
    let Some(forest) = model.forest() else { unreachable!("a model is a tree or a forest") };
    let n_classes = forest.n_classes();
    let rows = n_rows(values, graph);
    let nothing = for_all_rows(&rows, [1, n_classes], &vec![0.0; n_classes], graph);
    let nothing = graph.squeezed(&nothing, 1);
    let by_zones = model.verdict().is_by_zones();
    let mut sums = Sums { sums: nothing.clone(), votes: by_zones.then_some(nothing) };
    let crisp = model.routing() == Routing::Crisp;
    for trees in groups(forest) {
        let group = Group { trees, crisp, rows: &rows };
        sums = group.add(values, sums, graph);
    }
    let n_trees = graph.double(forest.trees().len() as f64);
    let mean = graph.op("Div", &[&sums.sums, &n_trees]);
    let first = first_largest(&mean, graph);
    let of_zones = sums.votes.map(|votes| {
        let at_first = graph.unsqueezed(&first, 1);
        let by_column = [Attribute::Number("axis", 1)];
        let votes = graph.op_with("GatherElements", &[&votes, &at_first], &by_column);
        let votes = graph.squeezed(&votes, 1);
        let two = graph.double(2.0);
        let twice = graph.op("Mul", &[&two, &votes]);
        graph.op("Greater", &[&twice, &n_trees])
    });
    let probabilities = sharpened(forest, mean, graph);
    Answers { probabilities, of_zones, first: Some(first), distance: None }
}

/// The trees in their order, some at a time.
fn groups(forest: &Forest) -> Vec<Vec<&Tree>> {
    let most = GROUP.max(forest.n_nodes().div_ceil(MOST_GROUPS));
    let mut groups: Vec<Vec<&Tree>> = Vec::new();
    let mut n_nodes = most;
    for tree in forest.trees() {
        n_nodes += tree.n_nodes();
        match groups.last_mut() {
            Some(group) if n_nodes <= most => group.push(tree),
            _ => {
                groups.push(vec![tree]);
                n_nodes = tree.n_nodes();
            }
        }
    }
    groups
}

/// The index of the largest number of a row, the lowest on ties.
pub(super) fn first_largest(numbers: &str, graph: &mut Graph) -> Value {
    let attributes = [Attribute::Number("axis", 1), Attribute::Number("keepdims", 0)];
    graph.op_with("ArgMax", &[numbers], &attributes)
}

/// Trees that are walked together.
struct Group<'a> {
    trees: Vec<&'a Tree>,
    crisp: bool,
    /// The number of rows, as a shape.
    rows: &'a str,
}

/// How much of every row arrives at every leaf.
struct Parts {
    /// Tree by tree.
    leaves: Vec<At>,
    parts: Value,
    /// The splits, and whether the row met a zone there.
    splits: Vec<At>,
    doubts: Vec<Value>,
}

impl Group<'_> {
    /// Adds what these trees say.
    fn add(&self, values: &Values, sums: Sums, graph: &mut Graph) -> Sums {
        let Parts { leaves, parts, splits, doubts } = self.parts(values, graph);
        let n_classes = self.trees[0].n_classes();
        let numbers = |of: &dyn Fn(&Tree, NodeId, usize) -> f64| -> Vec<f64> {
            let of_leaf = |&(tree, leaf): &At| {
                let tree = self.trees[tree];
                (0..n_classes).map(move |class| of(tree, leaf, class))
            };
            leaves.iter().flat_map(of_leaf).collect()
        };
        let dims = [1, leaves.len(), n_classes];
        let shares = numbers(&|tree, leaf, class| tree.distribution(leaf)[class]);
        let distributions = graph.doubles(&dims, &shares);
        let of_leaves = graph.unsqueezed(&parts, 2);
        let terms = graph.op("Mul", &[&of_leaves, &distributions]);
        // Running sums are added one after another, as the forest does.
        let so_far = graph.unsqueezed(&sums.sums, 1);
        let terms = graph.concat(&[so_far, terms]);
        let total = last_of_running_sums(&terms, leaves.len() + 1, graph);

        let votes = sums.votes.map(|votes| {
            let unsure = self.unsure(&splits, &doubts, graph);
            let sure = graph.rest(&unsure);
            let trees: Vec<usize> = leaves.iter().map(|leaf| leaf.0).collect();
            let sure = graph.columns(&sure, &trees);
            // A decided row has one leaf of a tree, with all of it.
            let decided = graph.op("Mul", &[&sure, &parts]);
            let decided = graph.unsqueezed(&decided, 2);
            let is_majority = numbers(&|tree, leaf, class| {
                f64::from(u8::from(tree.majority_class(leaf) as usize == class))
            });
            let majorities = graph.doubles(&dims, &is_majority);
            let new = graph.op("Mul", &[&decided, &majorities]);
            let new = graph.reduced("ReduceSum", &new);
            graph.op("Add", &[&votes, &new])
        });
        Sums { sums: total, votes }
    }

    fn parts(&self, values: &Values, graph: &mut Graph) -> Parts {
        let n_trees = self.trees.len();
        let whole = for_all_rows(self.rows, [n_trees, 1], &vec![1.0; n_trees], graph);
        let mut here = graph.squeezed(&whole, 2);
        let mut nodes: Vec<At> = (0..n_trees).map(|tree| (tree, NodeId::ROOT)).collect();
        let has_splits = self.trees.iter().any(|tree| tree.n_nodes() > 1);
        let tests = has_splits.then(|| Tests::of(&self.trees, values, ShareBy::Forest, graph));
        let (mut leaves, mut at_leaves) = (Vec::new(), Vec::new());
        let (mut splits, mut doubts) = (Vec::new(), Vec::new());
        loop {
            let is_leaf = |&(tree, node): &At| self.trees[tree].node(node).is_leaf();
            let (ends, goes_on): (Vec<usize>, Vec<usize>) =
                (0..nodes.len()).partition(|&at| is_leaf(&nodes[at]));
            if !ends.is_empty() {
                leaves.extend(ends.iter().map(|&at| nodes[at]));
                at_leaves.push(graph.columns(&here, &ends));
            }
            let Some(tests) = tests.as_ref().filter(|_| !goes_on.is_empty()) else { break };
            let level: Vec<At> = goes_on.iter().map(|&at| nodes[at]).collect();
            let part = graph.columns(&here, &goes_on);
            let (share, doubt) = self.shares(tests, &level, &part, graph);
            doubts.push(doubt);
            let to_left = graph.op("Mul", &[&part, &share]);
            let to_right = graph.op("Sub", &[&part, &to_left]);
            here = graph.concat(&[to_left, to_right]);
            let children = |right: bool| {
                level.iter().filter_map(move |&(tree, node)| {
                    let split = self.trees[tree].node(node).as_split()?;
                    Some((tree, if right { split.right } else { split.left }))
                })
            };
            nodes = children(false).chain(children(true)).collect();
            splits.extend(level);
        }
        let at_leaves = graph.concat(&at_leaves);
        let mut order: Vec<usize> = (0..leaves.len()).collect();
        order.sort_by_key(|&at| leaves[at]);
        let parts = graph.columns(&at_leaves, &order);
        leaves.sort();
        Parts { leaves, parts, splits, doubts }
    }

    /// The share that goes left, and whether the row met a zone, at the splits of a level.
    fn shares(&self, tests: &Tests, level: &[At], part: &str, graph: &mut Graph) -> (Value, Value) {
        let left = tests.at(&tests.left, level, graph);
        let (share, doubt) = if self.crisp {
            (left, tests.at(&tests.unknown, level, graph))
        } else {
            let [share, unsure] =
                [&tests.share, &tests.unsure].map(|of| tests.at(of, level, graph));
            let to_left = graph.op("Mul", &[part, &share]);
            let to_right = graph.op("Sub", &[part, &to_left]);
            let smaller = graph.op("Min", &[&to_left, &to_right]);
            let least = graph.double(LEAST_SHARE);
            let divides = graph.op("GreaterOrEqual", &[&smaller, &least]);
            (graph.op("Where", &[&divides, &share, &left]), unsure)
        };
        let zero = graph.double(0.0);
        let arrives = graph.op("Greater", &[part, &zero]);
        (share, graph.op("Where", &[&arrives, &doubt, &zero]))
    }

    /// Whether the row met a zone, tree by tree.
    fn unsure(&self, splits: &[At], doubts: &[Value], graph: &mut Graph) -> Value {
        let none = for_all_rows(self.rows, [1, 1], &[0.0], graph);
        let none = graph.squeezed(&none, 2);
        let all: Vec<Value> = [none].into_iter().chain(doubts.iter().cloned()).collect();
        let all = graph.concat(&all);
        // As many columns for every tree: the first one, which is 0, fills up.
        let mut of_trees = vec![vec![0]; self.trees.len()];
        for (at, (tree, _)) in splits.iter().enumerate() {
            of_trees[*tree].push(at + 1);
        }
        let most = of_trees.iter().map(Vec::len).max().unwrap_or(1);
        of_trees.iter_mut().for_each(|columns| columns.resize(most, 0));
        let all = graph.columns(&all, &of_trees.concat());
        let shape = graph.ints(&[0, self.trees.len() as i64, most as i64]);
        let all = graph.op("Reshape", &[&all, &shape]);
        let axes = graph.ints(&[2]);
        graph.op_with("ReduceMax", &[&all, &axes], &[Attribute::Number("keepdims", 0)])
    }
}

/// The sum of `n` columns, from the first to the last; that axis goes.
fn last_of_running_sums(values: &str, n: usize, graph: &mut Graph) -> Value {
    let axis = graph.int(1);
    let running = graph.op("CumSum", &[values, &axis]);
    let last = graph.columns(&running, &[n - 1]);
    graph.squeezed(&last, 1)
}

/// The mean sharpened by the exponent, as `forest/sharpen.rs` does it.
fn sharpened(forest: &Forest, mean: Value, graph: &mut Graph) -> Value {
    let Some(exponent) = forest.exponent() else { return mean };
    let spread = (1.0 - KEPT) / forest.n_classes() as f64;
    let [kept, spread, exponent] = [KEPT, spread, exponent].map(|number| graph.double(number));
    let smoothed = |value: &str, graph: &mut Graph| {
        let product = graph.op("Mul", &[&kept, value]);
        graph.op("Add", &[&product, &spread])
    };
    let largest = graph.reduced("ReduceMax", &mean);
    let largest = smoothed(&largest, graph);
    let largest = graph.unsqueezed(&largest, 1);
    let smoothed = smoothed(&mean, graph);
    let ratio = graph.op("Div", &[&smoothed, &largest]);
    let powers = graph.op("Pow", &[&ratio, &exponent]);
    let total = last_of_running_sums(&powers, forest.n_classes(), graph);
    let total = graph.unsqueezed(&total, 1);
    graph.op("Div", &[&powers, &total])
}
