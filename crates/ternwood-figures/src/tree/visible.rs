//! Selection of the nodes to draw.

use ternwood::Tree;
use ternwood::tree::{Node, NodeId};

/// A node that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawn {
    pub(super) id: NodeId,
    /// The parent's index in the list of drawn nodes.
    pub(super) parent: Option<usize>,
    pub(super) depth: usize,
    pub(super) branch: Branch,
    pub(super) kind: Kind,
    /// True for a middle leaf that no training row reached: it copies its parent's statistics.
    pub(super) stands_in: bool,
}

/// The position of a node below its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Branch {
    Root,
    Left,
    Middle,
    Right,
}

/// The form in which a node is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Split,
    Leaf,
    /// A split whose subtree is omitted, and the number of nodes below it.
    Stub(usize),
}

/// The nodes from `top` down to a depth below it, in preorder; splits at that depth become stubs.
pub(super) fn drawn_nodes(tree: &Tree, top: NodeId, limit: usize) -> Vec<Drawn> {
    let sizes = subtree_sizes(tree);
    let mut links: Vec<Option<(usize, Branch)>> = vec![None; tree.n_nodes()];
    let mut drawn: Vec<Drawn> = Vec::new();
    for id in below(tree, top) {
        let link = links[id.index()];
        // What hangs on nothing that is drawn is not drawn either.
        if id != top && link.is_none() {
            continue;
        }
        let parent = link.map(|(parent, _)| parent);
        let depth = parent.map_or(0, |parent| drawn[parent].depth + 1);
        let kind = match tree.node(id) {
            Node::Leaf => Kind::Leaf,
            Node::Split(_) if depth == limit => Kind::Stub(sizes[id.index()] - 1),
            Node::Split(split) => {
                let mut hang = |child: NodeId, branch| {
                    links[child.index()] = Some((drawn.len(), branch));
                };
                hang(split.left, Branch::Left);
                hang(split.right, Branch::Right);
                split.middle.into_iter().for_each(|middle| hang(middle, Branch::Middle));
                Kind::Split
            }
        };
        let stands_in = parent.is_some_and(|parent| tree.stands_in(drawn[parent].id, id));
        let branch = link.map_or(Branch::Root, |(_, branch)| branch);
        drawn.push(Drawn { id, parent, depth, branch, kind, stands_in });
    }
    drawn
}

/// The nodes of a subtree, which are a contiguous range.
fn below(tree: &Tree, top: NodeId) -> impl Iterator<Item = NodeId> + use<> {
    let size = subtree_sizes(tree)[top.index()] as u32;
    (top.0..top.0 + size).map(NodeId)
}

/// The leaves and the splits at every depth of a subtree.
pub(super) struct Levels {
    leaves: Vec<usize>,
    splits: Vec<usize>,
}

impl Levels {
    pub(super) fn below(tree: &Tree, top: NodeId) -> Self {
        let (depths, at_top) = (tree.depths(), tree.depths()[top.index()]);
        let depth = |id: NodeId| (depths[id.index()] - at_top) as usize;
        let deepest = below(tree, top).map(depth).max().unwrap_or(0);
        let (mut leaves, mut splits) = (vec![0; deepest + 1], vec![0; deepest + 1]);
        for id in below(tree, top) {
            let counts = if tree.node(id).is_leaf() { &mut leaves } else { &mut splits };
            counts[depth(id)] += 1;
        }
        Self { leaves, splits }
    }

    pub(super) fn depth(&self) -> usize {
        self.leaves.len() - 1
    }

    /// The largest depth with at most `max_leaves` leaves and stubs, at least 1.
    pub(super) fn depth_that_fits(&self, max_leaves: usize) -> usize {
        let mut shallower = 0;
        let mut fits = 1;
        for (depth, (leaves, splits)) in self.leaves.iter().zip(&self.splits).enumerate() {
            shallower += leaves;
            if shallower + splits > max_leaves {
                break;
            }
            fits = fits.max(depth);
        }
        fits
    }
}

/// The number of nodes in every subtree.
fn subtree_sizes(tree: &Tree) -> Vec<usize> {
    let mut sizes = vec![1; tree.n_nodes()];
    for id in tree.ids().rev() {
        if let Node::Split(split) = tree.node(id) {
            sizes[id.index()] += split.children().map(|child| sizes[child.index()]).sum::<usize>();
        }
    }
    sizes
}
