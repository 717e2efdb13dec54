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

/// The nodes down to a depth, in preorder; splits at that depth become stubs.
pub(super) fn drawn_nodes(tree: &Tree, limit: usize) -> Vec<Drawn> {
    let depths = tree.depths();
    let sizes = subtree_sizes(tree);
    let mut place = vec![None; tree.n_nodes()];
    let mut links: Vec<(Option<NodeId>, Branch)> = vec![(None, Branch::Root); tree.n_nodes()];
    let mut drawn = Vec::new();
    for id in tree.ids() {
        let depth = depths[id.index()] as usize;
        if depth > limit {
            continue;
        }
        let (parent, branch) = links[id.index()];
        let kind = match tree.node(id) {
            Node::Leaf => Kind::Leaf,
            Node::Split(_) if depth == limit => Kind::Stub(sizes[id.index()] - 1),
            Node::Split(split) => {
                links[split.left.index()] = (Some(id), Branch::Left);
                links[split.right.index()] = (Some(id), Branch::Right);
                if let Some(middle) = split.middle {
                    links[middle.index()] = (Some(id), Branch::Middle);
                }
                Kind::Split
            }
        };
        place[id.index()] = Some(drawn.len());
        let stands_in = parent.is_some_and(|parent| tree.stands_in(parent, id));
        let parent = parent.and_then(|parent| place[parent.index()]);
        drawn.push(Drawn { id, parent, depth, branch, kind, stands_in });
    }
    drawn
}

/// The largest depth with at most `max_leaves` leaves and stubs, at least 1.
pub(super) fn depth_that_fits(tree: &Tree, max_leaves: usize) -> usize {
    let depths = tree.depths();
    let deepest = depths.iter().copied().max().unwrap_or(0) as usize;
    // Leaves and splits at each depth.
    let (mut leaves, mut splits) = (vec![0usize; deepest + 1], vec![0usize; deepest + 1]);
    for id in tree.ids() {
        let depth = depths[id.index()] as usize;
        let counts = if tree.node(id).is_leaf() { &mut leaves } else { &mut splits };
        counts[depth] += 1;
    }
    let mut shallower = 0;
    let mut fits = 1;
    for depth in 0..=deepest {
        shallower += leaves[depth];
        if shallower + splits[depth] > max_leaves {
            break;
        }
        fits = fits.max(depth);
    }
    fits
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
