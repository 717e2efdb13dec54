//! Trees with their final zones, and the number of training rows within each.

use super::bags::Bags;
use crate::dataset::DatasetView;
use crate::error::Result;
use crate::exec::Exec;
use crate::recipe::ZoneParams;
use crate::tree::{NodeId, Side, Test, Tree};

/// Trees that were grown with zones of scale 1, with those of `zone`.
pub(super) fn scaled(
    trees: Vec<Tree>,
    data: &DatasetView<'_>,
    bags: &Bags<'_>,
    zone: &ZoneParams,
    exec: &Exec,
) -> Result<Vec<Tree>> {
    let error = zone.category_error();
    let scaled = exec.map((0..).zip(trees).collect(), |(number, tree): (u32, Tree)| {
        exec.check()?;
        let tree = tree.with_scaled_zones(zone.scale, error);
        let within = rows_within(&tree, data, bags, number);
        let test = |id: NodeId| {
            let test: &Test = &tree.node(id).as_split()?.test;
            Some((test.clone(), within[id.index()]))
        };
        let tests = tree.ids().map(test).collect();
        Ok(tree.with_tests(tests))
    });
    scaled.into_iter().collect()
}

/// For every node, the number of rows of the tree's bag that reach it and are within its zone, or unknown.
fn rows_within(tree: &Tree, data: &DatasetView<'_>, bags: &Bags<'_>, number: u32) -> Vec<u32> {
    let bag = bags.draw(number);
    let mut within = vec![0; tree.n_nodes()];
    for &row in bags.rows().iter().filter(|&&row| bag.contains(row)) {
        let mut node = NodeId::ROOT;
        while let Some(split) = tree.node(node).as_split() {
            let column = data.matrix().column(split.test.feature().0);
            let x = crate::dataset::as_trained(column.at(row as usize));
            within[node.index()] += u32::from(split.test.side(x) == Side::Within);
            node = match split.test.training_side(x, false) {
                Side::Below => split.left,
                Side::Above => split.right,
                // Trains neither child.
                Side::Within => break,
            };
        }
    }
    within
}
