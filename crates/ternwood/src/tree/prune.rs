//! Minimal cost-complexity pruning (Breiman et al. 1984, chapter 3).

use super::builder::{NodeRecord, TreeBuilder};
use super::tree::{Node, NodeId, Split, Tree};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The nested subtrees that pruning passes through, from the whole tree to its root.
#[derive(Debug, Clone, PartialEq)]
pub struct PruningPath {
    /// The alpha at which each subtree becomes optimal; starts at 0, never decreases.
    pub alphas: Vec<f64>,
    /// The total impurity of the leaves of each subtree, weighted by their share of the weight.
    pub impurities: Vec<f64>,
}

impl Tree {
    /// The effective alphas of minimal cost-complexity pruning.
    ///
    /// Costs O(n depth log n) for n nodes.
    #[must_use]
    pub fn pruning_path(&self) -> PruningPath {
        let mut pruner = Pruner::new(self);
        let mut path = PruningPath { alphas: vec![0.0], impurities: vec![pruner.leaf_risk[0]] };
        while let Some(alpha) = pruner.weakest() {
            pruner.prune_weakest();
            path.alphas.push(alpha);
            path.impurities.push(pruner.leaf_risk[0]);
        }
        path
    }

    /// The smallest subtree that is optimal at complexity parameter `alpha`.
    #[must_use]
    pub fn pruned(&self, alpha: f64) -> Self {
        let mut pruner = Pruner::new(self);
        while pruner.weakest().is_some_and(|weakest| weakest <= alpha) {
            pruner.prune_weakest();
        }
        self.cut_at(&pruner.is_leaf)
    }

    /// The tree cut off at `depth`: what growing with that `max_depth` would have made, unless
    /// leaves are limited or pruned.
    #[must_use]
    pub(crate) fn cut_at_depth(&self, depth: u32) -> Self {
        let is_leaf: Vec<bool> = self.depths().into_iter().map(|found| found >= depth).collect();
        self.cut_at(&is_leaf)
    }

    /// Copies the tree; the first marked node on every path becomes a leaf.
    fn cut_at(&self, is_leaf: &[bool]) -> Self {
        let mut builder = TreeBuilder::like(self);
        let mut waiting = vec![NodeId::ROOT];
        while let Some(id) = waiting.pop() {
            let split = self.node(id).as_split().filter(|_| !is_leaf[id.index()]);
            builder.push(&NodeRecord {
                test: split.map(|split| &split.test),
                rows: self.node_rows(id),
                values: self.values(id),
                impurity: self.impurity(id),
                rows_within: if split.is_some() { self.rows_within(id) } else { 0 },
            });
            if let Some(split) = split {
                builder.show_with(self.digits(id));
                // Last in, first out: the left child is next in preorder.
                waiting.push(split.right);
                waiting.extend(split.middle);
                waiting.push(split.left);
            }
        }
        builder.finish().expect("the top of a valid tree is a valid tree")
    }
}

/// A tree while it is being pruned.
struct Pruner<'a> {
    tree: &'a Tree,
    parents: Vec<Option<NodeId>>,
    /// Risk of each node as a leaf: its impurity times its share of the root's weight.
    own_risk: Vec<f64>,
    /// Total risk of the leaves below each node, and their number.
    leaf_risk: Vec<f64>,
    n_leaves: Vec<u32>,
    is_leaf: Vec<bool>,
    /// Candidates, weakest first; an entry is stale if its node has changed since.
    heap: BinaryHeap<Link>,
    version: Vec<u32>,
}

/// A node and the alpha at which its subtree is pruned.
struct Link {
    alpha: f64,
    node: NodeId,
    version: u32,
}

impl Ord for Link {
    /// The greatest is the weakest link; on ties the first in preorder.
    fn cmp(&self, other: &Self) -> Ordering {
        other.alpha.total_cmp(&self.alpha).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Link {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Link {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Link {}

impl<'a> Pruner<'a> {
    fn new(tree: &'a Tree) -> Self {
        let n = tree.n_nodes();
        let total = tree.weight(NodeId::ROOT);
        let own_risk: Vec<f64> =
            tree.ids().map(|id| tree.weight(id) / total * tree.impurity(id)).collect();
        let mut pruner = Self {
            tree,
            parents: tree.parents(),
            leaf_risk: own_risk.clone(),
            own_risk,
            n_leaves: vec![1; n],
            is_leaf: tree.ids().map(|id| tree.node(id).is_leaf()).collect(),
            heap: BinaryHeap::new(),
            version: vec![0; n],
        };
        for id in tree.ids().rev() {
            pruner.gather_children(id);
        }
        for id in tree.ids() {
            pruner.enqueue(id);
        }
        pruner
    }

    /// Sums up the leaves below a split from its children's sums.
    fn gather_children(&mut self, id: NodeId) {
        let Node::Split(split) = self.tree.node(id) else { return };
        let (mut risk, mut leaves) = (0.0, 0);
        for child in split.children() {
            if !self.tree.stands_in(id, child) {
                risk += self.leaf_risk[child.index()];
            }
            leaves += self.n_leaves[child.index()];
        }
        let untrained = self.tree.untrained_weight(id);
        if untrained > 0.0 {
            risk += untrained / self.tree.weight(NodeId::ROOT) * self.tree.impurity(id);
        }
        self.leaf_risk[id.index()] = risk;
        self.n_leaves[id.index()] = leaves;
    }

    fn enqueue(&mut self, node: NodeId) {
        let i = node.index();
        if !self.is_leaf[i] {
            // Rounding may put the leaves' risk slightly above the node's own.
            let saved = (self.own_risk[i] - self.leaf_risk[i]).max(0.0);
            let alpha = saved / f64::from(self.n_leaves[i] - 1);
            self.heap.push(Link { alpha, node, version: self.version[i] });
        }
    }

    /// The alpha at which the next subtree is pruned; `None` when only the root is left.
    fn weakest(&mut self) -> Option<f64> {
        while let Some(link) = self.heap.peek() {
            let i = link.node.index();
            if !self.is_leaf[i] && link.version == self.version[i] {
                return Some(link.alpha);
            }
            self.heap.pop();
        }
        None
    }

    fn prune_weakest(&mut self) {
        let Some(link) = self.heap.pop() else { return };
        let i = link.node.index();
        self.leaf_risk[i] = self.own_risk[i];
        self.n_leaves[i] = 1;
        // Mark the whole subtree, so that no link inside survives.
        let mut below = vec![link.node];
        while let Some(id) = below.pop() {
            if !self.is_leaf[id.index()] {
                self.is_leaf[id.index()] = true;
                below.extend(self.tree.node(id).as_split().into_iter().flat_map(Split::children));
            }
        }
        let mut ancestor = self.parents[i];
        while let Some(id) = ancestor {
            self.gather_children(id);
            self.version[id.index()] += 1;
            self.enqueue(id);
            ancestor = self.parents[id.index()];
        }
    }
}
