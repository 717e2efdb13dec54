//! Assignment of rows to splits.

use super::visible::{Drawn, Kind, drawn_nodes};
use crate::classes::Classes;
use crate::drawn_rows::DrawnRows;
use crate::histogram::Counted;
use ternwood::Tree;
use ternwood::tree::{NodeId, Side};

/// The rows that reach a split: their values of the tested feature.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValuesAtSplit {
    /// The values with their class slots.
    pub(crate) present: Vec<Counted>,
    /// The number of rows without a value.
    pub(crate) missing: u64,
}

/// The values of the rows that reach one node.
pub(crate) fn values_at(
    tree: &Tree,
    data: &DrawnRows<'_>,
    node: NodeId,
    classes: &Classes,
) -> ValuesAtSplit {
    values_at_all(tree, data, classes).swap_remove(node.index())
}

fn values_at_all(tree: &Tree, data: &DrawnRows<'_>, classes: &Classes) -> Vec<ValuesAtSplit> {
    values_at_splits(tree, data, &drawn_nodes(tree, NodeId::ROOT, usize::MAX), classes)
}

/// For every drawn node of a branch, the values of the rows that reach it.
pub(super) fn values_at_drawn(
    tree: &Tree,
    data: &DrawnRows<'_>,
    nodes: &[Drawn],
    classes: &Classes,
) -> Vec<ValuesAtSplit> {
    if nodes.first().is_some_and(|top| top.id == NodeId::ROOT) {
        return values_at_splits(tree, data, nodes, classes);
    }
    // The rows come from the root.
    let mut all = values_at_all(tree, data, classes);
    nodes.iter().map(|node| std::mem::take(&mut all[node.id.index()])).collect()
}

/// For every node drawn from the root on, the values of the rows that reach it; none for leaves. Rows go where
/// training rows go: within a zone without a middle child by the threshold, and where their value is
/// unknown to neither child.
fn values_at_splits(
    tree: &Tree,
    data: &DrawnRows<'_>,
    nodes: &[Drawn],
    classes: &Classes,
) -> Vec<ValuesAtSplit> {
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); tree.n_nodes()];
    rows[0] = (0..data.n_rows() as u32).filter(|&row| data.counts(row as usize)).collect();
    let values = nodes.iter().map(|node| {
        let own = std::mem::take(&mut rows[node.id.index()]);
        let mut values = ValuesAtSplit::default();
        let (Kind::Split, Some(split)) = (node.kind, tree.node(node.id).as_split()) else {
            return values;
        };
        let feature = split.test.feature().index();
        for row in own {
            let x = data.value(row as usize, feature);
            let child = match split.child(split.test.side(x)) {
                None if split.test.is_unknown(x) => split.child(Side::Within),
                None => Some(split.crisp_child(x)),
                child => child,
            };
            if let Some(child) = child {
                rows[child.index()].push(row);
            }
            if x.is_nan() {
                values.missing += 1;
            } else {
                values.present.push((x, classes.slot(data.class(row as usize)), 1));
            }
        }
        values
    });
    values.collect()
}
