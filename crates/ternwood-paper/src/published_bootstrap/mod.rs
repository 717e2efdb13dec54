//! Node bootstrap with the published random numbers.
//!
//! The engine ties random streams to a node's position in the tree. The published program drew from
//! one numpy generator, seeded anew for every tree, in growth order: a node, then its left, right
//! and middle subtrees. The experiments draw the same numbers, so that results can be compared
//! digit by digit; the estimator is the same.

mod numpy;
mod resample;

use crate::error::Result;
use crate::measure::{DEPTH, SEED, params};
use numpy::NumpyRandom;
use resample::NodeRows;
use ternwood::grow::Grower;
use ternwood::recipe::ZoneParams;
use ternwood::tree::{Node, NodeId, Side, Test, TreeBuilder, Zone};
use ternwood::{Dataset, Exec, Tree, ZoneKind};

/// The minimum number of rows in a zone. Fewer become a leaf.
const MIN_MIDDLE_ROWS: usize = 5;

/// A CART tree with published node-bootstrap zones.
pub(crate) fn two_child(cart: &Tree, train: &Dataset, resamples: u32) -> Result<Tree> {
    let mut bootstrap = Bootstrap::new(train, resamples);
    let mut builder = TreeBuilder::new(cart.n_features(), cart.n_classes());
    let all: Vec<usize> = (0..train.n_rows()).collect();
    // Preorder: a node, then its left and right subtrees.
    let mut waiting = vec![(NodeId::ROOT, all)];
    while let Some((id, rows)) = waiting.pop() {
        let Node::Split(split) = cart.node(id) else {
            builder.leaf(cart.class_weights(id));
            continue;
        };
        builder.split(split.test.feature().0, bootstrap.zone(&split.test, &rows)?);
        let column = train.columns().column(split.test.feature().index());
        let (left, right) = rows.into_iter().partition(|&row| split.test.goes_left(column[row]));
        waiting.push((split.right, right));
        waiting.push((split.left, left));
    }
    Ok(builder.finish()?)
}

/// A tree with middle children and published node-bootstrap zones.
pub(crate) fn three_child(train: &Dataset, resamples: u32) -> Result<Tree> {
    let mut bootstrap = Bootstrap::new(train, resamples);
    let all: Vec<usize> = (0..train.n_rows()).collect();
    let root = bootstrap.grow(&all, DEPTH)?;
    let mut builder = TreeBuilder::three_child(train.n_features(), train.n_classes());
    root.write(&mut builder);
    Ok(builder.finish()?)
}

struct Bootstrap<'a> {
    train: &'a Dataset,
    resamples: u32,
    random: NumpyRandom,
}

/// A tree whose growth order differs from the order in which it is written.
enum Grown {
    Leaf(Vec<f64>),
    Split { feature: u32, zone: Zone, children: Box<[Grown; 3]> },
}

impl<'a> Bootstrap<'a> {
    fn new(train: &'a Dataset, resamples: u32) -> Self {
        Self { train, resamples, random: NumpyRandom::new(SEED as u32) }
    }

    /// The zone of a test on these rows.
    fn zone(&mut self, test: &Test, rows: &[usize]) -> Result<Zone> {
        let zone = test.zone().expect("the paper codes every column as numbers");
        let column = self.train.columns().column(test.feature().index());
        let rows = NodeRows {
            values: rows.iter().map(|&row| column[row]).collect(),
            classes: rows.iter().map(|&row| self.train.labels()[row]).collect(),
            n_classes: self.train.n_classes(),
        };
        let width = rows.half_width(self.resamples, &mut self.random);
        let low = rows.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = rows.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let most = ZoneParams::default().max_fraction * (high - low);
        Ok(Zone::new(zone.threshold(), width.min(most))?)
    }

    /// The subtree of these rows, with at most this depth (no more than 4, so recursion is safe).
    fn grow(&mut self, rows: &[usize], depth: u32) -> Result<Grown> {
        let leaf = |rows: &[usize]| {
            let mut counts = vec![0.0; self.train.n_classes()];
            rows.iter().for_each(|&row| counts[self.train.labels()[row] as usize] += 1.0);
            Grown::Leaf(counts)
        };
        let Some(crisp) = self.best_test(rows, depth)? else { return Ok(leaf(rows)) };
        let (feature, zone) = (crisp.feature(), self.zone(&crisp, rows)?);
        let test = Test::new(feature.0, zone);
        let column = self.train.columns().column(feature.index());
        let side = |wanted: Side| -> Vec<usize> {
            rows.iter().copied().filter(|&row| test.side(column[row]) == wanted).collect()
        };
        let [below, within, above] = [Side::Below, Side::Within, Side::Above].map(side);
        if below.is_empty() || above.is_empty() {
            return Ok(leaf(rows));
        }
        let middle_leaf = match within.len() {
            0 => Some(leaf(rows)),
            1..MIN_MIDDLE_ROWS => Some(leaf(&within)),
            _ => None,
        };
        let left = self.grow(&below, depth - 1)?;
        let right = self.grow(&above, depth - 1)?;
        let middle = match middle_leaf {
            Some(leaf) => leaf,
            None => self.grow(&within, depth - 1)?,
        };
        let children = Box::new([left, middle, right]);
        Ok(Grown::Split { feature: feature.0, zone, children })
    }

    /// The engine's best test for these rows alone, if there is one.
    fn best_test(&self, rows: &[usize], depth: u32) -> Result<Option<Test>> {
        if depth == 0 {
            return Ok(None);
        }
        let part = self.train.select(rows)?;
        let mut stump = params(ZoneKind::None)?.into_params();
        stump.max_depth = Some(1);
        let stump = stump.check()?;
        let tree = Grower::new(&part, &stump)?.grow_two_child(&Exec::default())?.tree();
        Ok(tree.node(NodeId::ROOT).as_split().map(|split| split.test.clone()))
    }
}

impl Grown {
    fn write(&self, builder: &mut TreeBuilder) {
        match self {
            Self::Leaf(counts) => builder.leaf(counts),
            Self::Split { feature, zone, children } => {
                builder.split(*feature, *zone);
                children.iter().for_each(|child| child.write(builder));
            }
        }
    }
}
