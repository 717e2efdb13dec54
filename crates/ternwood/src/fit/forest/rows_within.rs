//! Trees with their final zones, and the number of training rows within each.

use crate::dataset::{Bag, Bags, DatasetView, as_trained};
use crate::ensemble::{ColumnBlock, SoftTree};
use crate::error::Result;
use crate::exec::Exec;
use crate::fit::progress::Watch;
use crate::recipe::ZoneParams;
use crate::tree::Tree;

/// Rows per block.
const BLOCK: usize = 4096;

/// The most trees that share the columns of a block.
const MOST_TREES: usize = 8;

/// Trees that were grown with zones of scale 1, with those of `zone`.
pub(super) fn scaled(
    mut trees: Vec<Tree>,
    data: &DatasetView<'_>,
    bags: &Bags,
    zone: &ZoneParams,
    exec: &Exec,
    watch: Watch<'_>,
) -> Result<Vec<Tree>> {
    let error = zone.category_error();
    // So many at once that every thread has something to do.
    let at_once = (trees.len() / (2 * exec.threads())).clamp(1, MOST_TREES);
    let mut groups = Vec::new();
    for first in (0..trees.len()).step_by(at_once).rev() {
        groups.push((first as u32, trees.split_off(first)));
    }
    groups.reverse();
    let scaled = exec.map(groups, |(first, trees): (u32, Vec<Tree>)| {
        let trees: Vec<Tree> =
            trees.into_iter().map(|tree| tree.with_scaled_zones(zone.scale, error)).collect();
        let within = rows_within(&trees, first, data, bags, exec)?;
        watch.advance(trees.len());
        let trees = trees.into_iter().zip(within);
        Ok(trees.map(|(tree, within)| tree.with_rows_within(&within)).collect::<Vec<Tree>>())
    });
    Ok(scaled.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// For every node of some trees, the number of rows of the tree's bag that reach it and are within its zone, or
/// unknown.
fn rows_within(
    trees: &[Tree],
    first: u32,
    data: &DatasetView<'_>,
    bags: &Bags,
    exec: &Exec,
) -> Result<Vec<Vec<u32>>> {
    let matrix = data.matrix();
    let trees: Vec<(&Tree, SoftTree, Bag)> =
        (first..).zip(trees).map(|(n, tree)| (tree, SoftTree::new(tree), bags.draw(n))).collect();
    let mut within: Vec<Vec<u32>> =
        trees.iter().map(|(tree, ..)| vec![0; tree.n_nodes()]).collect();
    let mut values = Vec::new();
    for start in (0..data.n_rows()).step_by(BLOCK) {
        exec.check()?;
        let rows = start..(start + BLOCK).min(data.n_rows());
        values.clear();
        for feature in 0..matrix.n_features() as u32 {
            values.extend(matrix.column(feature).of(rows.clone()).map(as_trained));
        }
        let block = ColumnBlock::new(&values, rows.len());
        for ((tree, soft, bag), within) in trees.iter().zip(&mut within) {
            let is_in_bag = |row| bag.contains((start + row) as u32);
            soft.count_within(tree, block, is_in_bag, within);
        }
    }
    Ok(within)
}
