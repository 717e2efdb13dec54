//! Small trees answer many rows at once: all tests of a tree for a block of rows, without a branch that depends on a
//! value.
//!
//! In boosted trees with wide zones a row reaches most leaves, so little would be saved by walking.

use crate::blend::blended;
use crate::tree::{Node, SoftTest, Tree};

/// Rows of a block. The compiler knows the number and uses vectors.
pub(crate) const BLOCK: usize = 64;

type Block = [f64; BLOCK];

/// A tree laid out for blocks of rows.
#[derive(Debug, Clone)]
pub(crate) struct DenseTree {
    /// In preorder.
    nodes: Vec<DenseNode>,
    n_outputs: usize,
    n_leaves: usize,
}

#[derive(Debug, Clone)]
enum DenseNode {
    /// The values of the outputs.
    Leaf(Vec<f64>),
    Split { feature: usize, test: SoftTest },
}

/// Memory for one thread.
#[derive(Default)]
pub(crate) struct Workspace {
    /// Shares of the left, of every split.
    left_shares: Vec<Block>,
    stack: Vec<Block>,
    /// Shares of leaves, leaf by leaf.
    pub(crate) leaf_shares: Vec<Block>,
}

impl DenseTree {
    /// Of a tree with two children per split.
    pub(crate) fn new(tree: &Tree) -> Self {
        let nodes: Vec<DenseNode> = tree
            .ids()
            .map(|id| match tree.node(id) {
                Node::Leaf => DenseNode::Leaf(tree.values(id).to_vec()),
                Node::Split(split) => DenseNode::Split {
                    feature: split.test.feature().index(),
                    test: split.test.soft(),
                },
            })
            .collect();
        let n_leaves = nodes.iter().filter(|node| matches!(node, DenseNode::Leaf(_))).count();
        Self { nodes, n_outputs: tree.n_outputs(), n_leaves }
    }

    pub(crate) fn n_leaves(&self) -> usize {
        self.n_leaves
    }

    /// Replaces the values of the leaves, in preorder.
    pub(crate) fn set_leaf_values(&mut self, values: &[f64]) {
        let leaves = self.nodes.iter_mut().filter_map(|node| match node {
            DenseNode::Leaf(values) => Some(values),
            DenseNode::Split { .. } => None,
        });
        leaves.zip(values.chunks_exact(self.n_outputs)).for_each(|(leaf, values)| leaf.copy_from_slice(values));
    }

    /// Finds the shares of a block of rows at every split. `value(feature)` has the rows' values.
    #[inline]
    fn find_shares<'v>(&self, value: impl Fn(usize) -> &'v Block, work: &mut Workspace) {
        work.left_shares.clear();
        for node in &self.nodes {
            if let DenseNode::Split { feature, test } = node {
                work.left_shares.push(test.left_shares(value(*feature)));
            }
        }
    }

    /// Adds the answers for a block of rows to `sums`, output by output.
    pub(crate) fn add_answers<'v>(
        &self,
        value: impl Fn(usize) -> &'v Block,
        work: &mut Workspace,
        sums: &mut [Block],
    ) {
        self.find_shares(value, work);
        let Workspace { left_shares, stack, .. } = work;
        stack.clear();
        // Backwards, so that the children of a split are on top of the stack: the left one above the right.
        let mut split = left_shares.len();
        for node in self.nodes.iter().rev() {
            match node {
                DenseNode::Leaf(values) => stack.extend(values.iter().map(|&value| [value; BLOCK])),
                DenseNode::Split { .. } => {
                    split -= 1;
                    let weights = &left_shares[split];
                    let top = stack.len() - self.n_outputs;
                    let (below, left) = stack.split_at_mut(top);
                    let first = top - self.n_outputs;
                    for (right, left) in below[first..].iter_mut().zip(left) {
                        for row in 0..BLOCK {
                            right[row] = blended(weights[row], left[row], right[row]);
                        }
                    }
                    stack.truncate(top);
                }
            }
        }
        for (sum, answer) in sums.iter_mut().zip(&*stack) {
            for row in 0..BLOCK {
                sum[row] += answer[row];
            }
        }
    }

    /// Finds the shares of every leaf.
    pub(crate) fn find_leaf_shares<'v>(&self, value: impl Fn(usize) -> &'v Block, work: &mut Workspace) {
        self.find_shares(value, work);
        let Workspace { left_shares, stack, leaf_shares } = work;
        (stack.clear(), leaf_shares.clear());
        stack.push([1.0; BLOCK]);
        let mut split = 0;
        for node in &self.nodes {
            let Some(part) = stack.pop() else { return };
            match node {
                DenseNode::Leaf(_) => leaf_shares.push(part),
                DenseNode::Split { .. } => {
                    let weights = &left_shares[split];
                    split += 1;
                    let (mut left, mut right) = ([0.0; BLOCK], [0.0; BLOCK]);
                    for row in 0..BLOCK {
                        left[row] = part[row] * weights[row];
                        right[row] = part[row] - left[row];
                    }
                    stack.push(right);
                    stack.push(left);
                }
            }
        }
    }
}
