//! A forest without zones, walked by `TreeEnsembleRegressor`, which runtimes do faster than anything else.
//!
//! The operator answers in single precision, so it is only asked for the leaf of every row in every tree: a whole
//! number, which single precision holds to the last digit.

use super::forest::{Sums, distributions, last_of_running_sums, majorities};
use super::graph::{Graph, Value};
use super::input::Values;
use super::proto::{Attribute, ElementType};
use crate::ensemble::Ensemble;
use crate::model::Model;
use crate::recipe::Routing;
use crate::tree::{Node, PlainTest, PresentValues, Side, Test, Tree};
use std::collections::BTreeMap;

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
