//! Leaf shares: how much of every row arrives at every leaf, for a batch of rows at a time.

use super::walk::Walker;
use crate::dataset::{Matrix, as_trained};
use crate::recipe::Routing;
use crate::tree::{Node, NodeId, Side, SoftTest, Split, Tree};

/// Rows per batch, one lane each.
pub(crate) const LANES: usize = 16;

/// One number per row of a batch.
pub(crate) type Lanes = [f64; LANES];

/// The leaves that batches of rows reach, and each row's share in them. The shares of a row sum
/// to 1. A leaf may occur twice in a batch; its shares then add up.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeafShares {
    /// Leaf indices, counting only leaves, in preorder.
    leaves: Vec<u32>,
    shares: Vec<Lanes>,
    /// Where each batch ends.
    ends: Vec<usize>,
    /// Stack of nodes to visit; empty except during a walk.
    waiting: Vec<Arrival>,
}

impl LeafShares {
    /// The number of pairs of a batch and a leaf.
    pub(crate) fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Removes all batches and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.leaves.clear();
        self.shares.clear();
        self.ends.clear();
    }

    /// The leaves of a batch with the shares of its rows in them.
    #[inline]
    pub(crate) fn batch(&self, index: usize) -> impl Iterator<Item = (usize, &Lanes)> + Clone {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        let range = start..self.ends[index];
        let leaves = self.leaves[range.clone()].iter().map(|&leaf| leaf as usize);
        leaves.zip(&self.shares[range])
    }

    fn push(&mut self, leaf: u32, shares: &Lanes) {
        self.leaves.push(leaf);
        self.shares.push(*shares);
    }
}

/// What rounding may leave of a share at the edge of a zone.
const CRUMB: f64 = 1e-15;

/// Walks batches of rows to all leaves they reach.
///
/// Shares are multiplied on the way down, so they agree with [`Walker::distribution`], which
/// blends on the way up, only up to rounding.
pub(crate) struct ShareWalker<'t> {
    tree: &'t Tree,
    routing: Routing,
    /// Where a split would divide off less of a row, all of it stays together.
    cutoff: f64,
    tests: Vec<Option<SoftTest>>,
    /// For a split, the index of its feature in `features`; for a leaf, its leaf index.
    places: Vec<u32>,
    /// The features that the tree tests, ascending.
    features: Vec<u32>,
}

/// A node to visit: the share of each row that arrives, and whether zones are ignored from here.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    node: NodeId,
    shares: Lanes,
    crisp: bool,
}

impl<'t> ShareWalker<'t> {
    pub(crate) fn new(walker: Walker<'t>) -> Self {
        let tree = walker.tree();
        let splits = || tree.ids().map(|id| tree.node(id).as_split());
        let mut features: Vec<u32> =
            splits().flatten().map(|split| split.test.feature().0).collect();
        features.sort_unstable();
        features.dedup();
        let mut leaves = 0..;
        let place = |split: Option<&Split>| match split {
            Some(split) => features.partition_point(|&f| f < split.test.feature().0) as u32,
            None => leaves.next().unwrap_or_default(),
        };
        let places = splits().map(place).collect();
        let tests = splits().map(|split| Some(split?.test.soft())).collect();
        Self { tree, routing: walker.routing(), cutoff: CRUMB, tests, places, features }
    }

    /// The same, following no share below `cutoff` under probabilistic routing: what a split
    /// would divide off goes with the rest of the row. Wide zones in a deep tree divide a row into
    /// hundreds of shares that hardly matter.
    pub(crate) fn ignoring_shares_below(self, cutoff: f64) -> Self {
        Self { cutoff, ..self }
    }

    /// The values of at most [`LANES`] training rows, one set of lanes for each feature that the
    /// tree tests. They do not depend on the zones.
    pub(crate) fn values(&self, matrix: Matrix<'_>, rows: &[u32]) -> Vec<Lanes> {
        let of_feature = |&feature: &u32| {
            let column = matrix.column(feature);
            let mut lanes = [0.0; LANES];
            let values = rows.iter().map(|&row| as_trained(column.at(row as usize)));
            lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane = value);
            lanes
        };
        self.features.iter().map(of_feature).collect()
    }

    /// Walks a batch of `n_rows` rows with these [`values`](Self::values) and adds it to
    /// `leaf_shares`. Lanes without a row have share 0 everywhere.
    pub(crate) fn walk(&self, n_rows: usize, values: &[Lanes], leaf_shares: &mut LeafShares) {
        let mut shares = [0.0; LANES];
        shares[..n_rows].fill(1.0);
        let mut waiting = std::mem::take(&mut leaf_shares.waiting);
        waiting.push(Arrival { node: NodeId::ROOT, shares, crisp: self.routing == Routing::Crisp });
        while let Some(arrival) = waiting.pop() {
            if self.routing == Routing::Probabilistic {
                self.walk_probabilistic(arrival, values, &mut waiting, leaf_shares);
            } else {
                self.visit(&arrival, values, &mut waiting, leaf_shares);
            }
        }
        leaf_shares.waiting = waiting;
        leaf_shares.ends.push(leaf_shares.len());
    }

    /// Probabilistic routing: walks to the leftmost leaf reached; right children go on the stack.
    fn walk_probabilistic(
        &self,
        arrival: Arrival,
        values: &[Lanes],
        waiting: &mut Vec<Arrival>,
        leaf_shares: &mut LeafShares,
    ) {
        let Arrival { mut node, mut shares, crisp } = arrival;
        loop {
            let place = self.places[node.index()];
            let (Node::Split(split), Some(test)) =
                (self.tree.node(node), &self.tests[node.index()])
            else {
                leaf_shares.push(place, &shares);
                return;
            };
            let left_shares = test.left_shares(&values[place as usize]);
            let mut right = [0.0; LANES];
            for lane in 0..LANES {
                let all = shares[lane];
                let left = all * left_shares[lane];
                let rest = if left < self.cutoff { all } else { all - left };
                right[lane] = if rest < self.cutoff { 0.0 } else { rest };
                shares[lane] = all - right[lane];
            }
            if is_zero(&shares) {
                (node, shares) = (split.right, right);
                continue;
            }
            if !is_zero(&right) {
                waiting.push(Arrival { node: split.right, shares: right, crisp });
            }
            node = split.left;
        }
    }

    /// Any other routing: visits one node.
    fn visit(
        &self,
        from: &Arrival,
        values: &[Lanes],
        waiting: &mut Vec<Arrival>,
        leaf_shares: &mut LeafShares,
    ) {
        let place = self.places[from.node.index()];
        let Node::Split(split) = self.tree.node(from.node) else {
            leaf_shares.push(place, &from.shares);
            return;
        };
        let (test, x) = (&split.test, &values[place as usize]);
        let mut send = |node, crisp, weight: &dyn Fn(f64) -> f64| {
            let mut shares = from.shares;
            shares.iter_mut().zip(x).for_each(|(share, &x)| *share *= weight(x));
            if !is_zero(&shares) {
                waiting.push(Arrival { node, shares, crisp });
            }
        };
        let one_if = |condition: bool| if condition { 1.0 } else { 0.0 };
        if from.crisp {
            send(split.right, true, &|x| one_if(!test.goes_left(x)));
            send(split.left, true, &|x| one_if(test.goes_left(x)));
            return;
        }
        for side in [Side::Above, Side::Below, Side::Within] {
            let is_there = |x| one_if(test.side(x) == side);
            if let Some(child) = split.child(side) {
                send(child, false, &is_there);
            } else {
                send(split.right, true, &|x| is_there(x) * (1.0 - test.left_share(x)));
                send(split.left, true, &|x| is_there(x) * test.left_share(x));
            }
        }
    }
}

/// True if no row has a share. Four partial sums let the compiler vectorise it.
#[inline]
fn is_zero(shares: &Lanes) -> bool {
    let mut sums = [0.0; 4];
    for four in shares.chunks_exact(4) {
        sums.iter_mut().zip(four).for_each(|(sum, share)| *sum += share);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Columns;
    use crate::predict::Scratch;
    use crate::tree::{TreeBuilder, Zone};

    fn two_child() -> Tree {
        let mut builder = TreeBuilder::new(3, 3);
        builder.split(0, Zone::new(10.0, 4.0).unwrap());
        builder.split(2, Zone::new(1.0, 0.5).unwrap());
        builder.leaf(&[3.0, 1.0, 0.0]);
        builder.leaf(&[0.0, 2.0, 2.0]);
        builder.split(0, Zone::new(11.0, 4.0).unwrap());
        builder.leaf(&[1.0, 1.0, 5.0]);
        builder.split(2, Zone::crisp(1.0).unwrap());
        builder.leaf(&[0.0, 4.0, 1.0]);
        builder.leaf(&[6.0, 4.0, 1.0]);
        builder.finish().unwrap()
    }

    fn three_child() -> Tree {
        let mut builder = TreeBuilder::three_child(3, 3);
        builder.split(0, Zone::new(10.0, 4.0).unwrap());
        builder.leaf(&[3.0, 1.0, 0.0]);
        builder.leaf(&[1.0, 1.0, 5.0]);
        builder.leaf(&[0.0, 4.0, 1.0]);
        builder.finish().unwrap()
    }

    #[test]
    fn shares_make_the_answer_of_the_walker() {
        let a: Vec<f64> = (0..40).map(|i| f64::from(i) / 2.0).collect();
        let b: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 40) / 20.0).collect();
        let columns = Columns::from_columns([a, vec![f64::MAX; 40], b].concat(), 3).unwrap();
        let rows: Vec<u32> = (0..40).collect();
        for routing in Routing::ALL {
            let tree = if routing.needs_three_children() { three_child() } else { two_child() };
            let leaves: Vec<NodeId> = tree.leaf_ids().collect();
            let walker = Walker::new(&tree, routing).unwrap();
            let share_walker = ShareWalker::new(walker);
            let mut most_leaves = 0;
            for rows in rows.chunks(LANES) {
                let mut leaf_shares = LeafShares::default();
                let values = share_walker.values(Matrix::from(&columns), rows);
                share_walker.walk(rows.len(), &values, &mut leaf_shares);
                let reached = leaf_shares.batch(0);
                for (lane, &row) in rows.iter().enumerate() {
                    let mut expected = [0.0; 3];
                    let row = columns.row(row as usize);
                    walker.distribution(&row, &mut Scratch::default(), &mut expected);
                    for (class, expected) in expected.into_iter().enumerate() {
                        let p = |leaf: usize| tree.values(leaves[leaf])[class];
                        let mixed: f64 = reached.clone().map(|(l, g)| g[lane] * p(l)).sum();
                        assert!((mixed - expected).abs() < 1e-15, "{routing}, row {row:?}");
                    }
                    let count = reached.clone().filter(|(_, shares)| shares[lane] > 0.0).count();
                    most_leaves = most_leaves.max(count);
                }
                assert!(reached.clone().all(|(_, g)| g[rows.len()..].iter().all(|&g| g == 0.0)));
            }
            let expected = match routing {
                Routing::Crisp | Routing::HardMiddle => 1,
                Routing::Deferred => 2,
                Routing::Probabilistic => 4,
            };
            assert_eq!(most_leaves, expected, "{routing}");
        }
    }
}
