//! Trees in the form that the laws compare.

use ternwood::tree::{Cut, Node, NodeId, Split, Test, Zone};
use ternwood::{Routing, Tree};

/// One routing for each shape of trees: with two children, and with three.
pub const SHAPES: [Routing; 2] = [Routing::Probabilistic, Routing::HardMiddle];

/// Everything about a node except its row counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    pub node: Node,
    pub class_weights: Vec<f64>,
    pub distribution: Vec<f64>,
    pub impurity: f64,
}

/// Everything about a tree except its row counts.
pub fn weighed(tree: &Tree) -> Vec<Weighed> {
    let node = |id| Weighed {
        node: tree.node(id).clone(),
        class_weights: tree.class_weights(id).to_vec(),
        distribution: tree.distribution(id).to_vec(),
        impurity: tree.impurity(id),
    };
    tree.ids().map(node).collect()
}

/// The same tree with other tests at its splits.
pub fn weighed_with_tests(tree: &Tree, other: impl Fn(&Test) -> Test) -> Vec<Weighed> {
    let mut nodes = weighed(tree);
    for weighed in &mut nodes {
        if let Node::Split(split) = &mut weighed.node {
            split.test = other(&split.test);
        }
    }
    nodes
}

/// The splits of a tree, in preorder.
pub fn splits(tree: &Tree) -> impl Iterator<Item = (NodeId, &Split)> {
    tree.ids().filter_map(|id| Some((id, tree.node(id).as_split()?)))
}

/// Threshold and zone of a split.
pub fn zone(split: &Split) -> Zone {
    split.test.zone().unwrap()
}

/// The half-widths of all splits, in preorder.
pub fn half_widths(tree: &Tree) -> Vec<f64> {
    splits(tree).map(|(_, split)| zone(split).half_width()).collect()
}

/// The test of another feature whose values are those of this one times `factor`.
pub fn rescaled(test: &Test, feature: u32, factor: f64) -> Test {
    let Cut::Threshold { zone, between } = *test.cut();
    let zone = Zone::new(zone.threshold() * factor, zone.half_width() * factor).unwrap();
    let neighbours = between.unwrap().map(|x| x * factor);
    Test::new(feature, zone).with_neighbours(neighbours).unwrap()
}
