//! Trees with their final zones, and the number of training rows within each.

use super::bags::Bags;
use crate::dataset::{DatasetView, as_trained};
use crate::error::Result;
use crate::exec::Exec;
use crate::forest::{ColumnBlock, SoftTree};
use crate::recipe::ZoneParams;
use crate::tree::{NodeId, Test, Tree};

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

/// Rows per block.
const BLOCK: usize = 4096;

/// For every node, the number of rows of the tree's bag that reach it and are within its zone, or unknown.
fn rows_within(tree: &Tree, data: &DatasetView<'_>, bags: &Bags<'_>, number: u32) -> Vec<u32> {
    let (bag, soft) = (bags.draw(number), SoftTree::new(tree));
    let matrix = data.matrix();
    let mut within = vec![0; tree.n_nodes()];
    let mut values = Vec::new();
    for start in (0..data.n_rows()).step_by(BLOCK) {
        let rows = start..(start + BLOCK).min(data.n_rows());
        values.clear();
        for feature in 0..matrix.n_features() as u32 {
            values.extend(matrix.column(feature).of(rows.clone()).map(as_trained));
        }
        let block = ColumnBlock::new(&values, rows.len());
        soft.count_within(tree, block, |row| bag.contains((start + row) as u32), &mut within);
    }
    within
}
