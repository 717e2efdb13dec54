//! How much of every row arrives at every leaf.

use super::routing::Routing;
use super::walk::Walker;
use crate::dataset::Rows;
use crate::tree::{Node, NodeId, Side};

/// The leaves that each row reaches, and its share in each: all shares of a row sum to 1.
///
/// Leaves are numbered among themselves, in preorder.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Gates {
    /// Where the leaves of each row begin; one more than there are rows.
    starts: Vec<usize>,
    leaves: Vec<u32>,
    shares: Vec<f64>,
}

impl Gates {
    /// How many pairs of row and leaf there are.
    pub(crate) fn n_pairs(&self) -> usize {
        self.leaves.len()
    }

    /// The leaves of every row with their shares, row by row.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u32], &[f64])> {
        self.starts.windows(2).map(|range| {
            let range = range[0]..range[1];
            (&self.leaves[range.clone()], &self.shares[range])
        })
    }
}

/// A node on the way down: how much of the row arrives, and whether zones count no more.
#[derive(Clone, Copy)]
struct Arrival {
    node: NodeId,
    share: f64,
    crisp: bool,
}

impl Walker<'_> {
    /// Walks rows down to all leaves they reach.
    ///
    /// Shares are multiplied on the way down: they agree with [`Walker::distribution`], which
    /// blends on the way up, to rounding.
    pub(crate) fn gates(&self, matrix: Rows<'_>, rows: &[u32]) -> Gates {
        let tree = self.tree();
        let mut number = vec![0; tree.n_nodes()];
        for (leaf, id) in tree.leaf_ids().enumerate() {
            number[id.index()] = leaf as u32;
        }
        let mut gates = Gates { starts: vec![0], ..Gates::default() };
        let start =
            Arrival { node: NodeId::ROOT, share: 1.0, crisp: self.routing() == Routing::Crisp };
        let mut waiting = Vec::new();
        for &row in rows {
            waiting.push(start);
            while let Some(arrival) = waiting.pop() {
                match tree.node(arrival.node) {
                    Node::Leaf => {
                        gates.leaves.push(number[arrival.node.index()]);
                        gates.shares.push(arrival.share);
                    }
                    Node::Split(split) => {
                        let x = matrix.column(split.feature.0).at(row as usize);
                        let on = |node| Arrival { node, ..arrival };
                        if arrival.crisp {
                            let left = split.zone.goes_left(x);
                            waiting.push(on(if left { split.left } else { split.right }));
                            continue;
                        }
                        match (split.zone.side(x), split.middle) {
                            (Side::Below, _) => waiting.push(on(split.left)),
                            (Side::Above, _) => waiting.push(on(split.right)),
                            (Side::Within, Some(middle)) => waiting.push(on(middle)),
                            (Side::Within, None) => {
                                let left = split.zone.left_weight(x);
                                let crisp = self.routing() == Routing::Deferred;
                                for (node, weight) in
                                    [(split.right, 1.0 - left), (split.left, left)]
                                {
                                    let share = arrival.share * weight;
                                    if share > 0.0 {
                                        waiting.push(Arrival { node, share, crisp });
                                    }
                                }
                            }
                        }
                    }
                }
            }
            gates.starts.push(gates.leaves.len());
        }
        gates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Columns;
    use crate::predict::Scratch;
    use crate::tree::{TreeBuilder, Zone};

    #[test]
    fn shares_make_the_answer_of_the_walker() {
        let mut builder = TreeBuilder::new(2, 3);
        builder.split(0, Zone::new(10.0, 4.0).unwrap());
        builder.split(1, Zone::new(1.0, 0.5).unwrap());
        builder.leaf(&[3.0, 1.0, 0.0]);
        builder.leaf(&[0.0, 2.0, 2.0]);
        builder.split(0, Zone::new(11.0, 4.0).unwrap());
        builder.leaf(&[1.0, 1.0, 5.0]);
        builder.leaf(&[0.0, 4.0, 1.0]);
        let tree = builder.finish().unwrap();
        let leaves: Vec<NodeId> = tree.leaf_ids().collect();
        let a: Vec<f64> = (0..40).map(|i| f64::from(i) / 2.0).collect();
        let b: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 40) / 20.0).collect();
        let columns = Columns::from_columns([a, b].concat(), 2).unwrap();
        let rows: Vec<u32> = (0..40).collect();
        for routing in [Routing::Crisp, Routing::Probabilistic, Routing::Deferred] {
            let walker = Walker::new(&tree, routing).unwrap();
            let gates = walker.gates(Rows::from(&columns), &rows);
            let mut blended = 0;
            for (row, (reached, shares)) in gates.iter().enumerate() {
                let mut expected = [0.0; 3];
                walker.distribution(&columns.row(row), &mut Scratch::default(), &mut expected);
                for (class, expected) in expected.into_iter().enumerate() {
                    let p = |&leaf: &u32| tree.distribution(leaves[leaf as usize])[class];
                    let mixed: f64 = reached.iter().zip(shares).map(|(l, g)| g * p(l)).sum();
                    assert!((mixed - expected).abs() < 1e-15, "{routing}, row {row}");
                }
                blended += usize::from(reached.len() > 1);
            }
            assert_eq!(blended > 5, routing != Routing::Crisp);
        }
    }
}
