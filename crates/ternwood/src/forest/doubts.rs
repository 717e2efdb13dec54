//! What makes the trees of a forest undecided about one row.

use super::Forest;
use super::soft_tree::LEAST_SHARE;
use crate::tree::{Node, NodeId, Side, Test, Tree, most_probable};

/// What the trees say of one row.
pub(crate) struct Doubts<'f> {
    /// How many trees are decided, for each class.
    pub(crate) decided: Vec<usize>,
    /// The tests that could not place the row, tree by tree; none for a decided tree.
    pub(crate) tests: Vec<Vec<&'f Test>>,
}

impl Forest {
    /// Follows a row through all trees, as prediction does.
    pub(crate) fn doubts(&self, row: &[f64], crisp: bool) -> Doubts<'_> {
        let mut decided = vec![0; self.n_classes()];
        let of_tree = |tree| {
            let (tests, leaf) = unsure_tests(tree, row, crisp);
            if tests.is_empty() {
                decided[most_probable(tree.distribution(leaf)) as usize] += 1;
            }
            tests
        };
        let tests = self.trees().iter().map(of_tree).collect();
        Doubts { decided, tests }
    }
}

/// The tests that cannot place a row, and the first leaf it reaches.
fn unsure_tests<'t>(tree: &'t Tree, row: &[f64], crisp: bool) -> (Vec<&'t Test>, NodeId) {
    let (mut unsure, mut first_leaf) = (Vec::new(), None);
    let mut waiting = vec![(NodeId::ROOT, 1.0)];
    while let Some((mut node, mut share)) = waiting.pop() {
        while let Node::Split(split) = tree.node(node) {
            let (test, x) = (&split.test, row[split.test.feature().index()]);
            let mut goes_left = test.goes_left(x);
            if test.side(x) == Side::Within {
                if !crisp || test.is_unknown(x) {
                    unsure.push(test);
                }
                let left = share * test.left_share(x);
                if !crisp && left >= LEAST_SHARE && share - left >= LEAST_SHARE {
                    waiting.push((split.right, share - left));
                    (share, goes_left) = (left, true);
                }
            }
            node = if goes_left { split.left } else { split.right };
        }
        first_leaf.get_or_insert(node);
    }
    (unsure, first_leaf.unwrap_or(NodeId::ROOT))
}
