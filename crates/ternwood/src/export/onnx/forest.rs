//! A forest: the mean of what its trees say, sharpened, and a majority of their verdicts.
//!
//! `forest_loop.rs` walks any forest. Those without zones are left to `TreeEnsembleRegressor`, an operator that runtimes
//! have for trees and run faster than anything else. It answers in single precision, so it is only asked for the leaf of
//! every row in every tree: a whole number, which single precision holds to the last digit. In both the trees are added
//! up one after the other, in the forest's order.

use super::answer::{Answers, Values};
use super::forest_loop;
use super::graph::{Attribute, ElementType, Graph, Value};
use crate::ensemble::{Ensemble, Smoothed};
use crate::model::Model;
use crate::recipe::Routing;
use crate::tree::{Node, NodeId, PlainTest, PresentValues, Side, Test, Tree};
use std::collections::BTreeMap;

/// What the trees say.
pub(super) struct Sums {
    /// The sum of their distributions, one column per class.
    pub(super) sums: Value,
    /// How many are decided for each class; `None` if nobody asks.
    pub(super) votes: Option<Value>,
}

impl Sums {
    fn into_values(self) -> Vec<Value> {
        [self.sums].into_iter().chain(self.votes).collect()
    }
}

pub(super) fn answers(model: &Model, values: &Values, graph: &mut Graph) -> Answers {
    let forest = model.ensemble();
    let with_votes = model.verdict().is_by_zones();
    let walked = |graph: &mut Graph| forest_loop::sums(model, forest, values, with_votes, graph);
    let Sums { sums, votes } = match LeafOperator::of(model) {
        None => walked(graph),
        Some(operator) => {
            let cannot_place = operator.cannot_place(values, graph);
            let kinds = [ElementType::Double; 2];
            let kinds = if with_votes { &kinds[..] } else { &kinds[..1] };
            let values = graph.either(
                &cannot_place,
                kinds,
                |graph| walked(graph).into_values(),
                |graph| operator.sums(values, with_votes, graph).into_values(),
            );
            let mut values = values.into_iter();
            Sums { sums: values.next().unwrap_or_default(), votes: values.next() }
        }
    };
    let n_trees = graph.double(forest.trees().len() as f64);
    let mean = graph.op("Div", &[&sums, &n_trees]);
    let first = first_largest(&mean, graph);
    let of_zones = votes.map(|votes| {
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

/// The index of the largest number of a row, the lowest on ties.
pub(super) fn first_largest(numbers: &str, graph: &mut Graph) -> Value {
    let attributes = [Attribute::Number("axis", 1), Attribute::Number("keepdims", 0)];
    graph.op_with("ArgMax", &[numbers], &attributes)
}

/// The sum of `n` columns, from the first to the last; that axis goes.
pub(super) fn last_of_running_sums(values: &str, n: usize, graph: &mut Graph) -> Value {
    let axis = graph.int(1);
    let running = graph.op("CumSum", &[values, &axis]);
    let last = graph.columns(&running, &[n - 1]);
    graph.squeezed(&last, 1)
}

/// The distributions of these leaves, which are counted over all trees.
pub(super) fn distributions(forest: &Ensemble, leaves: &str, graph: &mut Graph) -> Value {
    let numbers = of_leaves(forest, |tree, leaf| tree.values(leaf).to_vec());
    looked_up(forest, &numbers, leaves, graph)
}

/// The classes of these leaves: 1 for the most probable one, 0 for all others.
pub(super) fn majorities(forest: &Ensemble, leaves: &str, graph: &mut Graph) -> Value {
    let numbers = of_leaves(forest, |tree, leaf| {
        let majority = tree.majority_class(leaf) as usize;
        let flag = |class| f64::from(u8::from(class == majority));
        (0..forest.n_outputs()).map(flag).collect()
    });
    looked_up(forest, &numbers, leaves, graph)
}

fn of_leaves(forest: &Ensemble, numbers: impl Fn(&Tree, NodeId) -> Vec<f64>) -> Vec<f64> {
    let of_tree =
        |tree| Tree::ids(tree).filter(|id| tree.node(*id).is_leaf()).map(move |id| (tree, id));
    forest.trees().iter().flat_map(of_tree).flat_map(|(tree, id)| numbers(tree, id)).collect()
}

/// Rows of a table with one column per class.
fn looked_up(forest: &Ensemble, numbers: &[f64], rows: &str, graph: &mut Graph) -> Value {
    let n_classes = forest.n_outputs();
    let table = graph.doubles(&[numbers.len() / n_classes, n_classes], numbers);
    graph.looked_up(&table, rows)
}

/// The mean sharpened by the exponent, as `ensemble/sharpen.rs` does it.
fn sharpened(forest: &Ensemble, mean: Value, graph: &mut Graph) -> Value {
    let Some(sharpening) = forest.sharpening() else { return mean };
    let Smoothed { kept, spread } = sharpening.smoothed(forest.n_outputs());
    let [kept, spread, exponent] =
        [kept, spread, sharpening.exponent].map(|number| graph.double(number));
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
    let total = last_of_running_sums(&powers, forest.n_outputs(), graph);
    let total = graph.unsqueezed(&total, 1);
    graph.op("Div", &[&powers, &total])
}

/// Whole numbers up to here are numbers of single precision.
const MOST_LEAVES: usize = 1 << 24;

/// A forest whose tests all place all numbers.
pub(super) struct LeafOperator<'m> {
    forest: &'m Ensemble,
    /// For every tested feature, whether all tests place a missing value.
    places_gaps: BTreeMap<usize, bool>,
}

/// The nodes of all trees, attribute by attribute.
#[derive(Default)]
struct Nodes {
    trees: Vec<i64>,
    ids: Vec<i64>,
    features: Vec<i64>,
    modes: Vec<String>,
    thresholds: Vec<f64>,
    lefts: Vec<i64>,
    rights: Vec<i64>,
    /// 1 where a missing value goes left.
    gaps: Vec<i64>,
}

impl<'m> LeafOperator<'m> {
    /// `None` for other forests.
    pub(super) fn of(model: &'m Model) -> Option<Self> {
        let forest = model.ensemble();
        if forest.n_nodes() > MOST_LEAVES {
            return None;
        }
        let crisp = model.routing() == Routing::Crisp;
        let mut places_gaps = BTreeMap::new();
        for test in forest.trees().iter().flat_map(Tree::tests).map(Test::plain) {
            let fits = match &test.present {
                PresentValues::Numbers(zone) => crisp || zone.half_width() == 0.0,
                PresentValues::Categories { .. } => false,
                PresentValues::All(outcome) => outcome.side != Side::Within,
            };
            if !fits {
                return None;
            }
            *places_gaps.entry(test.feature).or_insert(true) &= places(&test);
        }
        (!places_gaps.is_empty()).then_some(Self { forest, places_gaps })
    }

    /// Whether some row has a value that a test cannot place.
    pub(super) fn cannot_place(&self, values: &Values, graph: &mut Graph) -> Value {
        let all: Vec<usize> = self.places_gaps.keys().map(|it| values.places[*it]).collect();
        let x = graph.columns(&values.matrix, &all);
        let unreadable = graph.op("IsInf", &[&x]);
        let missing = graph.op("IsNaN", &[&x]);
        let bad: Vec<bool> = self.places_gaps.values().map(|placed| !placed).collect();
        let bad = graph.bools(&bad);
        let missing = graph.op("And", &[&missing, &bad]);
        let found = graph.op("Or", &[&unreadable, &missing]);
        graph.any(&found)
    }

    /// What the trees say of rows whose values all tests can place.
    pub(super) fn sums(&self, values: &Values, with_votes: bool, graph: &mut Graph) -> Sums {
        let n_trees = self.forest.trees().len();
        let leaves = self.leaves(values, graph);
        let distributions = distributions(self.forest, &leaves, graph);
        let sums = last_of_running_sums(&distributions, n_trees, graph);
        let votes = with_votes.then(|| {
            let majorities = majorities(self.forest, &leaves, graph);
            graph.reduced("ReduceSum", &majorities)
        });
        Sums { sums, votes }
    }

    /// The leaf of every row in every tree, counted over all trees.
    fn leaves(&self, values: &Values, graph: &mut Graph) -> Value {
        let mut nodes = Nodes::default();
        let (mut leaf_trees, mut leaf_ids) = (Vec::new(), Vec::new());
        for (number, tree) in (0..).zip(self.forest.trees()) {
            for id in tree.ids() {
                let (number_of_node, split) = (i64::from(id.0), tree.node(id));
                nodes.trees.push(number);
                nodes.ids.push(number_of_node);
                let Node::Split(split) = split else {
                    nodes.push_leaf();
                    leaf_trees.push(number);
                    leaf_ids.push(number_of_node);
                    continue;
                };
                let test = split.test.plain();
                let place = values.places[test.feature] as i64;
                nodes.push_split(&test, place, [split.left.0, split.right.0].map(i64::from));
            }
        }
        let numbers: Vec<f64> = (0..leaf_ids.len()).map(|number| number as f64).collect();
        let Nodes { trees, ids, features, modes, thresholds, lefts, rights, gaps } = nodes;
        let found = graph.op_with(
            "TreeEnsembleRegressor",
            &[&values.matrix],
            &[
                Attribute::Number("n_targets", self.forest.trees().len() as i64),
                Attribute::Numbers("nodes_treeids", trees),
                Attribute::Numbers("nodes_nodeids", ids),
                Attribute::Numbers("nodes_featureids", features),
                Attribute::Texts("nodes_modes", modes),
                Attribute::Doubles("nodes_values_as_tensor", &thresholds),
                Attribute::Numbers("nodes_truenodeids", lefts),
                Attribute::Numbers("nodes_falsenodeids", rights),
                Attribute::Numbers("nodes_missing_value_tracks_true", gaps),
                Attribute::Numbers("target_treeids", leaf_trees.clone()),
                Attribute::Numbers("target_nodeids", leaf_ids),
                Attribute::Numbers("target_ids", leaf_trees),
                Attribute::Doubles("target_weights_as_tensor", &numbers),
            ],
        );
        graph.cast(&found, ElementType::Int64)
    }
}

impl Nodes {
    fn push_leaf(&mut self) {
        self.features.push(0);
        self.modes.push("LEAF".to_owned());
        self.thresholds.push(0.0);
        self.lefts.push(0);
        self.rights.push(0);
        self.gaps.push(0);
    }

    fn push_split(&mut self, test: &PlainTest, place: i64, children: [i64; 2]) {
        self.features.push(place);
        self.modes.push("BRANCH_LEQ".to_owned());
        let threshold = match &test.present {
            PresentValues::Numbers(zone) => zone.threshold(),
            // All numbers are on one side.
            PresentValues::All(outcome) if outcome.goes_left => f64::INFINITY,
            _ => f64::NEG_INFINITY,
        };
        self.thresholds.push(threshold);
        self.lefts.push(children[0]);
        self.rights.push(children[1]);
        self.gaps.push(i64::from(test.missing.goes_left));
    }
}

/// Whether the test places a missing value.
fn places(test: &PlainTest) -> bool {
    test.missing.side != Side::Within && !test.missing.is_unknown
}
