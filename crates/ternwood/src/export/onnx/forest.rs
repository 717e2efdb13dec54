//! A forest: the mean of what its trees say, sharpened, and a majority of their verdicts.
//!
//! `forest_loop.rs` walks any forest; `leaf_operator.rs` leaves those without zones to an operator that runtimes have for
//! trees. In both the trees are added up one after the other, in the forest's order.

use super::answer::Answers;
use super::forest_loop;
use super::graph::{Graph, Value};
use super::input::Values;
use super::leaf_operator::LeafOperator;
use super::proto::{Attribute, ElementType};
use crate::ensemble::{Ensemble, Smoothed};
use crate::model::Model;
use crate::tree::{NodeId, Tree};

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
