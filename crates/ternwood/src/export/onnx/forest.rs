//! A forest: tree after tree, each from the root down, as `forest/` sends parts of rows through it.

use super::answer::Answers;
use super::graph::{Graph, Value};
use super::input::Values;
use super::proto::Attribute;
use super::tests_of_tree::{ShareBy, Tests};
use super::tree::{for_all_rows, n_rows};
use crate::forest::{Forest, KEPT, LEAST_SHARE};
use crate::model::Model;
use crate::recipe::Routing;
use crate::tree::{NodeId, Tree};

/// What the trees so far have said.
struct Sums {
    /// The sum of their distributions, one column per class.
    sums: Value,
    /// How many are decided for each class.
    votes: Value,
}

pub(super) fn answers(model: &Model, values: &Values, graph: &mut Graph) -> Answers {
    let Some(forest) = model.forest() else { unreachable!("a model is a tree or a forest") };
    let n_classes = forest.n_classes();
    let rows = n_rows(values, graph);
    let nothing = for_all_rows(&rows, [1, n_classes], &vec![0.0; n_classes], graph);
    let nothing = graph.squeezed(&nothing, 1);
    let mut sums = Sums { sums: nothing.clone(), votes: nothing };
    let crisp = model.routing() == Routing::Crisp;
    for tree in forest.trees() {
        sums = add_tree(tree, crisp, values, sums, graph);
    }
    let n_trees = graph.double(forest.trees().len() as f64);
    let mean = graph.op("Div", &[&sums.sums, &n_trees]);
    let first = first_largest(&mean, graph);
    let at_first = graph.unsqueezed(&first, 1);
    let votes = graph.op_with("GatherElements", &[&sums.votes, &at_first], &[Attribute::Number("axis", 1)]);
    let votes = graph.squeezed(&votes, 1);
    let two = graph.double(2.0);
    let twice = graph.op("Mul", &[&two, &votes]);
    let majority = graph.op("Greater", &[&twice, &n_trees]);
    let probabilities = sharpened(forest, mean, graph);
    Answers { probabilities, of_zones: Some(majority), first: Some(first), distance: None }
}

/// The index of the largest number of a row, the lowest on ties.
pub(super) fn first_largest(numbers: &str, graph: &mut Graph) -> Value {
    let attributes = [Attribute::Number("axis", 1), Attribute::Number("keepdims", 0)];
    graph.op_with("ArgMax", &[numbers], &attributes)
}

fn add_tree(tree: &Tree, crisp: bool, values: &Values, sums: Sums, graph: &mut Graph) -> Sums {
    let n_classes = tree.n_classes();
    let Parts { leaves, parts, unsure } = parts(tree, crisp, values, graph);
    let shares = |of: &dyn Fn(NodeId, usize) -> f64| -> Vec<f64> {
        leaves.iter().flat_map(|leaf| (0..n_classes).map(|class| of(*leaf, class))).collect()
    };
    let parts = graph.unsqueezed(&parts, 2);
    let dims = [1, leaves.len(), n_classes];
    let distributions = graph.doubles(&dims, &shares(&|leaf, class| tree.distribution(leaf)[class]));
    let terms = graph.op("Mul", &[&parts, &distributions]);
    // Running sums are added one after another, as the forest does.
    let so_far = graph.unsqueezed(&sums.sums, 1);
    let terms = graph.concat(&[so_far, terms]);
    let axis = graph.ints(&[1]);
    let axis = graph.squeezed(&axis, 0);
    let running = graph.op("CumSum", &[&terms, &axis]);
    let last = graph.columns(&running, &[leaves.len()]);

    let is_majority = |leaf: NodeId, class: usize| {
        f64::from(u8::from(tree.majority_class(leaf) as usize == class))
    };
    let majorities = graph.doubles(&dims, &shares(&is_majority));
    let reached = graph.op("Mul", &[&parts, &majorities]);
    // A decided row has one leaf, with all of it.
    let vote = graph.reduced("ReduceSum", &reached);
    let sure = graph.rest(&unsure);
    let sure = graph.unsqueezed(&sure, 1);
    let vote = graph.op("Mul", &[&sure, &vote]);
    Sums { sums: graph.squeezed(&last, 1), votes: graph.op("Add", &[&sums.votes, &vote]) }
}

/// How much of every row arrives at every leaf.
struct Parts {
    leaves: Vec<NodeId>,
    parts: Value,
    /// 1 if the row met a zone.
    unsure: Value,
}

fn parts(tree: &Tree, crisp: bool, values: &Values, graph: &mut Graph) -> Parts {
    let rows = n_rows(values, graph);
    let whole = for_all_rows(&rows, [1, 1], &[1.0], graph);
    let mut here = graph.squeezed(&whole, 2);
    let none = for_all_rows(&rows, [1, 1], &[0.0], graph);
    let mut doubts = vec![graph.squeezed(&none, 2)];
    let mut nodes = vec![NodeId::ROOT];
    let (mut leaves, mut at_leaves) = (Vec::new(), Vec::new());
    let mut tests = None;
    loop {
        let at = |wanted: bool| -> Vec<usize> {
            (0..nodes.len()).filter(|&at| tree.node(nodes[at]).is_leaf() == wanted).collect()
        };
        let (ends, goes_on) = (at(true), at(false));
        if !ends.is_empty() {
            leaves.extend(ends.iter().map(|&at| nodes[at]));
            at_leaves.push(graph.columns(&here, &ends));
        }
        if goes_on.is_empty() {
            break;
        }
        let tests = tests.get_or_insert_with(|| Tests::of(tree, values, ShareBy::Forest, graph));
        let splits: Vec<NodeId> = goes_on.iter().map(|&at| nodes[at]).collect();
        let part = graph.columns(&here, &goes_on);
        let [share, left, unsure, unknown] = [&tests.share, &tests.left, &tests.unsure, &tests.unknown]
            .map(|of| tests.at(of, &splits, graph));
        let (share, doubt) = if crisp {
            (left, unknown)
        } else {
            let least = graph.double(LEAST_SHARE);
            let is_soft = graph.op("GreaterOrEqual", &[&part, &least]);
            let share = graph.op("Where", &[&is_soft, &share, &left]);
            (share, graph.op("Where", &[&is_soft, &unsure, &unknown]))
        };
        let zero = graph.double(0.0);
        let arrives = graph.op("Greater", &[&part, &zero]);
        doubts.push(graph.op("Where", &[&arrives, &doubt, &zero]));
        let to_left = graph.op("Mul", &[&part, &share]);
        let to_right = graph.op("Sub", &[&part, &to_left]);
        here = graph.concat(&[to_left, to_right]);
        let children = |right: bool| {
            let splits = splits.iter().filter_map(|id| tree.node(*id).as_split());
            splits.map(move |split| if right { split.right } else { split.left })
        };
        nodes = children(false).chain(children(true)).collect();
    }
    let doubts = graph.concat(&doubts);
    let at_leaves = graph.concat(&at_leaves);
    // In the order of the tree.
    let mut order: Vec<usize> = (0..leaves.len()).collect();
    order.sort_by_key(|&at| leaves[at]);
    let parts = graph.columns(&at_leaves, &order);
    leaves.sort();
    Parts { leaves, parts, unsure: graph.reduced("ReduceMax", &doubts) }
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
    let axis = graph.ints(&[1]);
    let axis = graph.squeezed(&axis, 0);
    let running = graph.op("CumSum", &[&powers, &axis]);
    let total = graph.columns(&running, &[forest.n_classes() - 1]);
    graph.op("Div", &[&powers, &total])
}
