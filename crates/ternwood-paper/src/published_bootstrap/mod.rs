//! Node bootstrap with the published random numbers.
//!
//! The engine's random streams belong to a node's place in the tree. The published program drew
//! from one numpy generator, seeded anew for every tree, in the order in which it grew: a
//! node, its left, its right, then its middle subtree. To set results beside the published
//! ones digit by digit, the experiments draw the same numbers; the estimator is the same.

mod numpy;
mod resample;

use crate::error::Result;
use crate::measure::{DEPTH, SEED, params};
use numpy::NumpyRandom;
use resample::NodeRows;
use ternwood::grow::Grower;
use ternwood::recipe::ZoneParams;
use ternwood::tree::{Cut, Node, NodeId, Side, Test, TreeBuilder, Zone};
use ternwood::{Dataset, Exec, Tree, ZoneKind};

/// Fewer rows within a zone are a leaf.
const FEWEST_IN_THE_MIDDLE: usize = 5;

/// A CART tree with published node-bootstrap zones.
pub(crate) fn two_child(cart: &Tree, train: &Dataset, resamples: u32) -> Result<Tree> {
    let mut bootstrap = Bootstrap::new(train, resamples);
    let mut builder = TreeBuilder::new(cart.n_features(), cart.n_classes());
    let all: Vec<usize> = (0..train.n_rows()).collect();
    // Preorder: a node, its left, then its right subtree.
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

/// A tree that is grown in another order than it is written.
enum Grown {
    Leaf(Vec<f64>),
    Split { feature: u32, zone: Zone, children: Box<[Grown; 3]> },
}

impl<'a> Bootstrap<'a> {
    fn new(train: &'a Dataset, resamples: u32) -> Self {
        Self { train, resamples, random: NumpyRandom::new(SEED as u32) }
    }

    /// The zone of a test of these rows.
    fn zone(&mut self, test: &Test, rows: &[usize]) -> Result<Zone> {
        let Cut::Threshold { zone, .. } = test.cut();
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

    /// The subtree of these rows, of at most this depth (no more than 4: recursion is safe).
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
            1..FEWEST_IN_THE_MIDDLE => Some(leaf(&within)),
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

    /// The engine's best test of these rows alone, if there is one.
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
