//! Which nodes of a tree are drawn, with which rows, and where.

use crate::classes::Classes;
use crate::drawn_rows::DrawnRows;
use crate::histogram::Counted;
use ternwood::Tree;
use ternwood::model::Histograms;
use ternwood::tree::{Node, NodeId};

// Tidy tree layout: children in order, parents centred above their children, subtrees as close as
// their outlines allow (after Reingold and Tilford). No recursion.

/// A box to place: the index of its parent (which precedes it) and its width.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeBox {
    pub(super) parent: Option<usize>,
    pub(super) width: f64,
}

/// The centres of all boxes. Boxes on a level are at least `gap` apart; the leftmost edge is at 0.
pub(super) fn centers(boxes: &[TreeBox], gap: f64) -> Vec<f64> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
    for (index, tree_box) in boxes.iter().enumerate() {
        if let Some(parent) = tree_box.parent {
            children[parent].push(index);
        }
    }
    // Bottom up: the position of each child relative to its parent.
    let mut offsets = vec![0.0; boxes.len()];
    let mut outlines: Vec<Outline> = (0..boxes.len()).map(|_| Outline::default()).collect();
    for index in (0..boxes.len()).rev() {
        let own: Vec<Outline> =
            children[index].iter().map(|&child| std::mem::take(&mut outlines[child])).collect();
        let (places, mut outline) = side_by_side(own, gap);
        let middle = match (places.first(), places.last()) {
            (Some(first), Some(last)) => (first + last) / 2.0,
            _ => 0.0,
        };
        for (&child, place) in children[index].iter().zip(&places) {
            offsets[child] = place - middle;
        }
        outline.shift -= middle;
        outline.push_root(boxes[index].width);
        outlines[index] = outline;
    }
    // Top down: absolute positions.
    let mut centers = offsets;
    for index in 0..boxes.len() {
        if let Some(parent) = boxes[index].parent {
            centers[index] += centers[parent];
        }
    }
    let edges = centers.iter().zip(boxes).map(|(center, tree_box)| center - tree_box.width / 2.0);
    let leftmost = edges.fold(f64::INFINITY, f64::min);
    centers.iter().map(|center| center - leftmost).collect()
}

/// The left and right edge of a subtree at every level, the top level last. Adding `shift` makes
/// them relative to the root's centre.
#[derive(Debug, Default)]
struct Outline {
    levels: Vec<(f64, f64)>,
    shift: f64,
}

impl Outline {
    fn push_root(&mut self, width: f64) {
        self.levels.push((-width / 2.0 - self.shift, width / 2.0 - self.shift));
    }

    /// The edges from the top level down.
    fn edges(&self) -> impl Iterator<Item = (f64, f64)> {
        let shift = self.shift;
        self.levels.iter().rev().map(move |&(left, right)| (left + shift, right + shift))
    }

    /// The distance to move `right` so that it is `gap` clear of this outline.
    fn clearance(&self, right: &Self, gap: f64) -> f64 {
        let pairs = self.edges().zip(right.edges());
        pairs.map(|(a, b)| a.1 + gap - b.0).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Both outlines as one, with `right` to the right of this one. Visits only the levels that
    /// both have.
    fn joined(self, right: Self) -> Self {
        let (mut deep, shallow, deep_is_left) = if self.levels.len() >= right.levels.len() {
            (self, right, true)
        } else {
            (right, self, false)
        };
        let below = deep.levels.len() - shallow.levels.len();
        let move_by = shallow.shift - deep.shift;
        for (wide, add) in deep.levels[below..].iter_mut().zip(&shallow.levels) {
            if deep_is_left {
                wide.1 = add.1 + move_by;
            } else {
                wide.0 = add.0 + move_by;
            }
        }
        deep
    }
}

/// Places subtrees next to each other and centres a middle one if it has room to spare. Returns
/// their centres and their joint outline.
fn side_by_side(outlines: Vec<Outline>, gap: f64) -> (Vec<f64>, Outline) {
    let mut places: Vec<f64> = Vec::with_capacity(outlines.len());
    for (index, outline) in outlines.iter().enumerate() {
        let clear = (0..index)
            .map(|before| places[before] + outlines[before].clearance(outline, gap))
            .fold(f64::NEG_INFINITY, f64::max);
        places.push(if index == 0 { 0.0 } else { clear });
    }
    if let [left, middle, right] = outlines.as_slice() {
        let low = places[0] + left.clearance(middle, gap);
        let high = places[2] - middle.clearance(right, gap);
        places[1] = (low + high.max(low)) / 2.0;
    }
    let placed = outlines.into_iter().zip(&places).map(|(mut outline, place)| {
        outline.shift += place;
        outline
    });
    let all = placed.reduce(Outline::joined).unwrap_or_default();
    (places, all)
}

// Selection of the nodes to draw.

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

// Assignment of rows to splits.

/// The rows that reach a split: their values of the tested feature.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValuesAtSplit {
    /// The values with their class slots.
    pub(crate) present: Vec<Counted>,
    /// The number of rows without a value.
    pub(crate) missing: u64,
}

/// The values of the rows that reach one node.
pub(crate) fn values_at(
    tree: &Tree,
    data: &DrawnRows<'_>,
    node: NodeId,
    classes: &Classes,
) -> ValuesAtSplit {
    values_at_all(tree, data, classes).swap_remove(node.index())
}

fn values_at_all(tree: &Tree, data: &DrawnRows<'_>, classes: &Classes) -> Vec<ValuesAtSplit> {
    values_at_splits(tree, data, &drawn_nodes(tree, NodeId::ROOT, usize::MAX), classes)
}

/// The same from what the model kept of its training rows.
pub(super) fn values_kept(
    histograms: &Histograms,
    nodes: &[Drawn],
    classes: &Classes,
) -> Vec<ValuesAtSplit> {
    let of_node = |node: &Drawn| match histograms.of_node(node.id.0) {
        None => ValuesAtSplit::default(),
        Some(kept) => {
            let counted = kept.values.iter();
            let counted = counted.map(|&(x, class, rows)| (x, classes.slot(class as usize), rows));
            ValuesAtSplit { present: counted.collect(), missing: kept.missing.into() }
        }
    };
    nodes.iter().map(of_node).collect()
}

/// For every drawn node of a branch, the values of the rows that reach it.
pub(super) fn values_at_drawn(
    tree: &Tree,
    data: &DrawnRows<'_>,
    nodes: &[Drawn],
    classes: &Classes,
) -> Vec<ValuesAtSplit> {
    if nodes.first().is_some_and(|top| top.id == NodeId::ROOT) {
        return values_at_splits(tree, data, nodes, classes);
    }
    // The rows come from the root.
    let mut all = values_at_all(tree, data, classes);
    nodes.iter().map(|node| std::mem::take(&mut all[node.id.index()])).collect()
}

/// For every node drawn from the root on, the values of the rows that reach it; none for leaves. Rows go where
/// training rows go: within a zone without a middle child by the threshold, and where their value is
/// unknown to neither child.
fn values_at_splits(
    tree: &Tree,
    data: &DrawnRows<'_>,
    nodes: &[Drawn],
    classes: &Classes,
) -> Vec<ValuesAtSplit> {
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); tree.n_nodes()];
    rows[0] = (0..data.n_rows() as u32).filter(|&row| data.counts(row as usize)).collect();
    let values = nodes.iter().map(|node| {
        let own = std::mem::take(&mut rows[node.id.index()]);
        let mut values = ValuesAtSplit::default();
        let (Kind::Split, Some(split)) = (node.kind, tree.node(node.id).as_split()) else {
            return values;
        };
        let feature = split.test.feature().index();
        for row in own {
            let x = data.value(row as usize, feature);
            if let Some(child) = split.trained_child(x) {
                rows[child.index()].push(row);
            }
            if x.is_nan() {
                values.missing += 1;
            } else {
                values.present.push((x, classes.slot(data.class(row as usize)), 1));
            }
        }
        values
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_box(parent: Option<usize>, width: f64) -> TreeBox {
        TreeBox { parent, width }
    }

    #[test]
    fn parents_are_centred_above_their_children() {
        let boxes = [tree_box(None, 30.0), tree_box(Some(0), 20.0), tree_box(Some(0), 40.0)];
        // Centres 0 and 20/2 + 10 + 40/2 = 40; the parent at 20. The left edge is at -10.
        assert_eq!(centers(&boxes, 10.0), [30.0, 10.0, 50.0]);
    }

    #[test]
    fn a_middle_child_is_centred_between_its_neighbours() {
        // The outer children have wide children of their own; the middle one is a leaf.
        let boxes = [
            tree_box(None, 10.0),
            tree_box(Some(0), 10.0),
            tree_box(Some(1), 50.0),
            tree_box(Some(0), 10.0),
            tree_box(Some(0), 10.0),
            tree_box(Some(4), 50.0),
        ];
        let centers = centers(&boxes, 10.0);
        assert_eq!(centers[5] - centers[2], 60.0);
        assert_eq!(centers[3], (centers[1] + centers[4]) / 2.0);
        assert_eq!(centers[0], centers[3]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let boxes: Vec<TreeBox> =
            (0..50_000usize).map(|i| tree_box(i.checked_sub(1), 10.0)).collect();
        assert!(centers(&boxes, 10.0).iter().all(|&center| center == 5.0));
    }

    /// Random tree shapes from a small generator.
    #[test]
    fn boxes_on_a_level_keep_the_gap() {
        let mut state = 1u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
            (state >> 33) % bound
        };
        for _ in 0..300 {
            // Preorder: the parent of each node is on the current path.
            let mut path: Vec<usize> = vec![0];
            let mut boxes = vec![tree_box(None, 10.0 + random(90) as f64)];
            let mut depths = vec![0];
            for index in 1..=(1 + random(60) as usize) {
                path.truncate(1 + random(path.len() as u64) as usize);
                depths.push(path.len());
                boxes.push(tree_box(Some(path[path.len() - 1]), 10.0 + random(90) as f64));
                path.push(index);
            }
            let centers = centers(&boxes, 7.0);
            for (i, a) in boxes.iter().enumerate() {
                for (j, b) in boxes.iter().enumerate().skip(i + 1) {
                    if depths[i] == depths[j] {
                        // In preorder, later nodes of a level are further right.
                        let distance = centers[j] - b.width / 2.0 - centers[i] - a.width / 2.0;
                        assert!(distance >= 7.0 - 1e-9, "{distance}");
                    }
                }
            }
        }
    }
}
