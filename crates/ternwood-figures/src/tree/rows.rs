//! Assignment of rows to splits.

use super::visible::{Drawn, Kind};
use crate::classes::Classes;
use crate::drawn_rows::DrawnRows;
use crate::histogram::Counted;
use ternwood::Tree;

/// For every drawn node, the values of the tested feature in the rows that reach it, with their
/// class slots; empty for leaves. Rows within a zone without a middle child follow the threshold.
pub(super) fn values_at_splits(
    tree: &Tree,
    data: &DrawnRows<'_>,
    nodes: &[Drawn],
    classes: &Classes,
) -> Vec<Vec<Counted>> {
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); tree.n_nodes()];
    rows[0] = (0..data.n_rows() as u32).filter(|&row| data.counts(row as usize)).collect();
    let values = nodes.iter().map(|node| {
        let own = std::mem::take(&mut rows[node.id.index()]);
        let (Kind::Split, Some(split)) = (node.kind, tree.node(node.id).as_split()) else {
            return Vec::new();
        };
        let feature = split.test.feature().index();
        own.into_iter()
            .map(|row| {
                let x = data.value(row as usize, feature);
                let child = split.child(split.test.side(x)).unwrap_or_else(|| split.crisp_child(x));
                rows[child.index()].push(row);
                (x, classes.slot(data.class(row as usize)), 1)
            })
            .collect()
    });
    values.collect()
}
