//! Trees in the form that the laws compare.

use ternwood::tree::{CategoryCut, CategoryPlace, Cut, Node, NodeId, Split, Test, Zone};
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
    /// The share of an unknown value that goes left, at a split.
    pub unknown_left: Option<f64>,
}

/// Everything about a tree except its row counts.
pub fn weighed(tree: &Tree) -> Vec<Weighed> {
    weighed_with_tests(tree, Test::clone)
}

/// Everything about a tree except the digits that people see.
pub fn measured(tree: &Tree) -> Vec<(Weighed, Vec<u32>, u32)> {
    let rows = tree.ids().map(|id| (tree.class_rows(id).to_vec(), tree.rows_within(id)));
    weighed(tree).into_iter().zip(rows).map(|(node, (rows, within))| (node, rows, within)).collect()
}

/// The same tree with other tests at its splits.
pub fn weighed_with_tests(tree: &Tree, other: impl Fn(&Test) -> Test) -> Vec<Weighed> {
    let node = |id| Weighed {
        node: match tree.node(id).clone() {
            Node::Split(split) => Node::Split(Split { test: plain(&other(&split.test)), ..split }),
            leaf => leaf,
        },
        class_weights: tree.class_weights(id).to_vec(),
        distribution: tree.values(id).to_vec(),
        impurity: tree.impurity(id),
        unknown_left: tree.node(id).as_split().map(|split| split.test.unknown_left()),
    };
    tree.ids().map(node).collect()
}

/// The test alone, without what it has from its tree: its digits, the numbers of rows of its
/// categories, and the share of unknown values.
fn plain(test: &Test) -> Test {
    let feature = test.feature().0;
    match test.cut() {
        Cut::Threshold { .. } => rescaled(test, feature, 1.0),
        Cut::Categories(_) => with_places(test, |place| CategoryPlace { rows: 0, ..*place }),
        Cut::Present => Test::is_present(feature),
    }
}

/// A test of categories with its categories in other places; any other test as it is.
pub fn with_places(test: &Test, change: impl Fn(&CategoryPlace) -> CategoryPlace) -> Test {
    let Some(cut) = test.categories() else { return test.clone() };
    let mut places: Vec<CategoryPlace> = cut.places().iter().map(change).collect();
    places.sort_by_key(|place| place.category);
    let cut = CategoryCut::new(cut.axis().clone(), cut.threshold(), cut.error(), places).unwrap();
    Test::of_categories(test.feature().0, cut).with_missing(test.missing())
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
    let zone = test.zone().unwrap();
    let zone = Zone::new(zone.threshold() * factor, zone.half_width() * factor).unwrap();
    Test::new(feature, zone).with_missing(test.missing())
}
