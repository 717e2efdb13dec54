//! A single tree, level by level from the bottom: `w * left + (1 - w) * right`.

use super::answer::{Answers, Values};
use super::graph::{Attribute, Graph, Value};
use super::tests_of_tree::Tests;
use crate::model::SingleTree;
use crate::recipe::Routing;
use crate::tree::{Node, NodeId, Split, Tree};
use std::collections::HashMap;

/// What is known of the nodes of a level: class probabilities, those by thresholds alone below a
/// deferred split, and whether the row is decided and how far it is from a zone.
struct Level {
    /// Where each node stands.
    places: HashMap<NodeId, usize>,
    answers: Value,
    crisp: Option<Value>,
    path: Value,
}

/// The same of the splits of a level.
struct OfSplits {
    answers: Value,
    crisp: Option<Value>,
    path: Value,
}

/// The row met no zone, and is infinitely far from any.
const AT_LEAF: [f64; 2] = [1.0, f64::INFINITY];

pub(super) fn answers(model: SingleTree<'_>, values: &Values, graph: &mut Graph) -> Answers {
    let tree = model.tree();
    let rows = n_rows(values, graph);
    let mut writer = Writer { model, tests: None, rows, graph };
    let mut levels = levels(tree);
    let mut below: Option<Level> = None;
    if tree.n_nodes() > 1 {
        let mut tests = Tests::of(tree, values, writer.graph);
        if model.routing() == Routing::Probabilistic && model.recipe().least_share > 0.0 {
            divide(model, &mut tests, &levels, &writer.rows, writer.graph);
        }
        writer.tests = Some(tests);
    }
    while let Some(nodes) = levels.pop() {
        below = Some(writer.level(nodes, below));
    }
    let Some(root) = below else { unreachable!("a tree has a root") };
    let Writer { graph, .. } = writer;
    let probabilities = graph.squeezed(&root.answers, 1);
    let path = graph.squeezed(&root.path, 1);
    let first = |column: usize, graph: &mut Graph| {
        let value = graph.columns(&path, &[column]);
        graph.squeezed(&value, 1)
    };
    let decided = first(0, graph);
    let decided = graph.is_set(&decided);
    let has_distance = model.routing() != Routing::HardMiddle;
    let distance = has_distance.then(|| first(1, graph));
    Answers { probabilities, of_zones: Some(decided), first: None, distance }
}

/// The number of rows, as a shape.
pub(super) fn n_rows(values: &Values, graph: &mut Graph) -> Value {
    let shape = graph.op("Shape", &[&values.matrix]);
    let first = graph.ints(&[0]);
    graph.op("Gather", &[&shape, &first])
}

/// The same numbers for every row.
pub(super) fn for_all_rows(
    rows: &str,
    dims: [usize; 2],
    numbers: &[f64],
    graph: &mut Graph,
) -> Value {
    let [n, k] = dims;
    let constant = graph.doubles(&[1, n, k], numbers);
    let rest = graph.ints(&[n as i64, k as i64]);
    let shape = graph.op_with("Concat", &[rows, &rest], &[Attribute::Number("axis", 0)]);
    graph.op("Expand", &[&constant, &shape])
}

/// Replaces shares by 0 or 1 where a zone does not divide what arrives: level by level from the top.
fn divide(
    model: SingleTree<'_>,
    tests: &mut Tests,
    levels: &[Vec<NodeId>],
    rows: &str,
    graph: &mut Graph,
) {
    let least = graph.double(model.recipe().least_share);
    let whole = for_all_rows(rows, [1, 1], &[1.0], graph);
    let mut parts = graph.squeezed(&whole, 2);
    let mut places = HashMap::from([(NodeId::ROOT, 0)]);
    let (mut order, mut shares) = (Vec::new(), Vec::new());
    for nodes in levels {
        let split = |id: &NodeId| Some((*id, model.tree().node(*id).as_split()?));
        let (ids, splits): (Vec<NodeId>, Vec<&Split>) = nodes.iter().filter_map(split).unzip();
        if ids.is_empty() {
            break;
        }
        let arriving: Vec<usize> = ids.iter().map(|id| places[id]).collect();
        let part = graph.columns(&parts, &arriving);
        let share = tests.at(&tests.share, &ids, graph);
        let goes_left = tests.at(&tests.left, &ids, graph);
        let left = graph.op("Mul", &[&part, &share]);
        let right = graph.op("Sub", &[&part, &left]);
        let smaller = graph.op("Min", &[&left, &right]);
        let divides = graph.op("GreaterOrEqual", &[&smaller, &least]);
        let share = graph.op("Where", &[&divides, &share, &goes_left]);
        let left = graph.op("Mul", &[&part, &share]);
        let right = graph.op("Sub", &[&part, &left]);
        parts = graph.concat(&[left, right]);
        let children = splits.iter().map(|it| it.left).chain(splits.iter().map(|it| it.right));
        places = children.zip(0..).collect();
        order.extend(ids);
        shares.push(share);
    }
    let shares = graph.concat(&shares);
    tests.replace_shares(&order, &shares, graph);
}

/// The nodes by depth.
fn levels(tree: &Tree) -> Vec<Vec<NodeId>> {
    let depths = tree.depths();
    let mut levels = vec![Vec::new(); tree.depth() + 1];
    for id in tree.ids() {
        levels[depths[id.index()] as usize].push(id);
    }
    levels
}

struct Writer<'m, 'g> {
    model: SingleTree<'m>,
    tests: Option<Tests>,
    rows: Value,
    graph: &'g mut Graph,
}

impl<'m> Writer<'m, '_> {
    /// A level from the one below it: first its leaves, then its splits.
    fn level(&mut self, nodes: Vec<NodeId>, below: Option<Level>) -> Level {
        let tree: &'m Tree = self.model.tree();
        let (leaves, splits): (Vec<NodeId>, Vec<NodeId>) =
            nodes.into_iter().partition(|id| *tree.node(*id) == Node::Leaf);
        let (mut answers, mut crisp, mut path) = (Vec::new(), Vec::new(), Vec::new());
        if !leaves.is_empty() {
            let distributions: Vec<f64> =
                leaves.iter().flat_map(|leaf| tree.values(*leaf)).copied().collect();
            let dims = [leaves.len(), tree.n_classes()];
            let shares = for_all_rows(&self.rows, dims, &distributions, self.graph);
            let at_leaf = AT_LEAF.repeat(leaves.len());
            path.push(for_all_rows(&self.rows, [leaves.len(), 2], &at_leaf, self.graph));
            crisp.push(shares.clone());
            answers.push(shares);
        }
        if let Some(below) = below.filter(|_| !splits.is_empty()) {
            let of_splits = self.splits(&splits, &below);
            answers.push(of_splits.answers);
            crisp.extend(of_splits.crisp);
            path.push(of_splits.path);
        }
        let has_crisp = self.model.routing() == Routing::Deferred;
        Level {
            places: leaves.into_iter().chain(splits).zip(0..).collect(),
            answers: self.graph.concat(&answers),
            crisp: has_crisp.then(|| self.graph.concat(&crisp)),
            path: self.graph.concat(&path),
        }
    }

    fn splits(&mut self, nodes: &[NodeId], below: &Level) -> OfSplits {
        let (tree, routing): (&'m Tree, _) = (self.model.tree(), self.model.routing());
        let splits: Vec<&Split> = nodes.iter().filter_map(|id| tree.node(*id).as_split()).collect();
        let Self { tests: Some(tests), graph, .. } = self else {
            unreachable!("a split has a test")
        };
        let places = |child: fn(&Split) -> NodeId| -> Vec<usize> {
            splits.iter().map(|split| below.places[&child(split)]).collect()
        };
        let lefts = places(|split| split.left);
        let rights = places(|split| split.right);
        let middles = places(|split| split.middle.unwrap_or(split.left));

        let goes_left = tests.at(&tests.left, nodes, graph);
        let goes_left = graph.unsqueezed(&goes_left, 2);
        let goes_left = graph.is_set(&goes_left);
        let unsure = tests.at(tests.unsure_by(routing), nodes, graph);
        let unsure = graph.unsqueezed(&unsure, 2);

        let either = |of: &str, graph: &mut Graph| {
            let [left, right] = [graph.columns(of, &lefts), graph.columns(of, &rights)];
            graph.op("Where", &[&goes_left, &left, &right])
        };
        let both = |of: &str, graph: &mut Graph| {
            let share = tests.at(&tests.share, nodes, graph);
            let share = graph.unsqueezed(&share, 2);
            let [left, right] = [graph.columns(of, &lefts), graph.columns(of, &rights)];
            let rest = graph.rest(&share);
            let left = graph.op("Mul", &[&share, &left]);
            let right = graph.op("Mul", &[&rest, &right]);
            graph.op("Add", &[&left, &right])
        };
        let answers = match routing {
            Routing::Crisp => either(&below.answers, graph),
            Routing::Probabilistic => both(&below.answers, graph),
            Routing::Deferred => {
                let blended = both(below.crisp.as_ref().unwrap_or(&below.answers), graph);
                let sides = either(&below.answers, graph);
                let is_unsure = graph.is_set(&unsure);
                graph.op("Where", &[&is_unsure, &blended, &sides])
            }
            Routing::HardMiddle => {
                let middle = graph.columns(&below.answers, &middles);
                let sides = either(&below.answers, graph);
                let is_unsure = graph.is_set(&unsure);
                graph.op("Where", &[&is_unsure, &middle, &sides])
            }
        };
        let crisp = below.crisp.as_ref().map(|crisp| either(crisp, graph));
        // Decided if this test is sure and what follows is; as near as the nearest zone.
        let sure = graph.rest(&unsure);
        let distance = tests.at(&tests.distance, nodes, graph);
        let distance = graph.unsqueezed(&distance, 2);
        let here = graph.op_with("Concat", &[&sure, &distance], &[Attribute::Number("axis", 2)]);
        let further = either(&below.path, graph);
        let path = graph.op("Min", &[&here, &further]);
        OfSplits { answers, crisp, path }
    }
}
