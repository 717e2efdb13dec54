//! Which rows of the data reach which split.

use super::visible::{Drawn, Kind};
use crate::classes::Classes;
use crate::histogram::Counted;
use ternwood::{Dataset, Model, Side};

/// For every drawn node the tested feature's values of the rows that reach it, with the slots
/// of their classes; nothing for leaves.
pub(super) fn values_at_splits(
    model: &Model,
    data: &Dataset,
    nodes: &[Drawn],
    classes: &Classes,
) -> Vec<Vec<Counted>> {
    let tree = model.tree();
    let ids = data.labels().ids();
    let weighs = |row: u32| data.weights().is_none_or(|weights| weights[row as usize] > 0.0);
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); tree.n_nodes()];
    rows[0] = (0..data.n_rows() as u32).filter(|&row| weighs(row)).collect();
    nodes
        .iter()
        .map(|node| {
            let own = std::mem::take(&mut rows[node.id.index()]);
            let (Kind::Split, Some(split)) = (node.kind, tree.node(node.id).as_split()) else {
                return Vec::new();
            };
            let column = data.columns().column(split.feature.index());
            for &row in &own {
                let x = column[row as usize];
                let child = match split.middle {
                    None if split.zone.goes_left(x) => split.left,
                    None => split.right,
                    Some(middle) => match split.zone.side(x) {
                        Side::Below => split.left,
                        Side::Within => middle,
                        Side::Above => split.right,
                    },
                };
                rows[child.index()].push(row);
            }
            let slot = |row: u32| classes.slot(ids[row as usize] as usize);
            own.iter().map(|&row| (column[row as usize], slot(row), 1)).collect()
        })
        .collect()
}
